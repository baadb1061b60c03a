"""Rewriting of ONNX graphs: rules take one node and write others in its place."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference


class Refused(Exception):
    """What the importer would get wrong and no rule writes otherwise, in words for the user."""


FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16)


def attributes_of(node):
    """The node's attributes by name; text as str."""
    values = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in values.items()}


def subgraphs_of(node):
    for attribute in node.attribute:
        yield from [attribute.g] if attribute.type == onnx.AttributeProto.GRAPH else attribute.graphs


def opset_of(model):
    return next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 1)


class Builder:
    """Writes the nodes that stand for one: `op` gives names of results, sizes are tensors of one i64."""

    def __init__(self, model, types, constants, names, producers, inputs):
        self.model, self.types, self.constants, self.names = model, types, constants, names
        self.producers, self.inputs = producers, inputs  # of what the node can read: the nodes it comes from, the names that come from none
        self.opset, self.nodes, self.known = opset_of(model), [], []  # known: types of values that inference does not find out

    def name(self, hint):
        """A name that the model does not have."""
        found = next(f"{hint}__{i}" for i in range(len(self.names), 1 << 40) if f"{hint}__{i}" not in self.names)
        self.names.add(found)
        return found

    def op(self, kind, *inputs, results=1, **attributes):
        """Writes a node; gives the name of its result, or a list of names."""
        outputs = [self.name(kind.lower()) for _ in range(results)]
        inputs = [self.constant(i) if not isinstance(i, str) else i for i in inputs]
        self.nodes.append(helper.make_node(kind, inputs, outputs, **attributes))
        return outputs[0] if results == 1 else outputs

    def is_known(self, name, kind, shape):
        """Says the type of a value; gives its name."""
        self.known.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def constant(self, value, kind=np.int64):
        """The name of an initializer."""
        array = value if isinstance(value, np.ndarray) else np.array(value, dtype=kind)
        name = self.name("constant")
        self.model.graph.initializer.append(numpy_helper.from_array(array, name))
        self.constants[name] = array
        return name

    def scalar(self, value, kind):
        """A constant of this element type."""
        return self.constant(np.array(value, dtype=helper.tensor_dtype_to_np_dtype(kind)))

    def kind(self, name):
        """The element type; 0 if it is not known."""
        return self.types[name].elem_type if name in self.types else 0

    def rank(self, name):
        """None if it is not known."""
        found = self.types.get(name)
        return len(found.shape.dim) if found is not None and found.HasField("shape") else None

    def extent(self, name, axis):
        """A number, or None."""
        dim = self.types[name].shape.dim[axis]
        return dim.dim_value if dim.HasField("dim_value") else None

    def value(self, name):
        """What a constant holds, or None."""
        return self.constants.get(name)

    def size(self, name, axis):
        """The size as a tensor of one element, a constant if it is a number."""
        axis %= self.rank(name)
        if self.extent(name, axis) is not None:
            return self.constant([self.extent(name, axis)])
        return self.op("Gather", self.op("Shape", name), [axis])

    def divided(self, size, by):
        """A size over a number, a constant if it is one."""
        known = self.value(size)
        return self.constant(known // by) if known is not None else self.op("Div", size, [by])

    def times(self, size, by):
        known = self.value(size)
        return self.constant(known * by) if known is not None else self.op("Mul", size, [by])

    def shape(self, *sizes):
        """A shape of sizes, which are numbers or tensors of one element."""
        return self.op("Concat", *(s if isinstance(s, str) else [s] for s in sizes), axis=0)

    def reshape(self, x, *sizes):
        """Not by 0 and -1: those mean other things where a size is 0."""
        allow = {"allowzero": 1} if self.opset >= 14 else {}
        if all(not isinstance(s, str) or s in self.constants for s in sizes):
            return self.op("Reshape", x, [int(self.constants[s][0]) if isinstance(s, str) else s for s in sizes], **allow)
        return self.op("Reshape", x, self.shape(*sizes), **allow)

    def reduce(self, kind, x, axes, keep=1):
        """Axes became an input later for most than for sums."""
        if kind == "ReduceSum" or self.opset >= 18:
            return self.op(kind, x, list(axes), keepdims=keep)
        return self.op(kind, x, axes=list(axes), keepdims=keep)

    def split_into(self, parts):
        """What Split is told from the opset on that wants to be told."""
        return {"num_outputs": parts} if self.opset >= 18 else {}

    def unsqueeze(self, x, axes):
        return self.op("Unsqueeze", x, list(axes)) if axes else x

    def squeeze(self, x, axes):
        return self.op("Squeeze", x, list(axes))

    def count_up(self, size):
        """0, 1, ... below a size, a tensor of one element."""
        return self.op("Range", self.constant(0), self.squeeze(size, [0]), self.constant(1))


def types_of(graph, into):
    for value in [*graph.input, *graph.output, *graph.value_info]:
        if value.type.HasField("tensor_type"):
            into[value.name] = value.type.tensor_type
    for initializer in graph.initializer:
        shape = helper.make_tensor_type_proto(initializer.data_type, list(initializer.dims)).tensor_type
        into[initializer.name] = shape
    for node in graph.node:
        for inner in subgraphs_of(node):
            types_of(inner, into)


def constants_of(graph, into):
    for initializer in graph.initializer:
        into[initializer.name] = numpy_helper.to_array(initializer)
    for node in graph.node:
        if node.op_type == "Constant" and not node.domain:
            (kind, value), = attributes_of(node).items()
            if kind == "value":
                into[node.output[0]] = numpy_helper.to_array(value)
            elif kind in ("value_int", "value_ints"):
                into[node.output[0]] = np.array(value, dtype=np.int64)
            elif kind in ("value_float", "value_floats"):
                into[node.output[0]] = np.array(value, dtype=np.float32)
        for inner in subgraphs_of(node):
            constants_of(inner, into)


def make_tensors(graph):
    """`Constant` has its number or list as a tensor, the one form that the importer reads; strings stay."""
    for node in graph.node:
        if node.op_type == "Constant" and not node.domain and node.attribute[0].name != "value":
            known = {}
            constants_of(onnx.GraphProto(node=[node]), known)
            for name, value in known.items():
                node.CopyFrom(helper.make_node("Constant", [], [name], value=numpy_helper.from_array(value)))
        for inner in subgraphs_of(node):
            make_tensors(inner)


def names_of(graph, into):
    into.update(value.name for value in [*graph.input, *graph.output, *graph.initializer])
    for node in graph.node:
        into.update([*node.input, *node.output])
        for inner in subgraphs_of(node):
            names_of(inner, into)


def rewrite_graph(model, graph, rules, types, constants, names, outer=None, given=frozenset()):
    """One pass over the nodes of a graph; gives how many nodes a rule rewrote."""
    nodes, count = [], 0
    producers = {**(outer or {}), **{name: node for node in graph.node for name in node.output}}
    inputs = given | {value.name for value in [*graph.input, *graph.initializer]}
    for node in graph.node:
        for inner in subgraphs_of(node):
            count += rewrite_graph(model, inner, rules, types, constants, names, producers, inputs)
        rule = rules.get(node.op_type) if node.domain in ("", "ai.onnx") else None
        b = Builder(model, types, constants, names, producers, inputs) if rule else None
        results = rule(b, node) if rule else None
        if results is None:
            nodes.append(node)
            continue
        count += 1
        results = [results] if isinstance(results, str) else results
        wanted = {}
        for name, result in zip(node.output, results):
            if name and result in wanted or not any(result in n.output for n in b.nodes):
                b.nodes.append(helper.make_node("Identity", [result], [name]))
            elif name:
                wanted[result] = name
        for written in b.nodes:
            for names_in in (written.input, written.output):
                for i, name in enumerate(names_in):
                    names_in[i] = wanted.get(name, name)
        for value in b.known:
            value.name = wanted.get(value.name, value.name)
        graph.value_info.extend(b.known)
        nodes.extend(b.nodes)
    if count:
        del graph.node[:]
        graph.node.extend(nodes)
    return count


def rewrite(model, rules, rounds=8):
    """Rewrites nodes by rules, `rules[kind](builder, node)`, until none applies.  A rule gives the names of the results, or None to
    leave the node alone.  Gives the types of what is there in the end, by name."""
    for _ in range(rounds):
        try:
            inferred = shape_inference.infer_shapes(model, data_prop=True)
        except (onnx.shape_inference.InferenceError, RuntimeError, ValueError):
            inferred = model
        types, constants, names = {}, {}, set()
        types_of(inferred.graph, types)
        constants_of(model.graph, constants)
        names_of(model.graph, names)
        if not rewrite_graph(model, model.graph, rules, types, constants, names):
            break
    return types


def give_constants(model, most):
    """Bodies get small constants of their own: what a body reads of a constant outside of it, inference of its shapes does not see."""
    constants, names = {}, set()
    constants_of(model.graph, constants)
    names_of(model.graph, names)

    def visit(graph, outside):
        own, made = {name for node in graph.node for name in node.output}, {}
        own.update(value.name for value in [*graph.input, *graph.initializer])
        for node in graph.node:
            for inner in subgraphs_of(node):
                visit(inner, True)
            for i, name in enumerate(node.input):
                if outside and name not in own and name in constants and constants[name].size < most:
                    if name not in made:
                        made[name] = next(f"{name}__{i}" for i in range(1 << 40) if f"{name}__{i}" not in names)
                        names.add(made[name])
                    node.input[i] = made[name]
        for name, copy in made.items():
            graph.node.insert(0, helper.make_node("Constant", [], [copy], value=numpy_helper.from_array(constants[name])))
    visit(model.graph, False)
