"""Compute shaders through libvulkan, with arrays whose addresses are parameters (buffer device addresses).

vulkan.py: says which device there is; ends with 1 where there is none."""
import ctypes as C
import sys

import numpy as np

U32, U64, P = C.c_uint32, C.c_uint64, C.c_void_p
ADDRESSABLE = 0x20 | 0x20000  # storage buffer, shader device address
VISIBLE = 2 | 4  # to the host, coherent
COMPUTE = 0x20
VERSION_1_2 = (1 << 22) | (2 << 12)


class VulkanError(Exception):
    pass


def struct(*fields):
    """A structure of (type, value) in their order, with what it points at kept alive."""
    made = type("Struct", (C.Structure,), {"_fields_": [(f"f{i}", kind) for i, (kind, _) in enumerate(fields)]})()
    for i, (_, value) in enumerate(fields):
        if isinstance(value, (C.Structure, C.Array)) and not isinstance(fields[i][0], type(value)) and fields[i][0] is P:
            value = C.addressof(value)
        setattr(made, f"f{i}", value)
    made.kept = [value for _, value in fields]
    return made


def address(thing):
    return C.addressof(thing)


class Features(C.Structure):
    """VkPhysicalDeviceFeatures2 and those of Vulkan 1.1 and 1.2: whatever the device has."""
    _fields_ = [("kind", U32), ("next", P), ("all", U32 * 55)]


class Features11(C.Structure):
    _fields_ = [("kind", U32), ("next", P), ("all", U32 * 12)]


class Features12(C.Structure):
    _fields_ = [("kind", U32), ("next", P), ("all", U32 * 47)]


class MemoryTypes(C.Structure):
    _fields_ = [("count", U32), ("types", U32 * 64), ("heaps", U32), ("sizes", U64 * 32)]


