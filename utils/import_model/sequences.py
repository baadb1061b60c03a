"""Recurrences as loops whose rows are written one a step.  What every step takes of its inputs is one product before the loop."""
import numpy as np
import onnx
from onnx import TensorProto, helper

from .graph import Refused, attributes_of

ACTIVATIONS = ("Relu", "Sigmoid", "Softplus", "Softsign", "Tanh")
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
USUAL = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}


class Loop:
    """A loop that is being written: within `with`, the builder's ops go to its body."""

    def __init__(self, b, trips):
        self.b, self.trips, self.carried, self.outer = b, trips, [], None
        self.at, self.go_on = b.name("at"), b.name("goes")

    def carry(self, start, kind, shape):
        """A value that steps change; gives its name inside."""
        inside = self.b.name("carried")
        self.carried.append([start, inside, None, kind, shape])
        return inside

    def change(self, inside, value):
        next(c for c in self.carried if c[1] == inside)[2] = value

    def put_row(self, rows, row, kind, shape):
        """Writes the row of this step; `loops.rows_of_steps` knows this form by its indices."""
        b = self.b
        row = b.is_known(b.op("Unsqueeze", row, [0]), kind, [1, *shape])
        self.change(rows, b.op("ScatterND", rows, b.op("Reshape", self.at, [1, 1]), row))

    def __enter__(self):
        self.outer = self.b.nodes, self.b.known
        self.b.nodes, self.b.known = [], []
        return self

    def __exit__(self, problem, *_):
        body, known = self.b.nodes, self.b.known
        self.b.nodes, self.b.known = self.outer
        if problem:
            return
        goes = self.b.name("goes")
        body.append(helper.make_node("Identity", [self.go_on], [goes]))
        info = helper.make_tensor_value_info
        inputs = [info(self.at, TensorProto.INT64, []), info(self.go_on, TensorProto.BOOL, []), *(info(i, k, s) for _, i, _, k, s in self.carried)]
        outputs = [info(goes, TensorProto.BOOL, [])]
        for c in self.carried:                                      # a name can be a result once
            last = self.b.name("next")
            body.append(helper.make_node("Identity", [c[2]], [last]))
            outputs.append(info(last, c[3], c[4]))
        graph = helper.make_graph(body, self.b.name("steps"), inputs, outputs, value_info=known)
        results = [self.b.is_known(self.b.name("loop"), c[3], c[4]) for c in self.carried]
        true = self.b.constant(np.array(True))
        self.b.nodes.append(helper.make_node("Loop", [self.trips, true, *(c[0] for c in self.carried)], results, body=graph))
        self.results = results


def zeros(b, kind, *sizes):
    value = helper.make_tensor("value", kind, [1], [0])
    return b.op("ConstantOfShape", b.shape(*sizes), value=value)


