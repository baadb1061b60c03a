"""Modules that carry their weights: written on demand, so that no megabyte of numbers is kept in the repository."""
import os
import re
import subprocess

from .registry import draw

_TEMPLATE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "imported", "mlp_weights_inside.mlir.in")
FORMS = {"imported/mlp_const": "mlp_const", "imported/mlp_resource": "mlp_resource"}


def _module(function):
    """The text of the module; weights are literals for @mlp_const and resource blobs for @mlp_resource."""
    blobs = []

    def weight(match):
        name, type_ = match.group(1), match.group(2)
        shape = tuple(int(s) for s in re.findall(r"(\d+)x", type_))
        data = draw(name, shape, 0.02 if name.endswith(".b") else None).astype("<f4").tobytes().hex().upper()
        if function == "mlp_const":
            return f'dense<"0x{data}"> : {type_}'
        key = name.replace(".", "_")
        blobs.append(f'{key}: "0x04000000{data}"')        # the first four bytes are the alignment
        return f"dense_resource<{key}> : {type_}"

    with open(_TEMPLATE) as f:
        text = f.read().replace("@FUNCTION(", f"@{function}(")
    text = re.sub(r"@(mlpc\.\d\.[wb])@ : (tensor<[\dxf]+>)", weight, text)
    if blobs:
        text += "{-#\n  dialect_resources: {\n    builtin: {\n      " + ",\n      ".join(blobs) + "\n    }\n  }\n#-}\n"
    return text


def write_module(file, folder, mlir_opt):
    """Writes the bytecode of FILE (a key of FORMS) into FOLDER and returns its path."""
    path = os.path.join(folder, FORMS[file] + ".mlirbc")
    subprocess.run([mlir_opt, "-", "--emit-bytecode", "-o", path], input=_module(FORMS[file]), text=True, check=True)
    return path
