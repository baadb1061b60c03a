"""Device code of AMD, run on this processor: its LLVM IR with the few ops of the device as calls of Wavefronts.cpp.

What runs is what LLVM's AMDGPU backend gets; what that makes of it is not tested here.  Arrays end at pages that nothing may touch."""
import ctypes
import mmap
import os
import re
import signal
import subprocess
import tempfile

import numpy as np

LANES = 64
ALIGNMENT = 16  # of the widest copy
PAGE = mmap.PAGESIZE
CALLS = {
    r"llvm\.amdgcn\.workitem\.id\.x": "wave_thread", r"llvm\.amdgcn\.workgroup\.id\.x": "wave_block",
    r"llvm\.amdgcn\.implicitarg\.ptr": "wave_hidden", r"llvm\.amdgcn\.s\.barrier": "wave_barrier",
    r"llvm\.amdgcn\.ds\.bpermute": "wave_bpermute",
}
libc = ctypes.CDLL(None, use_errno=True)


FACTORS = ["f16", "bf16", "f32", "xf32", "f64", "i8"]  # as in Wavefronts.cpp


class LaunchError(Exception):
    pass


def unescape(text):
    """The bytes of a string attribute."""
    raw = text.encode("latin-1")
    return re.sub(rb"\\([0-9A-F]{2}|\\)", lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1], 16)]), raw)


def read_ir(binary, tools):
    """The LLVM IR in a gpu.binary op whose object is bitcode."""
    code = unescape(re.search(r'(?:offload|bin|assembly|fatbin)?\s*=?\s*"(BC.*)"', binary)[1])
    done = subprocess.run([os.path.join(tools, "llvm-dis"), "-", "-o", "-"], input=code, capture_output=True, check=True)
    return done.stdout.decode()


def products_of(text):
    """The IR with a function for each `mfma`, which gives Wavefronts.cpp the lane's registers."""
    pattern = (r"^declare .*?(<\d+ x \w+>) @llvm\.amdgcn\.mfma\.\w+\.(\d+)x\d+x(\d+)\.?(bf16|f16|xf32|f32|f64|i8)(\S*?)"
               r"\((<\d+ x \w+>|\w+)[^,]*, .*\n")
    bodies = ["declare void @wave_mfma(i32, i32, i32, ptr, ptr, ptr)\n"]
    for match in re.finditer(pattern, text, re.M):
        sums, edge, depth, factor, _, operand = match.groups()
        name = re.search(r"@(llvm\.amdgcn\.mfma\S*?)\(", match[0])[1]
        bodies.append(f"""define {sums} @{name.replace("llvm.amdgcn", "wave")}({operand} %a, {operand} %b, {sums} %c, i32 %x, i32 %y, i32 %z) {{
  %pa = alloca {operand}
  %pb = alloca {operand}
  %pc = alloca {sums}
  store {operand} %a, ptr %pa
  store {operand} %b, ptr %pb
  store {sums} %c, ptr %pc
  call void @wave_mfma(i32 {edge}, i32 {depth}, i32 {FACTORS.index(factor)}, ptr %pa, ptr %pb, ptr %pc)
  %d = load {sums}, ptr %pc
  ret {sums} %d
}}
""")
    text = re.sub(pattern, "", text, flags=re.M)
    return text.replace("llvm.amdgcn.mfma", "wave.mfma") + "\n" + "".join(bodies)