class Cell:
    """One direction of a recurrent operator: its parts of the weights, turned so that rows are multiplied from the left."""

    def __init__(self, b, node, direction, attributes):
        self.b, self.kind, self.attributes = b, node.op_type, attributes
        self.hidden = attributes["hidden_size"]
        x, weight, recurrent, bias = [*node.input, ""][:4]
        self.type = b.kind(x)
        gates = GATES[self.kind]
        self.weight, self.recurrent = (b.op("Transpose", self.part(name, direction), perm=[1, 0]) for name in (weight, recurrent))
        self.input_bias = self.hidden_bias = None
        if bias:
            both = b.op("Split", self.part(bias, direction), axis=0, results=2, **b.split_into(2))
            self.input_bias, self.hidden_bias = both
        self.peepholes = None
        if self.kind == "LSTM" and len(node.input) > 7 and node.input[7]:
            self.peepholes = b.op("Split", self.part(node.input[7], direction), axis=0, results=3, **b.split_into(3))
        names = attributes.get("activations") or 2 * USUAL[self.kind]
        names = [name.decode() if isinstance(name, bytes) else name for name in names]
        each = len(USUAL[self.kind])
        self.activations = names[direction * each:(direction + 1) * each]
        self.gates = gates

    def part(self, name, direction):
        return self.b.squeeze(self.b.op("Slice", name, [direction], [direction + 1], [0]), [0])

    def activate(self, number, value):
        if clip := self.attributes.get("clip"):
            value = self.b.op("Clip", value, self.b.scalar(-clip, self.type), self.b.scalar(clip, self.type))
        return self.b.op(self.activations[number], value)

    def columns(self, value, first, last):
        return self.b.op("Slice", value, [first * self.hidden], [last * self.hidden], [1])

    def added(self, value, bias):
        return self.b.op("Add", value, bias) if bias else value

    def prepare(self):
        """What steps read and do not change; in front of the loop."""
        b, hidden = self.b, self.hidden
        if self.kind != "GRU":
            self.input_bias = self.input_bias and b.op("Add", self.input_bias, self.hidden_bias)
            return
        if self.attributes.get("linear_before_reset", 0):
            return
        self.recurrent_gates = b.op("Slice", self.recurrent, [0], [2 * hidden], [1])
        self.recurrent_new = b.op("Slice", self.recurrent, [2 * hidden], [3 * hidden], [1])
        self.input_bias = self.input_bias and b.op("Add", self.input_bias, self.hidden_bias)

    def of_inputs(self, x):
        """What all steps take of x: [steps, batch, gates of hidden]."""
        return self.added(self.b.op("MatMul", x, self.weight), self.input_bias)

    def step(self, given, h, c):
        return getattr(self, self.kind.lower())(given, h, c)

    def rnn(self, given, h, _):
        return self.activate(0, self.b.op("Add", given, self.b.op("MatMul", h, self.recurrent))), None

    def gru(self, given, h, _):
        b = self.b
        update_and_reset = self.columns(given, 0, 2)
        if self.attributes.get("linear_before_reset", 0):
            product = self.added(b.op("MatMul", h, self.recurrent), self.hidden_bias)
            both = self.activate(0, b.op("Add", update_and_reset, self.columns(product, 0, 2)))
            update, reset = self.columns(both, 0, 1), self.columns(both, 1, 2)
            remembered = b.op("Mul", reset, self.columns(product, 2, 3))
        else:
            both = self.activate(0, b.op("Add", update_and_reset, b.op("MatMul", h, self.recurrent_gates)))
            update, reset = self.columns(both, 0, 1), self.columns(both, 1, 2)
            remembered = b.op("MatMul", b.op("Mul", reset, h), self.recurrent_new)
        new = self.activate(1, b.op("Add", self.columns(given, 2, 3), remembered))
        return b.op("Add", new, b.op("Mul", update, b.op("Sub", h, new))), None

    def lstm(self, given, h, c):
        b = self.b
        sums = b.op("Add", given, b.op("MatMul", h, self.recurrent))
        enter, leave, forget, cell = (self.columns(sums, i, i + 1) for i in range(4))

        def seen(gate, number, state):
            return b.op("Add", gate, b.op("Mul", self.peepholes[number], state)) if self.peepholes else gate
        enter = self.activate(0, seen(enter, 0, c))
        forget = b.op("Sub", b.scalar(1, self.type), enter) if self.attributes.get("input_forget") else self.activate(0, seen(forget, 2, c))
        c = b.op("Add", b.op("Mul", forget, c), b.op("Mul", enter, self.activate(1, cell)))
        return b.op("Mul", self.activate(0, seen(leave, 1, c)), self.activate_plain(2, c)), c

    def activate_plain(self, number, value):
        """Clipping is of what enters gates, not of the state that leaves."""
        return self.b.op(self.activations[number], value)


def run_direction(b, node, x, sizes, direction, backwards, attributes):
    """[Y, Y_h, Y_c] of one direction: [steps, batch, hidden], [batch, hidden], [batch, hidden] or None."""
    lengths, starts = [*node.input, "", "", "", ""][4], [*node.input, "", "", "", ""][5:7]
    steps, batch = sizes
    hidden, cell = attributes["hidden_size"], Cell(b, node, direction, attributes)
    kind, state = b.kind(x), [None, hidden]
    begun = []
    for i in range(2 if node.op_type == "LSTM" else 1):
        begun.append(cell.part(starts[i], direction) if starts[i] else zeros(b, kind, batch, hidden))
    cell.prepare()
    last = b.op("Sub", steps, [1])
    reverse = b.op("Sub", last, b.count_up(steps)) if backwards else None
    given = cell.of_inputs(b.op("Gather", x, reverse, axis=0) if backwards else x)
    loop = Loop(b, b.squeeze(steps, [0]))
    rows = zeros(b, kind, steps, batch, hidden)
    lengths = lengths and b.unsqueeze(b.op("Cast", lengths, to=TensorProto.INT64), [1])
    with loop:
        inside = [loop.carry(start, kind, state) for start in begun]
        inner = loop.carry(rows, kind, [None, None, hidden])
        now = b.is_known(b.op("Gather", given, loop.at, axis=0), kind, [None, cell.gates * hidden])
        old = [*inside, None][:2]
        new = [value for value in cell.step(now, *old) if value]
        row = new[0]
        if lengths:
            alive = b.op("Less", b.op("Sub", last, loop.at) if backwards else loop.at, lengths)
            new = [b.op("Where", alive, after, before) for after, before in zip(new, inside)]
            row = b.op("Where", alive, row, b.scalar(0, kind))
        for name, value in zip(inside, new):
            loop.change(name, value)
        loop.put_row(inner, row, kind, state)
    *finals, y = loop.results
    if backwards:
        y = b.op("Gather", y, reverse, axis=0)
    return [y, *finals]


