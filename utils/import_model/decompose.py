"""ONNX operators that the importer lacks or gets wrong, as functions of others.  Every rule holds for all sizes, 0 and 1 among them."""
import numpy as np
from onnx import TensorProto, helper, inliner

from . import attention, indexing, sequences, signals, windows
from .graph import FLOATS, Refused, attributes_of, give_constants, make_tensors, names_of, opset_of, rewrite
from .indexing import product_of

WEIGHT = 64  # initializers of fewer elements stay in the graph, where importers look for shapes and scalars


def normalized(b, x, axes, epsilon, kind):
    """(x - mean) / sqrt(variance + epsilon) over axes."""
    centred = b.op("Sub", x, b.reduce("ReduceMean", x, axes))
    variance = b.reduce("ReduceMean", b.op("Mul", centred, centred), axes)
    return b.op("Div", centred, b.op("Sqrt", b.op("Add", variance, b.scalar(epsilon, kind))))


def by_channel(b, values, rank):
    """One value a channel, beside images [n, c, ...]."""
    return b.unsqueeze(values, range(1, rank - 1))


def instance_normalization(b, node):
    x, scale, bias = node.input
    rank = b.rank(x)
    if rank is None or rank < 3 or b.kind(x) not in FLOATS:
        return None
    y = normalized(b, x, range(2, rank), attributes_of(node).get("epsilon", 1e-5), b.kind(x))
    return b.op("Add", b.op("Mul", y, by_channel(b, scale, rank)), by_channel(b, bias, rank))


