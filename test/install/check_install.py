#!/usr/bin/env python3
"""Installs a build, moves the tree, and uses it the way another project does.

    check_install.py --source=S --build=B --llvm-tools=BIN --folder=F STEP

`tree` installs and moves, the other steps use what it left in the folder.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys

TOOLS = ["vortex-opt", "vortex-compile", "vortex-run", "vortex-bench", "vortex-probe"]
# Passed on, so that both sides of the ABI are built alike.
PASSED_ON = ["CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER", "CMAKE_C_FLAGS", "CMAKE_CXX_FLAGS", "CMAKE_EXE_LINKER_FLAGS",
             "CMAKE_SHARED_LINKER_FLAGS"]
DOUBLE = """func.func @double(%a: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.add ins(%a, %a : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
"""


class Failed(Exception):
    pass


def run(*command, env=None, expect=0):
    """What a command prints; an error when it ends otherwise than expected."""
    done = subprocess.run([str(part) for part in command], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != expect:
        raise Failed(f"$ {' '.join(map(str, command))}\nended with {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def check(condition, message):
    if not condition:
        raise Failed(message)


def is_elf(path):
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


class Tree:
    def __init__(self, options):
        self.source, self.build, self.folder = options.source, options.build, options.folder
        self.llvm = options.llvm_tools
        self.prefix = os.path.join(self.folder, "moved")
        # No folder of the user's and no variable may help the tools.
        self.env = {"PATH": os.environ["PATH"], "HOME": os.path.join(self.folder, "home"),
                    "XDG_CACHE_HOME": os.path.join(self.folder, "cache"), "TMPDIR": self.folder, "LC_ALL": "C"}

    def cache(self):
        entries = {}
        with open(os.path.join(self.build, "CMakeCache.txt")) as f:
            for line in f:
                entry = re.match(r"(\w+):\w+=(.*)", line)
                if entry:
                    entries[entry[1]] = entry[2]
        return entries

    def tool(self, name):
        return os.path.join(self.prefix, "bin", name)

    def plugin(self):
        found = glob.glob(os.path.join(self.prefix, "lib*", "**", "VortexPlugin.so"), recursive=True)
        check(len(found) == 1, f"the install tree has {len(found)} plugins")
        return found[0]

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def project(self, source, name, prefix, *flags):
        """Configures and builds a project against an install tree; its build folder."""
        build, cache = os.path.join(self.folder, name), self.cache()
        shutil.rmtree(build, ignore_errors=True)
        passed = [f"-D{key}={cache[key]}" for key in PASSED_ON if cache.get(key)]
        run("cmake", "-S", source, "-B", build, "-G", cache["CMAKE_GENERATOR"], f"-DCMAKE_PREFIX_PATH={prefix}", *passed, *flags)
        found = next((line for line in open(os.path.join(build, "CMakeCache.txt")) if line.startswith("Vortex_DIR")), "")
        check(found.strip().split("=")[-1].startswith(prefix), f"{name} was built against another tree: {found}")
        run("cmake", "--build", build)
        return build


def tree(t):
    shutil.rmtree(t.folder, ignore_errors=True)
    os.makedirs(os.path.join(t.folder, "home"))
    first = os.path.join(t.folder, "first")
    run("cmake", "--install", t.build, "--prefix", first)
    os.rename(first, t.prefix)
    for name in TOOLS:
        check(os.access(t.tool(name), os.X_OK), f"bin/{name} was not installed")
    t.plugin()


def relocatable(t):
    """No installed file leads back to the build, to the sources, or to where the tree was at first."""
    homes = [t.build, t.source, os.path.join(t.folder, "first")]
    for path in glob.glob(os.path.join(t.prefix, "**"), recursive=True):
        if not os.path.isfile(path) or path.endswith(".a"):
            continue
        name = os.path.relpath(path, t.prefix)
        if is_elf(path):
            dynamic = run(os.path.join(t.llvm, "llvm-readelf"), "-d", path)
            text = "\n".join(line for line in dynamic.splitlines() if "RUNPATH" in line or "RPATH" in line or "NEEDED" in line)
        else:
            with open(path) as f:
                text = f.read()
        for home in homes:
            check(home not in text, f"{name} names {home}")


def tools(t):
    # A description that only this tree has: what is found is found relative to the tool.
    descriptions = os.path.join(t.prefix, "share", "vortex", "hwdesc")
    shutil.copy(os.path.join(descriptions, "x86-avx2.mlir"), os.path.join(descriptions, "only-here.mlir"))
    gemm = os.path.join(t.source, "examples", "embed-passes", "gemm.mlir")
    planned = run(t.tool("vortex-opt"), "--target=only-here", "--vortex-hierarchize", gemm, env=t.env)
    check("vortex.candidate @" in planned, f"vortex-opt planned nothing:\n{planned}")

    program, artifact = t.write("double.mlir", DOUBLE), os.path.join(t.folder, "double.so")
    run(t.tool("vortex-compile"), program, "--target=host", "--no-cache", "-o", artifact, env=t.env)
    call = ["--function=double", "--input=5xf32=1.5", "--expected-output=5xf32=3"]
    run(t.tool("vortex-run"), artifact, *call, env=t.env)
    run(t.tool("vortex-run"), artifact, *call[:2], "--expected-output=5xf32=4", env=t.env, expect=1)
    # Both find the compiler beside them.
    run(t.tool("vortex-run"), program, *call, env=t.env)
    run(t.tool("vortex-bench"), program, *call[:2], env=t.env)
    check("vortex-probe" in run(t.tool("vortex-probe"), "--help", env=t.env), "vortex-probe --help says nothing")


def plugin(t):
    """The installed plugin in the distribution's own mlir-opt."""
    gemm = os.path.join(t.source, "examples", "embed-passes", "gemm.mlir")
    planned = run(os.path.join(t.llvm, "mlir-opt"), f"--load-pass-plugin={t.plugin()}",
                  "--pass-pipeline=builtin.module(vortex-hierarchize{target=sm_80})", gemm, env=t.env)
    check("vortex.kernel" in planned, f"the plugin planned nothing:\n{planned}")


def headers(t):
    t.project(os.path.join(t.source, "test", "install", "headers"), "headers", t.prefix, "-DCMAKE_BUILD_TYPE=Debug")


def embed_passes(t):
    source = os.path.join(t.source, "examples", "embed-passes")
    build = t.project(source, "embed-passes", t.prefix, "-DCMAKE_BUILD_TYPE=Debug")
    program, gemm = os.path.join(build, "embed-passes"), os.path.join(source, "gemm.mlir")
    printed = run(program, gemm, "x86-avx512", env=t.env)
    unknown, known = (printed[printed.index(name):] for name in ("@unknown", "@known"))
    check(re.search(r"is chosen by\n.*tensor\.dim.*vortex\.machine_param.*arith\.cmpf.*= vortex\.select", unknown, re.S),
          f"no arithmetic of a choice:\n{printed}")
    check("tensor.dim" not in known, f"known sizes are asked for at run time:\n{printed}")
    wrong = run(program, gemm, "no-such-machine", env=t.env, expect=1)
    check("no-such-machine.mlir" in wrong, f"an unknown machine is not named:\n{wrong}")


def runtime(t):
    """The run time alone: no LLVM in it, none looked for, and the C examples run an artifact with it."""
    prefix = os.path.join(t.folder, "runtime")
    shutil.rmtree(prefix, ignore_errors=True)
    run("cmake", "--install", t.build, "--prefix", prefix, "--component", "Runtime")
    for path in glob.glob(os.path.join(prefix, "**"), recursive=True):
        if os.path.isfile(path) and is_elf(path):
            needed = run(os.path.join(t.llvm, "llvm-readelf"), "--needed-libs", path)
            check("LLVM" not in needed and "MLIR" not in needed, f"{path} needs LLVM:\n{needed}")
    no_llvm = ["-DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON"]
    build = t.project(os.path.join(t.source, "examples", "run-artifact"), "run-artifact", prefix, *no_llvm)
    program, artifact = t.write("double.mlir", DOUBLE), os.path.join(t.folder, "c.so")
    run(t.tool("vortex-compile"), program, "--target=host", "--no-cache", "-o", artifact, env=t.env)
    printed = run(os.path.join(build, "run-artifact"), artifact, "double", "7", env=t.env)
    check("result 0: 7 checksum 14" in printed, f"run-artifact printed\n{printed}")
    refused = run(os.path.join(build, "run-artifact"), program, "double", "7", env=t.env, expect=1)
    check("run-artifact: " in refused, f"a file that is no artifact is refused without a word:\n{refused}")
    t.project(os.path.join(t.source, "examples", "bert-encoder"), "run-encoder", prefix, *no_llvm)


STEPS = {"tree": tree, "relocatable": relocatable, "tools": tools, "plugin": plugin, "headers": headers,
         "embed-passes": embed_passes, "runtime": runtime}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("source", "build", "llvm-tools", "folder"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("step", choices=STEPS)
    options = parser.parse_args()
    try:
        STEPS[options.step](Tree(options))
    except Failed as failed:
        print(f"check_install.py: {options.step}: {failed}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
