"""Scans, scatters and sorts, which torch-mlir leaves in a dialect of its own (tm_tensor), as loops over elements; rows of loops' steps, which it
picks and places element by element, as slices."""
import re

OP = re.compile(r"^( *)(%\w+)(?::\d+)? = tm_tensor\.(scan|scatter|sort)\b([^\n]*?) (?:ins\(([^\n]*)\) )?outs\(([^\n]*)\) \{\n"
                r" *\^bb0\(([^\n]*)\):\n(.*?) *tm_tensor\.yield (%[\w#]+) : \S+\n\1\} -> [^\n]*\n", re.M | re.S)


def split(text):
    """The parts of a list, at the commas that are in no bracket."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "<([{") - (c in ">)]}" and text[i - 1:i + 1] != "->")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts + [text[start:].strip()] if text.strip() else []


def operands(text):
    """[(name, type)] of `%a, %b : T, U`."""
    names, kinds = text.split(" : ", 1) if text else ("", "")
    return list(zip(split(names), split(kinds)))


class Writer:
    """Lines of one op's loops; its names are %NAME.*, which printers do not make."""

    def __init__(self, indent, name):
        self.indent, self.name, self.depth, self.count = indent, name, 0, 0
        self.lines, self.results = [], []  # results: of the loops that are open

    def line(self, text):
        self.lines.append(self.indent + "  " * self.depth + text)

    def let(self, text):
        """The value of an op."""
        self.count += 1
        value = f"%{self.name}.{self.count}"
        self.line(f"{value} = {text}")
        return value

    def index(self, number):
        return self.let(f"arith.constant {number} : index")

    def extract(self, tensor, kind, places):
        return self.let(f"tensor.extract {tensor}[{', '.join(places)}] : {kind}")

    def insert(self, value, tensor, kind, places):
        return self.let(f"tensor.insert {value} into {tensor}[{', '.join(places)}] : {kind}")

    def loop(self, lower, upper, step, carried, result=None):
        """Opens a loop: what it carries, [(value, type)]; gives its place, and what is carried inside it."""
        self.count += 1
        inside = [f"%{self.name}.{self.count}.{i}" for i in range(len(carried))]
        self.results.append(result or f"%{self.name}.{self.count}.r")
        pairs = ", ".join(f"{name} = {value}" for name, (value, _) in zip(inside, carried))
        kinds = ", ".join(kind for _, kind in carried)
        many = f":{len(carried)}" if len(carried) > 1 else ""
        at = f"%{self.name}.{self.count}.at"
        self.line(f"{self.results[-1]}{many} = scf.for {at} = {lower} to {upper} step {step} iter_args({pairs}) -> ({kinds}) {{")
        self.depth += 1
        return at, inside

    def end(self, carried):
        """Closes the loop; gives its results."""
        self.line(f"scf.yield {', '.join(v for v, _ in carried)} : {', '.join(k for _, k in carried)}")
        self.depth -= 1
        self.line("}")
        name = self.results.pop()
        return [f"{name}#{i}" for i in range(len(carried))] if len(carried) > 1 else [name]

    def body(self, arguments, values, lines, result):
        """The op's own computation, of these values."""
        names = {re.match(r"%\w+", a)[0]: v for a, v in zip(split(arguments), values)}
        for line in lines.splitlines():
            self.line(re.sub(r"%[\w-]+", lambda m: names.get(m[0], m[0]), line.strip()))
        return names.get(result, result)


def rank(kind):
    return len(re.match(r"tensor<((?:(?:\?|\d+)x)*)", kind)[1].split("x")) - 1


def scan(w, result, attributes, inputs, outs, arguments, lines, last):
    """Each element is computed of what is before it, along a dimension."""
    axis = int(re.search(r"dimension\((\d+)\)", attributes)[1])
    (x, kind), (y, made) = inputs[0], outs[0]
    zero, one = w.index(0), w.index(1)
    sizes = [w.let(f"tensor.dim {x}, {w.index(d)} : {kind}") for d in range(rank(kind))]
    places = []
    for depth, size in enumerate(sizes):
        at, (y,) = w.loop(zero, size, one, [(y, made)], result if depth == 0 else None)
        places.append(at)
    value = w.extract(x, kind, places)
    element = re.search(r"[x<]([a-z]+\d*)>$", kind)[1]
    first = w.let(f"arith.cmpi eq, {places[axis]}, {zero} : index")
    chosen = f"%{w.name}.value"
    w.line(f"{chosen} = scf.if {first} -> ({element}) {{")
    w.depth += 1
    w.line(f"scf.yield {value} : {element}")
    w.depth -= 1
    w.line("} else {")
    w.depth += 1
    before = list(places)
    before[axis] = w.let(f"arith.subi {places[axis]}, {one} : index")
    w.line(f"scf.yield {w.body(arguments, [value, w.extract(y, made, before)], lines, last)} : {element}")
    w.depth -= 1
    w.line("}")
    y = w.insert(chosen, y, made, places)
    for _ in sizes:
        y, = w.end([(y, made)])


