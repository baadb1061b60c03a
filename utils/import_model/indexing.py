"""Rules for operators that move elements: slices, reshapes, broadcasts, borders."""
import numpy as np

from .graph import attributes_of

FAR = 1 << 40


def slice_backwards(b, node):
    """The importer's slices with negative steps begin before the first element."""
    x = node.input[0]
    values = [b.value(name) if name else None for name in (list(node.input[1:]) + ["", ""])[:4]]
    starts, ends, axes, steps = values
    rank = b.rank(x)
    if steps is None or all(s > 0 for s in steps) or starts is None or ends is None or rank is None:
        return None
    axes = range(len(starts)) if axes is None else [int(a) % rank for a in axes]
    forward = [i for i, s in enumerate(steps) if s > 0]
    y = x
    if forward:
        y = b.op("Slice", y, *([int(v[i]) for i in forward] for v in (starts, ends, axes, steps)))
    for i, axis in enumerate(axes):
        if steps[i] < 0:
            y = b.op("Gather", y, backward_index(b, x, axis, int(starts[i]), int(ends[i]), int(steps[i])), axis=axis)
    return y


def backward_index(b, x, axis, start, end, step):
    """What lies every so many elements from `start` down to before `end`."""
    size = b.size(x, axis)
    last = b.op("Sub", size, [1])
    first = last
    if -1 != start < FAR:
        first = b.op("Min", b.constant([start]) if start >= 0 else b.op("Max", b.op("Add", size, [start]), [0]), last)
    bound = b.constant([-1])
    if end > -FAR:
        bound = b.op("Min", b.constant([end]) if end >= 0 else b.op("Max", b.op("Add", size, [end]), [-1]), last)
    count = b.op("Div", b.op("Add", b.op("Max", b.op("Sub", first, bound), [0]), [-step - 1]), [-step])
    return b.op("Sub", first, b.op("Mul", b.count_up(count), [-step]))


def expand(b, node):
    """Where the shape says 1 the size stays, also if it is 0; where it says more, what is unknown may be 1."""
    x, shape = node.input[0], b.value(node.input[1])
    rank = b.rank(x)
    if shape is None or rank is None or not rank:
        return None
    y, wanted, changed = x, [int(s) for s in shape], False
    for axis in range(rank):
        at = len(wanted) - rank + axis
        if at < 0 or b.extent(x, axis) is not None:
            continue
        changed = True
        if wanted[at] != 1:
            index = b.op("Mul", b.count_up(b.constant([wanted[at]])), b.op("Sub", b.op("Min", b.size(x, axis), [2]), [1]))
            y = b.op("Gather", y, index, axis=axis)
        else:
            wanted[at] = b.size(x, axis)
    return b.op("Expand", y, b.shape(*wanted)) if changed else None


def reshape(b, node):
    """By way of one dimension where the importer would take an unknown size for the number at its place."""
    x, shape = node.input[0], b.value(node.input[1])
    rank = b.rank(x)
    if rank is None or attributes_of(node).get("allowzero", 0):
        return None
    if shape is None:
        return reshape_computed(b, x, parts_of(b, node.input[1]))
    kept = next((i for i, s in enumerate(shape) if s != 0), len(shape))
    numbers = [int(s) for s in shape[kept:]]
    if rank - kept < 2 or 0 in numbers or not numbers or numbers[0] < 0 or b.extent(x, kept) is not None:
        return None
    flat = b.op("Reshape", x, [0] * kept + [-1])
    return b.op("Reshape", flat, [0] * kept + numbers)


COMPUTED = ("Add", "Cast", "Div", "Gather", "Identity", "Mul", "Slice", "Squeeze", "Unsqueeze")


def is_of_sizes(b, name, depth=12):
    """Whether it is computed of sizes and constants alone."""
    producer = b.producers.get(name)
    if b.value(name) is not None or producer is not None and producer.op_type in ("Shape", "Size"):
        return True
    return depth > 0 and producer is not None and producer.op_type in COMPUTED and all(
        is_of_sizes(b, i, depth - 1) for i in producer.input if i)


def parts_of(b, shape):
    """Numbers, and tensors of one element that are sizes, of which a shape is put together; None where it is another one."""
    producer, parts = b.producers.get(shape), []
    if producer is None or producer.op_type != "Concat":
        return None
    for name in producer.input:
        if b.value(name) is not None:
            parts.extend(int(v) for v in b.value(name))
        elif b.rank(name) == 1 and b.extent(name, 0) == 1 and is_of_sizes(b, name):
            parts.append(name)
        else:
            return None
    return parts


