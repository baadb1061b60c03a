"""Innermost loops of x86 assembly in AT&T syntax, as LLVM prints it: their instructions, multiply-adds and moves to the stack."""
import re

_LABEL = re.compile(r"^([.\w$\"-]+):")
_JUMP = re.compile(r"^j\w+\s+(\.L\w+)")
_MULTIPLY_ADD = re.compile(r"^(vfn?m(add|sub)\d*[ps][sdh]|vpdp|vdpbf16ps|vpmadd|tdp)")
# Reads of a spilled general-purpose register into a vector one.
_SCALAR = re.compile(r"^(vmov[dq]|vpinsr[bwdq]|vpbroadcast[bwdq])\s")
_VECTOR = re.compile(r"%[txyz]mm\d+")


class Loop:
    """An innermost loop.  SPILLS are instructions with a vector register and a place on the stack."""

    def __init__(self, instructions, frame):
        self.instructions = instructions
        self.multiply_adds = sum(bool(_MULTIPLY_ADD.match(i)) for i in instructions)
        self.spills = sum(bool(_VECTOR.search(i) and frame.search(i) and not _SCALAR.match(i)) for i in instructions)

    def ratio(self):
        """Instructions for each multiply-add."""
        return len(self.instructions) / self.multiply_adds


def functions(text):
    """{name: [block]}; a block is (labels, instructions)."""
    found, name, blocks = {}, None, []
    for line in text.splitlines():
        label = _LABEL.match(line)
        if label and not label[1].startswith(".L"):
            name, blocks = label[1], [([], [])]
            found[name] = blocks
        elif name is None:
            continue
        elif label:
            if blocks[-1][1]:
                blocks.append(([], []))
            blocks[-1][0].append(label[1])
        elif line.strip().startswith(".cfi_endproc"):
            name = None
        else:
            instruction = line.split("#")[0].strip()
            if instruction and not instruction.startswith("."):
                if blocks[-1][1] and blocks[-1][1][-1].startswith(("j", "ret")):
                    blocks.append(([], []))
                blocks[-1][1].append(instruction)
    return found


def _successors(blocks, tables):
    """The blocks after each.  A jump through a table may go to all that the function's TABLES name."""
    at = {label: i for i, (labels, _) in enumerate(blocks) for label in labels}
    edges = []
    for i, (_, instructions) in enumerate(blocks):
        last = instructions[-1] if instructions else ""
        jump = _JUMP.match(last)
        out = {at[jump[1]]} if jump and jump[1] in at else set()
        if re.match(r"jmpq?\s+\*", last):
            out = {at[label] for label in tables if label in at}
        if not last.startswith(("jmp", "ret", "ud2")) and i + 1 < len(blocks):
            out.add(i + 1)
        edges.append(out)
    return edges


def _dominators(edges):
    """For each block, the blocks on every path to it from the first, as bit sets."""
    before = [[] for _ in edges]
    for i, out in enumerate(edges):
        for j in out:
            before[j].append(i)
    everything = (1 << len(edges)) - 1
    sets = [everything] * len(edges)
    sets[0], changed = 1, True
    while changed:
        changed = False
        for i in range(1, len(edges)):
            common = everything
            for j in before[i]:
                common &= sets[j]
            common |= 1 << i
            if common != sets[i]:
                sets[i], changed = common, True
    return sets, before


def natural_loops(blocks, tables):
    """{head: blocks} of a function: a jump back to a block that dominates it closes a loop."""
    edges = _successors(blocks, tables)
    sets, before = _dominators(edges)
    loops = {}
    for tail, out in enumerate(edges):
        for head in out:
            if sets[tail] >> head & 1:
                body, work = loops.setdefault(head, {head}), [tail]
                while work:
                    block = work.pop()
                    if block not in body:
                        body.add(block)
                        work += before[block]
    return loops


def innermost(blocks, tables):
    """The innermost loops of a function."""
    loops = natural_loops(blocks, tables)
    text = "\n".join(i for _, instructions in blocks for i in instructions)
    # The frame pointer is a place on the stack only where there is one.
    frame = re.compile(r"\(%r[sb]p[,)]" if re.search(r"movq\s+%rsp, %rbp", text) else r"\(%rsp[,)]")
    return [Loop([i for b in sorted(body) for i in blocks[b][1]], frame)
            for head, body in loops.items() if not any(other in body for other in loops if other != head)]


def _tables(text):
    return set(re.findall(r"^\s+\.long\s+(\.L\w+)-\.LJTI", text, flags=re.M))


def depths(text, pattern):
    """How many loops each instruction is in that PATTERN matches."""
    found = []
    for blocks in functions(text).values():
        loops = natural_loops(blocks, _tables(text)).values()
        for i, (_, instructions) in enumerate(blocks):
            found += [sum(i in loop for loop in loops) for instruction in instructions if re.match(pattern, instruction)]
    return found


def hot_loops(text):
    """The innermost loops of all functions in TEXT."""
    tables = _tables(text)
    return [loop for blocks in functions(text).values() for loop in innermost(blocks, tables)]
