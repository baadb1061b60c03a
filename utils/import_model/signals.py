"""Rules for signals and sampled images."""
import numpy as np

from .graph import attributes_of
from .indexing import product_of


def fourier(b, x, size, kept, inverse, kind):
    """Real and imaginary rows of x [..., size] (a name, or two for complex ones) times e^(-2 pi i j k / size), k below `kept`."""
    rows, columns = b.unsqueeze(b.count_up(size), [1]), b.unsqueeze(b.count_up(kept), [0])
    turns = b.op("Cast", b.op("Mod", b.op("Mul", rows, columns), size), to=kind)
    angle = b.op("Div", b.op("Mul", turns, b.scalar(2 * np.pi, kind)), b.op("Cast", size, to=kind))
    cosine, sine = b.op("Cos", angle), b.op("Sin", angle)
    real, imaginary = x
    if not inverse:
        sine = b.op("Neg", sine)
    re, im = b.op("MatMul", real, cosine), b.op("MatMul", real, sine)
    if imaginary:
        re = b.op("Sub", re, b.op("MatMul", imaginary, sine))
        im = b.op("Add", im, b.op("MatMul", imaginary, cosine))
    if inverse:
        count = b.op("Cast", size, to=kind)
        re, im = b.op("Div", re, count), b.op("Div", im, count)
    return re, im


def half_of(b, size):
    return b.op("Add", b.op("Div", size, [2]), [1])


def discrete_fourier(b, node):
    """Products with the matrix of the transform; lengths that are given cut or pad are left to others."""
    x, attributes, rank = node.input[0], attributes_of(node), b.rank(node.input[0])
    inverse, onesided = attributes.get("inverse", 0), attributes.get("onesided", 0)
    if b.opset >= 20:
        axis = b.value(node.input[2]) if len(node.input) > 2 and node.input[2] else np.array(-2)
    else:
        axis = np.array(attributes.get("axis", 1))
    if rank is None or axis is None or len(node.input) > 1 and node.input[1] or b.extent(x, rank - 1) is None or inverse and onesided:
        return None
    axis, parts = int(axis.reshape(())) % rank, b.extent(x, rank - 1)
    rows = [b.op("Gather", x, b.constant(i), axis=rank - 1) for i in range(parts)]
    order = [*(i for i in range(rank - 1) if i != axis), axis]
    moved = order != list(range(rank - 1))
    rows = [b.op("Transpose", r, perm=order) if moved else r for r in rows] + [None]
    size = b.size(x, axis)
    pair = fourier(b, rows[:2], size, half_of(b, size) if onesided else size, inverse, b.kind(x))
    back = [order.index(i) for i in range(rank - 1)]
    pair = [b.unsqueeze(b.op("Transpose", part, perm=back) if moved else part, [rank - 1]) for part in pair]
    return b.op("Concat", *pair, axis=rank - 1)


def fourier_of_frames(b, node):
    """Frames are rows gathered from the signal."""
    signal, step = node.input[:2]
    window, length = [*node.input[2:], "", ""][:2]
    onesided = attributes_of(node).get("onesided", 1)
    parts = b.extent(signal, 2) if b.rank(signal) == 3 else 1 if b.rank(signal) == 2 else None
    if parts is None or not window and not length or onesided and parts != 1:
        return None
    width = b.op("Reshape", length, [1]) if length else b.size(window, 0)
    step = b.op("Reshape", step, [1])
    total = b.size(signal, 1)
    frames = b.op("Add", b.op("Div", b.op("Sub", total, width), step), [1])
    starts = b.op("Mul", b.count_up(frames), step)
    place = b.op("Add", b.unsqueeze(starts, [1]), b.unsqueeze(b.count_up(width), [0]))
    rows = [b.op("Gather", signal, b.constant(i), axis=2) for i in range(parts)] if b.rank(signal) == 3 else [signal]
    rows = [b.op("Gather", row, place, axis=1) for row in rows]
    if window:
        rows = [b.op("Mul", row, window) for row in rows]
    pair = fourier(b, [*rows, None][:2], width, half_of(b, width) if onesided else width, False, b.kind(signal))
    return b.op("Concat", *(b.unsqueeze(part, [3]) for part in pair), axis=3)


def reflected(b, place, low, high, kind):
    """Coordinates thrown back at both ends until they are between them."""
    span = b.op("Sub", high, low)
    safe = b.op("Where", b.op("Equal", span, b.scalar(0, kind)), b.scalar(1, kind), span)
    off = b.op("Abs", b.op("Sub", place, low))
    times = b.op("Floor", b.op("Div", off, safe))
    rest = b.op("Sub", off, b.op("Mul", times, safe))
    odd = b.op("Equal", b.op("Mod", times, b.scalar(2, kind), fmod=1), b.scalar(1, kind))
    found = b.op("Where", odd, b.op("Sub", high, rest), b.op("Add", low, rest))
    return b.op("Where", b.op("Equal", span, b.scalar(0, kind)), low, found)


