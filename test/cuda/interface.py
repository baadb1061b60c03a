"""The C interface of the run time on a device, as far as the tests use it: of the library that is the program's first argument."""
import ctypes as c
import sys

CUDA, CPU = 2, 1


class Device(c.Structure):
    _fields_ = [("type", c.c_int32), ("id", c.c_int32)]


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device", Device), ("ndim", c.c_int32), ("code", c.c_uint8), ("bits", c.c_uint8),
                ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


class Managed(c.Structure):
    pass


Managed._fields_ = [("major", c.c_uint32), ("minor", c.c_uint32), ("manager", c.c_void_p),
                    ("deleter", c.CFUNCTYPE(None, c.POINTER(Managed))), ("flags", c.c_uint64), ("tensor", Tensor)]

lib = c.CDLL(sys.argv[1])
lib.vortexLastError.restype = c.c_char_p
lib.vortexInstanceRemarks.restype = c.c_char_p
lib.vortexInstanceDevice.restype = Device
lib.vortexInstanceCreateOn.argtypes = [c.c_void_p, Device, c.c_void_p]
for name in ("vortexContextSetStream", "vortexInstanceCopyTo", "vortexInstanceCopy"):
    getattr(lib, name).argtypes = [c.c_void_p] * (2 if name == "vortexContextSetStream" else 3)


def check(status):
    if status:
        sys.exit(f"failed: {status}: {lib.vortexLastError().decode()}")


def refused(what, status):
    if not status:
        sys.exit(f"{what} was not refused")
    print(f"{what}: {status}: {lib.vortexLastError().decode()}")


def view(array, strides=None):
    shape = (c.c_int64 * array.ndim)(*array.shape)
    steps = (c.c_int64 * array.ndim)(*(strides or (s // array.itemsize for s in array.strides)))
    code = 0 if array.dtype.kind == "i" else 2  # DLPack: integers, floats
    return Tensor(array.ctypes.data, Device(CPU, 0), array.ndim, code, 8 * array.itemsize, 1, shape, steps, 0)
