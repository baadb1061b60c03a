"""The C run time (vortex-c/Runtime.h) on a CUDA device: arrays of NumPy, or tensors of PyTorch where they lie."""
import contextlib
import ctypes as c
import typing

import numpy as np

CPU, CUDA = 1, 2
CODES = {"int8": (0, 8), "int32": (0, 32), "int64": (0, 64), "float16": (2, 16), "float32": (2, 32), "float64": (2, 64),
         "bfloat16": (4, 16), "float8_e4m3fn": (10, 8)}


class DeviceError(Exception):
    """A call failed; the message is the library's."""


class _Device(c.Structure):
    _fields_ = [("type", c.c_int32), ("id", c.c_int32)]


class _Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device", _Device), ("ndim", c.c_int32), ("code", c.c_uint8), ("bits", c.c_uint8),
                ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


class _Managed(c.Structure):
    pass


_Managed._fields_ = [("major", c.c_uint32), ("minor", c.c_uint32), ("manager", c.c_void_p),
                     ("deleter", c.CFUNCTYPE(None, c.POINTER(_Managed))), ("flags", c.c_uint64), ("tensor", _Tensor)]


class _KernelInfo(c.Structure):
    _fields_ = [("size", c.c_uint32), ("name", c.c_char_p), ("num_candidates", c.c_int64), ("candidates", c.POINTER(c.c_char_p))]


class _Choice(c.Structure):
    _fields_ = [("kernel", c.c_int64), ("candidate", c.c_int64), ("preferred", c.c_int64), ("times", c.c_int64),
                ("num_candidates", c.c_int64), ("allowed", c.POINTER(c.c_uint8)), ("costs", c.POINTER(c.c_double))]


class Choice(typing.NamedTuple):
    """The choice of a kernel: the candidate that runs, None where none may or where data decides; the one that costs prefer; predicted
    nanoseconds of those that may run, none where data decides."""
    kernel: str
    names: list
    chosen: typing.Optional[str]
    preferred: typing.Optional[str]
    costs: dict


def _describe(address, shape, strides, kind, place):
    code, bits = CODES[kind]
    return _Tensor(address, place, len(shape), code, bits, 1, (c.c_int64 * max(1, len(shape)))(*shape),
                   (c.c_int64 * max(1, len(shape)))(*strides), 0)


