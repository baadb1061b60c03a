"""accepts.py ARTIFACT RUNTIME: calls the `accepts` of each function with right and wrong tensors, then one through the run time.

Ends with 1 after saying what it got wrong."""
import ctypes as c
import sys


class Buffer(c.Structure):
    _fields_ = [("data", c.c_void_p), ("sizes", c.POINTER(c.c_int64))]


class Value(c.Structure):
    _fields_ = [("size", c.c_uint32), ("kind", c.c_int32), ("dtype", c.c_int32), ("rank", c.c_int32), ("extents", c.POINTER(c.c_int64)),
                ("dims", c.c_void_p), ("is_weight", c.c_uint32), ("name", c.c_char_p), ("sizes_only", c.c_uint32)]


class Function(c.Structure):
    _fields_ = [("size", c.c_uint32), ("name", c.c_char_p), ("num_args", c.c_int64), ("args", c.POINTER(Value)), ("num_results", c.c_int64),
                ("results", c.POINTER(Value)), ("num_relations", c.c_int64), ("relations", c.c_void_p), ("run", c.c_void_p), ("bind", c.c_void_p),
                ("num_bound", c.c_int64), ("bound", c.c_void_p), ("choose", c.c_void_p), ("precision", c.c_char_p), ("peak_bytes", c.c_char_p),
                ("most_bytes", c.c_int64), ("accepts", c.c_void_p)]


class Artifact(c.Structure):
    _fields_ = [("size", c.c_uint32), ("abi", c.c_uint32), ("producer", c.c_char_p), ("target", c.c_char_p), ("features", c.c_char_p),
                ("num_functions", c.c_int64), ("functions", c.POINTER(Function))]


library = c.CDLL(sys.argv[1])
library.vortex_artifact_query.restype = c.POINTER(Artifact)
artifact = library.vortex_artifact_query(9)
assert artifact, "another ABI"
functions = {f.name.decode(): f for f in artifact.contents.functions[:artifact.contents.num_functions]}
assert functions["product"].size == c.sizeof(Function), "VortexFunctionInfo is not what this test takes it for"

memory = c.create_string_buffer(4096)
aligned = (c.addressof(memory) + 63) // 64 * 64
failures = 0


def ask(name, tensors, results, weights={}, data={}, sizes={}):
    """`tensors` and `results`: sizes of each, None for scalars.  `data` and `sizes` override addresses, by position among both."""
    function = functions[name]
    accepts = c.CFUNCTYPE(c.c_int64, c.POINTER(Buffer), c.POINTER(Buffer), c.POINTER(c.c_void_p))(function.accepts)
    keep = []

    def buffer(position, shape):
        array = (c.c_int64 * max(len(shape or ()), 1))(*(shape or ()))
        keep.append(array)
        pointer = c.cast(array, c.POINTER(c.c_int64)) if shape is not None else None
        return Buffer(data.get(position, aligned), sizes.get(position, pointer))

    every = [buffer(i, shape) for i, shape in enumerate(tensors + results)]
    args = (Buffer * max(len(tensors), 1))(*every[:len(tensors)])
    outs = (Buffer * max(len(results), 1))(*every[len(tensors):])
    entries = (c.c_void_p * function.num_args)()
    bound = {arg: buffer(None, shape) for arg, shape in weights.items()}
    for arg, value in bound.items():
        entries[arg] = c.addressof(value)
    taken = accepts(args, outs, entries)
    if taken:
        inputs = [i for i in range(function.num_args) if i not in weights]
        for i, arg in enumerate(inputs):
            want = args[i].data if function.args[arg].kind == 0 else c.addressof(args) + i * c.sizeof(Buffer)
            if entries[arg] != want:
                complain(f"{name}: entry {arg} is wrong")
    return bool(taken)


def complain(text):
    global failures
    failures += 1
    print(text)


def expect(want, name, *rest, **more):
    if ask(name, *rest, **more) != want:
        complain(f"{name}{rest}{more}: should be {'accepted' if want else 'refused'}")


null = c.POINTER(c.c_int64)()
for shape in ((5, 3, 4), (0, 0, 0), (1, 1, 1), (2**24 - 1, 1, 1)):
    m, k, n = shape
    expect(True, "product", [(m, k), (k, n)], [(m, n)])
expect(False, "product", [(5, 3), (4, 4)], [(5, 4)])
# What is not declared of a result is compared when it is computed.
expect(True, "product", [(5, 3), (3, 4)], [(4, 4)])
for position in range(3):
    expect(False, "product", [(5, 3), (3, 4)], [(5, 4)], data={position: None})
    expect(False, "product", [(5, 3), (3, 4)], [(5, 4)], sizes={position: null})
    for off, want in ((1, False), (2, False), (3, False), (4, True)):
        expect(want, "product", [(5, 3), (3, 4)], [(5, 4)], data={position: aligned + off})
