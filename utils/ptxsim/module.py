"""Reading PTX: functions, their parameters, their instructions."""
import re
from dataclasses import dataclass, field

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
    instructions: list = field(default_factory=list)


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


def split_operands(text):
    """Operands separated by commas outside brackets and braces."""
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
    for entry in re.finditer(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)([^{]*)\{", text):
        parameters = []
        for parameter in filter(None, (p.strip() for p in entry[2].split(","))):
            kind = re.search(r"\.[a-z](8|16|32|64)\b", parameter)
            name, count = re.search(r"([\w$]+)(?:\[(\d+)\])?$", parameter).groups()
            parameters.append((name, SIZES[kind[1]] * int(count or 1)))
        threads = re.search(r"\.reqntid\s+(\d+)", entry[3])
        function = Function(entry[1], parameters, int(threads[1]) if threads else 0)
        parse_body(function, text, entry.end())
        module.functions[function.name] = function
    return module


def parse_body(function, text, start):
    depth, labels, branches, pending = 1, {}, [], ""
    line = text.count("\n", 0, start) + 1
    for raw in text[start:].split("\n"):
        stripped = raw.strip()
        line += 1
        if not pending and stripped in "{}":
            depth += {"{": 1, "}": -1}.get(stripped, 0)
            if depth == 0:
                break
            continue
        label = re.match(r"^([$\w]+):$", stripped)
        if label and not pending:
            labels[label[1]] = len(function.instructions)
            continue
        pending += " " + stripped
        if not pending.endswith(";"):
            continue
        for statement in filter(None, (s.strip() for s in pending.split(";"))):
            if statement.startswith("."):
                continue
            guard = re.match(r"^@(!?)(%[\w$]+)\s+(.*)$", statement, re.S)
            body = guard[3] if guard else statement
            opcode, _, rest = body.partition(" ") if "\t" not in body else re.split(r"(\s+)", body, maxsplit=1)
            instruction = Instruction(opcode, split_operands(rest), guard[2] if guard else "", bool(guard and guard[1]), line - 1)
            if opcode.split(".")[0] == "bra":
                branches.append(instruction)
            function.instructions.append(instruction)
        pending = ""
    for branch in branches:
        if branch.operands[0] not in labels:
            raise SimulationError(f"{branch}: no such label")
        branch.target = labels[branch.operands[0]]
