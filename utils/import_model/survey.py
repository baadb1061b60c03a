"""Takes models of one operator through the tools, at several sizes, and compares with ONNX's own evaluator."""
import contextlib
import os
import re
import subprocess
import warnings

import numpy as np
import onnx
from onnx import helper, numpy_helper, parser, shape_inference
from onnx.reference import ReferenceEvaluator

from . import decompose
from .graph import Refused

SIZES = {"b": 3, "c": 4, "d": 4, "h": 6, "k": 5, "l": 9, "m": 3, "n": 2, "p": 2, "q": 3, "s": 4, "t": 12, "w": 5}


def random(rng, kind, sizes):
    if kind == np.bool_:
        return rng.random(sizes) < 0.5
    if np.issubdtype(kind, np.integer):
        return rng.integers(1, 256 if kind == np.uint8 else 100, sizes).astype(kind)
    return rng.standard_normal(sizes).astype(kind)


def recurrent_weights(text):
    """`W4R4*2`: four gates in two directions, 8 inputs, 4 hidden."""
    gates, directions = int(text[1]), 2 if text.endswith("*2") else 1
    rng = np.random.default_rng(3)
    shapes = {"w": (directions, 4 * gates, 8), "r": (directions, 4 * gates, 4), "b": (directions, 8 * gates)}
    return [numpy_helper.from_array(rng.standard_normal(s).astype(np.float32) / 4, name) for name, s in shapes.items()]


def model_of(case):
    _, inputs, body, constants, opset = case
    recurrent = re.fullmatch(r"W\dR\d(\*2)?", constants)
    results = [r.strip() for r in re.search(r"(?:^|\s)(y(?:, \w)*) = ", body)[1].split(",")]
    header = "" if recurrent or not constants else f"<{constants}>"
    graph = parser.parse_graph(f"f ({inputs}) => ({', '.join('float ' + r for r in results)}) {header} {{ {body} }}")
    if recurrent:
        graph.initializer.extend(w for w in recurrent_weights(constants) if w.name != "b" or ", b" in body)
    for output in graph.output:
        output.ClearField("type")
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    plain = onnx.ModelProto()
    plain.CopyFrom(model)
    with contextlib.suppress(Refused):
        decompose.decompose(plain)
    for known in (plain, model):
        inferred = shape_inference.infer_shapes(known, data_prop=True)
        for output, found in zip(model.graph.output, inferred.graph.output):
            if found.type.tensor_type.elem_type and found.type.tensor_type.HasField("shape") and not output.HasField("type"):
                output.CopyFrom(found)
    if not all(output.HasField("type") for output in model.graph.output):
        _, results = expected(model, settings(model)[0], np.random.default_rng(5))
        for output, result in zip(model.graph.output, results):
            kind = helper.np_dtype_to_tensor_dtype(np.asarray(result).dtype)
            output.CopyFrom(helper.make_tensor_value_info(output.name, kind, [None] * np.ndim(result)))
    return model


def settings(model):
    """Sizes to try: some, all 1, and each 0."""
    names = sorted({d.dim_param for i in model.graph.input for d in i.type.tensor_type.shape.dim if d.dim_param})
    base = {name: SIZES[name] for name in names}
    larger = {name: 3 * size + 1 for name, size in base.items()}
    return [base, larger, dict.fromkeys(names, 1), *({**base, name: 0} for name in names)]


def expected(model, sizes, rng):
    """Inputs at these sizes, and the results; None where ONNX's evaluator has none, or leaves an attribute out."""
    inputs = {}
    for value in model.graph.input:
        kind = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        inputs[value.name] = random(rng, kind, [sizes[d.dim_param] if d.dim_param else d.dim_value for d in value.type.tensor_type.shape.dim])
    if any(a.name == "clip" for node in model.graph.node for a in node.attribute):
        return inputs, None
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return inputs, ReferenceEvaluator(model).run(None, inputs)
    except Exception:  # noqa: BLE001: of any kind
        return inputs, None


