"""Kernels of a module in MLIR's generic form, and their payloads run by NumPy.

The reference for device code: loops of linalg ops one point of the reductions after the other, all parallel loops at once.
"""
import math
import os
import re
import sys
from dataclasses import dataclass, field

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "utils"))
from ptxsim import float8  # noqa: E402

INTEGERS = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64}
# Those that NumPy does not have: f32, rounded after each operation.
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": np.float32, "f8E4M3FN": np.float32, "f8E5M2": np.float32}


@dataclass
class Op:
    name: str
    results: list
    operands: list
    attributes: str = ""
    operand_types: list = field(default_factory=list)
    result_types: list = field(default_factory=list)
    regions: list = field(default_factory=list)  # of (arguments [(name, type)], ops)

    def walk(self):
        yield self
        for _, ops in self.regions:
            for op in ops:
                yield from op.walk()


def split(text):
    """Parts of a list separated by commas outside brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "<[({") - (c in "])}" or (c == ">" and text[i - 1] != "-"))
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return parts + [last] if last else parts


def parse_signature(op, text):
    """Types in ': (a, b) -> c' at the end of an op; what is in front are attributes."""
    at = text.rfind(": (")
    op.attributes += text[:at]
    sources, _, targets = text[at + 2:].partition(" -> ")
    op.operand_types = split(sources.strip()[1:-1])
    op.result_types = split(targets[1:-1] if targets.startswith("(") else targets)


def parse(text):
    """Ops at the top of a module in generic form; maps by their names are put in."""
    maps = dict(re.findall(r"^(#map\d*) = (.*)$", text, re.M))
    text = re.sub(r"#map\d*\b", lambda m: maps.get(m[0], m[0]), text)
    stack = [Op("top", [], [], regions=[([], [])])]
    for line in text.split("\n"):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        ops = stack[-1].regions[-1][1] if stack[-1].regions else None
        found = re.match(r'^(?:((?:%[\w:]+(?:, )?)+) = )?"([\w.]+)"\(([^)]*)\)(?:\[[^]]*\])?(.*)$', line)
        if found:
            results = [r.split(":")[0] for r in (found[1] or "").split(", ") if r]
            op = Op(found[2], results, split(found[3]))
            ops.append(op)
            if found[4].endswith("({"):
                op.attributes = found[4]
                op.regions.append(([], []))
                stack.append(op)
            else:
                parse_signature(op, found[4])
        elif line.startswith("^"):
            arguments = re.match(r"^\^\w+\((.*)\):", line)
            names = [part.split(": ", 1) for part in split(arguments[1])] if arguments else []
            stack[-1].regions[-1] = (names, [])
        elif line == "}, {":
            stack[-1].regions.append(([], []))
        elif line.startswith("})"):
            parse_signature(stack.pop(), line[2:])
    return stack[0]


def shape_of(kind):
    """(dims, element) of a tensor type, None for what is unknown; ([], kind) of a number."""
    found = re.match(r"^tensor<(.*)>$", kind)
    if not found:
        return None, kind
    *dims, element = found[1].split("x")
    return [None if d == "?" else int(d) for d in dims], element


class Map:
    """An affine map."""

    def __init__(self, text):
        found = re.match(r"affine_map<\(([^)]*)\) -> \((.*)\)>$", text)
        self.dims = split(found[1])
        self.results = [re.sub("floordiv", "//", re.sub(r"\bmod\b", "%", e)) for e in split(found[2])]

    def at(self, loops):
        return [eval(e, {}, dict(zip(self.dims, loops))) for e in self.results]

    def plain(self):
        """The loop that each result is, or None."""
        return [self.dims.index(e) if e in self.dims else None for e in self.results]


def maps_of(op):
    """The indexing maps of a linalg op."""
    attributes = op.attributes
    listed = re.search(r"(?:memoized_indexing_maps|indexing_maps) = \[(.*?>)\]", attributes)
    rank = [len(shape_of(t)[0] or []) for t in op.operand_types]

    def make(loops, dims):
        return Map(f"affine_map<({', '.join(f'd{i}' for i in range(loops))}) -> ({', '.join(f'd{d}' for d in dims)})>")
    if op.name in ("linalg.transpose", "linalg.broadcast", "linalg.reduce"):
        chosen = [int(x) for x in re.search(r"(?:permutation|dimensions) = array<i64(?:: ([\d, ]*))?>", attributes)[1].split(",")]
        loops = max(rank)
        rest = [d for d in range(loops) if d not in chosen]
        if op.name == "linalg.transpose":  # result dimension i is input dimension chosen[i]
            return [make(loops, [chosen.index(d) for d in range(loops)]), make(loops, range(loops))]
        if op.name == "linalg.broadcast":
            return [make(loops, rest), make(loops, range(loops))]
        return [make(loops, range(loops)), make(loops, rest)]
    if listed:
        return [Map(m) for m in split(listed[1])]
    if op.name == "linalg.fill":
        return [make(rank[1], []), make(rank[1], range(rank[1]))]
    return [make(max(rank), range(r)) if r else make(max(rank), []) for r in rank]  # elementwise


def rounded(value, kind):
    if kind == "bf16":
        raw = np.ascontiguousarray(value, np.float32).view(np.uint32).astype(np.uint64)
        raw = np.where(np.isnan(value), raw, (raw + 0x7FFF + ((raw >> 16) & 1)) & 0xFFFF0000)
        return raw.astype(np.uint32).view(np.float32).reshape(np.shape(value))
    if kind in float8.NAMES:
        return float8.decode(float8.encode(value, float8.NAMES[kind]), float8.NAMES[kind])
    return np.asarray(value).astype({**INTEGERS, **FLOATS}[kind])


def constant(text, kind):
    found = re.search(r"value = (?:dense<)?(.*?)>? : ", text)[1]
    if found in ("true", "false"):
        return np.bool_(found == "true")
    if found.startswith("0x") and kind in FLOATS:
        bits = int(found, 16)
        if kind == "bf16":
            return np.uint32(bits << 16).view(np.float32)
        return {"f16": np.uint16, "f32": np.uint32, "f64": np.uint64}[kind](bits).view(FLOATS[kind])
    return rounded(float(found), kind) if kind in FLOATS else np.int64(int(found)).astype(INTEGERS[kind])


def unsigned(x):
    return x.view(np.dtype("u" + x.dtype.name)) if x.dtype.kind == "i" else x.astype(np.uint8)


COMPARE_F = [lambda x, y: x < x, np.equal, np.greater, np.greater_equal, np.less, np.less_equal,
             lambda x, y: (x < y) | (x > y), lambda x, y: ~(np.isnan(x) | np.isnan(y)),
             lambda x, y: ~((x < y) | (x > y)), lambda x, y: ~(x <= y), lambda x, y: ~(x < y), lambda x, y: ~(x >= y),
             lambda x, y: ~(x > y), np.not_equal, lambda x, y: np.isnan(x) | np.isnan(y), lambda x, y: x == x]
COMPARE_I = [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]
BINARY = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide, "addi": np.add, "subi": np.subtract,
          "muli": np.multiply, "maximumf": np.maximum, "minimumf": np.minimum, "maxnumf": np.fmax, "minnumf": np.fmin,
          "maxsi": np.maximum, "minsi": np.minimum, "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor,
          "shli": np.left_shift, "shrsi": np.right_shift, "powf": np.power, "atan2": np.arctan2,
          "remui": lambda x, y: x % y, "divui": lambda x, y: x // y, "ceildivui": lambda x, y: -(-x // y),
          "maxui": np.maximum, "minui": np.minimum}  # unsigned ones of sizes, which are not negative
UNARY = {"negf": np.negative, "exp": np.exp, "log": np.log, "tanh": np.tanh, "sqrt": np.sqrt, "absf": np.abs, "sin": np.sin, "cos": np.cos,
         "rsqrt": lambda x: 1 / np.sqrt(x), "roundeven": np.rint, "floor": np.floor, "ceil": np.ceil, "exp2": np.exp2, "log2": np.log2,
         "atan": np.arctan, "asin": np.arcsin, "acos": np.arccos, "cbrt": np.cbrt, "log1p": np.log1p, "expm1": np.expm1, "erf": np.vectorize(math.erf, otypes=[np.float64])}


def compute(op, values):
    """One scalar op on arrays."""
    dialect, _, name = op.name.partition(".")
    kind = op.result_types[0]
    if name == "constant":
        return constant(op.attributes, kind)
    if name in BINARY:
        return rounded(BINARY[name](*values), kind)
    if name in UNARY:
        wide = values[0].astype(np.float64) if name not in ("negf", "absf") else values[0]
        return rounded(UNARY[name](wide), kind)
    if name == "select":
        return np.where(*values)
    if name == "fma":
        return rounded(values[0].astype(np.float64) * values[1] + values[2], kind)
    if name in ("extf", "truncf", "extsi", "trunci", "sitofp", "fptosi", "index_cast"):
        return rounded(values[0], kind)
    if name in ("extui", "uitofp", "index_castui"):
        return rounded(unsigned(values[0]), kind)
    if name == "cmpf":
        return COMPARE_F[int(re.search(r"predicate = (\d+)", op.attributes)[1])](*values)
    if name == "cmpi":
        predicate = int(re.search(r"predicate = (\d+)", op.attributes)[1])
        if predicate >= 6:
            return COMPARE_I[predicate - 4](*(unsigned(v) for v in values))
        return COMPARE_I[predicate](*values)
    raise NotImplementedError(op.name)


def reduction_of(op):
    """The one loop of an op that its result does not walk; None for none or several."""
    loops = set(range(len(maps_of(op)[-1].dims))) - set(maps_of(op)[-1].plain())
    return loops.pop() if len(loops) == 1 else None


class Kernel:
    """A vortex.kernel, its candidate's name and what its axes are."""

    def __init__(self, op):
        self.op = op
        self.name = re.search(r'[<{ ]name = "([^"]*)"', op.attributes)[1]
        self.axes = re.findall(r'"([^"]*)"', re.search(r"axes = \[([^]]*)\]", op.attributes)[1])
        candidates = [c for c in op.walk() if c.name == "vortex.candidate"]
        self.candidates = [re.search(r'sym_name = "([^"]*)"', c.attributes)[1] for c in candidates]
        device = re.search(r"vortex.device_kernel = @(\w+)::@(\w+)", op.attributes)
        # Operands that come in boxes, with the extents of these.
        boxes = re.search(r"vortex.boxes = \[([^]]*)\]", op.attributes)
        self.boxes = [[int(x) for x in box.split(",")] for box in re.findall(r"i64: ([\d, ]+)", boxes[1])] if boxes else []
        self.module, self.function = device.groups() if device else (None, None)
        self.arguments, self.payload = op.regions[0]
        self.anchor = next(o for o in self.payload if "vortex.anchor" in o.attributes)
        self.results = len(op.result_types)
        # Inputs of which device code may read no more bits than a tf32 has.
        self.tf32 = self.anchor.operands[:2] if 'vortex.precision = "tf32"' in self.anchor.attributes else []

    def allows(self, candidate, extents):
        """Whether the guard of CANDIDATE holds."""
        arguments, ops = self.op.regions[1]
        values = {name: np.int64(extent) for (name, _), extent in zip(arguments, extents)}
        for op in ops:
            if op.name == "vortex.candidate":
                if f'sym_name = "{candidate}"' not in op.attributes:
                    continue
                for inner in op.regions[0][1]:
                    if inner.name == "vortex.yield":
                        return bool(values[inner.operands[0]])
                    if inner.name == "vortex.alignment":
                        values[inner.results[0]] = np.int64(64)  # of what the tests place
                        continue
                    if inner.name == "vortex.stride":  # of tensors without gaps
                        position = [name for name, _ in arguments].index(inner.operands[0]) - len(self.axes)
                        dimension = int(re.search(r"dimension = (\d+)", inner.attributes)[1])
                        values[inner.results[0]] = np.int64(np.prod(self.shapes(extents)[position][dimension + 1:], dtype=np.int64))
                        continue
                    values[inner.results[0]] = compute(inner, [values[o] for o in inner.operands])
                return True
            if op.name == "vortex.machine_param":
                values[op.results[0]] = np.float64(re.search(r"default_value = (\S+) :", op.attributes)[1])
            if op.name.startswith("arith."):
                values[op.results[0]] = compute(op, [values[o] for o in op.operands])
        raise KeyError(candidate)

    def is_chain(self):
        return len(self.axes) > len(maps_of(self.anchor)[0].dims)

    def scores(self):
        """The first product of a chain, whose reduction is the last axis."""
        return next(o for o in self.payload if o.name.startswith("linalg.") and len(o.operands) == 3 and reduction_of(o) is not None)

    def fixed(self):
        """Axes whose extents the types say."""
        known = {}
        if self.is_chain():
            for kind, indexing in zip(self.scores().operand_types, maps_of(self.scores())):
                if reduction_of(self.scores()) in indexing.plain():
                    extent = shape_of(kind)[0][indexing.plain().index(reduction_of(self.scores()))]
                    if extent is not None:
                        known[len(self.axes) - 1] = extent
        for kind, indexing in zip(self.anchor.operand_types, maps_of(self.anchor)):
            dims, _ = shape_of(kind)
            for d, loop in zip(dims or [], indexing.plain()):
                if d is not None and loop is not None:
                    known[loop] = d
        return known

    def shapes(self, extents):
        """The shape of each payload argument, for extents of the axes."""
        loops = len(maps_of(self.anchor)[0].dims)
        known, loops_of = {}, {id(self.anchor): dict(enumerate(extents[:loops]))}
        linalg = [o for o in self.payload if o.name.startswith("linalg.")]
        if len(extents) > loops:
            loops_of[id(self.scores())] = {reduction_of(self.scores()): extents[-1]}
        for _ in range(2 * len(linalg) + 1):
            for op in linalg:
                loops, maps = loops_of.setdefault(id(op), {}), maps_of(op)
                for value, kind, indexing in zip(op.operands, op.operand_types, maps):
                    dims, _ = shape_of(kind)
                    if dims is None:
                        continue
                    shape = known.setdefault(value, list(dims))
                    for i, loop in enumerate(indexing.plain()):
                        if loop is not None and shape[i] is not None:
                            loops.setdefault(loop, shape[i])
                    if all(i in loops for i in range(len(indexing.dims))):
                        last = indexing.at([max(loops[i], 1) - 1 for i in range(len(indexing.dims))])
                        for i, loop in enumerate(indexing.plain()):
                            if shape[i] is None:
                                shape[i] = loops[loop] if loop is not None else last[i] + 1
                    else:
                        for i, loop in enumerate(indexing.plain()):
                            if shape[i] is None and loop in loops:
                                shape[i] = loops[loop]
                if op.results:
                    result = known.setdefault(op.results[0], [None] * len(known[op.operands[-1]]))
                    for i, d in enumerate(known[op.operands[-1]]):
                        result[i] = d if result[i] is None else result[i]
                        known[op.operands[-1]][i] = result[i]
            if len(linalg) > 1 and len(extents) == loops:  # rows: loops by position
                for op in linalg:
                    loops = loops_of[id(op)]
                    if op is not self.anchor and op.name != "linalg.fill" and "reduction" not in self.anchor.attributes:
                        for i in range(len(maps_of(op)[0].dims)):
                            if i < len(extents):
                                loops.setdefault(i, extents[i])
        shapes = []
        for name, kind in self.arguments:
            dims, _ = shape_of(kind)
            shapes.append(None if dims is None else known.get(name, dims))
            if dims and any(d is None for d in shapes[-1]):
                raise NotImplementedError(f"{self.name}: the shape of {name} is not known: {shapes[-1]}")
        self.loops_of = loops_of
        return shapes

    def run(self, arguments):
        """The kernel's results, for values of its arguments in the order of the payload's; after shapes()."""
        values = {name: value for (name, _), value in zip(self.arguments, arguments)}
        empty = {}
        for op in self.payload:
            if op.name == "tensor.empty":
                empty[op.results[0]] = shape_of(op.result_types[0])[1]
            elif op.name == "vortex.yield":
                return [values[o] for o in op.operands]
            elif op.name.startswith("linalg."):
                values[op.results[0]] = self.run_op(op, values, empty)
            else:
                values[op.results[0]] = compute(op, [values[o] for o in op.operands])
        raise AssertionError("no yield")

    def run_op(self, op, values, empty):
        maps = maps_of(op)
        out, kind = maps[-1].plain(), shape_of(op.operand_types[-1])[1]
        count = len(maps[-1].dims)
        extents = [self.loops_of[id(op)].get(i, 0) for i in range(count)]
        shape = [extents[i] for i in out]
        reductions = [i for i in range(count) if i not in out]
        if op.operands[-1] in empty:
            result = np.zeros(shape, {**INTEGERS, **FLOATS}[kind])
        else:
            result = values[op.operands[-1]]
        grid = [None] * count
        for position, loop in enumerate(out):
            grid[loop] = np.arange(extents[loop]).reshape([-1 if p == position else 1 for p in range(len(out))])
        arguments, body = op.regions[0]
        for point in np.ndindex(*(extents[i] for i in reductions)):
            for loop, x in zip(reductions, point):
                grid[loop] = x
            inside = dict(values)
            for (name, _), value, indexing in zip(arguments, op.operands, maps):
                if value in empty or value == op.operands[-1]:
                    inside[name] = result
                elif shape_of(dict(zip(op.operands, op.operand_types))[value])[0] is None:
                    inside[name] = values[value]
                else:
                    inside[name] = values[value][tuple(indexing.at(grid))] if indexing.results else values[value]
            if len(arguments) == len(op.operands) and not (op.operands[-1] in op.operands[:-1]):
                inside[arguments[-1][0]] = result
            for inner in body:
                if inner.name == "linalg.index":
                    inside[inner.results[0]] = np.int64(grid[int(re.search(r"dim = (\d+)", inner.attributes)[1])])
                elif inner.name == "linalg.yield":
                    result = np.broadcast_to(rounded(inside[inner.operands[0]], kind), shape).copy()
                else:
                    inside[inner.results[0]] = compute(inner, [inside[o] for o in inner.operands])
        return result


def kernels(text):
    """The kernels of a module in generic form."""
    return [Kernel(o) for o in parse(text).walk() if o.name == "vortex.kernel"]
