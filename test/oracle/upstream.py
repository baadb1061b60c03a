"""Compiles a linalg program the slow, simple way: upstream passes only, every linalg op as loops.

`Oracle(path).call("f", [arrays])` returns the results.  Inputs are not copied, and upstream's bufferization writes into a tensor
argument where it can: pass copies of what must survive.  Needs mlir-opt, mlir-translate, llvm-config and clang of LLVM 22.
"""
import ctypes
import os
import re
import shutil
import subprocess
import tempfile

import numpy as np

from .values import DTYPES, parse_functions

# MLIR 22's expand-strided-metadata crashes on a memref.expand_shape with two dynamic sizes in one group (llvm-project issue 186830,
# fixed in 23).  Splitting batch x seq rows makes exactly that, so between "loops" and "llvm" such an op becomes the equivalent
# reinterpret_cast.
_EXPAND = re.compile(r"( *)(%\S+) = memref\.expand_shape (%\S+) \[(\[.*\])\] output_shape \[(.*?)\] : (\S+) into memref<([\w?]+)>\n")


def _split_groups(m):
    """The reinterpret_cast that stands for a contiguous memref.expand_shape with two unknown sizes in one group."""
    indent, result, source, groups, sizes, source_type, shape = m.groups()
    groups = [[int(i) for i in g.split(",")] for g in re.findall(r"\[([\d, ]+)\]", groups)]
    dims, sizes = shape.split("x")[:-1], sizes.split(", ")
    if all(sum(dims[i] == "?" for i in g) < 2 for g in groups):
        return m.group(0)
    lines, stride, strides = "", "1", ["1"]
    for i in range(len(dims) - 1, 0, -1):
        if stride.isdigit() and sizes[i].isdigit():
            stride = str(int(stride) * int(sizes[i]))
        else:
            operands = []
            for v in (stride, sizes[i]):
                if v.isdigit():
                    lines += f"{indent}{result}_k{i}{len(operands)} = arith.constant {v} : index\n"
                    v = f"{result}_k{i}{len(operands)}"
                operands.append(v)
            lines += f"{indent}{result}_s{i} = arith.muli {operands[0]}, {operands[1]} : index\n"
            stride = f"{result}_s{i}"
        strides.insert(0, stride)
    return (lines + f"{indent}{result} = memref.reinterpret_cast {source} to offset: [0], sizes: [{', '.join(sizes)}], "
            f"strides: [{', '.join(strides)}] : {source_type} to memref<{shape}>\n")


STAGES = [
    ("buffers", "transform-preload-library{transform-library-paths=LIBRARY},transform-interpreter,"
                "one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map "
                "allow-return-allocs-from-loops},"
                "buffer-deallocation-pipeline,canonicalize"),
    ("loops", "convert-bufferization-to-memref,convert-linalg-to-loops,canonicalize,cse"),
    ("llvm", "func.func(llvm-request-c-wrappers),expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-math-to-llvm,"
             "convert-math-to-libm,arith-expand{include-bf16=true},convert-arith-to-llvm,convert-index-to-llvm,"
             "finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,convert-ub-to-llvm,reconcile-unrealized-casts"),
]
_SCALARS = {"index": ctypes.c_int64, "i64": ctypes.c_int64, "i32": ctypes.c_int32, "f32": ctypes.c_float, "f64": ctypes.c_double}
_LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "decompose.mlir")


class OracleError(Exception):
    pass


def llvm_tool(name):
    """The LLVM 22 tool called NAME, or an error that says what is missing."""
    for candidate in (name + "-22", f"/usr/lib/llvm-22/bin/{name}", name):
        if shutil.which(candidate):
            return candidate
    raise OracleError(f"{name}-22 is not on the path; utils/install-deps installs it")