class Device:
    def __init__(self):
        try:
            self.library = C.CDLL("libvulkan.so.1")
        except OSError as error:
            raise VulkanError(f"no libvulkan: {error}") from error
        application = struct((U32, 0), (P, None), (P, None), (U32, 0), (P, None), (U32, 0), (U32, VERSION_1_2))
        info = struct((U32, 1), (P, None), (U32, 0), (P, address(application)), (U32, 0), (P, None), (U32, 0), (P, None))
        instance = P()
        self.call("vkCreateInstance", C.byref(info), None, C.byref(instance))
        count = U32()
        self.call("vkEnumeratePhysicalDevices", instance, C.byref(count), None)
        found = (P * count.value)()
        self.call("vkEnumeratePhysicalDevices", instance, C.byref(count), found)
        if not count.value:
            raise VulkanError("no device of Vulkan")
        self.physical = P(found[count.value - 1])
        properties = (U32 * 512)()
        self.library.vkGetPhysicalDeviceProperties(self.physical, properties)
        self.name = bytes(properties)[20:276].split(b"\0")[0].decode()
        # The limits follow at 296 bytes; maxPushConstantsSize is their eighth number.
        self.push_bytes = properties[74 + 8]
        self.features12 = Features12(51, None)
        self.features11 = Features11(49, address(self.features12))
        self.features = Features(1000059000, address(self.features11))
        self.library.vkGetPhysicalDeviceFeatures2(self.physical, C.byref(self.features))
        priority = C.c_float(1)
        queue = struct((U32, 2), (P, None), (U32, 0), (U32, 0), (U32, 1), (P, address(priority)))
        info = struct((U32, 3), (P, address(self.features)), (U32, 0), (U32, 1), (P, address(queue)), (U32, 0), (P, None), (U32, 0),
                      (P, None), (P, None))
        self.device, self.queue, pool, self.commands = P(), P(), U64(), P()
        self.call("vkCreateDevice", self.physical, C.byref(info), None, C.byref(self.device))
        self.library.vkGetDeviceQueue(self.device, U32(0), U32(0), C.byref(self.queue))
        info = struct((U32, 39), (P, None), (U32, 2), (U32, 0))
        self.call("vkCreateCommandPool", self.device, C.byref(info), None, C.byref(pool))
        info = struct((U32, 40), (P, None), (U64, pool.value), (U32, 0), (U32, 1))
        self.call("vkAllocateCommandBuffers", self.device, C.byref(info), C.byref(self.commands))
        memory = MemoryTypes()
        self.library.vkGetPhysicalDeviceMemoryProperties(self.physical, C.byref(memory))
        self.visible = next(i for i in range(memory.count) if memory.types[2 * i] & VISIBLE == VISIBLE)

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code:
            raise VulkanError(f"{name}: VkResult {C.c_int32(code).value}")

    def place(self, array, _name=""):
        """A copy of ARRAY that shaders reach: its address, and itself."""
        size = max(array.nbytes, 16)
        buffer, memory, mapped = U64(), U64(), P()
        info = struct((U32, 12), (P, None), (U32, 0), (U64, size), (U32, ADDRESSABLE), (U32, 0), (U32, 0), (P, None))
        self.call("vkCreateBuffer", self.device, C.byref(info), None, C.byref(buffer))
        needs = (U64 * 3)()
        self.library.vkGetBufferMemoryRequirements(self.device, buffer, needs)
        flags = struct((U32, 1000060000), (P, None), (U32, 2), (U32, 0))
        info = struct((U32, 5), (P, address(flags)), (U64, needs[0]), (U32, self.visible))
        self.call("vkAllocateMemory", self.device, C.byref(info), None, C.byref(memory))
        self.call("vkBindBufferMemory", self.device, buffer, memory, U64(0))
        self.call("vkMapMemory", self.device, memory, U64(0), U64(size), U32(0), C.byref(mapped))
        info = struct((U32, 1000244001), (P, None), (U64, buffer.value))
        self.library.vkGetBufferDeviceAddress.restype = U64
        where = self.library.vkGetBufferDeviceAddress(self.device, C.byref(info))
        placed = np.frombuffer((C.c_uint8 * size).from_address(mapped.value), array.dtype, array.size).reshape(array.shape)
        placed[...] = array
        return where, placed

    def pipeline(self, code, function, push_bytes):
        """(pipeline, layout) of the shader in CODE."""
        words = C.create_string_buffer(code, len(code))
        module, layout, made = U64(), U64(), U64()
        info = struct((U32, 16), (P, None), (U32, 0), (C.c_size_t, len(code)), (P, address(words)))
        self.call("vkCreateShaderModule", self.device, C.byref(info), None, C.byref(module))
        pushed = (U32 * 3)(COMPUTE, 0, push_bytes)
        info = struct((U32, 30), (P, None), (U32, 0), (U32, 0), (P, None), (U32, 1), (P, address(pushed)))
        self.call("vkCreatePipelineLayout", self.device, C.byref(info), None, C.byref(layout))
        name = C.create_string_buffer(function.encode())
        stage = struct((U32, 18), (P, None), (U32, 0), (U32, COMPUTE), (U64, module.value), (P, address(name)), (P, None))
        info = struct((U32, 29), (P, None), (U32, 0), (type(stage), stage), (U64, layout.value), (U64, 0), (U32, 0))
        self.call("vkCreateComputePipelines", self.device, U64(0), U32(1), C.byref(info), None, C.byref(made))
        return made, layout

    def run(self, pipeline, parameters, blocks, rows=1):
        """Launches ROWS rows of BLOCKS blocks with PARAMETERS, bytes, and waits."""
        made, layout = pipeline
        begin = struct((U32, 42), (P, None), (U32, 1), (P, None))
        self.call("vkBeginCommandBuffer", self.commands, C.byref(begin))
        self.library.vkCmdBindPipeline(self.commands, U32(1), made)
        pushed = C.create_string_buffer(parameters, len(parameters))
        self.library.vkCmdPushConstants(self.commands, layout, U32(COMPUTE), U32(0), U32(len(parameters)), pushed)
        self.library.vkCmdDispatch(self.commands, U32(blocks), U32(rows), U32(1))
        self.call("vkEndCommandBuffer", self.commands)
        listed = (P * 1)(self.commands.value)
        submit = struct((U32, 4), (P, None), (U32, 0), (P, None), (P, None), (U32, 1), (P, address(listed)), (U32, 0), (P, None))
        self.call("vkQueueSubmit", self.queue, U32(1), C.byref(submit), U64(0))
        self.call("vkQueueWaitIdle", self.queue)


if __name__ == "__main__":
    try:
        device = Device()
    except VulkanError as problem:
        sys.exit(str(problem))
    print(device.name, device.push_bytes, "bytes of push constants")