def _host(array):
    return _describe(array.ctypes.data, array.shape, [s // array.itemsize for s in array.strides], str(array.dtype), _Device(CPU, 0))


class Program:
    """One artifact on CUDA device NUMBER."""

    def __init__(self, library, artifact, number=0):
        self.lib, self.number = c.CDLL(library), number
        self.lib.vortexLastError.restype = self.lib.vortexInstanceRemarks.restype = c.c_char_p
        self.lib.vortexModuleKernel.restype = c.POINTER(_KernelInfo)
        self.lib.vortexInstanceModule.restype = c.c_void_p
        self.lib.vortexContextNumChoices.restype = c.c_int64
        self.lib.vortexInstanceCreateOn.argtypes = [c.c_void_p, _Device, c.c_void_p]
        self.lib.vortexContextSetStream.argtypes = [c.c_void_p] * 2
        for name in ("vortexInstanceCopyTo", "vortexInstanceCopy"):
            getattr(self.lib, name).argtypes = [c.c_void_p] * 3
        self.module, self.instance, self.context = c.c_void_p(), c.c_void_p(), c.c_void_p()
        self._check(self.lib.vortexModuleLoad(artifact.encode(), c.byref(self.module)))
        self._check(self.lib.vortexInstanceCreateOn(self.module, _Device(CUDA, number), c.byref(self.instance)))
        self._check(self.lib.vortexContextCreate(self.instance, None, c.byref(self.context)))
        self.program = c.c_void_p(self.lib.vortexInstanceModule(self.instance))     # of an artifact for several targets

    def _check(self, status):
        if status:
            raise DeviceError(self.lib.vortexLastError().decode(errors="replace") or f"status {status}")

    def remarks(self):
        return (self.lib.vortexInstanceRemarks(self.instance) or b"").decode(errors="replace").strip()

    def upload(self, array):
        """ARRAY's copy on the device, to be given back to free()."""
        made = c.POINTER(_Managed)()
        self._check(self.lib.vortexInstanceCopyTo(self.instance, c.byref(_host(array)), c.byref(made)))
        return made

    def download(self, made, array):
        self._check(self.lib.vortexInstanceCopy(self.instance, c.byref(made.contents.tensor), c.byref(_host(array))))
        return array

    def free(self, made):
        made.contents.deleter(made)

    def borrow(self, tensor):
        """A tensor of PyTorch as an argument or result, where it lies."""
        view = _describe(tensor.data_ptr(), tensor.shape, tensor.stride(), str(tensor.dtype).split(".")[1], _Device(CUDA, self.number))
        made = c.pointer(_Managed(1, 1, None, c.CFUNCTYPE(None, c.POINTER(_Managed))(), 0, view))
        made.kept = tensor                                  # its memory is used as long as this is
        return made

    def prepare(self, function, arguments, results):
        """A call without parameters, so that what is timed is the call alone."""
        given = (c.POINTER(_Tensor) * len(arguments))(*(c.pointer(a.contents.tensor) for a in arguments))
        taken = (c.POINTER(_Managed) * len(results))(*results)
        name, run, kept = function.encode(), self.lib.vortexContextCall, (arguments, results)
        counts = c.c_int64(len(arguments)), c.c_int64(len(results))

        def call():
            self._check(run(self.context, name, given, counts[0], taken, counts[1]))
        call.kept = kept
        return call

    def set_stream(self, stream):
        self._check(self.lib.vortexContextSetStream(self.context, c.c_void_p(stream)))

    def synchronize(self):
        self._check(self.lib.vortexContextSynchronize(self.context))

    def force(self, kernel, candidate):
        self._check(self.lib.vortexContextForce(self.context, kernel.encode(), candidate.encode() if candidate else None))

    @contextlib.contextmanager
    def forcing(self, forced):
        """Calls run the candidates of FORCED, [(kernel, candidate)]."""
        try:
            for kernel, name in forced:
                self.force(kernel, name)
            yield
        finally:
            for kernel, _ in forced:
                self.force(kernel, None)

    @contextlib.contextmanager
    def recording(self):
        """Calls note what they choose, for ran()."""
        self.lib.vortexContextRecordChoices(self.context, c.c_int32(True))
        try:
            yield
        finally:
            self.lib.vortexContextRecordChoices(self.context, c.c_int32(False))

    def choices(self, function, arguments):
        """What a call would choose: a Choice for each kernel."""
        given = (c.POINTER(_Tensor) * len(arguments))(*(c.pointer(a.contents.tensor) for a in arguments))
        ask, count = self.lib.vortexFunctionChoose, c.c_int64()
        head = (self.context, function.encode(), given, c.c_int64(len(arguments)))
        self._check(ask(*head, None, c.c_int64(0), c.byref(count)))
        choices = (_Choice * max(1, count.value))()
        self._check(ask(*head, choices, count, c.byref(count)))
        return [self._read(choice) for choice in choices[:count.value]]

    def ran(self):
        """What the latest call chose: a Choice for each kernel that ran while recording()."""
        found, choice = [], _Choice()
        for i in range(self.lib.vortexContextNumChoices(self.context)):
            self._check(self.lib.vortexContextChoice(self.context, c.c_int64(i), c.byref(choice)))
            found.append(self._read(choice))
        return found

    def _read(self, choice):
        """A copy: what CHOICE points at is there until the next call."""
        kernel = self.lib.vortexModuleKernel(self.program, c.c_int64(choice.kernel)).contents
        names = [kernel.candidates[i].decode() for i in range(kernel.num_candidates)]
        chosen, preferred = (names[i] if i >= 0 else None for i in (choice.candidate, choice.preferred))
        costs = {names[i]: choice.costs[i] for i in range(choice.num_candidates) if choice.allowed[i]}
        return Choice(kernel.name.decode(), names, chosen, preferred, costs)

    def close(self):
        self.lib.vortexContextDestroy(self.context)
        self.lib.vortexInstanceDestroy(self.instance)
        self.lib.vortexModuleUnload(self.module)


def empty(shape, kind):
    return np.full(shape, -7 if kind.startswith("int") else np.nan, kind)
