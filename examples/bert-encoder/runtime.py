"""The C run time (vortex-c/Runtime.h) from Python: module, instance, context, NumPy arrays in and out."""
import ctypes as c
import os

import numpy as np


class VortexError(Exception):
    """A call failed; the message is the library's."""


class _DLTensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device_id", c.c_int32), ("ndim", c.c_int32), ("code", c.c_uint8),
                ("bits", c.c_uint8), ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64)),
                ("byte_offset", c.c_uint64)]


class _DLManagedTensor(c.Structure):
    _fields_ = [("major", c.c_uint32), ("minor", c.c_uint32), ("manager", c.c_void_p), ("deleter", c.c_void_p), ("flags", c.c_uint64),
                ("tensor", _DLTensor)]


class _KernelInfo(c.Structure):
    _fields_ = [("size", c.c_uint32), ("name", c.c_char_p), ("num_candidates", c.c_int64), ("candidates", c.POINTER(c.c_char_p))]


class _Choice(c.Structure):
    _fields_ = [("kernel", c.c_int64), ("candidate", c.c_int64), ("preferred", c.c_int64), ("times", c.c_int64),
                ("num_candidates", c.c_int64), ("allowed", c.POINTER(c.c_uint8)), ("costs", c.POINTER(c.c_double))]


class _ContextOptions(c.Structure):
    _fields_ = [("size", c.c_uint32), ("threads", c.c_int32), ("parallel_for", c.c_void_p), ("parallel_for_user", c.c_void_p),
                ("allocate", c.c_void_p), ("deallocate", c.c_void_p), ("allocator_user", c.c_void_p), ("workspace", c.c_void_p),
                ("workspace_bytes", c.c_size_t), ("reserve_bytes", c.c_int64)]


_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


def _describe(array):
    """A DLTensor that borrows ARRAY, and the extents it points at."""
    extents = (c.c_int64 * max(1, array.ndim))(*array.shape)
    strides = (c.c_int64 * max(1, array.ndim))(*(s // array.itemsize for s in array.strides))
    tensor = _DLTensor(array.ctypes.data, 1, 0, array.ndim, _CODES[array.dtype.kind], 8 * array.itemsize, 1,
                       c.cast(extents, c.POINTER(c.c_int64)), c.cast(strides, c.POINTER(c.c_int64)), 0)
    return tensor, (extents, strides)


def _tensors(arrays):
    """A C array of pointers to tensors that borrow ARRAYS, and what must stay alive while it is used."""
    described = [_describe(a) for a in arrays]
    return (c.POINTER(_DLTensor) * max(1, len(arrays)))(*(c.pointer(t) for t, _ in described)), described


class Model:
    """One artifact with its weights bound, run with a number of threads. RESERVE: bytes of scratch memory that are there from the start;
    0: what declared sizes say, -1: none."""

    def __init__(self, library, artifact, threads=0, reserve=0):
        if not os.path.exists(library):
            raise VortexError(f"{library} is not there: build first")
        self.lib = c.CDLL(library)
        self.lib.vortexLastError.restype = c.c_char_p
        self.lib.vortexModuleKernel.restype = c.POINTER(_KernelInfo)
        self.lib.vortexContextNumChoices.restype = c.c_int64
        self.lib.vortexContextScratchBytes.restype = c.c_size_t
        self.module, self.instance, self.context = c.c_void_p(), c.c_void_p(), c.c_void_p()
        self._check(self.lib.vortexModuleLoad(artifact.encode(), c.byref(self.module)))
        self._check(self.lib.vortexInstanceCreate(self.module, c.byref(self.instance)))
        options = _ContextOptions(size=c.sizeof(_ContextOptions), threads=threads, reserve_bytes=reserve)
        self._check(self.lib.vortexContextCreate(self.instance, c.byref(options), c.byref(self.context)))
        self.weights = []

    def _check(self, status):
        if status:
            raise VortexError(self.lib.vortexLastError().decode(errors="replace") or f"status {status}")

    def bind(self, function, weights):
        """Binds all weight arguments of FUNCTION, in order; the arrays are borrowed."""
        self.weights = [np.ascontiguousarray(w) for w in weights]
        tensors, kept = _tensors(self.weights)
        self._check(self.lib.vortexInstanceBindWeights(self.instance, function.encode(), tensors, c.c_int64(len(weights)), None))

    def call(self, function, inputs, outputs):
        """Runs FUNCTION on the arrays INPUTS (its arguments that are not weights) into the arrays OUTPUTS."""
        self.prepare(function, inputs, outputs)()

    def prepare(self, function, inputs, outputs):
        """A function that makes this call, any number of times, without describing the arrays again."""
        args, kept = _tensors(inputs)
        described = [_describe(a) for a in outputs]
        managed = [_DLManagedTensor(1, 1, None, None, 0, t) for t, _ in described]
        results = (c.POINTER(_DLManagedTensor) * max(1, len(managed)))(*(c.pointer(m) for m in managed))
        name, counts, run = function.encode(), (c.c_int64(len(inputs)), c.c_int64(len(outputs))), self.lib.vortexContextCall

        def again(kept=(kept, described, inputs, outputs)):
            status = run(self.context, name, args, counts[0], results, counts[1])
            if status:
                self._check(status)
        return again

    def choices(self, function, inputs, outputs):
        """[(kernel, candidate, times)] of one call."""
        self.lib.vortexContextRecordChoices(self.context, 1)
        try:
            self.call(function, inputs, outputs)
            found = []
            for i in range(self.lib.vortexContextNumChoices(self.context)):
                choice = _Choice()
                self._check(self.lib.vortexContextChoice(self.context, c.c_int64(i), c.byref(choice)))
                kernel = self.lib.vortexModuleKernel(self.module, c.c_int64(choice.kernel)).contents
                found.append((kernel.name.decode(), kernel.candidates[choice.candidate].decode(), choice.times))
            return found
        finally:
            self.lib.vortexContextRecordChoices(self.context, 0)

    def predict(self, function, inputs):
        """[(kernel, candidate, nanoseconds)] that a call would choose, without making it; (kernel, None, None): data decides."""
        args, kept = _tensors(inputs)
        count, found = c.c_int64(), []
        self._check(self.lib.vortexFunctionChoose(self.context, function.encode(), args, c.c_int64(len(inputs)), None, c.c_int64(0),
                                                  c.byref(count)))
        choices = (_Choice * count.value)()
        self._check(self.lib.vortexFunctionChoose(self.context, function.encode(), args, c.c_int64(len(inputs)), choices, count,
                                                  c.byref(count)))
        for choice in choices:
            kernel = self.lib.vortexModuleKernel(self.module, c.c_int64(choice.kernel)).contents
            known = choice.candidate >= 0
            found.append((kernel.name.decode(), kernel.candidates[choice.candidate].decode() if known else None,
                          choice.costs[choice.candidate] if known else None))
        return found

    @property
    def scratch_bytes(self):
        return self.lib.vortexContextScratchBytes(self.context)

    def close(self):
        self.lib.vortexContextDestroy(self.context)
        self.lib.vortexInstanceDestroy(self.instance)
        self.lib.vortexModuleUnload(self.module)