def _run(command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        lines = done.stderr.splitlines()
        shown = [l for l in lines if "error:" in l] or lines[-8:] or [f"exit code {done.returncode}"]
        raise OracleError(f"{os.path.basename(command[0])} failed: " + "\n".join(shown[:8]))
    return done.stdout


def _descriptor(rank):
    fields = [("base", ctypes.c_void_p), ("data", ctypes.c_void_p), ("offset", ctypes.c_int64)]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type(f"MemRef{rank}", (ctypes.Structure,), {"_fields_": fields})


def _view(dims, element, r):
    """The array a result descriptor describes, not owning its memory."""
    dtype = np.dtype(DTYPES[element])
    shape = tuple(r.sizes) if dims else ()
    strides = tuple(s * dtype.itemsize for s in r.strides) if dims else ()
    if 0 in shape:
        return np.empty(shape, dtype)
    extent = sum((n - 1) * s for n, s in zip(shape, strides)) + dtype.itemsize
    memory = (ctypes.c_char * extent).from_address(r.data + r.offset * dtype.itemsize)
    return np.ndarray(shape, dtype, memory, 0, strides)


class Oracle:
    """A compiled module.  PASSES, if any, run first, with the opt tool OPT; what they make must be what upstream can lower."""

    def __init__(self, path, passes=None, opt=None, level="-O1"):
        self.temporary = tempfile.TemporaryDirectory(prefix="oracle-")
        folder = self.temporary.name
        mlir_opt = llvm_tool("mlir-opt")
        self.functions = parse_functions(_run([mlir_opt, path, "--mlir-elide-elementsattrs-if-larger=8"]))
        source = path
        if passes:
            source = os.path.join(folder, "first.mlir")
            _run([opt or mlir_opt, path, f"--pass-pipeline=builtin.module({passes})", "-o", source])
        for name, pipeline in STAGES:
            out = os.path.join(folder, name + ".mlir")
            _run([mlir_opt, source, f"--pass-pipeline=builtin.module({pipeline.replace('LIBRARY', _LIBRARY)})", "-o", out])
            if name == "loops":
                with open(out) as f:
                    text = f.read()
                with open(out, "w") as f:
                    f.write(_EXPAND.sub(_split_groups, text))
            source = out
        llvm_ir, self.library_path = os.path.join(folder, "program.ll"), os.path.join(folder, "program.so")
        _run([llvm_tool("mlir-translate"), "--mlir-to-llvmir", source, "-o", llvm_ir])
        libraries = _run([llvm_tool("llvm-config"), "--libdir"]).strip()          # memrefCopy, for copies between strided views
        _run([llvm_tool("clang"), level, "-march=native", "-shared", "-fPIC", "-Wno-override-module", llvm_ir, "-o", self.library_path,
              "-L" + libraries, "-lmlir_c_runner_utils", "-Wl,-rpath," + libraries, "-lm"])
        self.library = ctypes.CDLL(self.library_path)

    def call(self, name, inputs):
        return call(self.library, name, self.functions, inputs)


def call(library, name, functions, inputs):
    """Calls @NAME of a library made by Oracle; tensors are contiguous writable arrays, scalars anything NumPy can read."""
    if name not in functions:
        raise OracleError(f"no function @{name}; there are {', '.join(functions)}")
    argument_types, result_types = functions[name]
    if len(inputs) != len(argument_types):
        raise OracleError(f"@{name} takes {len(argument_types)} arguments, {len(inputs)} given")
    args, given, kept = [], set(), []
    for i, (a, (dims, element)) in enumerate(zip(inputs, argument_types)):
        if dims is None:
            args.append(_SCALARS[element](np.asarray(a).item()))
            continue
        if a.dtype != DTYPES[element]:
            raise OracleError(f"argument {i} of @{name} is {element}, the array is {a.dtype}")
        if a.ndim != len(dims) or any(d is not None and d != s for d, s in zip(dims, a.shape)):
            raise OracleError(f"argument {i} of @{name} is {dims}, the array is {a.shape}")
        if not a.flags.c_contiguous or not a.flags.writeable:
            raise OracleError(f"argument {i} of @{name} is not a contiguous writable array")
        d = _descriptor(a.ndim)()
        d.base = d.data = a.ctypes.data
        if a.ndim:
            d.sizes[:] = a.shape
            d.strides[:] = [s // a.itemsize for s in a.strides]
        kept.append(d)
        args.append(ctypes.byref(d))
        given.add(a.ctypes.data)
    function = getattr(library, "_mlir_ciface_" + name)
    function.restype = None
    if not result_types:
        function(*args)
        return []
    parts = [_descriptor(len(dims)) if dims is not None else _SCALARS[element] for dims, element in result_types]
    if len(parts) == 1 and result_types[0][0] is None:
        function.restype = parts[0]
        return [np.asarray(function(*args), DTYPES[result_types[0][1]])]
    returned = type("Results", (ctypes.Structure,), {"_fields_": [(f"r{i}", p) for i, p in enumerate(parts)]})()
    function(ctypes.byref(returned), *args)
    results, owned = [], set()
    for i, (dims, element) in enumerate(result_types):
        r = getattr(returned, f"r{i}")
        if dims is None:
            results.append(np.asarray(r, DTYPES[element]))
            continue
        results.append(_view(dims, element, r).copy())
        if r.base and r.base not in given:
            owned.add(r.base)
    libc = ctypes.CDLL(None)
    libc.free.argtypes = [ctypes.c_void_p]
    for p in owned:
        libc.free(p)
    return results
