"""assemble.py FILE [--target=sm_80]: assembles the PTX in FILE (PTX, or MLIR with gpu.binary ops) and prints what ptxas says of registers
and spills, a kernel after the other.

ptxas comes from PATH, CUDA_HOME or /usr/local/cuda.  Ends with 1 when one is not assembled."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "utils"))
from ptxsim import read_ptx  # noqa: E402

target = next((a.partition("=")[2] for a in sys.argv[1:] if a.startswith("--target=")), "sm_80")
cuda = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "ptxas")
ptxas = shutil.which("ptxas") or cuda
text = open(next(a for a in sys.argv[1:] if not a.startswith("--"))).read()
failed = False
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "kernel.ptx")
    for part in re.findall(r"gpu\.binary @.*", text) or [text]:
        with open(path, "w") as file:
            file.write(read_ptx(part))
        done = subprocess.run([ptxas, "-arch=" + target, "-v", path, "-o", os.path.join(folder, "kernel.cubin")],
                              capture_output=True, text=True)
        sys.stdout.write(done.stdout + done.stderr)
        failed |= done.returncode != 0
sys.exit(failed)
