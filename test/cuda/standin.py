"""standin.py LIBRARY PTX FAULT: what the stand-in driver notices.  FAULT is one of the functions below."""
import ctypes as c
import sys

cuda = c.CDLL(sys.argv[1])
VALUES = 64  # floats


def check(status):
    if status:
        sys.exit(f"error {status}")


def allocate(count):
    address = c.c_uint64()
    check(cuda.cuMemAlloc_v2(c.byref(address), c.c_size_t(count)))
    return address


def launch(grid=2, threads=32, shared=0, parameters=3):
    source, target = allocate(4 * VALUES), allocate(4 * VALUES)
    data = (c.c_float * VALUES)(*range(VALUES))
    check(cuda.cuMemcpyHtoDAsync_v2(source, data, c.c_size_t(4 * VALUES), None))
    given = [source, target, c.c_float(2)][:parameters]
    places = (c.c_void_p * (len(given) + 1))(*(c.addressof(g) for g in given), None)
    status = cuda.cuLaunchKernel(function, grid, 1, 1, threads, 1, 1, shared, None, places, None)
    check(status or cuda.cuStreamSynchronize(None))
    check(cuda.cuMemcpyDtoHAsync_v2(data, target, c.c_size_t(4 * VALUES), None))
    assert list(data) == [2.0 * i for i in range(VALUES)]


def nothing():
    launch()


def host_reads():
    c.string_at(allocate(64).value, 1)


def copy_past_the_end():
    check(cuda.cuMemcpyDtoHAsync_v2((c.c_char * 65)(), allocate(64), c.c_size_t(65), None))


def copy_from_the_device_as_host():
    check(cuda.cuMemcpyHtoDAsync_v2(allocate(64), c.c_void_p(allocate(64).value), c.c_size_t(64), None))


def parameter_missing():
    launch(parameters=2)


def too_much_shared_memory():
    launch(shared=49153)


def blocks_too_many():
    launch(grid=3)


module, function = c.c_void_p(), c.c_void_p()
context = c.c_ssize_t()
check(cuda.cuInit(0))
check(cuda.cuDevicePrimaryCtxRetain(c.byref(context), 0))
check(cuda.cuCtxPushCurrent_v2(context))
check(cuda.cuModuleLoadDataEx(c.byref(module), open(sys.argv[2], "rb").read() + b"\0", 0, None, None))
check(cuda.cuModuleGetFunction(c.byref(function), module, b"copy"))
globals()[sys.argv[3]]()
print("done")