for wrong in (-1, -2**63, 2**24, 2**48, 2**63 - 1):
    expect(False, "product", [(wrong, 3), (3, 4)], [(wrong, 4)])
    expect(False, "product", [(5, wrong), (wrong, 4)], [(5, 4)])
    expect(False, "product", [(5, 3), (3, wrong)], [(5, wrong)])

expect(True, "weighted", [(5, 8), (5, 6)], [(5, 6)], weights={1: (8, 6)})
expect(False, "weighted", [(5, 7), (5, 6)], [(5, 6)], weights={1: (8, 6)})
expect(False, "weighted", [(5, 8), (4, 6)], [(5, 6)], weights={1: (8, 6)})
expect(False, "weighted", [(5, 8), (5, 6)], [(5, 6)], weights={1: (8, 5)})

expect(True, "named", [(7, 7), None, (7,)], [(7, 7), (7,)])
for wrong in ([(7, 6), None, (7,)], [(6, 7), None, (7,)], [(7, 7), None, (6,)]):
    expect(False, "named", wrong, [(7, 7), (7,)])
expect(False, "named", [(7, 7), None, (7,)], [(7, 6), (7,)])
for position, alignment in ((0, 2), (1, 8), (2, 8), (3, 2), (4, 8)):
    expect(False, "named", [(7, 7), None, (7,)], [(7, 7), (7,)], data={position: aligned + alignment // 2})
    expect(True, "named", [(7, 7), None, (7,)], [(7, 7), (7,)], data={position: aligned + alignment})
    expect(False, "named", [(7, 7), None, (7,)], [(7, 7), (7,)], data={position: None})

expect(True, "sized", [None], [(3,)])
for wrong in (-1, -2**63, 2**48, 2**62):
    expect(False, "sized", [None], [(wrong,)])
expect(True, "declared", [(4,), (4,)], [(4,)])
expect(False, "declared", [(5,), (4,)], [(4,)])

expect(True, "number", [None], [None])
expect(False, "number", [None], [None], data={0: aligned + 4})
expect(False, "number", [None], [None], data={1: None})


def run(name, tensors, results):
    """The status of a call by the run time, and what it says."""
    buffers = []
    for array, shape in tensors + results:
        sizes = (c.c_int64 * max(len(shape), 1))(*shape)
        buffers.append(Buffer(c.addressof(array), c.cast(sizes, c.POINTER(c.c_int64))))
    function = c.c_void_p(runtime.vortexModuleFindFunction(module, name.encode()))
    args = (Buffer * len(tensors))(*buffers[:len(tensors)])
    outs = (Buffer * len(results))(*buffers[len(tensors):])
    status = runtime.vortexContextRun(context, function, args, c.c_int64(len(tensors)), outs, c.c_int64(len(results)))
    return status, runtime.vortexLastError().decode() if status else ""


runtime = c.CDLL(sys.argv[2])
runtime.vortexLastError.restype = c.c_char_p
runtime.vortexModuleFindFunction.restype = c.c_void_p
module, instance, context = c.c_void_p(), c.c_void_p(), c.c_void_p()
assert not runtime.vortexModuleLoad(sys.argv[1].encode(), c.byref(module))
assert not runtime.vortexInstanceCreate(module, c.byref(instance))
assert not runtime.vortexContextCreate(instance, None, c.byref(context))
a, b, out = (c.c_float * 6)(1, 2, 3, 4, 5, 6), (c.c_float * 3)(1, 10, 100), (c.c_float * 2)()
for time in range(3):
    out[:] = (0, 0)
    told = run("product", [(a, (2, 3)), (b, (3, 1))], [(out, (2, 1))])
    if told[0] or list(out) != [321, 654]:
        complain(f"product: call {time} gave {told} and {list(out)}")
    out[:] = (0, 0)
    for wrong in ((1, 1), (2, 2), (1, 2)):
        status, text = run("product", [(a, (2, 3)), (b, (3, 1))], [(out, wrong)])
        at, size = (0, 2) if wrong[0] != 2 else (1, 1)
        if status != 1 or f"result 0, dimension {at} is {size}, but the caller's tensor has {wrong[at]}" not in text or any(out):
            complain(f"product: a result of {wrong} gave {status}, {text}")

# Also after a call that was right.
for size, text in ((2, None), (-1, "has a negative size"), (2**49, "beyond 2^48"), (2**62, "more bytes than there are addresses"), (1, None)):
    told = run("sized", [(c.c_int64(size), ())], [(out, (size,))])
    if (told[0] != 0) != (text is not None) or (text and text not in told[1]):
        complain(f"sized: {size} gave {told}")
for size, text in ((4, None), (5, "result 0, dimension 0 is 5, but the caller's tensor has 4"), (4, None)):
    vectors = (c.c_float * 8)()
    told = run("declared", [(vectors, (size,)), (a, (4,))], [((c.c_float * 4)(), (4,))])
    if (told[0] != 0) != (text is not None) or (text and text not in told[1]):
        complain(f"declared: {size} gave {told}")

for name in ("bounded", "computed"):
    if functions[name].accepts:
        complain(f"{name}: code cannot tell whether its relation holds")
sys.exit(1 if failures else 0)