def difference(got, want):
    """What is wrong, or nothing.  Signs of integers are the caller's business."""
    if got.shape != want.shape:
        return f"shape {'x'.join(map(str, got.shape))} for {'x'.join(map(str, want.shape))}"
    if got.dtype != want.dtype and want.dtype.kind in "ui" and got.dtype.itemsize == want.dtype.itemsize:
        got = got.view(want.dtype)
    if got.dtype != want.dtype:
        return f"{got.dtype} for {want.dtype}"
    coarse = 1e-2 if want.dtype == np.float16 else 1e-4
    return "" if np.allclose(got.astype(np.float64), want.astype(np.float64), coarse, coarse, equal_nan=True) else "other numbers"


def call(tools, artifact, inputs, results, folder):
    """Results of a call, or what it said."""
    command = [os.path.join(tools, "vortex-run"), artifact]
    for name, array in inputs.items():
        np.save(os.path.join(folder, name + ".npy"), array)
        command.append(f"--input=@{os.path.join(folder, name)}.npy")
    outputs = [os.path.join(folder, f"result{i}.npy") for i in range(results)]
    done = subprocess.run([*command, *(f"--output=@{o}" for o in outputs)], capture_output=True, text=True)
    if done.returncode:
        return (done.stderr or f"ended with {done.returncode}").strip().replace("vortex-run: error: function 'f': ", "")
    return [np.load(o) for o in outputs]


def outcome(case, script, python, tools, folder):
    """(state, words): right, sizes (right where it runs, which are not all sizes), import, compile or wrong."""
    os.makedirs(folder, exist_ok=True)
    try:
        model = model_of(case)
    except Exception as error:  # noqa: BLE001: of any kind
        return "model", str(error)
    source, program, artifact = (os.path.join(folder, name) for name in ("f.onnx", "f.mlirbc", "f.so"))
    onnx.save(model, source)
    done = subprocess.run([python, script, source, "-o", program, "--vortex-opt", os.path.join(tools, "vortex-opt")], capture_output=True, text=True)
    if done.returncode:
        return "import", done.stderr.split("\n  operators of")[0].replace(source + ": ", "").replace("import-model: ", "").strip()
    done = subprocess.run([os.path.join(tools, "vortex-compile"), program, "-o", artifact, "--no-cache"], capture_output=True, text=True)
    if done.returncode:
        return "compile", done.stderr.strip()[:300] or f"ended with {done.returncode}"
    rng, refused, wrong = np.random.default_rng(5), [], []
    for sizes in settings(model):
        inputs, want = expected(model, sizes, rng)
        if want is None:
            continue
        got = call(tools, artifact, inputs, len(want), folder)
        at = " ".join(f"{k}={v}" for k, v in sizes.items())
        if isinstance(got, str):
            refused.append(f"{at}: {got}")
            continue
        why = next(filter(None, (difference(g, np.asarray(w)) for g, w in zip(got, want))), "")
        if why:
            wrong.append(f"{at}: {why}")
    return ("wrong", "; ".join(wrong + refused)) if wrong else ("sizes", "; ".join(refused)) if refused else ("right", "")


def compare_rewritten(case):
    """What differs between a model and what import-model makes of it before the import, in words."""
    model = model_of(case)
    rewritten = onnx.ModelProto()
    rewritten.CopyFrom(model)
    try:
        decompose.decompose(rewritten)
    except Refused:
        return
    if rewritten == model or any(node.doc_string for node in rewritten.graph.node):  # said of what only the importer does
        return
    onnx.checker.check_model(rewritten)
    rng = np.random.default_rng(5)
    for sizes in settings(model):
        inputs, want = expected(model, sizes, rng)
        if want is None:
            continue
        at = " ".join(f"{k}={v}" for k, v in sizes.items())
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                got = ReferenceEvaluator(rewritten).run(None, inputs)
        except Exception as error:  # noqa: BLE001: of any kind
            yield f"{at}: {type(error).__name__} {error}"
            continue
        for g, w in zip(got, want):
            if why := difference(np.asarray(g), np.asarray(w)):
                yield f"{at}: {why}"
