"""Makes small ONNX models, takes them through the tools and compares: import_model.py IMPORT-MODEL IMPORTER TOOLS FOLDER."""
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

IMPORT, IMPORTER, TOOLS, FOLDER = sys.argv[1:]
rng = np.random.default_rng(7)


def value(name, *sizes, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, list(sizes))


def weight(name, *sizes):
    return numpy_helper.from_array((rng.standard_normal(sizes) / 8).astype(np.float32), name)


def save(name, graph):
    path = os.path.join(FOLDER, name + ".onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def convert(name):
    path = os.path.join(FOLDER, name)
    done = subprocess.run([IMPORT, path + ".onnx", "-o", path + ".mlirbc", "--importer", IMPORTER,
                           "--vortex-opt", os.path.join(TOOLS, "vortex-opt")], capture_output=True, text=True)
    print(done.stdout + done.stderr, end="", flush=True)
    return done.returncode


def check(name, function, sizes):
    path = os.path.join(FOLDER, name)
    subprocess.run([os.path.join(TOOLS, "vortex-compile"), path + ".mlirbc", "--target=host", "-o", path + ".so"], check=True)
    model = ReferenceEvaluator(path + ".onnx")
    for batch, seq in sizes:
        x = rng.standard_normal((batch, seq, 64)).astype(np.float32)
        y = model.run(None, {"x": x})[0].astype(np.float32)
        np.save(path + ".x.npy", x)
        np.save(path + ".y.npy", y)
        done = subprocess.run([os.path.join(TOOLS, "vortex-run"), path + ".so", f"--function={function}",
                               f"--input={batch}x{seq}x64xf32=@{path}.x.npy",
                               f"--expected-output={batch}x{seq}x{y.shape[2]}xf32=@{path}.y.npy"], capture_output=True, text=True)
        print(f"{name} {batch}x{seq}:", "right" if done.returncode == 0 else "wrong: " + done.stdout + done.stderr)


def small():
    nodes = [helper.make_node("MatMul", ["x", "w1"], ["h1"]), helper.make_node("Add", ["h1", "b1"], ["h2"]),
             helper.make_node("Relu", ["h2"], ["h3"]), helper.make_node("MatMul", ["h3", "w2"], ["h4"]),
             helper.make_node("Mul", ["h4", "c"], ["h5"]), helper.make_node("LayerNormalization", ["h5", "g", "b"], ["h6"], axis=-1),
             helper.make_node("Softmax", ["h6"], ["y"], axis=-1)]
    weights = [weight("w1", 64, 96), weight("b1", 96), weight("w2", 96, 32), weight("g", 32), weight("b", 32), weight("c")]
    return helper.make_graph(nodes, "small-net", [value("x", "batch", "seq", 64)], [value("y", "batch", "seq", 32)], weights)


def attend():
    nodes = [helper.make_node("Transpose", ["x"], ["t"], perm=[0, 2, 1]), helper.make_node("MatMul", ["x", "t"], ["s"]),
             helper.make_node("Softmax", ["s"], ["p"], axis=-1), helper.make_node("MatMul", ["p", "x"], ["o"]),
             helper.make_node("MatMul", ["o", "w"], ["y"])]
    return helper.make_graph(nodes, "attend", [value("x", "batch", "seq", 64)], [value("y", "batch", "seq", 48)], [weight("w", 64, 48)])


save("small", small())
convert("small")
text = subprocess.run([os.path.join(TOOLS, "vortex-opt"), os.path.join(FOLDER, "small.mlirbc")], capture_output=True, text=True,
                      check=True).stdout
print("named sizes:", text[text.index("vortex.dims = ") + len("vortex.dims = "):text.index("}", text.index("vortex.dims = "))])
check("small", "small_net", [(1, 1), (3, 7), (0, 5), (2, 65)])
save("attend", attend())
convert("attend")
check("attend", "attend", [(1, 1), (3, 17)])
save("unsupported", helper.make_graph([helper.make_node("Unique", ["x"], ["y"])], "u", [value("x", "n")], [value("y", "found")]))
assert convert("unsupported") == 1
print("nothing is written" if not [f for f in os.listdir(FOLDER) if f.startswith("unsupported.mlirbc")] else "something is written")
with open(os.path.join(FOLDER, "broken.onnx"), "w") as f:
    f.write("no model")
assert convert("broken") == 1
assert convert("missing") == 1
