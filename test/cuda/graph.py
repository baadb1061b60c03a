"""graph.py LIBRARY ARTIFACT [KERNEL=CANDIDATE]... [FUNCTION SIZES]...: calls captured into a graph, which then runs with other numbers in the same memory.

FUNCTION is one of run.py's, SIZES its axes with 'x' between them; candidates are forced.  Captures are of mode GLOBAL: what waits or allocates is an error, and
so is work on the default stream."""
import sys

import numpy as np

import run
from interface import CUDA, Device, Managed, Tensor, c, check, lib, view

STREAM = c.c_void_p(4711)
cuda = c.CDLL("libcuda.so.1")


def driver(status):
    if status:
        sys.exit(f"the driver says {status}")


def up(array):
    made = c.POINTER(Managed)()
    check(lib.vortexInstanceCopyTo(instance, c.byref(view(array)), c.byref(made)))
    return made


def call(function, args, results):
    given = (c.POINTER(Tensor) * len(args))(*(c.pointer(a.contents.tensor) for a in args))
    places = (c.POINTER(Managed) * len(results))(*(r or c.POINTER(Managed)() for r in results))
    return lib.vortexContextCall(context, function.encode(), given, c.c_int64(len(args)), places, c.c_int64(len(results)))


def right(outs, want, tolerance):
    outs, want = zip(*((tensor, w) for tensor, w in zip(outs, want) if tensor))
    got = [np.empty_like(w) for w in want]
    for tensor, array in zip(outs, got):
        check(lib.vortexInstanceCopy(instance, c.byref(tensor.contents.tensor), c.byref(view(array))))
    return all(np.allclose(g, w, tolerance, tolerance, equal_nan=True) for g, w in zip(got, want))


def capture(function, sizes):
    first, want = getattr(run, function)(np.random.default_rng(1), *sizes)
    second, wanted = getattr(run, function)(np.random.default_rng(2), *sizes)
    tolerance = 2e-3 if function == "attention" else 0
    # Numbers are returned to the host, by the library.
    args, outs = [up(x) for x in first], [up(np.full_like(w, -77)) if np.ndim(w) else None for w in want]
    # The first call makes room for what is between kernels and brings constants.
    check(call(function, args, outs))
    check(lib.vortexContextSynchronize(context))
    assert right(outs, want, tolerance), "the first call is wrong"
    graph, made = c.c_void_p(), c.c_void_p()
    driver(cuda.cuCtxPushCurrent_v2(c.c_ssize_t(1)))
    driver(cuda.cuStreamBeginCapture_v2(STREAM, 0))
    status = call(function, args, outs)
    said = lib.vortexLastError().decode()
    ended = cuda.cuStreamEndCapture(STREAM, c.byref(graph))
    if status or ended:
        print(f"{function} {sizes}: not captured: {status}: {said}; {ended}")
        sys.exit(1)
    driver(cuda.cuGraphInstantiateWithFlags(c.byref(made), graph, c.c_ulonglong(0)))
    for tensor, array in zip(args, second):
        check(lib.vortexInstanceCopy(instance, c.byref(view(array)), c.byref(tensor.contents.tensor)))
    for _ in range(2):
        driver(cuda.cuGraphLaunch(made, STREAM))
        check(lib.vortexContextSynchronize(context))
        assert right(outs, wanted, tolerance), "the graph is wrong"
    driver(cuda.cuGraphExecDestroy(made))
    driver(cuda.cuGraphDestroy(graph))
    for tensor in args + outs:
        tensor.contents.deleter(tensor)
    print(f"{function} {sizes}: right")


module, instance, context = c.c_void_p(), c.c_void_p(), c.c_void_p()
check(lib.vortexModuleLoad(sys.argv[2].encode(), c.byref(module)))
check(lib.vortexInstanceCreateOn(module, Device(CUDA, 0), c.byref(instance)))
check(lib.vortexContextCreate(instance, None, c.byref(context)))
check(lib.vortexContextSetStream(context, STREAM))
forced = [text.split("=") for text in sys.argv[3:] if "=" in text]
for kernel, candidate in forced:
    check(lib.vortexContextForce(context, kernel.encode(), candidate.encode()))
rest = sys.argv[3 + len(forced) :]
for name, text in zip(rest[::2], rest[1::2]):
    capture(name, tuple(int(x) for x in text.split("x")))
