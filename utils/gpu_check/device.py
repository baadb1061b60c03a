"""The C run time (vortex-c/Runtime.h) on a CUDA device: arrays of NumPy, or tensors of PyTorch where they lie."""
import ctypes as c

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

    def record(self, on):
        """Whether calls note what they choose, for ran()."""
        self.lib.vortexContextRecordChoices(self.context, c.c_int32(on))

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

    def choices(self, function, arguments):
        """[(kernel, its candidates, the one that a call would choose, predicted nanoseconds)]"""
        return self._ask(function, arguments, self._describe)

    def costs(self, function, arguments):
        """[(kernel, {candidate that may run: predicted nanoseconds or None}, the one that a call would choose)]"""
        def read(choice):
            kernel, names, chosen, _ = self._describe(choice)
            allowed = [i for i in range(choice.num_candidates) if not choice.allowed or choice.allowed[i]]
            return kernel, {names[i]: choice.costs[i] if choice.costs else None for i in allowed}, chosen
        return self._ask(function, arguments, read)

    def _ask(self, function, arguments, read):
        """What READ makes of each kernel's choice, while what it points at is there."""
        given = (c.POINTER(_Tensor) * len(arguments))(*(c.pointer(a.contents.tensor) for a in arguments))
        ask, count = self.lib.vortexFunctionChoose, c.c_int64()
        head = (self.context, function.encode(), given, c.c_int64(len(arguments)))
        self._check(ask(*head, None, c.c_int64(0), c.byref(count)))
        choices = (_Choice * max(1, count.value))()
        self._check(ask(*head, choices, count, c.byref(count)))
        return [read(choice) for choice in choices[:count.value]]

    def _describe(self, choice):
        kernel = self.lib.vortexModuleKernel(self.program, c.c_int64(choice.kernel)).contents
        names = [kernel.candidates[i].decode() for i in range(kernel.num_candidates)]
        chosen = choice.candidate >= 0
        return (kernel.name.decode(), names, names[choice.candidate] if chosen else None,
                choice.costs[choice.candidate] if chosen and choice.costs else None)

    def ran(self):
        """[(kernel, candidate)] of the latest call, where record(True) was before it."""
        found, choice = [], _Choice()
        for i in range(self.lib.vortexContextNumChoices(self.context)):
            self._check(self.lib.vortexContextChoice(self.context, c.c_int64(i), c.byref(choice)))
            found.append((*self._describe(choice)[::2],)[:2])
        return found

    def close(self):
        self.lib.vortexContextDestroy(self.context)
        self.lib.vortexInstanceDestroy(self.instance)
        self.lib.vortexModuleUnload(self.module)


def empty(shape, kind):
    return np.full(shape, -7 if kind.startswith("int") else np.nan, kind)
