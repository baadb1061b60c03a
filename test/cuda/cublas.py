"""cublas.py LIBRARY ARTIFACT [KERNEL SIZES...]... [--choices] [--contexts]: functions of cublas.mlir by cuBLAS, compared with NumPy.

SIZES are those of a function's axes, 'x' between them; the candidate library_cublas of KERNEL is forced.  Elements are small integers, so
every order of sums gives the same.  --choices prints what is chosen at which sizes, --contexts has two of them take turns."""
import sys

import numpy as np

import run
from interface import CUDA, Device, Managed, Tensor, c, check, lib, view
from run import batch, matrix


def single(rng, *shape):
    return rng.integers(-3, 4, shape).astype(np.float32)


def mm(rng, m, n, k):
    a, b = single(rng, m, k), single(rng, k, n)
    return [a, b], a @ b


def nt(rng, m, n, k):
    a, b = matrix(rng, m, k), matrix(rng, n, k)
    return [a, b], a.astype(np.float32) @ b.astype(np.float32).T


def tn(rng, m, n, k):
    a, b = single(rng, k, m), single(rng, k, n)
    return [a, b], a.T @ b


def tt(rng, m, n, k):
    a, b = single(rng, k, m).astype(np.float64), single(rng, n, k).astype(np.float64)
    return [a, b], a.T @ b.T


def halves(rng, m, n, k):
    a, b = matrix(rng, m, k), matrix(rng, k, n)
    return [a, b], (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)


def bias_relu(rng, m, n, k):
    inputs, (want,) = run.layer(rng, m, n, k)
    return inputs, want


def added(rng, m, n, k):
    a, b, c = single(rng, m, k), single(rng, k, n), single(rng, m, n)
    return [a, b, c], c + a @ b


def batches(rng, b, m, n, k):
    inputs, (want,) = batch(rng, b, m, n, k)
    return inputs, want


def heads(rng, g, h, m, n, k):
    q, keys = single(rng, g, m, h, k), single(rng, g, n, k)
    return [q, keys], np.einsum("gihk,gjk->ghij", q, keys)


def parts(rng, m, n, k):
    x, y = single(rng, m + 1, k + 5), single(rng, k, n + 4)
    return [x, y, np.array(m), np.array(n), np.array(k)], x[1:, 2 : k + 2] @ y[:, 3 : n + 3]


class Choice(c.Structure):
    _fields_ = [("kernel", c.c_int64), ("candidate", c.c_int64), ("preferred", c.c_int64), ("times", c.c_int64),
                ("num_candidates", c.c_int64), ("allowed", c.POINTER(c.c_uint8)), ("costs", c.POINTER(c.c_double))]


class Kernel(c.Structure):
    _fields_ = [("size", c.c_uint32), ("name", c.c_char_p), ("num_candidates", c.c_int64), ("candidates", c.POINTER(c.c_char_p))]


lib.vortexModuleKernel.restype = c.POINTER(Kernel)
lib.vortexModuleKernel.argtypes = [c.c_void_p, c.c_int64]
lib.vortexModuleSetParam.argtypes = [c.c_void_p, c.c_char_p, c.c_double]
lib.vortexInstanceModule.restype = c.c_void_p
lib.vortexInstanceModule.argtypes = [c.c_void_p]


def up(array):
    """Numbers stay on the host."""
    made = c.POINTER(Managed)()
    if np.ndim(array) == 0:
        kept = view(array)
        return c.pointer(Managed(tensor=kept))
    check(lib.vortexInstanceCopyTo(instance, c.byref(view(array)), c.byref(made)))
    return made


def down(tensor, shape, dtype):
    array = np.empty(shape, dtype)
    if array.size:
        check(lib.vortexInstanceCopy(instance, c.byref(tensor), c.byref(view(array))))
    return array


def create(stream=None):
    context = c.c_void_p()
    check(lib.vortexContextCreate(instance, None, c.byref(context)))
    if stream:
        check(lib.vortexContextSetStream(context, stream))
    return context


def force(context, kernel):
    check(lib.vortexContextForce(context, kernel.encode(), b"library_cublas"))