def group_normalization(b, node):
    x, scale, bias = node.input
    rank, attributes = b.rank(x), attributes_of(node)
    if rank is None or rank < 2 or b.extent(x, 1) is None:
        return None
    groups, channels = attributes["num_groups"], b.extent(x, 1)
    inner = [b.size(x, axis) for axis in range(2, rank)]
    if b.opset < 21:  # one scale a group
        scale, bias = (b.reshape(b.op("Tile", b.reshape(v, groups, 1), [1, channels // groups]), channels) for v in (scale, bias))
    kind = b.kind(x)
    wide = attributes.get("stash_type", 1) if b.opset >= 21 else kind
    y = b.op("Cast", x, to=wide) if wide != kind else x
    y = b.reshape(y, b.size(x, 0), groups, channels // groups, *inner)
    y = normalized(b, y, range(2, rank + 1), attributes.get("epsilon", 1e-5), wide)
    y = b.reshape(y, b.size(x, 0), channels, *inner)
    y = b.op("Cast", y, to=kind) if wide != kind else y
    return b.op("Add", b.op("Mul", y, by_channel(b, scale, rank)), by_channel(b, bias, rank))


def batch_normalization(b, node):
    """Left to the importer where it can: it wants to know how many channels there are."""
    x, scale, bias, mean, variance = node.input
    rank, attributes = b.rank(x), attributes_of(node)
    if rank is None or rank < 2 or b.extent(x, 1) is not None or attributes.get("training_mode", 0):
        return None
    deviation = b.op("Sqrt", b.op("Add", variance, b.scalar(attributes.get("epsilon", 1e-5), b.kind(variance))))
    factor = b.op("Div", scale, deviation)
    y = b.op("Mul", b.op("Sub", x, by_channel(b, mean, rank)), by_channel(b, factor, rank))
    return b.op("Add", y, by_channel(b, bias, rank))


def rms_normalization(b, node):
    x, scale = node.input
    attributes, rank = attributes_of(node), b.rank(x)
    if rank is None:
        return None
    axes = range(attributes.get("axis", -1) % rank, rank)
    kind, wide = b.kind(x), attributes.get("stash_type", 1)
    y = b.op("Cast", x, to=wide) if wide != kind else x
    square = b.reduce("ReduceMean", b.op("Mul", y, y), axes)
    epsilon = b.op("Cast", np.array(attributes.get("epsilon", 1e-5), dtype=np.float32), to=wide)
    y = b.op("Div", y, b.op("Sqrt", b.op("Add", square, epsilon)))
    return b.op("Mul", b.op("Cast", y, to=kind) if wide != kind else y, scale)


def lp_normalization(b, node):
    """A norm of 0 gives 0."""
    attributes, (x,) = attributes_of(node), node.input
    norm = b.reduce("ReduceL1" if attributes.get("p", 2) == 1 else "ReduceL2", x, [attributes.get("axis", -1)])
    zero = b.scalar(0, b.kind(x))
    return b.op("Where", b.op("Equal", norm, zero), zero, b.op("Div", x, norm))


def local_response_normalization(b, node):
    x, attributes = node.input[0], attributes_of(node)
    rank, size = b.rank(x), attributes["size"]
    if rank is None or rank < 3:
        return None
    before = (size - 1) // 2
    pads = [0] * (2 * rank)
    pads[1], pads[rank + 1] = before, size - 1 - before
    padded = b.op("Pad", b.op("Mul", x, x), pads)
    end = b.size(x, 1)
    total = None
    for i in range(size):
        part = b.op("Slice", padded, [i], b.op("Add", end, [i]), [1])
        total = b.op("Add", total, part) if total else part
    scaled = b.op("Mul", total, b.scalar(attributes.get("alpha", 1e-4) / size, b.kind(x)))
    base = b.op("Add", scaled, b.scalar(attributes.get("bias", 1.0), b.kind(x)))
    return b.op("Div", x, b.op("Pow", base, b.scalar(attributes.get("beta", 0.75), b.kind(x))))


def image_sizes(b, x):
    return (b.size(x, axis) for axis in range(4))


def depth_to_space(b, node):
    x, attributes = node.input[0], attributes_of(node)
    if b.rank(x) != 4:
        return None
    block, (n, c, h, w) = attributes["blocksize"], image_sizes(b, x)
    depth = b.divided(c, block * block)
    if attributes.get("mode", "DCR") == "DCR":
        y = b.op("Transpose", b.reshape(x, n, block, block, depth, h, w), perm=[0, 3, 4, 1, 5, 2])
    else:
        y = b.op("Transpose", b.reshape(x, n, depth, block, block, h, w), perm=[0, 1, 4, 2, 5, 3])
    return b.reshape(y, n, depth, b.times(h, block), b.times(w, block))


def space_to_depth(b, node):
    x = node.input[0]
    if b.rank(x) != 4:
        return None
    block, (n, c, h, w) = attributes_of(node)["blocksize"], image_sizes(b, x)
    rows, columns = b.divided(h, block), b.divided(w, block)
    y = b.op("Transpose", b.reshape(x, n, c, rows, block, columns, block), perm=[0, 3, 5, 1, 2, 4])
    return b.reshape(y, n, b.times(c, block * block), rows, columns)


def last_extremum(kind):
    """The last of equal extrema.  NaN is one, as it is for the first."""
    def rule(b, node):
        x, attributes = node.input[0], attributes_of(node)
        rank = b.rank(x)
        if not attributes.get("select_last_index", 0) or not rank:
            return None
        axis = attributes.get("axis", 0) % rank
        best = b.op("Equal", x, b.reduce(kind, x, [axis]))
        if b.kind(x) in FLOATS:
            best = b.op("Or", best, b.op("IsNaN", x))
        place = b.count_up(b.size(x, axis))
        place = b.unsqueeze(place, range(1, rank - axis))
        return b.reduce("ReduceMax", b.op("Where", best, place, b.constant(-1)), [axis], attributes.get("keepdims", 1))
    return rule


def product_of_vectors(b, node):
    """A vector beside a stack of matrices is a matrix of one row or column."""
    x, y = node.input
    ranks = b.rank(x), b.rank(y)
    if None in ranks or 1 not in ranks or max(ranks) < 3:
        return None
    if ranks[0] == 1:
        return b.squeeze(b.op("MatMul", b.unsqueeze(x, [0]), y), [ranks[1] - 2])
    return b.squeeze(b.op("MatMul", x, b.unsqueeze(y, [1])), [ranks[0] - 1])


def gather_nd(b, node):
    """Indices of several dimensions are one of these dimensions joined."""
    data, indices = node.input
    ranks, batch = (b.rank(data), b.rank(indices)), attributes_of(node).get("batch_dims", 0)
    depth = b.extent(indices, ranks[1] - 1) if None not in ranks else None
    if depth is None:
        return None
    sizes = [b.size(data, axis) for axis in range(ranks[0])]
    place = None
    for i in range(depth):
        index = b.op("Gather", indices, b.constant(i), axis=ranks[1] - 1)
        index = b.op("Cast", index, to=7) if b.kind(indices) != 7 else index
        size = sizes[batch + i]
        index = b.op("Where", b.op("Less", index, b.constant(0)), b.op("Add", index, size), index)
        place = b.op("Add", b.op("Mul", place, size), index) if place else index
    joined = product_of(b, sizes[batch:batch + depth])
    for i in range(batch):
        each = product_of(b, [*sizes[i + 1:batch], joined])
        start = b.op("Mul", b.count_up(sizes[i]), each)
        behind = ranks[1] - 2 - i
        place = b.op("Add", place, b.unsqueeze(start, range(1, behind + 1)) if behind else start)
    flat = b.reshape(data, product_of(b, [*sizes[:batch], joined]), *sizes[batch + depth:])
    return b.op("Gather", flat, place, axis=0)


def sum_exclusive(b, node):
    """Sums of what is before: a zero in front, the last one off."""
    attributes, (x, axis) = attributes_of(node), node.input
    rank, along = b.rank(x), b.value(axis)
    if not attributes.get("exclusive", 0) or along is None or rank is None:
        return None
    along, reverse = int(along.reshape(())) % rank, attributes.get("reverse", 0)
    pads = [0] * (2 * rank)
    pads[along + rank * reverse] = 1
    total = b.op("CumSum", b.op("Pad", x, pads), axis, reverse=reverse)
    return b.op("Slice", total, [1], [np.iinfo(np.int64).max], [along]) if reverse else b.op("Slice", total, [0], [-1], [along])


def crop_or_pad(b, node):
    """Half of what is too much goes from each side, half of what lacks comes to each; the odd one at the end."""
    y, wanted = node.input
    rank = b.rank(y)
    if rank is None:
        return None
    zero = b.constant([0])
    for i, axis in enumerate(axis % rank for axis in attributes_of(node).get("axes", range(rank))):
        have, want = b.size(node.input[0], axis), b.op("Slice", wanted, [i], [i + 1])
        lack, pads = b.op("Max", b.op("Sub", want, have), zero), [zero] * (2 * rank)
        pads[axis] = b.op("Div", lack, [2])
        pads[axis + rank] = b.op("Sub", lack, pads[axis])
        y = b.op("Pad", y, b.op("Concat", *pads, axis=0))
        start = b.op("Div", b.op("Max", b.op("Sub", have, want), zero), [2])
        y = b.op("Slice", y, start, b.op("Add", start, want), [axis])
    return y


def product_of_bytes(b, node):
    """As MatMulInteger, whose sums are scaled and rounded."""
    x, x_scale, x_zero, y, y_scale, y_zero, scale, zero = node.input
    if any(b.rank(name) not in (0, None) and b.extent(name, 0) != 1 for name in (x_scale, y_scale, scale)) or b.kind(scale) != 1:
        return None
    total = b.op("Cast", b.op("MatMulInteger", x, y, x_zero, y_zero), to=1)
    factor = b.op("Div", b.op("Mul", x_scale, y_scale), scale)
    return b.op("QuantizeLinear", b.op("Mul", total, factor), b.scalar(1, TensorProto.FLOAT), zero)


SIGNED = {TensorProto.UINT8: TensorProto.INT32, TensorProto.UINT32: TensorProto.INT64}


def of_signed(b, node):
    """The importer takes numbers without a sign for those with one here."""
    wide = SIGNED.get(b.kind(node.input[0]))
    if wide is None:
        return None
    values = [b.op("Cast", name, to=wide) for name in node.input[:1 if node.op_type == "TopK" else 2]]
    results = b.op(node.op_type, *values, *node.input[len(values):], results=len(node.output), **attributes_of(node))
    first, *rest = [results] if isinstance(results, str) else results
    return [b.op("Cast", first, to=b.kind(node.input[0])), *rest]


def resize(b, node):
    """Sizes and factors of all axes; no borders that ends of the image decide where the factor makes the size another one."""
    x, *others = [*node.input, "", "", ""][:4]
    attributes, rank = attributes_of(node), b.rank(x)
    factors, sizes = others[1:]
    known = b.value(factors) if factors else None
    if attributes.get("coordinate_transformation_mode") == "align_corners" and known is not None and (known != np.floor(known)).any():
        raise Refused("Resize with align_corners by a factor that is no whole number")
    if "axes" not in attributes or rank is None or attributes.get("keep_aspect_ratio_policy", "stretch") != "stretch":
        return None
    axes = [axis % rank for axis in attributes.pop("axes")]
    if sizes:
        parts = [b.op("Slice", sizes, [axes.index(axis)], [axes.index(axis) + 1]) if axis in axes else b.size(x, axis) for axis in range(rank)]
        return b.op("Resize", x, "", "", b.op("Concat", *parts, axis=0), **attributes)
    if known is None:
        return None
    full = np.ones(rank, dtype=np.float32)
    full[axes] = known
    return b.op("Resize", x, "", b.constant(full), **attributes)


def lstm(b, node):
    """Backwards is forward on rows in reverse; both directions stand beside each other."""
    x, weight, recurrent, bias, lengths, hidden, cell, peepholes = [*node.input, "", "", "", "", ""][:8]
    attributes = attributes_of(node)
    direction = attributes.pop("direction", "forward")
    if peepholes or lengths or attributes.get("layout", 0) or {"clip", "activations", "input_forget"} & attributes.keys():
        return sequences.recurrence(b, node)
    if direction == "forward" or b.rank(x) != 3:
        return None
    size, results = b.size(x, 0), []
    for i, reverse in enumerate([False, True] if direction == "bidirectional" else [True]):
        own = [b.op("Slice", name, [i], [i + 1], [0]) if name and direction == "bidirectional" else name
               for name in (weight, recurrent, bias, hidden, cell)]
        place = b.op("Sub", b.op("Sub", size, [1]), b.count_up(size)) if reverse else None
        rows = b.op("Gather", x, place, axis=0) if reverse else x
        y, h, c = b.op("LSTM", rows, *own[:3], "", *own[3:], results=3, **attributes)
        results.append([b.op("Gather", y, place, axis=0) if reverse else y, h, c])
    if len(results) == 1:
        return results[0]
    return [b.op("Concat", *pair, axis=axis) for pair, axis in zip(zip(*results), (1, 0, 0))]


def loss_of_classes(b, node):
    if len(node.input) > 2 and node.input[2]:
        raise Refused(f"{node.op_type} with weights")


def dropped_nothing(b, node):
    """Where nothing is trained, all is kept."""
    attributes = attributes_of(node)
    if len(node.output) > 1 and node.output[1] or b.opset >= 12 or attributes.get("is_test", 1) == 0:
        return None
    return node.input[0]


RULES = {
    **attention.RULES,
    **indexing.RULES,
    **sequences.RULES,
    **signals.RULES,
    **windows.RULES,
    "ArgMax": last_extremum("ReduceMax"),
    "ArgMin": last_extremum("ReduceMin"),
    "BatchNormalization": batch_normalization,
    "CenterCropPad": crop_or_pad,
    "CumSum": sum_exclusive,
    "DepthToSpace": depth_to_space,
    "Div": of_signed,
    "Dropout": dropped_nothing,
    "GatherND": gather_nd,
    "GroupNormalization": group_normalization,
    "InstanceNormalization": instance_normalization,
    "LSTM": lstm,
    "LRN": local_response_normalization,
    "LpNormalization": lp_normalization,
    "MatMul": product_of_vectors,
    "Mod": of_signed,
    "QLinearMatMul": product_of_bytes,
    "RMSNormalization": rms_normalization,
    "Resize": resize,
    "SoftmaxCrossEntropyLoss": loss_of_classes,
    "SpaceToDepth": space_to_depth,
    "TopK": of_signed,
}


def decompose(model):
    """Rewrites what the importer lacks or gets wrong; functions of the model's own are put in their place."""
    if model.functions:
        model.CopyFrom(inliner.inline_local_functions(model))
    make_tensors(model.graph)
    own = set()
    names_of(model.graph, own)
    types = rewrite(model, RULES) if opset_of(model) >= 13 else {}
    said = [value for value in model.graph.value_info if value.name not in own]
    del model.graph.value_info[:]  # shapes are inferred anew, but for what rules know
    model.graph.value_info.extend(said)
    give_constants(model, most=WEIGHT)
    unknown = {found.elem_type for found in types.values()} & {TensorProto.UINT16, TensorProto.UINT64}
    if unknown:
        names = " and ".join(str(helper.tensor_dtype_to_np_dtype(kind)) for kind in sorted(unknown))
        raise Refused(f"tensors of {names}")
