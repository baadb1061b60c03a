"""simulate.py DESCRIPTOR BEGIN BYTES: the child of the stand-in driver (Simulator.cpp says what it is asked).

The device's memory is the file DESCRIPTOR, at address BEGIN of the parent."""
import mmap
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "utils"))
from ptxsim import GlobalMemory, Launch, SimulationError, run  # noqa: E402
from ptxsim.module import parse  # noqa: E402


def unpack(parameters, function):
    values, at = [], 0
    for _, size in function.parameters:
        values.append(int.from_bytes(parameters[at : at + size], "little"))
        at += size
    return values


def main():
    descriptor, begin, size = (int(x) for x in sys.argv[1:4])
    device = np.frombuffer(mmap.mmap(descriptor, size), np.uint8)
    modules = {}
    for line in sys.stdin.buffer:
        words = line.decode().split()
        try:
            if words[0] == "load":
                module = parse(sys.stdin.buffer.read(int(words[2])).decode())
                modules[words[1]] = module
                answer = "ok"
                for function in module.functions.values():
                    sizes = [str(bytes_) for _, bytes_ in function.parameters]
                    answer += f" {function.name} {function.threads} {len(sizes)} {' '.join(sizes)}"
                if not module.functions:
                    answer = "no .entry"
            else:
                module = modules[words[1]]
                memory = GlobalMemory()
                for block in words[8:]:
                    address, count = (int(x) for x in block.split(":"))
                    memory.buffers.append((address, device[address - begin : address - begin + count], ""))
                arguments = unpack(bytes.fromhex(words[7][1:]), module.entry(words[2]))
                run(module, Launch(tuple(int(x) for x in words[3:6]), int(words[6]), arguments), memory, words[2])
                answer = "ok"
        except SimulationError as error:
            answer = str(error).replace("\n", " ")
        print(answer, flush=True)


main()
