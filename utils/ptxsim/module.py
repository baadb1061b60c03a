"""Reading PTX: functions, their parameters, their instructions."""
import re
from dataclasses import dataclass
from functools import cached_property

from .memory import SimulationError


@dataclass
class Instruction:
    opcode: str
    operands: list
    predicate: str = ""
    negated: bool = False
    line: int = 0
    target: int = -1  # of a branch

    def __str__(self):
        guard = f"@{'!' if self.negated else ''}{self.predicate} " if self.predicate else ""
        return f"line {self.line}: {guard}{self.opcode} {', '.join(self.operands)}"


@dataclass
class Function:
    name: str
    parameters: list  # (name, bytes)
    threads: int = 0  # of .reqntid; 0: not given
    blocks: int = 1  # of a multiprocessor: .minnctapersm
    cluster: int = 1  # blocks that start together: .reqnctapercluster
    source: tuple = ()  # the text of the body, and the line on which it begins

    @cached_property
    def instructions(self):
        """Read when they are first asked for: of a module with many functions few may ever run."""
        return parse_body(*self.source)


@dataclass
class Module:
    functions: dict
    shared: set  # names of shared-memory symbols

    def entry(self, name=""):
        if name:
            if name not in self.functions:
                raise SimulationError(f"no function '{name}'; there are {', '.join(self.functions)}")
            return self.functions[name]
        if len(self.functions) != 1:
            raise SimulationError(f"name one of the functions {', '.join(self.functions) or '(none)'}")
        return next(iter(self.functions.values()))


def read_ptx(text):
    """The PTX in TEXT: PTX itself, or MLIR with a gpu.binary whose object holds PTX."""
    if ".entry" in text and "gpu.binary" not in text:
        return text
    found = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', text)
    if not found:
        raise SimulationError("neither PTX nor MLIR with a gpu.binary of PTX")
    unescaped = re.sub(r"\\([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), found[1])
    return unescaped.replace('\\"', '"').replace("\\\\", "\\").replace("\0", "")


BRACKETS = re.compile(r"[\[{(]")


def split_operands(text):
    """Operands separated by commas outside brackets and braces."""
    if not BRACKETS.search(text):
        return [operand.strip() for operand in text.split(",")] if text.strip() else []
    operands, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "[{(") - (c in "]})")
        if c == "," and depth == 0:
            operands.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return operands + [last] if last else operands


SIZES = {"8": 1, "16": 2, "32": 4, "64": 8}


def parse(text):
    text = re.sub(r"//[^\n]*", "", text)
    shared = set(re.findall(r"\.shared\s+(?:\.align\s+\d+\s+)?\.\w+\s+([\w$]+)", text))
    module = Module({}, shared)
    entries = list(re.finditer(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)([^{]*)\{", text))
    for entry, end in zip(entries, [entry.start() for entry in entries[1:]] + [len(text)]):
        parameters = []
        for parameter in filter(None, (p.strip() for p in entry[2].split(","))):
            kind = re.search(r"\.[a-z](8|16|32|64)\b", parameter)
            name, count = re.search(r"([\w$]+)(?:\[(\d+)\])?$", parameter).groups()
            parameters.append((name, SIZES[kind[1]] * int(count or 1)))
        threads = re.search(r"\.reqntid\s+(\d+)", entry[3])
        blocks = re.search(r"\.minnctapersm\s+(\d+)", entry[3])
        cluster = re.search(r"\.reqnctapercluster\s+(\d+)", entry[3])
        module.functions[entry[1]] = Function(entry[1], parameters, int(threads[1]) if threads else 0, int(blocks[1]) if blocks else 1,
                                              int(cluster[1]) if cluster else 1,
                                              (text[entry.end() : end], text.count("\n", 0, entry.end()) + 1))
    return module


class Scope:
    """Braces inside a function: names declared in them are their own."""

    def __init__(self, number):
        self.number, self.registers = number, []

    def rename(self, text):
        for name in self.registers:
            text = re.sub(rf"(?<![\w%$]){re.escape(name)}(?![\w$])", f"{name}@{self.number}", text)
        return text


LABEL = re.compile(r"^([$\w]+):$")
GUARD = re.compile(r"^@(!?)([%\w$@]+)\s+(.*)$", re.S)


def parse_body(text, line):
    """The instructions of the function with the body TEXT, which begins on LINE."""
    instructions, scopes, opened, labels, branches, pending = [], [Scope(0)], 0, {}, [], ""
    for raw in text.split("\n"):
        stripped = raw.strip()
        line += 1
        if not pending and stripped in ("{", "}", ""):
            if stripped == "{":
                opened += 1
                scopes.append(Scope(opened))
            elif stripped == "}":
                scopes.pop()
            if not scopes:
                break
            continue
        label = not pending and LABEL.match(stripped)
        if label:
            labels[label[1], scopes[-1].number] = len(instructions)
            continue
        pending += " " + stripped
        if not pending.endswith(";"):
            continue
        for statement in filter(None, (s.strip() for s in pending.split(";"))):
            if statement.startswith(".reg") and len(scopes) > 1:
                scopes[-1].registers += [name.strip() for name in statement.split(None, 2)[2].split(",")]
            if statement.startswith("."):
                continue
            for scope in reversed(scopes[1:]):
                statement = scope.rename(statement)
            guard = GUARD.match(statement) if statement[0] == "@" else None
            opcode, _, rest = (guard[3] if guard else statement).replace("\t", " ").partition(" ")
            instruction = Instruction(opcode, split_operands(rest), guard[2] if guard else "", bool(guard and guard[1]), line - 1)
            if opcode.split(".")[0] == "bra":
                branches.append((instruction, [scope.number for scope in scopes]))
            instructions.append(instruction)
        pending = ""
    for branch, around in branches:
        known = [labels[branch.operands[0], scope] for scope in reversed(around) if (branch.operands[0], scope) in labels]
        if not known:
            raise SimulationError(f"{branch}: no such label")
        branch.target = known[0]
    return instructions