def scatter(w, result, attributes, inputs, outs, arguments, lines, last):
    """Rows of updates go where their row of indices says, one after the other."""
    dims = [int(d) for d in re.search(r"dimension_map = array<i64: ([^>]*)>", attributes)[1].split(",")]
    (updates, kind), (indices, indexed), (y, made) = inputs[0], inputs[1], outs[0]
    zero, one = w.index(0), w.index(1)
    integer = re.search(r"[x<]([a-z]+\d*)>$", indexed)[1]
    sizes = [w.let(f"tensor.dim {updates}, {w.index(d)} : {kind}") for d in range(rank(kind))]
    extents = [w.let(f"tensor.dim {y}, {w.index(d)} : {made}") for d in dims]
    places = []
    for depth, size in enumerate(sizes):
        at, (y,) = w.loop(zero, size, one, [(y, made)], result if depth == 0 else None)
        places.append(at)
    inner = places[1:]
    target = [None] * (rank(made) - len(inner)) + inner
    for i, (dim, extent) in enumerate(zip(dims, extents)):
        index = w.extract(indices, indexed, [places[0], w.index(i)])
        index = w.let(f"arith.index_cast {index} : {integer} to index")
        index = w.let(f"arith.addi {index}, {target[dim]} : index") if target[dim] else index
        within = w.let(f"arith.cmpi ult, {index}, {extent} : index")
        w.line(f'cf.assert {within}, "an index of a scatter is not below the size"')
        target[dim] = index
    value = w.extract(updates, kind, places)
    value = w.body(arguments, [value, w.extract(y, made, target)], lines, last)
    y = w.insert(value, y, made, target)
    for _ in sizes:
        y, = w.end([(y, made)])


def sort(w, result, attributes, inputs, outs, arguments, lines, last):
    """Merges runs of 1, 2, 4, ... elements; of equal ones the first stays first."""
    axis, kind = int(re.search(r"dimension\((\d+)\)", attributes)[1]), outs[0][1]
    kinds = [k for _, k in outs]
    zero, one, word = w.index(0), w.index(1), w.index(64)
    sizes = [w.let(f"tensor.dim {outs[0][0]}, {w.index(d)} : {kind}") for d in range(rank(kind))]
    size = sizes[axis]
    end = w.let(f"arith.subi {size}, {one} : index")
    zeros = w.let(f"math.ctlz {end} : index")
    passes = w.let(f"arith.subi {word}, {zeros} : index")
    several = w.let(f"arith.cmpi ugt, {size}, {one} : index")
    passes = w.let(f"arith.select {several}, {passes}, {zero} : index")
    unknown = [s for s, d in zip(sizes, re.findall(r"(\?|\d+)x", kind)) if d == "?"]
    at_pass, old = w.loop(zero, passes, one, outs, result)
    run = w.let(f"arith.shli {one}, {at_pass} : index")
    runs = w.let(f"arith.shli {run}, {one} : index")
    new = [w.let(f"tensor.empty({', '.join(unknown)}) : {k}") for k in kinds]
    places = [None] * len(sizes)
    for d, extent in enumerate(sizes):
        if d != axis:
            places[d], new = w.loop(zero, extent, one, list(zip(new, kinds)))
    low, new = w.loop(zero, size, runs, list(zip(new, kinds)))
    middle = w.let(f"arith.minui {w.let(f'arith.addi {low}, {run} : index')}, {size} : index")
    high = w.let(f"arith.minui {w.let(f'arith.addi {low}, {runs} : index')}, {size} : index")
    at, (left, right, *new) = w.loop(low, high, one, [(low, "index"), (middle, "index"), *zip(new, kinds)])

    def there(place):
        return [place if d == axis else p for d, p in enumerate(places)]
    lefts, rights = (there(w.let(f"arith.minui {side}, {end} : index")) for side in (left, right))
    values = [w.extract(o, k, side) for o, k in zip(old, kinds) for side in (lefts, rights)]
    before = w.body(arguments, values, lines, last)
    is_left = w.let(f"arith.cmpi ult, {left}, {middle} : index")
    no_right = w.let(f"arith.cmpi uge, {right}, {high} : index")
    take = w.let(f"arith.andi {is_left}, {w.let(f'arith.ori {before}, {no_right} : i1')} : i1")
    for i, k in enumerate(kinds):
        element = re.search(r"[x<]([a-z]+\d*)>$", k)[1]
        new[i] = w.insert(w.let(f"arith.select {take}, {values[2 * i]}, {values[2 * i + 1]} : {element}"), new[i], k, there(at))
    taken = w.let(f"arith.index_castui {take} : i1 to index")
    left = w.let(f"arith.addi {left}, {taken} : index")
    right = w.let(f"arith.addi {right}, {w.let(f'arith.subi {one}, {taken} : index')} : index")
    new = w.end([(left, "index"), (right, "index"), *zip(new, kinds)])[2:]
    for _ in range(len(sizes) + 1):
        new = w.end(list(zip(new, kinds)))


