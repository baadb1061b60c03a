"""Rules for operators with windows: what the importer's convolutions and pools do not know."""
import numpy as np
from onnx import helper

from .graph import FLOATS, attributes_of
from .indexing import product_of

EXPLICIT = ("NOTSET", "VALID", "")


def padded(b, x, before, after, value):
    """Images with these numbers of elements around them, from axis 2 on."""
    return b.op("Pad", x, [0, 0, *before, 0, 0, *after], value)


def padded_same(b, x, windows, upper, value):
    """Images with so much around them that a window has as many places as their size over the stride, rounded up.  The most that it may
    be is a number; where the size decides, what is too much goes again, and sizes of other axes stay what they are."""
    starts, ends, axes, most = [], [], [], []
    for axis, (kernel, stride, dilation) in enumerate(zip(*windows), 2):
        window = (kernel - 1) * dilation + 1
        if stride == 1:
            half = (window - 1) // 2
            most.append((half, window - 1 - half) if upper else (window - 1 - half, half))
            continue
        most.append((window // 2, window // 2))
        size = b.size(x, axis)
        reach = b.op("Add", b.op("Mul", b.op("Div", b.op("Add", size, [stride - 1]), [stride]), [stride]), [window - stride])
        total = b.op("Sub", reach, size)
        total = total if window >= stride else b.op("Max", total, [0])
        front = b.op("Div", total if upper else b.op("Add", total, [1]), [2])
        starts.append(b.op("Sub", [window // 2], front))
        ends.append(b.op("Add", starts[-1], b.op("Add", size, total)))
        axes.append(axis)
    y = padded(b, x, [before for before, _ in most], [after for _, after in most], value)
    return b.op("Slice", y, b.op("Concat", *starts, axis=0), b.op("Concat", *ends, axis=0), axes) if axes else y


def windows_of(b, node, kernel):
    """(kernel, strides, dilations) in numbers."""
    attributes = attributes_of(node)
    rank = b.rank(node.input[0])
    kernel = attributes.get("kernel_shape", kernel)
    if rank is None or kernel is None:
        return None
    ones = [1] * (rank - 2)
    return list(kernel), list(attributes.get("strides", ones)), list(attributes.get("dilations", ones))


def without_padding(node, *names):
    return {name: value for name, value in attributes_of(node).items() if name not in ("auto_pad", "pads", *names)}


def is_upper(node):
    return attributes_of(node)["auto_pad"] == "SAME_UPPER"


def convolution(b, node):
    """Pads that the size decides become an op of their own."""
    x, weight = node.input[:2]
    attributes = attributes_of(node)
    extents = [b.extent(weight, axis) for axis in range(2, b.rank(weight))] if b.rank(weight) else None
    windows = windows_of(b, node, extents)
    if attributes.get("auto_pad", "") in EXPLICIT or windows is None or None in windows[0]:
        return None
    image = padded_same(b, x, windows, is_upper(node), b.scalar(0, b.kind(x)))
    return b.op(node.op_type, image, *node.input[1:], pads=[0] * 2 * len(windows[0]), **without_padding(node))


def convolution_transposed(b, node):
    """The whole result, cropped, where pads differ or sizes decide them; groups one by one."""
    x, weight = node.input[:2]
    attributes, groups = attributes_of(node), attributes_of(node).get("group", 1)
    extents = [b.extent(weight, axis) for axis in range(2, b.rank(weight))] if b.rank(weight) else None
    windows = windows_of(b, node, extents)
    if windows is None or None in windows[0] or b.extent(weight, 0) is None:
        return None
    if groups > 1:
        bias = b.op("Split", node.input[2], axis=0, results=groups, **b.split_into(groups)) if len(node.input) > 2 else [None] * groups
        parts = [b.op("Split", v, axis=axis, results=groups, **b.split_into(groups)) for v, axis in ((x, 1), (weight, 0))]
        rest = {name: value for name, value in attributes.items() if name != "group"}
        each = [b.op("ConvTranspose", *filter(None, part), **rest) for part in zip(*parts, bias)] if groups <= 32 else None
        return b.op("Concat", *each, axis=1) if each else None
    axes = range(len(windows[0]))
    outside = list(attributes.get("output_padding", [0 for _ in axes]))
    pads = list(attributes.get("pads", [0 for _ in axes] * 2))
    same, upper = attributes.get("auto_pad", "") not in EXPLICIT, attributes.get("auto_pad", "") == "SAME_UPPER"
    if not same and "output_shape" not in attributes and pads[:len(axes)] == pads[len(axes):]:
        return None
    starts, ends = [], []
    for i, (k, s, d) in enumerate(zip(*windows)):
        if not same and "output_shape" not in attributes:
            starts.append(b.constant([pads[i]]))
            wanted = b.op("Add", b.op("Mul", b.size(x, i + 2), [s]), [(k - 1) * d + 1 - s + outside[i] - pads[i] - pads[i + len(axes)]])
        else:
            size = b.op("Mul", b.size(x, i + 2), [s])
            wanted = b.constant([attributes["output_shape"][i]]) if "output_shape" in attributes else size
            total = b.op("Max", b.op("Sub", b.op("Add", size, [(k - 1) * d + 1 - s + outside[i]]), wanted), [0])
            half = b.op("Div", total, [2])
            starts.append(half if upper else b.op("Sub", total, half))
            outside[i] = max(outside[i], s - (k - 1) * d - 1) if same else outside[i]
        ends.append(b.op("Add", starts[-1], wanted))
    rest = without_padding(node, "output_padding", "output_shape")
    whole = b.op("ConvTranspose", x, *node.input[1:], output_padding=outside, **rest)
    return b.op("Slice", whole, b.op("Concat", *starts, axis=0), b.op("Concat", *ends, axis=0), [axis + 2 for axis in axes])


PLANE = "indices of a plane"


def pool_of_maxima(b, node):
    """Indices are of all elements, the importer's of an image's plane."""
    x, windows, attributes = node.input[0], windows_of(b, node, None), attributes_of(node)
    explicit = attributes.get("auto_pad", "") in EXPLICIT
    if len(node.output) > 1 and node.output[1] and node.doc_string != PLANE and explicit and windows and not attributes.get("storage_order", 0):
        y, place = b.op("MaxPool", *node.input, results=2, **attributes)
        b.nodes[-1].doc_string = PLANE
        n, c, *inner = (b.size(x, axis) for axis in range(b.rank(x)))
        planes = b.reshape(b.count_up(product_of(b, [n, c])), n, c)
        first = b.op("Mul", planes, product_of(b, inner))
        return y, b.op("Add", place, b.unsqueeze(first, range(2, b.rank(x))))
    if attributes.get("auto_pad", "") in EXPLICIT or windows is None or len(node.output) > 1 or b.kind(x) not in FLOATS:
        return None
    image = padded_same(b, x, windows, is_upper(node), b.scalar(-np.inf, b.kind(x)))
    return b.op("MaxPool", image, **without_padding(node, "ceil_mode"))


def pool_of_means(b, node):
    """What counts is a pool over ones: the importer divides by other numbers where a window reaches over the end."""
    x, windows, attributes = node.input[0], windows_of(b, node, None), attributes_of(node)
    if windows is None:
        return None
    same, ceil = attributes.get("auto_pad", "") not in EXPLICIT, attributes.get("ceil_mode", 0)
    counted, kind = attributes.get("count_include_pad", 0), b.kind(x)
    if not same and not (ceil and counted):
        return None
    zero, one, axes = b.scalar(0, kind), b.scalar(1, kind), range(len(windows[0]))
    if not same:
        pads = list(attributes.get("pads", [0 for _ in axes] * 2))
        image = padded(b, x, pads[:len(axes)], pads[len(axes):], zero)
        return b.op("AveragePool", image, count_include_pad=0, **without_padding(node, "count_include_pad"))
    rest = without_padding(node, "count_include_pad", "ceil_mode")
    total = b.op("AveragePool", padded_same(b, x, windows, is_upper(node), zero), **rest)
    for i in () if counted else axes:
        ones = b.unsqueeze(b.op("Expand", one, b.size(x, i + 2)), [0, 1])
        b.types[ones] = helper.make_tensor_type_proto(kind, [1, 1, None]).tensor_type
        window = [[part[i]] for part in windows]
        apart = {"dilations": window[2]} if window[2] != [1] else {}
        part = b.op("AveragePool", padded_same(b, ones, window, is_upper(node), zero), kernel_shape=window[0], strides=window[1], **apart)
        total = b.op("Div", total, b.unsqueeze(part, [axis + 2 for axis in axes if axis != i]))
    return total


def pool_of_norms(b, node):
    """The mean of powers, times how many there are."""
    x, windows, attributes = node.input[0], windows_of(b, node, None), attributes_of(node)
    if windows is None or attributes.get("ceil_mode", 0):
        return None
    kind, p, zero = b.kind(x), attributes.get("p", 2), b.scalar(0, b.kind(x))
    powers = b.op("Pow", b.op("Abs", x), b.scalar(p, kind))
    b.types[powers] = b.types[x]
    if attributes.get("auto_pad", "") not in EXPLICIT:
        powers = padded_same(b, powers, windows, is_upper(node), zero)
    else:
        pads = list(attributes.get("pads", [0] * 2 * len(windows[0])))
        powers = padded(b, powers, pads[:len(windows[0])], pads[len(windows[0]):], zero)
    mean = b.op("AveragePool", powers, **without_padding(node, "p", "ceil_mode"))
    return b.op("Pow", b.op("Mul", mean, b.scalar(int(np.prod(windows[0])), kind)), b.scalar(1 / p, kind))


def pool_of_all_norms(b, node):
    x, p = node.input[0], attributes_of(node).get("p", 2)
    if b.rank(x) is None:
        return None
    powers = b.op("Pow", b.op("Abs", x), b.scalar(p, b.kind(x)))
    return b.op("Pow", b.reduce("ReduceSum", powers, range(2, b.rank(x))), b.scalar(1 / p, b.kind(x)))


RULES = {
    "AveragePool": pool_of_means,
    "Conv": convolution,
    "ConvTranspose": convolution_transposed,
    "GlobalLpPool": pool_of_all_norms,
    "LpPool": pool_of_norms,
    "MaxPool": pool_of_maxima,
}
