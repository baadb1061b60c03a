"""programs.py LIBRARY ARTIFACT: the programs of an artifact through the C interface, and which one an instance runs."""
import ctypes as c
import sys

lib = c.CDLL(sys.argv[1])


class Info(c.Structure):
    _fields_ = [("size", c.c_uint32), ("abi", c.c_uint32), ("producer", c.c_char_p), ("target", c.c_char_p)]


class Device(c.Structure):
    _fields_ = [("type", c.c_int32), ("id", c.c_int32)]


lib.vortexModuleInfo.restype = c.POINTER(Info)
lib.vortexModuleInfo.argtypes = [c.c_void_p]
lib.vortexModuleProgram.restype = c.c_void_p
lib.vortexModuleProgram.argtypes = [c.c_void_p, c.c_int64]
lib.vortexInstanceModule.restype = c.c_void_p
lib.vortexInstanceModule.argtypes = [c.c_void_p]
lib.vortexInstanceCreateOn.argtypes = [c.c_void_p, Device, c.c_void_p]
lib.vortexModuleSetParam.argtypes = [c.c_void_p, c.c_char_p, c.c_double]
lib.vortexModuleGetParam.argtypes = [c.c_void_p, c.c_char_p, c.c_void_p]
lib.vortexLastError.restype = c.c_char_p


def check(status):
    if status:
        sys.exit(lib.vortexLastError().decode())


def target(module):
    return lib.vortexModuleInfo(module).contents.target.decode()


module = c.c_void_p()
check(lib.vortexModuleLoad(sys.argv[2].encode(), c.byref(module)))
programs = []
while one := lib.vortexModuleProgram(module, len(programs)):
    programs.append(one)
print("programs:", ", ".join(map(target, programs)))
assert programs[0] == module.value and lib.vortexModuleProgram(module, -1) is None and lib.vortexModuleProgram(None, 0) is None
instances = []
for name, device in (("by default", None), ("on the CPU", Device(1, 0)), ("on CUDA device 0", Device(2, 0)), ("on Vulkan", Device(7, 0))):
    instance = c.c_void_p()
    create = (module, c.byref(instance)) if device is None else (module, device, c.byref(instance))
    if (lib.vortexInstanceCreateOn if device else lib.vortexInstanceCreate)(*create):
        print(f"{name}: {lib.vortexLastError().decode()}")
        continue
    print(f"{name}: {target(lib.vortexInstanceModule(instance))}")
    instances.append(instance)
lib.vortexModuleUnload(module)
# An instance keeps its program; numbers of the machine are those of one program alone.
value = c.c_double()
own = lib.vortexInstanceModule(instances[-1])
check(lib.vortexModuleSetParam(own, b"block.units", 5.0))
check(lib.vortexModuleGetParam(own, b"block.units", c.byref(value)))
print("units:", value.value)
for instance in instances:
    lib.vortexInstanceDestroy(instance)