def expand(text):
    """The text of a program without tm_tensor, as far as its ops are known."""
    for number in range(len(re.findall(r"= tm_tensor\.", text))):
        found = OP.search(text)
        if not found:
            break
        indent, name, op, attributes, inputs, outs, arguments, lines, last = found.groups()
        if op == "scan" and re.search(re.escape(name) + r"#1\b", text):
            break
        w = Writer(indent, f"{op}{number}")
        {"scan": scan, "scatter": scatter, "sort": sort}[op](w, name, attributes, operands(inputs), operands(outs), arguments, lines, last)
        rest = text[found.end():]
        if op == "scan":
            rest = re.sub(re.escape(name) + r"#0\b", name, rest)
        text = text[:found.start()] + "\n".join(w.lines) + "\n" + rest
    return text


COUNTER = re.compile(r'"onnx\.Loop"[^\n]*\{\n *\^bb0\((%\w+): !torch\.vtensor<\[\],si64>')
PLACE = re.compile(r'^ *(%\w+) = torch\.operator "onnx\.Reshape"\((%\w+), %\w+\)[^\n]*-> !torch\.vtensor<\[1,1\],si64> *\n', re.M)
PICK = re.compile(r'^( *)(%\w+) = torch\.operator "onnx\.Gather"\((%\w+), (%\w+)\)([^\n:]*(?:: si64[^\n:]*)?) : \((!torch\.vtensor<[^>]*>), [^)]*\) -> '
                  r"(!torch\.vtensor<[^>]*>) *\n", re.M)
PUT = re.compile(r'^( *)(%\w+) = torch\.operator "onnx\.ScatterND"\((%\w+), (%\w+), (%\w+)\) : \((!torch\.vtensor<[^>]*>), [^,]*,[^,]*, '
                 r"(!torch\.vtensor<\[1[^>]*>)\) -> (!torch\.vtensor<[^>]*>) *\n", re.M)


def rows_of_steps(text):
    """In the importer's first text: the row with the number of the step, of a loop, is a slice."""
    counters = set(COUNTER.findall(text))
    places = {place: counter for place, counter in PLACE.findall(text) if counter in counters}
    number = 0

    def begin(indent, counter, rows, kind, axis):
        nonlocal number
        number += 1
        name = f"%step{number}"
        return name, [f"{name}.axis = torch.constant.int {axis}",
                      f"{name}.at = torch.aten.item {counter} : !torch.vtensor<[],si64> -> !torch.int",
                      f"{name}.size = torch.aten.size.int {rows}, {name}.axis : {kind}, !torch.int -> !torch.int",
                      f"{name}.inside = torch.aten.lt.int {name}.at, {name}.size : !torch.int, !torch.int -> !torch.bool",
                      f'torch.runtime.assert {name}.inside, "a step of a loop takes a row behind the last one"']

    def pick(found):
        indent, result, rows, counter, attributes, kind, made = found.groups()
        if counter not in counters:
            return found[0]
        axis = re.search(r"torch\.onnx\.axis = (-?\d+)", attributes)
        name, lines = begin(indent, counter, rows, kind, axis[1] if axis else 0)
        lines.append(f"{result} = torch.aten.select.int {rows}, {name}.axis, {name}.at : {kind}, !torch.int, !torch.int -> {made}")
        return "".join(f"{indent}{line}\n" for line in lines)

    def put(found):
        indent, result, rows, place, row, kind, row_kind, made = found.groups()
        if place not in places:
            return found[0]
        name, lines = begin(indent, places[place], rows, kind, 0)
        lines += [f"{name}.one = torch.constant.int 1",
                  f"{name}.end = torch.aten.add.int {name}.at, {name}.one : !torch.int, !torch.int -> !torch.int",
                  f"{result} = torch.aten.slice_scatter {rows}, {row}, {name}.axis, {name}.at, {name}.end, {name}.one : {kind}, {row_kind}, "
                  f"!torch.int, !torch.int, !torch.int, !torch.int -> {made}"]
        return "".join(f"{indent}{line}\n" for line in lines)
    return PUT.sub(put, PICK.sub(pick, text))
