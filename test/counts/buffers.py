"""buffers.py TARGET FILE...: for each public function, how often it copies and allocates,
and how many candidates each of its kernels has.

After a change that is meant, write the output over Inputs/buffers.txt and look at the difference.
"""
import os
import re
import sys

from opt import opt


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    for file in sys.argv[2:]:
        with open(file) as f:
            planned = opt(f.read(), f"--target={sys.argv[1]}", "--vortex-plan-kernels", "--vortex-number-queries", "--vortex-split-weights")
        # What is left when the kernels are taken out is the program around them.
        host = opt(re.sub(r"^  module @.*?^  }$", "", planned, flags=re.M | re.S), "--vortex-bufferize")
        for function in host.split("func.func @")[1:]:
            name = re.match(r'"?([\w.$-]+)', function)[1]
            copies = len(re.findall(r"\bmemref\.copy\b", function))
            allocations = len(re.findall(r"\bmemref\.alloca?\b", function))
            calls = len(re.findall(r"\bvortex\.kernel_call\b", function))
            loops = len(re.findall(r"\blinalg\.\w+ (?:ins|\{)", function))
            print(f"{os.path.basename(file)} {name}: {copies} copies, {allocations} allocations, {calls} kernel calls, "
                  f"{loops} generic loops")
            for kernel, candidates in re.findall(r'vortex\.select "([^"]*)" \[([^]]*)\]', function):
                print(f"    {kernel}: {len(candidates.split(', '))} candidates")


main()