def for_this_processor(text):
    """The IR with functions of Wavefronts.cpp for intrinsics, and for each kernel @k a function @k.entry of an array of arguments."""
    text = products_of(text)
    text = re.sub(r"^(target (datalayout|triple)|attributes #|source_filename).*\n", "", text, flags=re.M)
    text = re.sub(r"^(declare|define)(.*?)( #\d+)?( !\S+ !\d+)*( \{)?$",
                  lambda m: m[1] + re.sub(r"\b(protected|amdgpu_kernel|dso_local|hidden) ", "", m[2]) + (m[5] or ""), text, flags=re.M)
    text = re.sub(r"(call.*\)) #\d+", r"\1", text)
    # The number of a lane: all bits below it, counted in two halves.
    text = re.sub(r"(%\S+) = (?:tail )?call .*@llvm\.amdgcn\.mbcnt\.lo\(.*", r"\1 = add i32 0, 0", text)
    text = re.sub(r"(%\S+) = (?:tail )?call .*@llvm\.amdgcn\.mbcnt\.hi\(.*", r"\1 = call i32 @wave_lane()", text)
    text = re.sub(r"^declare.*mbcnt.*\n", "", text, flags=re.M) + "\ndeclare i32 @wave_lane()\n"
    for name, call in CALLS.items():
        text = re.sub(name + r"\b", call, text)
    text = re.sub(r"^(declare) .*?(i32|void|ptr addrspace\(4\)) (@wave_.*)", r"\1 \2 \3", text, flags=re.M)
    text = text.replace('"=v,0"', '"=r,0"').replace(", !range", ", !unused")
    text = re.sub(r"@smem = internal (.*) (poison|undef)", r"@smem = \1 zeroinitializer", text)
    for name, parameters in re.findall(r"^define void @(\w+)\((.*)\)", text, re.M):
        types = [re.match(r"(ptr(?: addrspace\(\d\))?|\w+)", p.strip())[1] for p in parameters.split(",") if p.strip()]
        body = [f"define void @{name}.entry(ptr %a) {{"]
        for i, kind in enumerate(types):
            body += [f"  %p{i} = getelementptr ptr, ptr %a, i32 {i}", f"  %v{i} = load {kind}, ptr %p{i}"]
        body += [f"  call void @{name}({', '.join(f'{kind} %v{i}' for i, kind in enumerate(types))})", "  ret void", "}", ""]
        text += "\n".join(body)
    return text


class Module:
    """Loaded device code."""

    def __init__(self, text, tools, wavefronts):
        with tempfile.TemporaryDirectory() as folder:
            source, result = os.path.join(folder, "k.ll"), os.path.join(folder, "k.so")
            with open(source, "w") as file:
                file.write(for_this_processor(text))
            subprocess.run([os.path.join(tools, "llc"), "-O1", "-relocation-model=pic", "-mcpu=native", "-filetype=obj", source, "-o", source + ".o"],
                           check=True)
            subprocess.run([os.path.join(tools, "ld.lld"), "-shared", source + ".o", wavefronts, "-o", result], check=True)
            ctypes.CDLL(wavefronts, mode=ctypes.RTLD_GLOBAL)
            self.code = ctypes.CDLL(result)
        self.wavefronts = ctypes.CDLL(wavefronts)


class Memory:
    """Arrays that a child process writes and its parent sees, each up to a page that neither may touch."""

    def __init__(self):
        self.kept = []

    def place(self, array, name=""):
        """An array like ARRAY, in that memory: its address and itself."""
        room = -(-array.nbytes // ALIGNMENT) * ALIGNMENT
        pages = -(-max(room, 1) // PAGE) + 2
        memory = mmap.mmap(-1, pages * PAGE)
        base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        for guard in (base, base + (pages - 1) * PAGE):
            if libc.mprotect(ctypes.c_void_p(guard), ctypes.c_size_t(PAGE), 0):
                raise OSError("mprotect")
        start = (pages - 1) * PAGE - room
        placed = np.frombuffer(memory, array.dtype, array.size, start).reshape(array.shape)
        placed[...] = array
        self.kept.append((memory, placed))
        return base + start, placed


def run(module, function, blocks, threads, shared_bytes, arguments, backwards):
    """Launches in a child process: what touches a guard ends that alone."""
    slots = (ctypes.c_uint64 * len(arguments))(*[a & 0xFFFFFFFFFFFFFFFF for a in arguments])
    entry = getattr(module.code, function + ".entry")
    shared = ctypes.addressof(ctypes.c_char.in_dll(module.code, "smem")) if shared_bytes else None
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        message = ctypes.create_string_buffer(200)
        signal.alarm(300)
        failed = module.wavefronts.wave_launch(entry, slots, blocks, threads, LANES, backwards, ctypes.c_void_p(shared),
                                               ctypes.c_size_t(shared_bytes), message, ctypes.c_size_t(200))
        os.write(write, message.value)
        os._exit(failed)
    os.close(write)
    message = os.read(read, 200).decode()
    os.close(read)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        raise LaunchError(f"ended by {signal.Signals(os.WTERMSIG(status)).name}: memory that is not an operand's")
    if message:
        raise LaunchError(message)
