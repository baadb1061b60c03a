"""Random programs whose reductions slide over images: convolutions (dense, grouped, depthwise) and pooling.

Layouts, element types, window sizes, strides, dilations, padding and which of the sizes are known are drawn; a half of what has a
named linalg op uses it.  As in `program_generator`, every size is legal, zeros and images smaller than a window included (the
result of those is empty).
"""
from program_generator import FLOATS, Dim, Function, Value, multiply_add, sum_type

IMAGE_SIZES = (1, 2, 3, 5, 7, 8, 12, 14, 16, 17, 28, 33)
CHANNEL_SIZES = (1, 2, 3, 4, 8, 16, 24, 32, 40, 64)
WINDOW_SIZES = (1, 2, 3, 3, 3, 4, 5, 7)
KINDS = ("conv",) * 4 + ("depthwise",) * 3 + ("grouped", "sum", "max")


class Axis:
    """How a window moves along one dim of an image."""

    def __init__(self, image, window, stride, dilation, low, high):
        self.image, self.window, self.stride, self.dilation, self.low, self.high = image, window, stride, dilation, low, high

    @property
    def known(self):
        return self.image.static is not None and self.window.static is not None

    def count(self, image, window):
        """How many places a window has."""
        span = self.dilation * (window - 1) + 1
        return max(0, image + self.low + self.high - span + self.stride) // self.stride


