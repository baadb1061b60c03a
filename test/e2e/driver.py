"""Runs vortex-compile and vortex-run for the end-to-end tests: arrays become .npy files, answers become a verdict."""
import os
import re
import subprocess
import sys

import numpy as np

E2E = os.path.dirname(os.path.abspath(__file__))
TEST = os.path.dirname(E2E)
ROOT = os.path.dirname(TEST)
sys.path[:0] = [TEST, os.path.join(TEST, "models")]

from oracle.values import spell_type  # noqa: E402


class ToolError(Exception):
    """A tool failed or answered something else than it should; the message is for the reader of the test's output."""


def default_bin():
    """The folder of the tools: VORTEX_BIN, else the build tree beside the sources."""
    return os.environ.get("VORTEX_BIN") or os.path.join(ROOT, "build", "bin")


def _shorten(text, lines=12):
    kept = [l for l in text.splitlines() if l.strip()]
    return "\n    ".join(kept[:lines] + ([f"... {len(kept) - lines} more lines"] if len(kept) > lines else []))


class Tools:
    """The shipped tools of one build.  TIMEOUT is in seconds and holds for each command."""

    def __init__(self, bin_dir, timeout=300, device="cpu"):
        self.bin, self.timeout, self.device = bin_dir, timeout, device
        for tool in ("vortex-compile", "vortex-run"):
            if not os.access(self.path(tool), os.X_OK):
                raise ToolError(f"{self.path(tool)} is not there: build first (utils/check), or give --bin")

    def path(self, tool):
        return os.path.join(self.bin, tool)

    def _run(self, command, timeout=None):
        timeout = timeout or self.timeout
        try:
            return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout, errors="replace")
        except subprocess.TimeoutExpired:
            raise ToolError(f"{os.path.basename(command[0])} did not end within {timeout} s") from None

    def extract(self, source, functions, result):
        """Writes @FUNCTIONS of a program, and what they call, to the file RESULT, whose path is the answer."""
        done = self._run([self.path("vortex-opt"), source, f"--symbol-privatize=exclude={','.join(functions)}", "--symbol-dce", "-o", result])
        if done.returncode:
            raise ToolError(f"vortex-opt {os.path.basename(source)} ended with {done.returncode}\n    {_shorten(done.stderr)}")
        return result

    def compile(self, source, artifact, target="host", flags=()):
        done = self._run([self.path("vortex-compile"), source, f"--target={target}", "-o", artifact, *flags])
        if done.returncode:
            raise ToolError(f"vortex-compile {os.path.basename(source)} ended with {done.returncode}\n    {_shorten(done.stderr)}")
        return artifact

    def candidates(self, artifact, function):
        """{kernel: [candidates]} of @FUNCTION, from the lines 'kernel FUNCTION.NAME' and 'candidate NAME' of --list."""
        done = self._run([self.path("vortex-run"), artifact, "--list"])
        if done.returncode:
            raise ToolError(f"vortex-run --list ended with {done.returncode}\n    {_shorten(done.stderr)}")
        kernels, current = {}, None
        for line in done.stdout.splitlines():
            word = re.match(r"\s*(kernel|candidate)\s+@?([\w.$-]+)", line)
            if word and word[1] == "kernel":
                current = kernels.setdefault(word[2], [])
            elif word and current is not None:
                current.append(word[2])
        # A kernel with one candidate, or none, always runs that.
        return {k: names for k, names in kernels.items() if k.startswith(function + ".") and len(names) > 1}

    def _run_function(self, artifact, function, inputs, wants, tolerance, threads, flags, timeout=None):
        command = [self.path("vortex-run"), artifact, f"--function={function}", f"--threads={threads}", f"--tol={tolerance:g}",
                   f"--device={self.device}"]
        command += [f"--input={i}" for i in inputs] + [f"--expected-output={where}{file}" for where, file in wants]
        done = self._run(command + flags, timeout)
        how = f"ended with {done.returncode}" if done.returncode >= 0 else f"was killed by signal {-done.returncode}"
        return done, f"vortex-run {how}\n    {_shorten(done.stderr + done.stdout)}"

    def run(self, artifact, function, inputs, wants, tolerance, threads=1):
        """Raises ToolError unless the call gives WANTS, a list of (where, file): where is '' for the next result or 'argN='."""
        done, said = self._run_function(artifact, function, inputs, wants, tolerance, threads, [])
        if done.returncode:
            raise ToolError(said)

    def run_every_candidate(self, artifact, function, inputs, wants, tolerance, threads=1):
        """As chosen, and with each candidate of each kernel forced: [(forced, outcome)], FORCED being as vortex-run --every-candidate spells it.

        OUTCOME is 'right', 'refused: ...' by the candidate's guard, 'not reached' where the call does not come to the kernel, or what is wrong; ToolError when the call as chosen is wrong or the tool does not
        get to the end, with the candidate that it died of.
        """
        done, said = self._run_function(artifact, function, inputs, wants, tolerance, threads, ["--every-candidate"], 4 * self.timeout)
        lines = re.findall(r"^([^\s:]+=\S+(?: \(with [^)]*\))?): (.*)$", done.stdout, re.M)
        ended = re.search(r"^every candidate: (\d+) calls, (\d+) refused by a guard, \d+ not reached, (\d+) wrong$", done.stdout, re.M)
        if not ended or int(ended[1]) != len(lines) or bool(int(ended[3])) != bool(done.returncode):
            raise ToolError(said if done.returncode else f"vortex-run --every-candidate says what the tests do not understand:\n    {_shorten(done.stdout)}")
        return lines


class ArrayFiles:
    """.npy files in a folder.  Arrays that cannot change (weights) are written once."""

    def __init__(self, folder):
        self.folder, self.kept, self.count = folder, {}, 0

    def spec(self, value):
        """VALUE as vortex-run spells it: 4x768xf32=@file, or f32=0.5 for a scalar."""
        a = np.asarray(value)
        if a.ndim == 0:
            item = a.item()
            if a.dtype == np.uint16:                    # bf16 travels as its bits, but is spelled as a number
                return f"{spell_type(a)}={(np.uint32(item) << np.uint32(16)).view(np.float32).item()!r}"
            return f"{spell_type(a)}={int(item) if a.dtype.kind in 'bui' else repr(item)}"
        key = None if a.flags.writeable else id(value)
        if key in self.kept:
            return self.kept[key][0]
        self.count += 1
        path = os.path.join(self.folder, f"weight{self.count}.npy" if key else f"value{self.count}.npy")
        np.save(path, a)
        spec = f"{spell_type(a)}=@{path}"
        if key:
            self.kept[key] = spec, value                # holding the array keeps its id its own
        return spec

    def forget_values(self):
        """Removes what is not a weight."""
        for name in os.listdir(self.folder):
            if name.startswith("value"):
                os.remove(os.path.join(self.folder, name))