def call(context, function, args, result):
    given = (c.POINTER(Tensor) * len(args))(*(c.pointer(a) for a in args))
    check(lib.vortexContextCall(context, function.encode(), given, c.c_int64(len(args)), (c.POINTER(Managed) * 1)(result), c.c_int64(1)))
    check(lib.vortexContextSynchronize(context))


def compare(context, function, sizes):
    arrays, want = globals()["batches" if function == "batch" else function](np.random.default_rng(sum(sizes)), *sizes)
    args, out = [up(array) for array in arrays], up(np.full(want.shape, np.nan, want.dtype))
    call(context, function, [arg.contents.tensor for arg in args], out)
    right = (down(out.contents.tensor, want.shape, want.dtype) == want).all()
    print(f"{function} {'x'.join(map(str, sizes))}: {'right' if right else 'wrong'}")
    return right


def choices():
    own = lib.vortexInstanceModule(instance)
    for rate in (0, 1e3, 1e6):  # of f32, in 1e9 operations a second; 0: not measured
        lib.vortexModuleSetParam(own, b"library.cublas.f32.rate", c.c_double(rate))
        context = create()
        for m, n, k in ((1, 4096, 4096), (64, 64, 64), (4096, 4096, 4096)):
            large = [view(np.empty(s, np.float32)) for s in ((m, k), (k, n))]
            given = (c.POINTER(Tensor) * 2)(*(c.pointer(a) for a in large))
            choice, count = Choice(), c.c_int64()
            check(lib.vortexFunctionChoose(context, b"mm", given, c.c_int64(2), c.byref(choice), c.c_int64(1), c.byref(count)))
            kernel = lib.vortexModuleKernel(module, choice.kernel).contents
            names = [kernel.candidates[i].decode() for i in range(kernel.num_candidates)]
            mine, other = (choice.costs[i] / 1e3 for i in (choice.candidate, names.index("library_cublas")))
            chosen = "cublas" if names[choice.candidate] == "library_cublas" else "own"
            print(f"rate {rate:g}: {m} x {n} x {k}: {chosen}, {mine:.0f} us, cublas {other:.0f} us")
        lib.vortexContextDestroy(context)


def take_turns():
    """Each with a stream and a workspace of its own.  A result with gaps, a factor whose columns are the rows of what lies in memory."""
    (a, b), want = mm(np.random.default_rng(1), 5, 7, 3)
    da, db = up(a), up(b)
    contexts = [create(4711), create(4712)]
    for context in contexts:
        force(context, "mm.matmul.0")
    for context in contexts * 2:
        out = up(np.full((5, 7), np.nan, np.float32))
        call(context, "mm", [da.contents.tensor, db.contents.tensor], out)
        assert (down(out.contents.tensor, (5, 7), np.float32) == want).all()
    wide, turned = up(np.full((5, 9), 7, np.float32)), up(np.ascontiguousarray(a.T))
    narrow = Managed.from_buffer_copy(wide.contents)
    narrow.tensor.shape, narrow.tensor.strides = (c.c_int64 * 2)(5, 7), (c.c_int64 * 2)(9, 1)
    strided = Tensor.from_buffer_copy(turned.contents.tensor)
    strided.shape, strided.strides = (c.c_int64 * 2)(5, 3), (c.c_int64 * 2)(1, 5)
    call(contexts[0], "mm", [strided, db.contents.tensor], c.pointer(narrow))
    got = down(wide.contents.tensor, (5, 9), np.float32)
    assert (got[:, :7] == want).all() and (got[:, 7:] == 7).all()
    for context in contexts:
        lib.vortexContextDestroy(context)
    print("contexts take turns")


module, instance = c.c_void_p(), c.c_void_p()
check(lib.vortexModuleLoad(sys.argv[2].encode(), c.byref(module)))
check(lib.vortexInstanceCreateOn(module, Device(CUDA, 0), c.byref(instance)))
failed, context, function = False, create(), None
for text in sys.argv[3:]:
    if text == "--choices":
        choices()
    elif text == "--contexts":
        take_turns()
    elif "." in text:
        force(context, text)
        function = text.split(".")[0]
    else:
        failed |= not compare(context, function, tuple(int(x) for x in text.split("x")))
lib.vortexContextDestroy(context)
lib.vortexInstanceDestroy(instance)
lib.vortexModuleUnload(module)
sys.exit(failed)