def weights_of(b, mode, place, kind):
    """[(coordinate, weight)] of the neighbours along an axis."""
    if mode == "nearest":
        return [(b.op("Round", place), None)]
    first = b.op("Floor", place)
    part = b.op("Sub", place, first)
    if mode == "linear":
        one = b.scalar(1, kind)
        return [(first, b.op("Sub", one, part)), (b.op("Add", first, one), part)]
    found, a = [], -0.75
    for i in range(-1, 3):
        t = b.op("Abs", b.op("Sub", part, b.scalar(i, kind)))
        near, far = [a + 2, -(a + 3), 0, 1], [a, -5 * a, 8 * a, -4 * a]
        factors = near if i in (0, 1) else far
        value = b.scalar(factors[0], kind)
        for f in factors[1:]:
            value = b.op("Add", b.op("Mul", value, t), b.scalar(f, kind))
        found.append((b.op("Add", first, b.scalar(i, kind)), value))
    return found


def grid_sample(b, node):
    """Neighbours are gathered from images as rows; borders and reflections move coordinates into the image first."""
    x, grid = node.input
    attributes, kind = attributes_of(node), b.kind(x)
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(attributes.get("mode", "linear"), attributes.get("mode", "linear"))
    padding, aligned = attributes.get("padding_mode", "zeros"), attributes.get("align_corners", 0)
    if b.rank(x) != 4 or b.kind(grid) != kind:
        return None
    zero, one, half = b.scalar(0, kind), b.scalar(1, kind), b.scalar(0.5, kind)
    n, c, places, sizes = b.size(x, 0), b.size(x, 1), [], []
    for i, axis in ((1, 2), (0, 3)):
        size = b.op("Cast", b.squeeze(b.size(x, axis), [0]), to=kind)
        place = b.op("Add", b.op("Gather", grid, b.constant(i), axis=3), one)
        if aligned:
            place = b.op("Mul", place, b.op("Mul", b.op("Sub", size, one), half))
        else:
            place = b.op("Mul", b.op("Sub", b.op("Mul", place, size), one), half)
        places.append(place)
        sizes.append(size)

    def inside(place, size):
        if padding == "border":
            return b.op("Min", b.op("Max", place, zero), b.op("Sub", size, one))
        if padding == "reflection":
            low, high = (zero, b.op("Sub", size, one)) if aligned else (b.scalar(-0.5, kind), b.op("Sub", size, half))
            place = reflected(b, place, low, high, kind)
            return b.op("Min", b.op("Max", place, zero), b.op("Sub", size, one))
        return place
    if mode != "cubic":
        places = [inside(place, size) for place, size in zip(places, sizes)]
    area = product_of(b, [b.size(x, 2), b.size(x, 3)])
    flat = b.reshape(b.op("Transpose", x, perm=[0, 2, 3, 1]), product_of(b, [n, area]), c)
    starts = b.unsqueeze(b.op("Mul", b.count_up(n), area), [1, 2])
    total = None
    for row, down in weights_of(b, mode, places[0], kind):
        for column, across in weights_of(b, mode, places[1], kind):
            at = [inside(place, size) if mode == "cubic" else place for place, size in zip((row, column), sizes)]
            last = [b.op("Sub", size, one) for size in sizes]
            kept = [b.op("Min", b.op("Max", place, zero), end) for place, end in zip(at, last)]
            index = b.op("Cast", b.op("Add", b.op("Mul", kept[0], sizes[1]), kept[1]), to=7)
            value = b.op("Gather", flat, b.op("Add", index, starts), axis=0)
            weight = b.op("Mul", down, across) if down else None
            if padding == "zeros":
                there = b.op("And", *(b.op("Equal", place, clipped) for place, clipped in zip(at, kept)))
                weight = b.op("Where", there, weight or one, zero)
            value = b.op("Mul", value, b.unsqueeze(weight, [3])) if weight else value
            total = b.op("Add", total, value) if total else value
    return b.op("Transpose", total, perm=[0, 3, 1, 2])


def affine_grid(b, node):
    theta, size = node.input
    kind, aligned = b.kind(theta), attributes_of(node).get("align_corners", 0)
    if b.rank(theta) != 3 or b.extent(theta, 1) != 2:
        return None
    axes = []
    for i in (2, 3):
        count = b.op("Slice", size, [i], [i + 1])
        steps, many = b.op("Cast", b.count_up(count), to=kind), b.op("Cast", count, to=kind)
        one, two = b.scalar(1, kind), b.scalar(2, kind)
        if aligned:
            end = b.op("Max", b.op("Sub", many, one), one)
            axes.append(b.op("Sub", b.op("Div", b.op("Mul", steps, two), end), one))
        else:
            axes.append(b.op("Sub", b.op("Div", b.op("Add", b.op("Mul", steps, two), one), many), one))
    rows, columns = b.unsqueeze(axes[0], [1]), b.unsqueeze(axes[1], [0])
    parts = []
    for i in (0, 1):
        factors = [b.unsqueeze(b.op("Slice", b.op("Gather", theta, b.constant(i), axis=1), [j], [j + 1], [1]), [2]) for j in range(3)]
        value = b.op("Add", b.op("Mul", columns, factors[0]), b.op("Mul", rows, factors[1]))
        parts.append(b.unsqueeze(b.op("Add", value, factors[2]), [3]))
    return b.op("Concat", *parts, axis=3)


RULES = {"AffineGrid": affine_grid, "DFT": discrete_fourier, "GridSample": grid_sample, "STFT": fourier_of_frames}
