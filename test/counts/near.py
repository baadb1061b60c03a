"""near.py TARGET FILE...: of the products in FILE, whether the two formulas of each candidate's cost, of problems that rest in L2 and of any,
agree where the first holds, at sizes of a fixed sequence: of a third of them one extent is long and the others are short.

Candidates of a kernel have two formulas or none.
"""
import random
import re
import struct
import sys

from opt import opt

CASES = 400
TOLERANCE = 1e-3
NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")


def lowbit(x):
    return int(x) & -int(x)


def ceildiv(x, y):
    return -(-x // y)


def ternaries(text):
    """C's conditional expressions as Python's, in parentheses, too."""
    def close(start):
        depth = 0
        for i in range(start, len(text)):
            depth += {"(": 1, ")": -1}.get(text[i], 0)
            if depth == 0:
                return i
        sys.exit(f"no parenthesis closes {text}")

    flat, inner, i = "", [], 0
    while i < len(text):
        if text[i] == "(":
            end = close(i)
            inner.append("(" + ", ".join(ternaries(part) for part in split(text[i + 1:end])) + ")")
            flat += f"\0{len(inner) - 1}\0"
            i = end + 1
        else:
            flat += text[i]
            i += 1

    def arrange(part):
        if "?" not in part:
            return part
        condition, rest = part.split("?", 1)
        depth = 0
        for i, c in enumerate(rest):
            depth += {"?": 1, ":": -1}.get(c, 0)
            if depth < 0:
                return f"({arrange(rest[:i])} if {condition} else {arrange(rest[i + 1:])})"
        sys.exit(f"no second value in {text}")

    return re.sub("\0(\\d+)\0", lambda m: inner[int(m[1])], arrange(flat))


def split(text):
    """Arguments, at the commas outside of parentheses."""
    parts, depth = [""], 0
    for c in text:
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def python(text):
    """An expression of a cost: machine parameters are P["name"], what is asked of operands a call of its number."""
    text = re.sub(r"\b(stride|alignment)\(operand (\d+)[^)]*\)", r"\1_of[\2]", text)
    return NAME.sub(lambda m: f'P["{m[0]}"]', ternaries(text))


def parameters(module):
    found = {}
    for value, name in re.findall(r'\{default = (\S+) : f64, name = "([^"]+)"', module):
        if value.startswith("0x"):
            found[name] = struct.unpack(">d", bytes.fromhex(value[2:]))[0]
        else:
            found[name] = float(value)
    return found


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    target = sys.argv[1]
    draw = random.Random(1)
    told = {"candidates": 0, "apart": 0}
    for file in sys.argv[2:]:
        with open(file) as f:
            planned = opt(f.read(), f"--target={target}", "--vortex-plan-kernels", "--vortex-number-queries")
        module = re.search("^module attributes .*", planned, re.M)[0]
        constants = parameters(module)
        for kernel in re.findall(r"\{axes = \[.*?name = \"[^\"]+\"\}", module):
            lists = {key: re.findall(r'"([^"]*)"', found) for key, found in re.findall(r'(\w+) = \[((?:"[^"]*"(?:, )?)*)\]', kernel)}
            compare(target, re.search(r'name = "([^"]+)"\}$', kernel)[1], lists, constants, draw, told)
    print(f"{target}: of {told['candidates']} candidates with two formulas {told['apart']} have some that disagree")
    sys.exit(told["apart"] > 0 or told["candidates"] == 0)


def draw_sizes(axes, draw):
    sizes = {axis: int(2 ** draw.uniform(0, 10)) for axis in axes}
    if draw.random() < 1 / 3:
        sizes = {axis: int(2 ** draw.uniform(0, 4)) for axis in axes}
        sizes[draw.choice(axes)] = int(2 ** draw.uniform(8, 17))
    return sizes


def compare(target, name, lists, constants, draw, told):
    axes = lists["axes"]
    single = []
    before = told["candidates"]
    for candidate, cost in zip(lists["candidates"], lists["costs"]):
        lines = cost.replace("\\0A", "\n").split("\n")
        condition = lines[-1].split(" ? ")[0]
        if condition == lines[-1] or condition.count("(") != condition.count(")"):
            single.append(candidate)
            continue
        where = compile(python(condition), candidate, "eval")
        both = compile(python(lines[-1].replace(condition, "near", 1)), candidate, "eval")
        terms = [(line.split(" = ", 1)[0], compile(python(line.split(" = ", 1)[1]), candidate, "eval")) for line in lines[:-1]]
        held, apart = 0, None
        for _ in range(CASES):
            sizes = draw_sizes(axes, draw)
            P = dict(constants, threads=draw.choice([1, 2, 8]))
            stride = sizes[axes[-2]] + draw.choice([0, 0, 1, 100, 1024])
            scope = dict(sizes, P=P, threads=P["threads"], max=max, min=min, int=int, ceildiv=ceildiv, lowbit=lowbit,
                         stride_of=[stride] * 8, alignment_of=[draw.choice([4, 64])] * 8)
            for term, code in terms:
                scope[term] = eval(code, scope)
            if not eval(where, scope):
                continue
            held += 1
            near, far = (eval(both, dict(scope, near=near)) for near in (True, False))
            if not abs(near - far) <= TOLERANCE * far:
                apart = apart or f"{near:.1f} and {far:.1f} ns at {sizes}"
        told["candidates"] += 1
        if apart or not held:
            told["apart"] += 1
            print(f"{target} {name} {candidate}: {apart or 'the first formula never holds'}")
    if single and told["candidates"] > before:
        told["apart"] += 1
        print(f"{target} {name}: one formula for {', '.join(single)}, two for others")


main()