def recurrence(b, node):
    x = node.input[0]
    attributes = attributes_of(node)
    direction = attributes.get("direction", "forward")
    if b.rank(x) != 3 or "hidden_size" not in attributes:
        return None
    names = [a.decode() if isinstance(a, bytes) else a for a in attributes.get("activations", [])]
    odd = [name for name in names if name not in ACTIVATIONS]
    if odd or "activation_alpha" in attributes or "activation_beta" in attributes:
        raise Refused(f"{node.op_type} with the activation {odd[0]}" if odd else f"{node.op_type} with parameters of activations")
    by_batch = attributes.get("layout", 0)
    if by_batch:
        turned = [None, None, b.extent(x, 2)]
        x = b.op("Transpose", x, perm=[1, 0, 2])
        b.types[x] = helper.make_tensor_type_proto(b.kind(node.input[0]), turned).tensor_type
        node = _with_inputs(node, [x, *node.input[1:5], *(b.op("Transpose", s, perm=[1, 0, 2]) if s else "" for s in node.input[5:7]), *node.input[7:]])
    sizes = b.size(x, 0), b.size(x, 1)
    ways = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[direction]
    results = [run_direction(b, node, x, sizes, i, backwards, attributes) for i, backwards in enumerate(ways)]
    joined = []
    for i, parts in enumerate(zip(*results)):
        axis = 1 if i == 0 else 0
        joined.append(b.op("Concat", *(b.unsqueeze(part, [axis]) for part in parts), axis=axis))
    if by_batch:
        joined = [b.op("Transpose", joined[0], perm=[2, 0, 1, 3]), *(b.op("Transpose", h, perm=[1, 0, 2]) for h in joined[1:])]
    return joined


def _with_inputs(node, inputs):
    made = onnx.NodeProto()
    made.CopyFrom(node)
    del made.input[:]
    made.input.extend(inputs)
    return made


def body_of(node):
    return next(a.g for a in node.attribute if a.name == "body")


def outside(b, body):
    """Where a size with a name is known outside of BODY: {name: (value, axis)}."""
    inner = {value.name for value in [*body.input, *body.output, *body.value_info]}
    inner.update(name for n in body.node for name in n.output)
    found = {}
    for name, kind in b.types.items():
        if name not in inner and (name in b.producers or name in b.inputs) and kind.HasField("shape"):
            for axis, dim in enumerate(kind.shape.dim):
                if dim.dim_param:
                    found.setdefault(dim.dim_param, (name, axis))
    return found


