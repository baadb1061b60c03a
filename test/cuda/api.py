"""api.py LIBRARY ARTIFACT: the C interface on a device: the caller's results, strides, streams, tensors that lie elsewhere.

Prints what went wrong where something must; ends with 1 where something went wrong that must not."""
import os
import sys

import numpy as np

from interface import CPU, CUDA, Device, Managed, Tensor, c, check, lib, refused, view


def up(array):
    made = c.POINTER(Managed)()
    check(lib.vortexInstanceCopyTo(instance, c.byref(view(array)), c.byref(made)))
    return made


def down(tensor, array):
    check(lib.vortexInstanceCopy(instance, c.byref(tensor), c.byref(view(array))))
    return array


def call(function, args, results):
    given = (c.POINTER(Tensor) * len(args))(*(c.pointer(a) for a in args))
    return lib.vortexContextCall(context, function, given, c.c_int64(len(args)), results, c.c_int64(len(results)))


module, instance, context = c.c_void_p(), c.c_void_p(), c.c_void_p()
check(lib.vortexModuleLoad(sys.argv[2].encode(), c.byref(module)))
refused("the CPU", lib.vortexInstanceCreateOn(module, Device(CPU, 0), c.byref(instance)))
refused("device 5", lib.vortexInstanceCreateOn(module, Device(CUDA, 5), c.byref(instance)))
check(lib.vortexInstanceCreateOn(module, Device(CUDA, 1), c.byref(instance)))
at = lib.vortexInstanceDevice(instance)
print(f"instance on {at.type}:{at.id}")
check(lib.vortexContextCreate(instance, None, c.byref(context)))

rng = np.random.default_rng(1)
x, w = (rng.integers(-3, 4, s).astype(np.float16) for s in ((17, 24), (24, 40)))
want = np.maximum(x.astype(np.float32) @ w.astype(np.float32), 0)
bias = up(np.zeros(40, np.float32))
dx, dw, out = up(x), up(w), up(np.full((17, 40), np.nan, np.float32))
args = [dx.contents.tensor, dw.contents.tensor, bias.contents.tensor]

# The caller's result, on a stream of the caller's.
check(lib.vortexContextSetStream(context, 4711))
check(call(b"layer", args, (c.POINTER(Managed) * 1)(out)))
check(lib.vortexContextSynchronize(context))
assert (down(out.contents.tensor, np.empty((17, 40), np.float32)) == want).all()

# The library's result, freed by the caller.
results = (c.POINTER(Managed) * 1)()
check(call(b"layer", args, results))
check(lib.vortexContextSynchronize(context))
made = results[0].contents
assert made.tensor.device.type == CUDA and made.tensor.device.id == 1
assert (down(made.tensor, np.empty((17, 40), np.float32)) == want).all()
made.deleter(results[0])

# An argument whose columns are the rows of what lies in memory, a result with gaps between its rows.
turned = up(np.ascontiguousarray(x.T))
shape, steps = (c.c_int64 * 2)(17, 24), (c.c_int64 * 2)(1, 17)
strided = Tensor.from_buffer_copy(turned.contents.tensor)
strided.shape, strided.strides = shape, steps
wide = up(np.full((17, 48), 7, np.float32))
narrow = Managed.from_buffer_copy(wide.contents)
narrow.tensor.shape, narrow.tensor.strides = (c.c_int64 * 2)(17, 40), (c.c_int64 * 2)(48, 1)
check(call(b"layer", [strided] + args[1:], (c.POINTER(Managed) * 1)(c.pointer(narrow))))
check(lib.vortexContextSynchronize(context))
got = down(wide.contents.tensor, np.empty((17, 48), np.float32))
assert (got[:, :40] == want).all() and (got[:, 40:] == 7).all()

# An argument that begins one element behind where memory is aligned: runs of elements cannot be copied from there.
behind = up(np.concatenate([np.zeros(1, np.float16), x.ravel()]))
shifted = Tensor.from_buffer_copy(behind.contents.tensor)
shifted.ndim, shifted.byte_offset = 2, 2
shifted.shape, shifted.strides = (c.c_int64 * 2)(17, 24), (c.c_int64 * 2)(24, 1)
check(call(b"layer", [shifted] + args[1:], (c.POINTER(Managed) * 1)(out)))
check(lib.vortexContextSynchronize(context))
assert (down(out.contents.tensor, np.empty((17, 40), np.float32)) == want).all()

square = up(np.ascontiguousarray(np.eye(24, dtype=np.float16)))
refused("a result of another size", call(b"layer", args, (c.POINTER(Managed) * 1)(square)))


class Choice(c.Structure):
    _fields_ = [("kernel", c.c_int64), ("candidate", c.c_int64), ("preferred", c.c_int64), ("times", c.c_int64),
                ("num_candidates", c.c_int64), ("allowed", c.POINTER(c.c_uint8)), ("costs", c.POINTER(c.c_double))]


# What a call would choose: of tensors only the sizes are read, of the machine what the driver tells.
large = [view(np.empty(s, t)) for s, t in (((4096, 4096), np.float16), ((4096, 4096), np.float16), ((4096,), np.float32))]
given = (c.POINTER(Tensor) * 3)(*(c.pointer(a) for a in large))
choice, count = Choice(), c.c_int64()
check(lib.vortexFunctionChoose(context, b"layer", given, c.c_int64(3), c.byref(choice), c.c_int64(1), c.byref(count)))
print(f"predicted: {choice.costs[choice.candidate] / 1e3:.0f} us")

# Tensors that lie elsewhere.
refused("an argument on the CPU", call(b"layer", [view(x)] + args[1:], (c.POINTER(Managed) * 1)()))
other = Tensor.from_buffer_copy(dx.contents.tensor)
other.device.id = 0
refused("an argument of another device", call(b"layer", [other] + args[1:], (c.POINTER(Managed) * 1)()))
lib.vortexModuleFindFunction.restype = c.c_void_p
layer = c.c_void_p(lib.vortexModuleFindFunction(module, b"layer"))
refused("plain pointers", lib.vortexContextRun(context, layer, None, c.c_int64(3), None, c.c_int64(1)))

for tensor in (dx, dw, bias, out, turned, wide, behind, square):
    tensor.contents.deleter(tensor)
lib.vortexContextDestroy(context)
lib.vortexInstanceDestroy(instance)
lib.vortexModuleUnload(module)
if "VORTEX_STANDIN_LOG" in os.environ:
    lines = open(os.environ["VORTEX_STANDIN_LOG"]).read().split("\n")
    assert lines.count("retain") == lines.count("release"), lines
print("done")
