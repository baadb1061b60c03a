"""assemble.py FILE: assembles the PTX in FILE (PTX, or MLIR with a gpu.binary) and prints what ptxas says of registers and spills.

ptxas comes from PATH, CUDA_HOME or /usr/local/cuda."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "utils"))
from ptxsim import read_ptx  # noqa: E402

cuda = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "ptxas")
ptxas = shutil.which("ptxas") or cuda
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "kernel.ptx")
    with open(path, "w") as file:
        file.write(read_ptx(open(sys.argv[1]).read()))
    done = subprocess.run([ptxas, "-arch=sm_80", "-v", path, "-o", os.path.join(folder, "kernel.cubin")], capture_output=True, text=True)
sys.stdout.write(done.stdout + done.stderr)
sys.exit(done.returncode)