def collecting_loop(b, node):
    """What a loop collects, a row a step, is one tensor from the start, and steps write into it."""
    body = body_of(node)
    trips, condition, *starts = node.input
    count = len(starts)
    if len(body.output) == 1 + count:
        return None
    first, go_on = body.input[0].name, body.input[1].name
    last = body.output[0].name
    producers = {name: n for n in body.node for name in n.output}
    while last in producers and producers[last].op_type == "Identity":
        last = producers[last].input[0]
    endless = last == go_on and (not condition or b.value(condition) is not None and bool(b.value(condition)))
    if not trips or not (endless or b.value(last) is not None and bool(b.value(last)) and (not condition or b.value(condition) is not None and bool(b.value(condition)))):
        raise Refused("Loop that collects rows and ends by a condition")
    sizes, rows = outside(b, body), []
    length = b.op("Max", b.reshape(trips, 1), [0])
    for output in body.output[1 + count:]:
        found = b.types.get(output.name)
        if found is None or not found.HasField("shape"):
            raise Refused("Loop that collects rows whose rank is not known")
        extents = []
        for dim in found.shape.dim:
            if not dim.HasField("dim_value") and dim.dim_param not in sizes:
                raise Refused("Loop that collects rows of a size that is not known before")
            extents.append(dim.dim_value if dim.HasField("dim_value") else b.size(*sizes[dim.dim_param]))
        rows.append((zeros(b, found.elem_type, length, *extents), found))
    made = onnx.NodeProto()
    made.CopyFrom(node)
    body = body_of(made)
    place, shape, axis = (b.name(hint) for hint in ("place", "shape", "axis"))
    for name, value in ((shape, [1, 1]), (axis, [0])):
        body.node.append(helper.make_node("Constant", [], [name], value=onnx.numpy_helper.from_array(np.array(value))))
    body.node.append(helper.make_node("Reshape", [first, shape], [place]))
    collected = list(body.output[1 + count:])
    del body.output[1 + count:]
    for output, (start, found) in zip(collected, rows):
        dims = [d.dim_value if d.HasField("dim_value") else None for d in found.shape.dim]
        carried, row, after = (b.name(hint) for hint in ("carried", "row", "next"))
        whole = [None, *dims]
        body.input.append(helper.make_tensor_value_info(carried, found.elem_type, whole))
        body.node.append(helper.make_node("Unsqueeze", [output.name, axis], [row]))
        body.value_info.append(helper.make_tensor_value_info(row, found.elem_type, [1, *dims]))
        if output.name not in [v.name for v in body.value_info]:
            body.value_info.append(helper.make_tensor_value_info(output.name, found.elem_type, dims))
        body.node.append(helper.make_node("ScatterND", [carried, place, row], [after]))
        body.output.append(helper.make_tensor_value_info(after, found.elem_type, whole))
        made.input.append(start)
    results = [b.name("loop") for _ in node.output]
    for result, (_, found) in zip(results[count:], rows):
        b.is_known(result, found.elem_type, [None, *(d.dim_value if d.HasField("dim_value") else None for d in found.shape.dim)])
    made.output[:] = results
    b.nodes.append(made)
    return results


def scan(b, node):
    """A loop that picks a row of each input a step."""
    attributes, inner = attributes_of(node), body_of(node)
    count = attributes["num_scan_inputs"]
    states, sequences = node.input[:len(node.input) - count], node.input[len(node.input) - count:]
    if any(b.rank(s) is None for s in sequences) or b.opset < 9:
        return None
    axes = [a % b.rank(s) for a, s in zip(attributes.get("scan_input_axes", [0] * count), sequences)]
    backwards = attributes.get("scan_input_directions", [0] * count)
    steps = b.size(sequences[0], axes[0])
    prepared = []
    for sequence, axis, reverse in zip(sequences, axes, backwards):
        if reverse:
            order = b.op("Sub", b.op("Sub", b.size(sequence, axis), [1]), b.count_up(b.size(sequence, axis)))
            sequence = b.op("Gather", sequence, order, axis=axis)
        prepared.append(sequence)
    body = onnx.GraphProto()
    body.CopyFrom(inner)
    at, go_on, goes = b.name("at"), b.name("goes"), b.name("goes")
    elements = list(body.input[len(states):])
    del body.input[:], body.node[:]
    info = helper.make_tensor_value_info
    body.input.extend([info(at, TensorProto.INT64, []), info(go_on, TensorProto.BOOL, []), *inner.input[:len(states)]])
    body.node.append(helper.make_node("Identity", [go_on], [goes]))
    for sequence, axis, element in zip(prepared, axes, elements):
        body.node.append(helper.make_node("Gather", [sequence, at], [element.name], axis=axis))
    body.value_info.extend(elements)
    body.node.extend(inner.node)
    outputs = [info(goes, TensorProto.BOOL, []), *body.output]
    del body.output[:]
    body.output.extend(outputs)
    made = [b.name("loop") for _ in node.output]
    b.nodes.append(helper.make_node("Loop", [b.squeeze(steps, [0]), b.constant(np.array(True)), *states], made, body=body))
    results, collected = made[:len(states)], made[len(states):]
    for i, rows in enumerate(collected):
        if attributes.get("scan_output_directions", [0] * len(collected))[i]:
            rows = b.op("Gather", rows, b.op("Sub", b.op("Sub", steps, [1]), b.count_up(steps)), axis=0)
        axis = attributes.get("scan_output_axes", [0] * len(collected))[i]
        if axis:
            row = b.types.get(inner.output[len(states) + i].name)
            if row is None or not row.HasField("shape"):
                raise Refused("Scan that collects rows whose rank is not known along another dimension than the first")
            rank = len(row.shape.dim) + 1
            order = list(range(1, rank))
            order.insert(axis % rank, 0)
            rows = b.op("Transpose", rows, perm=order)
        results.append(rows)
    return results


RULES = {"GRU": recurrence, "Loop": collecting_loop, "RNN": recurrence, "Scan": scan}
