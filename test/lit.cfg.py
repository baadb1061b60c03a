"""How lit runs the tests of this folder: which files, which tools, which features of the machine."""
import glob
import os
import shutil
import subprocess

import lit.formats

config.name = "Vortex"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "install", "Inputs", "lit.cfg.py", "lit.site.cfg.py"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(config.vortex_obj_root, "test")


def find_tool(name):
    """The LLVM tool NAME of the version this build uses."""
    path = os.path.join(config.llvm_tools_dir, name)
    return path if os.access(path, os.X_OK) else shutil.which(name + "-22") or name


# FileCheck, not, count, split-file, mlir-opt and mlir-runner go by their plain names: LLVM 22's own come before any other.
config.environment["PATH"] = os.pathsep.join([config.vortex_tools_dir, config.llvm_tools_dir, config.environment["PATH"]])
# Nothing is written beside the sources.
config.environment["PYTHONPYCACHEPREFIX"] = os.path.join(config.test_exec_root, "pycache")
# NumPy's matrices are small: threads of its BLAS would only wait for each other, beside as many tests as there are processors.
config.environment["OPENBLAS_NUM_THREADS"] = "1"
config.environment["VORTEX_BIN"] = config.vortex_tools_dir
# Caches belong to the build tree: a test neither sees nor changes the user's own.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")
for name in ("HOME", "OMP_NUM_THREADS", "VORTEX_HWDESC_PATH", "CUDA_HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Where utils/import-model --install puts the importer, or another environment with it.
onnx_importer = os.environ.get("VORTEX_IMPORTER", os.path.join(config.vortex_src_root, "build", "importer"))

config.substitutions += [
    ("%onnx_importer", onnx_importer),
    ("%vortex_src_root", config.vortex_src_root),
    ("%vortex_obj_root", config.vortex_obj_root),
    ("%vortex_bin", config.vortex_tools_dir),
    ("%vortex_lib", os.path.join(config.vortex_obj_root, "lib")),
    ("%fake_artifact", os.path.join(config.vortex_obj_root, "test", "unit", "Runtime", "fake_artifact.so")),
    # The folder of libvortex_library_fake.so, for VORTEX_LIBRARY_PATH.
    ("%fake_library", os.path.join(config.vortex_obj_root, "test", "unit", "Runtime")),
    ("%vortex_peers", os.path.join(config.vortex_obj_root, "peers")),
    # The folder of a driver that runs device code in utils/ptxsim, for LD_LIBRARY_PATH.
    ("%cuda_standin", os.path.join(config.vortex_obj_root, "test", "cuda")),
    # Runs device code of AMD on this processor, for test/rocdl/native.py.
    ("%wavefronts", os.path.join(config.vortex_obj_root, "test", "rocdl", "libvortex_wavefronts.so")),
    ("%vortex_plugin", os.path.join(config.vortex_obj_root, "lib", "VortexPlugin.so")),
    ("%llvm_tools", config.llvm_tools_dir),
    ("%mlir_include", config.mlir_include_dir),
    ("%mlir_libs", config.mlir_lib_dir),
    ("%mlir_opt", find_tool("mlir-opt")),
    ("%mlir_runner", find_tool("mlir-runner")),
    ("%python", config.python),
]

# A test that needs a tool says so; a tool the build has but did not make fails the tests, it does not skip them.
for tool in filter(None, config.vortex_tools):
    config.available_features.add(tool)


def cpu_flags():
    try:
        with open("/proc/cpuinfo") as f:
            return set(next((l.split(":")[1] for l in f if l.startswith("flags")), "").split())
    except OSError:
        return set()


flags = cpu_flags()
if {"avx2", "fma"} <= flags:
    config.available_features.add("avx2")
if {"avx512f", "avx512bw", "avx512vl", "avx512dq"} <= flags:
    config.available_features.add("avx512")
if "avx512_bf16" in flags:
    config.available_features.add("avx512bf16")
if "avx_vnni" in flags:
    config.available_features.add("avxvnni")
if {"amx_tile", "amx_bf16", "amx_int8"} <= flags:
    config.available_features.add("amx")
if os.path.exists("/dev/nvidiactl"):
    config.available_features.add("gpu")
if shutil.which("ptxas") or os.access(os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "ptxas"), os.X_OK):
    config.available_features.add("ptxas")
if os.path.exists(os.path.join(config.vortex_obj_root, "peers", "lib", "libdnnl.so.3")):
    config.available_features.add("onednn3")
if any(os.path.exists(os.path.join(folder, name)) for folder in
       (os.path.join(config.vortex_obj_root, "peers", "lib"), "/usr/lib/x86_64-linux-gnu")
       for name in ("libscipy_openblas.so", "libopenblas.so.0")):
    config.available_features.add("openblas")
if os.access(os.path.join(onnx_importer, "bin", "iree-opt"), os.X_OK):
    config.available_features.add("onnx-importer")
if shutil.which("spirv-val"):
    config.available_features.add("spirv-val")


# Mesa's driver for processors is what tests run shaders on, also where there is a GPU.
lavapipe = next(iter(glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json")), None)
if lavapipe and shutil.which("spirv-val"):
    config.environment["VK_ICD_FILENAMES"] = config.environment["VK_DRIVER_FILES"] = lavapipe
    probe = os.path.join(config.test_source_root, "vulkan", "vulkan.py")
    if subprocess.run([config.python, probe], env={**os.environ, "VK_ICD_FILENAMES": lavapipe, "VK_DRIVER_FILES": lavapipe},
                      capture_output=True).returncode == 0:
        config.available_features.add("lavapipe")
if config.vortex_sanitized:
    config.available_features.add("sanitized")
for feature, why in (("gpu", "no GPU here: GPU tests are skipped"), ("ptxas", "no ptxas here: tests that assemble PTX are skipped"),
                     ("avx512", "no AVX-512 here: its run-time tests are skipped"),
                     ("amx", "no AMX here: its run-time tests are skipped"),
                     ("spirv-val", "no spirv-val here (spirv-tools): tests that validate SPIR-V are skipped"),
                     ("lavapipe", "no software driver of Vulkan here (mesa-vulkan-drivers): tests that run SPIR-V are skipped"),
                     ("onednn3", "no oneDNN 3 here (utils/install-peers): its tests are skipped"),
                     ("openblas", "no OpenBLAS here (utils/install-peers): calling it is not tested"),
                     ("onnx-importer", "no ONNX importer here (utils/import-model --install): its tests are skipped")):
    if feature not in config.available_features:
        lit_config.note(why)
