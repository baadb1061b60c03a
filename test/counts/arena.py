"""arena.py RUNTIME_PY LIBRARY FOLDER: bytes of scratch memory that a call of some programs needs, at some sizes.

FOLDER holds FILE.so of each model file. A second call may ask for no more, nor may one at smaller sizes; results are compared too.
After a change that is meant, write the output over Inputs/arena.txt and look at the difference.
"""
import importlib.util
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "models"))
from reference import PROGRAMS, parse_sizes  # noqa: E402

CALLS = [
    ("mlp_all_dynamic", "m=5,k=7,h=11,n=3", "m=33,k=257,h=129,n=65"),
    ("ffn_gelu", "m=1", "m=33", "m=1000"),
    ("attention", "b=1,m=1,n=1", "b=1,m=33,n=65", "b=2,m=512,n=512"),
    ("attention_causal", "b=1,m=7,past=0", "b=2,m=7,past=120"),
    ("softmax_rows", "m=33,n=1025"),
    ("layernorm", "m=33,n=1025"),
    ("bert_layer", "b=1,s=8", "b=2,s=250"),
]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    spec = importlib.util.spec_from_file_location("runtime", sys.argv[1])
    runtime = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(runtime)
    for name, *calls in CALLS:
        program = PROGRAMS[name]
        model = runtime.Model(sys.argv[2], os.path.join(sys.argv[3], program.file + ".so"), 1)
        made = [program.make(parse_sizes(sizes)) for sizes in calls]
        for (inputs, expected), sizes in zip(made, calls):
            inputs, results = [np.asarray(x) for x in inputs], [np.empty_like(e) for e in expected]
            model.call(name, inputs, results)
            held = model.scratch_bytes
            print(f"{name} {sizes}: {held} bytes")
            model.call(name, inputs, results)
            if model.scratch_bytes != held:
                sys.exit(f"{name} {sizes}: the second call grew them to {model.scratch_bytes}")
            for r, e in zip(results, expected):
                if not np.allclose(r, e, atol=1e-3, rtol=1e-3):
                    sys.exit(f"{name} {sizes}: wrong result")
        inputs, expected = made[0]
        model.call(name, [np.asarray(x) for x in inputs], [np.empty_like(e) for e in expected])
        if model.scratch_bytes != held:
            sys.exit(f"{name} {calls[0]}: a call at smaller sizes changed them to {model.scratch_bytes}")
        model.close()


main()