def reshape_computed(b, x, parts):
    """The importer refuses sizes of 0 in computed shapes, and takes -1 beside them for a size."""
    if parts is None or b.opset < 14 or any(part == 0 and i >= b.rank(x) for i, part in enumerate(parts)):
        return None
    sizes = [b.size(x, i) if part == 0 else part for i, part in enumerate(parts)]
    if -1 in parts:
        others = [size if isinstance(size, str) else b.constant([size]) for size in sizes if size != -1]
        total = product_of(b, [b.size(x, axis) for axis in range(b.rank(x))])
        sizes[parts.index(-1)] = b.op("Div", total, product_of(b, others))
    return b.reshape(x, *sizes)


def pad_by_rows(b, node):
    """Borders that are elements of the image, as rows gathered: the importer looks for wrapped ones without end, and reads beside images
    that are smaller than a reflected border."""
    x, rank = node.input[0], b.rank(node.input[0])
    mode, pads = attributes_of(node).get("mode", "constant"), b.value(node.input[1])
    if mode not in ("wrap", "reflect") or rank is None or pads is None or len(node.input) > 3 and node.input[3]:
        return None
    for axis in range(rank):
        before, after = int(pads[axis]), int(pads[axis + rank])
        if before or after:
            size = b.size(node.input[0], axis)
            place = b.op("Sub", b.count_up(b.op("Add", size, [before + after])), [before])
            if mode == "wrap":
                place = b.op("Mod", place, size)
            else:
                there_and_back = b.op("Max", b.op("Mul", b.op("Sub", size, [1]), [2]), [1])
                place = b.op("Mod", place, there_and_back)
                place = b.op("Min", place, b.op("Sub", there_and_back, place))
            x = b.op("Gather", x, place, axis=axis)
    return x


def compress(b, node):
    x, condition = node.input
    axis = attributes_of(node).get("axis")
    if axis is None:
        x, axis = b.op("Reshape", x, [-1]), 0
    return b.op("Gather", x, b.squeeze(b.op("NonZero", condition), [0]), axis=axis)


def softsign(b, node):
    x, = node.input
    return b.op("Div", x, b.op("Add", b.scalar(1, b.kind(x)), b.op("Abs", x)))


def product_of_all(b, node):
    """One number, multiplied by all elements in turn, for each element of the result."""
    x, attributes, rank = node.input[0], attributes_of(node), b.rank(node.input[0])
    axes = attributes.get("axes") if len(node.input) < 2 or not node.input[1] else b.value(node.input[1])
    if rank is None or axes is None and len(node.input) > 1 and node.input[1]:
        return None
    axes = sorted(int(axis) % rank for axis in axes) if axes is not None and len(axes) else list(range(rank))
    if not rank or attributes.get("noop_with_empty_axes", 0):
        return None
    kept = [axis for axis in range(rank) if axis not in axes]
    outer = [b.size(x, axis) for axis in kept]
    inner, rows = product_of(b, [b.size(x, axis) for axis in axes]), product_of(b, outer)
    flat = b.unsqueeze(b.op("Reshape", x, [-1]), [0])
    if kept:
        flat = b.reshape(b.op("Transpose", x, perm=[*kept, *axes]), rows, inner)
    ones = b.op("Expand", b.op("Reshape", b.scalar(1, b.kind(x)), [1, 1]), b.shape(rows, 1))
    zeros = b.op("Expand", b.constant([[0]]), b.shape(rows, inner))
    total = b.op("ScatterElements", ones, zeros, flat, axis=1, reduction="mul")
    keep = attributes.get("keepdims", 1)
    sizes = [1 if axis in axes else b.size(x, axis) for axis in range(rank) if keep or axis not in axes]
    return b.reshape(total, *sizes) if sizes else b.op("Reshape", total, b.constant(np.zeros(0, np.int64)))


def product_of(b, sizes):
    """Of tensors of one element."""
    total = b.constant([1])
    for size in sizes:
        known = b.value(total) is not None and b.value(size) is not None
        total = b.constant(b.value(total) * b.value(size)) if known else b.op("Mul", total, size)
    return total


RULES = {
    "Compress": compress,
    "Expand": expand,
    "Pad": pad_by_rows,
    "ReduceProd": product_of_all,
    "Reshape": reshape,
    "Slice": slice_backwards,
    "Softsign": softsign,
}