class WindowFunction(Function):
    def known_or_new(self, sizes, known):
        if self.rng.random() >= known:
            return self.new_dim()
        size = self.rng.choice(sizes)
        return Dim(str(size), lambda _, size=size: size, size)

    def axis(self, image):
        """Some movement along IMAGE that has a place in an image of a known size."""
        rng = self.rng
        while True:
            window = self.known_or_new(WINDOW_SIZES, 0.85)
            reach = (window.static or 3) - 1
            found = Axis(image, window, rng.choice((1, 1, 1, 2, 2, 3)), rng.choice((1, 1, 1, 1, 2)), rng.randint(0, reach), rng.randint(0, reach))
            if not found.known or found.count(image.static, window.static) > 0:
                return found

    def places(self, axis):
        """The Dim of the places of AXIS's window, computed in the program where it is not known."""
        if axis.known:
            size = axis.count(axis.image.static, axis.window.static)
            return Dim(str(size), lambda _: size, size)

        def index(value):
            return self.constant(value, "index")

        def op(text):
            name = self.fresh("n")
            self.emit(f"{name} = arith.{text} : index")
            return name

        reach = op(f"subi {self.size_of(axis.window)}, {index(1)}")
        reach = op(f"muli {reach}, {index(axis.dilation)}")
        room = op(f"addi {self.size_of(axis.image)}, {index(axis.low + axis.high + axis.stride - 1)}")
        room = op(f"maxsi {op(f'subi {room}, {reach}')}, {index(0)}")
        return self.computed_dim(op(f"divui {room}, {index(axis.stride)}"),
                                 lambda sizes: axis.count(axis.image.size(sizes), axis.window.size(sizes)))

    def pad_image(self, a, axes, value):
        """A with the padding of AXES, a movement for each dim of A that a window moves along."""
        if not any(axis.low + axis.high for axis in axes.values()):
            return a
        dims, lows, highs = [], [], []
        for dim in a.dims:
            low, high = (axes[dim].low, axes[dim].high) if dim in axes else (0, 0)
            lows.append(str(low))
            highs.append(str(high))
            if not low + high:
                dims.append(dim)
            elif dim.static is not None:
                size = dim.static + low + high
                dims.append(Dim(str(size), lambda _, size=size: size, size))
            else:
                size = self.fresh("n")
                self.emit(f"{size} = arith.addi {self.size_of(dim)}, {self.constant(low + high, 'index')} : index")
                dims.append(self.computed_dim(size, lambda sizes, dim=dim, more=low + high: dim.size(sizes) + more))
        r = Value(self.fresh(), dims, a.element, a.wild, a.through)
        self.emit(f"{r.ssa} = tensor.pad {a.ssa} low[{', '.join(lows)}] high[{', '.join(highs)}] {{")
        self.emit(f"^bb0({', '.join(f'%i{i}: index' for i in range(len(dims)))}):")
        self.emit(f"  tensor.yield {self.constant(value, a.element)} : {a.element}")
        self.emit(f"}} : {a.type} to {r.type}")
        return r

    def slide(self, a, outer, moving, channels):
        """One op with a window over A, whose dims are OUTER, MOVING and CHANNELS in any order."""
        rng = self.rng
        kind = rng.choice(KINDS)
        if kind in ("sum", "max") and a.element not in FLOATS:
            kind = "conv"
        if kind == "grouped" and len(channels) < 2:
            kind = "depthwise"
        element = sum_type(a.element)
        axes = {dim: self.axis(dim) for dim in moving}
        windows = [axes[dim].window for dim in moving]
        features = [self.known_or_new(CHANNEL_SIZES, 0.6)] if kind in ("conv", "grouped") else []
        shared = {"conv": [], "grouped": channels[:1]}.get(kind, channels)             # in the image, in the filters and in the result
        summed = {"conv": channels, "grouped": channels[1:]}.get(kind, [])
        weights = None
        if kind not in ("sum", "max"):
            dims = rng.choice((windows + shared + summed + features, shared + features + summed + windows, None))
            weights = self.argument(dims or self.shuffled(windows + shared + summed + features), a.element)
        elif any(w.static is None for w in windows):
            weights = self.argument(windows, a.element)                                # its sizes are all that is read

        counts = {dim: self.places(axes[dim]) for dim in moving}
        out = [counts.get(dim, dim) for dim in a.dims if dim in outer or dim in moving or dim in shared]
        at = rng.choice((len(out), max((out.index(d) for d in shared), default=-1) + 1, len(outer))) if features else 0
        out = out[:at] + features + out[at:]
        padded = self.pad_image(a, axes, float("-inf") if kind == "max" else 0)
        init = self.filled(out, element, float("-inf") if kind == "max" else 0)
        loops = out + windows + summed
        if weights is None:
            weights = self.empty(windows, a.element)

        name = self.named_op(kind, a, outer, moving, channels, windows, weights, out)
        if name and rng.random() < 0.5:
            self.spaces.append(loops)
            r = Value(self.fresh(), out, element, wild=True, through=a.through if a.element in FLOATS else element)
            strides, dilations = ([getattr(axes[dim], what) for dim in moving] for what in ("stride", "dilation"))
            self.emit(f"{r.ssa} = linalg.{name} {{strides = dense<{strides}> : tensor<{len(moving)}xi64>, dilations = dense<{dilations}> : tensor<{len(moving)}xi64>}} "
                      f"ins({padded.ssa}, {weights.ssa} : {padded.type}, {weights.type}) outs({init.ssa} : {init.type}) -> {r.type}")
            return r

        def position(dim):
            axis = axes[dim]
            return f"d{loops.index(counts[dim])} * {axis.stride} + d{loops.index(axis.window)} * {axis.dilation}"

        def body(block, op):
            x, y, acc = block
            if kind == "max":
                return op(f"arith.maximumf {acc}, {x} : {element}")
            if kind == "sum":
                return op(f"arith.addf {acc}, {x} : {element}")
            return multiply_add(a.element)(block, op)

        iterators = ["parallel"] * len(out) + ["reduction"] * (len(windows) + len(summed))
        return self.generic(loops, iterators, [(padded, [position(d) if d in axes else d for d in a.dims]), (weights, weights.dims)], out, init, body, element,
                            wild=True, through=a.through if a.element in FLOATS else element)

    @staticmethod
    def named_op(kind, a, outer, moving, channels, windows, weights, out):
        """The linalg op that is this, or None."""
        if len(outer) != 1 or len(channels) != 1 or a.element not in ("f32", "bf16", "i8"):
            return None
        letters, rank = "hw"[2 - len(moving):], len(moving)
        last, first = a.dims == outer + moving + channels, a.dims == outer + channels + moving
        features = [d for d in out if d in weights.dims and d not in channels]
        if kind in ("sum", "max"):
            return f"pooling_n{letters}c_{kind}" if last else None
        if kind == "depthwise":
            return f"depthwise_conv_{rank}d_n{letters}c_{letters}c" if last and weights.dims == windows + channels else None
        if kind == "conv" and last and weights.dims == windows + channels + features and out[-1:] == features:
            return f"conv_{rank}d_n{letters}c_{letters}cf"
        if kind == "conv" and first and weights.dims == features + channels + windows and out[1:2] == features:
            return f"conv_{rank}d_nc{letters}_fc{letters}"
        return None

    def finish(self, a):
        """A bias for one of its dims and perhaps a rectifier."""
        kept = [self.rng.choice(a.dims)]
        bias = self.argument(kept, a.element)
        rectified = self.rng.random() < 0.6
        zero = self.constant(0, a.element)

        def body(block, op):
            suffix = "i" if a.element.startswith("i") else "f"
            x = op(f"arith.add{suffix} {block[0]}, {block[1]} : {a.element}")
            return op(f"arith.max{'si' if suffix == 'i' else 'imumf'} {x}, {zero} : {a.element}") if rectified else x

        return self.generic(a.dims, ["parallel"] * len(a.dims), [(a, a.dims), (bias, kept)], a.dims, self.empty(a.dims, a.element), body, a.element,
                            wild=True, through=a.through)

    def build(self):
        rng = self.rng
        element = rng.choice(("f32",) * 8 + ("f64", "i8", "bf16", "f16"))
        known = rng.choice((0, 0.4, 0.8))
        outer = [self.known_or_new((1, 2, 3), 0.3)] if rng.random() < 0.8 else []
        moving = [self.known_or_new(IMAGE_SIZES, known) for _ in range(rng.choice((1, 2, 2, 2)))]
        channels = [self.known_or_new(CHANNEL_SIZES, 0.5) for _ in range(rng.choice((0, 1, 1, 1, 1, 2)))]
        layouts = (outer + moving + channels,) * 3 + (outer + channels + moving,) * 2 + (self.shuffled(outer + moving + channels),)
        value = self.slide(self.argument(rng.choice(layouts), element), outer, moving, channels)
        if rng.random() < 0.5:
            value = self.finish(value)
        if value.element in FLOATS and value.through == value.element and len(value.dims) in (3, 4) and rng.random() < 0.35:
            # What was an image's layout need not be any more: any two neighbouring dims are moved along.
            at = rng.randrange(1, len(value.dims) - 1) if len(value.dims) == 4 else 1
            outer, moving, channels = value.dims[:1], value.dims[at:at + (2 if len(value.dims) == 4 else 1)], []
            channels = [d for d in value.dims if d not in outer and d not in moving]
            value = self.slide(value, outer, moving, channels)
        self.result, self.named = value, rng.random() < 0.5
        return self
