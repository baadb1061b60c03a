"""Random linalg programs with unknown sizes: legal at every size by construction, zeros included.

A program is a module of a few functions.  Every size of a function is a symbol: dims that must be equal share one, and each is read
from an argument with tensor.dim.  Values stay moderate (what a contraction or a sum made is scaled down before tanh or exp), so a
tolerance relative to the largest result is fair to any order of summation.
"""
import random
import struct

import numpy as np

from oracle.values import DTYPES

FLOATS = ("f32", "f64")
STATIC_SIZES = (1, 2, 3, 4, 8, 16, 33, 64)
# The loosest element type a value went through decides what counts as equal.
TOLERANCES = {"i32": 0.0, "i64": 0.0, "f64": 1e-9, "f32": 1e-4, "f16": 4e-3, "bf16": 2e-2}
MOST_STEPS = 1 << 20                                             # of a program at the sizes it runs with
LOOSENESS = ("i32", "f64", "f32", "f16", "bf16")


class Dim:
    """One size: static, a symbol read from an argument, or computed.  SIZE evaluates it for given symbols."""

    def __init__(self, name, size, static=None):
        self.name, self.size, self.static = name, size, static

    def spell(self):
        return str(self.static) if self.static is not None else "?"


class Value:
    def __init__(self, ssa, dims, element, wild=False, through=None):
        self.ssa, self.dims, self.element = ssa, list(dims), element
        self.wild = wild                                         # as large as a long sum can be
        self.through = through or element                        # the loosest type on the way here

    @property
    def type(self):
        return f"tensor<{''.join(d.spell() + 'x' for d in self.dims)}{self.element}>"


def spell_constant(value, element):
    """VALUE as an attribute of type ELEMENT; infinities are spelled by their bits."""
    if value not in (float("inf"), float("-inf")):
        return str(value)
    bits, = struct.unpack({"f32": ">I", "f64": ">Q"}[element], struct.pack({"f32": ">f", "f64": ">d"}[element], value))
    return hex(bits).upper().replace("X", "x")


def loosest(*elements):
    return max(elements, key=lambda e: LOOSENESS.index(e))


def sum_type(element):
    """What products of ELEMENT are summed in."""
    return {"i8": "i32", "f16": "f32", "bf16": "f32"}.get(element, element)


def multiply_add(element):
    """The body that adds a product of two values of ELEMENT, widened to the type of the sum."""
    to = sum_type(element)
    kind = "i" if to.startswith("i") else "f"

    def body(block, op):
        x, y, acc = block
        if to != element:
            x, y = (op(f"arith.{'extsi' if kind == 'i' else 'extf'} {v} : {element} to {to}") for v in (x, y))
        return op(f"arith.add{kind} {acc}, {op(f'arith.mul{kind} {x}, {y} : {to}')} : {to}")

    return body


class Function:
    """Builds one function; `text` is its IR, `arguments` its parameters, `volume(sizes)` the largest iteration space."""

    def __init__(self, name, rng):
        self.name, self.rng = name, rng
        self.arguments, self.lines, self.symbols, self.spaces = [], [], [], []
        self.constants, self.counter, self.dim_ssa = {}, 0, {}

    # --- names, sizes, constants ---
    def fresh(self, prefix="v"):
        self.counter += 1
        return f"%{prefix}{self.counter}"

    def emit(self, line):
        self.lines.append("  " + line)

    def constant(self, value, element):
        key = (int if element == "index" or element.startswith("i") else float)(value), element
        if key not in self.constants:
            self.constants[key] = f"%c{len(self.constants)}"
        return self.constants[key]

    def new_dim(self):
        if self.rng.random() < 0.2:
            size = self.rng.choice(STATIC_SIZES)
            return Dim(str(size), lambda sizes, size=size: size, size)
        name = f"s{len(self.symbols)}"
        self.symbols.append(name)
        return Dim(name, lambda sizes, name=name: sizes[name])

    def any_dim(self):
        """A dim some argument has, or a new one."""
        known = [d for a in self.arguments for d in a.dims]
        return self.rng.choice(known) if known and self.rng.random() < 0.4 else self.new_dim()

    def size_of(self, dim):
        """The SSA index of DIM."""
        if dim.static is not None:
            return self.constant(dim.static, "index")
        if dim not in self.dim_ssa:
            for a in self.arguments:
                if dim in a.dims:
                    axis = self.constant(a.dims.index(dim), "index")
                    self.dim_ssa[dim] = self.fresh("d")
                    self.emit(f"{self.dim_ssa[dim]} = tensor.dim {a.ssa}, {axis} : {a.type}")
                    break
        return self.dim_ssa[dim]

    def computed_dim(self, ssa, size):
        dim = Dim(ssa, size)
        self.dim_ssa[dim] = ssa
        return dim

    def argument(self, dims, element):
        a = Value(f"%a{len(self.arguments)}", dims, element)
        self.arguments.append(a)
        return a

    def empty(self, dims, element):
        v = Value(self.fresh("e"), dims, element)
        sizes = ", ".join(self.size_of(d) for d in dims if d.static is None)
        self.emit(f"{v.ssa} = tensor.empty({sizes}) : {v.type}")
        return v

    def filled(self, dims, element, value):
        e, v = self.empty(dims, element), Value(self.fresh("f"), dims, element)
        self.emit(f"{v.ssa} = linalg.fill ins({self.constant(value, element)} : {element}) outs({e.ssa} : {e.type}) -> {v.type}")
        return v

    # --- linalg.generic ---
    def generic(self, loops, iterators, inputs, output_loops, init, body, element, **about):
        """INPUTS are (value, loops of its dims); BODY gets the payload's arguments and an `op` function, returns what to yield."""
        index = {d: i for i, d in enumerate(loops)}
        names = ", ".join(f"d{i}" for i in range(len(loops)))

        def map_of(dims):
            return f"affine_map<({names}) -> ({', '.join(d if isinstance(d, str) else f'd{index[d]}' for d in dims)})>"

        operands = [v for v, _ in inputs]
        payload, block = [], [f"%x{i}" for i in range(len(operands))] + ["%o"]

        def op(text):
            name = f"%p{len(payload)}"
            payload.append(f"    {name} = {text}")
            return name

        yielded = body(block, op)
        out = Value(self.fresh(), output_loops, element, **about)
        types = [v.element for v in operands] + [element]
        self.emit(f"{out.ssa} = linalg.generic {{indexing_maps = [{', '.join(map_of(m) for _, m in inputs)}"
                  f"{', ' if inputs else ''}{map_of(output_loops)}], iterator_types = [{', '.join(f'{chr(34)}{i}{chr(34)}' for i in iterators)}]}}"
                  f" ins({', '.join(v.ssa for v in operands)} : {', '.join(v.type for v in operands)}) outs({init.ssa} : {init.type}) {{")
        self.emit(f"^bb0({', '.join(f'{b}: {t}' for b, t in zip(block, types))}):")
        self.lines += payload
        self.emit(f"  linalg.yield {yielded} : {element}")
        self.emit(f"}} -> {out.type}")
        self.spaces.append(list(loops))
        return out

    # --- what a program can do with a value ---
    def shuffled(self, items):
        items = list(items)
        self.rng.shuffle(items)
        return items

    def contract(self, a):
        """Each dim of A is a batch, row or reduction dim; B, a new argument, has batch, reduction and column dims; orders are random."""
        roles = {d: self.rng.choice("mmkb") for d in a.dims}
        if len(set(a.dims)) != len(a.dims):
            return None
        if "k" not in roles.values() and a.dims:
            roles[self.rng.choice(a.dims)] = "k"
        batch, rows, reduction = ([d for d in a.dims if roles[d] == r] for r in "bmk")
        columns = [self.new_dim() for _ in range(self.rng.choice((0, 1, 1, 1, 2)))]
        if len(a.dims) + len(columns) > 5:
            columns = columns[:1]
        b = self.argument(self.shuffled(batch + reduction + columns), a.element)
        out_dims = self.shuffled(batch + rows + columns) if self.rng.random() < 0.4 else batch + rows + columns
        element = sum_type(a.element)
        init = self.filled(out_dims, element, 0)
        pair = [(a, a.dims), (b, b.dims)]
        if self.rng.random() < 0.3:
            pair.reverse()

        loops = batch + rows + columns + reduction
        iterators = ["parallel"] * (len(loops) - len(reduction)) + ["reduction"] * len(reduction)
        return self.generic(loops, iterators, pair, out_dims, init, multiply_add(a.element), element, wild=True,
                            through=element if a.element in ("f16", "bf16", "i8") else loosest(a.through, element))

    def matmul(self, a):
        """The named op, where A is a matrix or a batch of them."""
        if len(a.dims) not in (2, 3) or len(set(a.dims)) != len(a.dims) or a.element not in FLOATS:
            return None
        n, batch = self.new_dim(), a.dims[:-2]
        b = self.argument(batch + [a.dims[-1], n], a.element)
        out = batch + [a.dims[-2], n]
        init, r = self.filled(out, a.element, 0), Value(self.fresh(), out, a.element, wild=True, through=a.through)
        self.emit(f"{r.ssa} = linalg.{'batch_' if batch else ''}matmul ins({a.ssa}, {b.ssa} : {a.type}, {b.type}) "
                  f"outs({init.ssa} : {init.type}) -> {r.type}")
        self.spaces.append(out + [a.dims[-1]])
        return r

    def pointwise(self, a):
        """A chain of one to three steps, one of them with a broadcast operand; sometimes the result is transposed on the way."""
        if len(set(a.dims)) != len(a.dims):
            return None
        kept = [d for d in a.dims if self.rng.random() < 0.6]
        other = self.argument(self.shuffled(kept), a.element) if self.rng.random() < 0.7 else None
        out_dims = self.shuffled(a.dims) if self.rng.random() < 0.2 else a.dims
        init = self.empty(out_dims, a.element)
        integer = a.element.startswith("i")
        functions = self.rng.sample(("max0", "abs", "square", "half", "tanh", "exp", "sqrt"), self.rng.choice((1, 1, 2)))
        zero, scale, half = (self.constant(c, a.element) for c in ((0, 3, 2) if integer else (0, 0.03125, 0.5)))

        def apply(f, x, op):
            t = a.element
            if integer:
                return {"max0": lambda: op(f"arith.maxsi {x}, {zero} : {t}"), "abs": lambda: op(f"arith.xori {x}, {scale} : {t}"),
                        "square": lambda: op(f"arith.muli {x}, {x} : {t}"), "half": lambda: op(f"arith.shrsi {x}, {half} : {t}")
                        }.get(f, lambda: op(f"arith.subi {half}, {x} : {t}"))()

            def small():
                return op(f"math.tanh {x} : {t}")

            def root():
                positive = op(f"math.absf {x} : {t}")
                positive = op(f"arith.addf {positive}, {half} : {t}")
                return op(f"math.sqrt {positive} : {t}")

            return {"max0": lambda: op(f"arith.maximumf {x}, {zero} : {t}"), "abs": lambda: op(f"math.absf {x} : {t}"),
                    "square": lambda: op(f"arith.mulf {small()}, {x} : {t}"), "half": lambda: op(f"arith.mulf {x}, {half} : {t}"),
                    "tanh": small, "exp": lambda: op(f"math.exp {small()} : {t}"),
                    "sqrt": root}[f]()

        def body(block, op):
            x, kind = block[0], "i" if integer else "f"
            if a.wild and not integer:
                x = op(f"arith.mulf {x}, {scale} : {a.element}")
            if other:
                x = op(f"arith.{self.rng.choice(('add', 'mul', 'sub'))}{kind} {x}, {block[1]} : {a.element}")
            for f in functions:
                x = apply(f, x, op)
            return x

        inputs = [(a, a.dims)] + ([(other, other.dims)] if other else [])
        return self.generic(a.dims, ["parallel"] * len(a.dims), inputs, out_dims, init, body, a.element, through=a.through)

    def reduce(self, a):
        """A sum, maximum or minimum along random dims; by linalg.reduce or a generic."""
        if not a.dims or len(set(a.dims)) != len(a.dims):
            return None
        axes = sorted(self.rng.sample(range(len(a.dims)), self.rng.choice((1, 1, min(2, len(a.dims))))))
        kind = self.rng.choice(("sum", "sum", "max", "min"))
        integer = a.element.startswith("i")
        step = {"sum": "arith.addi" if integer else "arith.addf", "max": "arith.maxsi" if integer else "arith.maximumf",
                "min": "arith.minsi" if integer else "arith.minimumf"}[kind]
        start = {"sum": 0, "max": -5, "min": 5}[kind]                       # finite, so that nothing reduced is no infinity
        kept = [d for i, d in enumerate(a.dims) if i not in axes]
        init = self.filled(kept, a.element, start)
        self.spaces.append(list(a.dims))
        if self.rng.random() < 0.5:
            r = Value(self.fresh(), kept, a.element, wild=a.wild or kind == "sum", through=a.through)
            self.emit(f"{r.ssa} = linalg.reduce ins({a.ssa} : {a.type}) outs({init.ssa} : {init.type}) dimensions = {axes}")
            self.emit(f"  (%x: {a.element}, %o: {a.element}) {{ %p = {step} %x, %o : {a.element}  linalg.yield %p : {a.element} }}")
            return r
        iterators = ["reduction" if i in axes else "parallel" for i in range(len(a.dims))]
        return self.generic(a.dims, iterators, [(a, a.dims)], kept, init, lambda b, op: op(f"{step} {b[1]}, {b[0]} : {a.element}"),
                            a.element, wild=a.wild or kind == "sum", through=a.through)

    def transpose(self, a):
        if len(a.dims) < 2:
            return None
        order = self.shuffled(range(len(a.dims)))
        dims = [a.dims[i] for i in order]
        init, r = self.empty(dims, a.element), Value(self.fresh(), dims, a.element, a.wild, a.through)
        self.emit(f"{r.ssa} = linalg.transpose ins({a.ssa} : {a.type}) outs({init.ssa} : {init.type}) permutation = {order}")
        return r

    def softmax(self, a):
        if a.element not in FLOATS or not a.dims:
            return None
        if a.wild:
            a = self.pointwise(a)
            if a is None:
                return None
        init, r = self.empty(a.dims, a.element), Value(self.fresh(), a.dims, a.element, through=a.through)
        axis = self.rng.randrange(len(a.dims))
        self.emit(f"{r.ssa} = linalg.softmax dimension({axis}) ins({a.ssa} : {a.type}) outs({init.ssa} : {init.type}) -> {r.type}")
        return r

    def slice(self, a):
        """The upper half of one dim: offset size / 2, ceil(size / 2) elements."""
        unknown = [i for i, d in enumerate(a.dims) if d.static is None]
        if not unknown:
            return None
        axis, two = self.rng.choice(unknown), self.constant(2, "index")
        old, offset, size = self.size_of(a.dims[axis]), self.fresh("n"), self.fresh("n")
        self.emit(f"{offset} = arith.divui {old}, {two} : index")
        self.emit(f"{size} = arith.subi {old}, {offset} : index")
        dim = self.computed_dim(size, lambda sizes, d=a.dims[axis]: d.size(sizes) - d.size(sizes) // 2)
        dims = a.dims[:axis] + [dim] + a.dims[axis + 1:]
        r = Value(self.fresh(), dims, a.element, a.wild, a.through)
        offsets = ", ".join(offset if i == axis else "0" for i in range(len(dims)))
        extents = ", ".join(str(d.static) if d.static is not None else self.size_of(d) for d in dims)
        self.emit(f"{r.ssa} = tensor.extract_slice {a.ssa}[{offsets}] [{extents}] [{', '.join('1' for _ in dims)}] : {a.type} to {r.type}")
        return r

    def pad(self, a, axis=None, low=None, high=None):
        unknown = [i for i, d in enumerate(a.dims) if d.static is None]
        if not unknown:
            return None
        axis = self.rng.choice(unknown) if axis is None else axis
        low, high = (self.rng.randrange(3) if x is None else x for x in (low, high))
        old, size = self.size_of(a.dims[axis]), self.fresh("n")
        self.emit(f"{size} = arith.addi {old}, {self.constant(low + high, 'index')} : index")
        dim = self.computed_dim(size, lambda sizes, d=a.dims[axis]: d.size(sizes) + low + high)
        r = Value(self.fresh(), a.dims[:axis] + [dim] + a.dims[axis + 1:], a.element, a.wild, a.through)
        lows, highs = (", ".join(str(x if i == axis else 0) for i in range(len(a.dims))) for x in (low, high))
        value = self.constant(0, a.element)
        self.emit(f"{r.ssa} = tensor.pad {a.ssa} low[{lows}] high[{highs}] {{")
        self.emit(f"^bb0({', '.join(f'%i{i}: index' for i in range(len(a.dims)))}):")
        self.emit(f"  tensor.yield {value} : {a.element}")
        self.emit(f"}} : {a.type} to {r.type}")
        return r

    def concat(self, a):
        unknown = [i for i, d in enumerate(a.dims) if d.static is None]
        if not unknown:
            return None
        axis = self.rng.choice(unknown)
        added = self.new_dim()
        other = self.argument(a.dims[:axis] + [added] + a.dims[axis + 1:], a.element)
        size = self.fresh("n")
        left, right = self.size_of(a.dims[axis]), self.size_of(added)
        self.emit(f"{size} = arith.addi {left}, {right} : index")
        dim = self.computed_dim(size, lambda sizes, d=a.dims[axis]: d.size(sizes) + added.size(sizes))
        r = Value(self.fresh(), a.dims[:axis] + [dim] + a.dims[axis + 1:], a.element, a.wild, a.through)
        self.emit(f"{r.ssa} = tensor.concat dim({axis}) {a.ssa}, {other.ssa} : ({a.type}, {other.type}) -> {r.type}")
        return r

    def collapse(self, a):
        """Two neighbouring dims become one."""
        if len(a.dims) < 2:
            return None
        at = self.rng.randrange(len(a.dims) - 1)
        x, y = a.dims[at], a.dims[at + 1]
        if x.static is not None and y.static is not None:
            dim = Dim("", lambda sizes: x.static * y.static, x.static * y.static)
        else:
            size = self.fresh("n")
            sx, sy = self.size_of(x), self.size_of(y)
            self.emit(f"{size} = arith.muli {sx}, {sy} : index")
            dim = self.computed_dim(size, lambda sizes: x.size(sizes) * y.size(sizes))
        dims = a.dims[:at] + [dim] + a.dims[at + 2:]
        groups = [[i] for i in range(at)] + [[at, at + 1]] + [[i] for i in range(at + 2, len(a.dims))]
        r = Value(self.fresh(), dims, a.element, a.wild, a.through)
        self.emit(f"{r.ssa} = tensor.collapse_shape {a.ssa} {groups} : {a.type} into {r.type}")
        return r

    def convolve(self, a):
        """A three-wide window along one dim, as a generic with d0 + d1 in its map; the input is padded to keep the size."""
        unknown = [i for i, d in enumerate(a.dims) if d.static is None]
        if not unknown or a.element not in FLOATS or len(set(a.dims)) != len(a.dims) or len(a.dims) > 3:
            return None
        axis = self.rng.choice(unknown)
        padded = self.pad(a, axis, 1, 1)
        window, channels = Dim("3", lambda sizes: 3, 3), [d for i, d in enumerate(a.dims) if i != axis and self.rng.random() < 0.5]
        features = [self.new_dim()] if self.rng.random() < 0.6 else []
        weights = self.argument([window] + channels + features, a.element)
        out = [d for d in a.dims if d not in channels] + features
        loops = out + [window] + channels
        init = self.filled(out, a.element, 0)
        moving = [f"d{loops.index(d)} + d{loops.index(window)}" if i == axis else d for i, d in enumerate(a.dims)]
        iterators = ["parallel"] * len(out) + ["reduction"] * (1 + len(channels))
        return self.generic(loops, iterators, [(padded, moving), (weights, weights.dims)], out, init,
                            lambda b, op: op(f"arith.addf {b[2]}, {op(f'arith.mulf {b[0]}, {b[1]} : {a.element}')} : {a.element}"),
                            a.element, wild=True, through=a.through)

    def cast(self, a):
        """To a narrower type; only as a last step, since rounding to it would be magnified by what follows."""
        to = {"f32": self.rng.choice(("bf16", "f16")), "f64": "f32"}.get(a.element)
        if to is None or len(set(a.dims)) != len(a.dims):
            return None
        return self.generic(a.dims, ["parallel"] * len(a.dims), [(a, a.dims)], a.dims, self.empty(a.dims, to),
                            lambda b, op: op(f"arith.truncf {b[0]} : {a.element} to {to}"), to, through=loosest(to, a.through))

    # --- the whole ---
    def build(self):
        element = self.rng.choice(("f32",) * 12 + ("f64", "f64", "i32", "i8", "i8", "bf16", "bf16", "f16"))
        rank = self.rng.choice((1, 2, 2, 2, 3, 3, 4))
        value = self.argument([self.any_dim() for _ in range(rank)], element)
        if element in ("i8", "bf16", "f16"):
            value = self.contract(value) or value
        steps = (self.contract, self.contract, self.matmul, self.matmul, self.matmul, self.pointwise, self.pointwise, self.reduce, self.reduce, self.transpose,
                 self.softmax, self.slice, self.pad, self.concat, self.collapse, self.convolve)
        wanted, done, tries = self.rng.choice((1, 2, 2, 3, 3, 4)), 0, 0
        while done < wanted and tries < 40:
            tries += 1
            step = self.rng.choice(steps)
            if len(value.dims) > 3 and step in (self.concat, self.convolve) or value.element in ("i8", "bf16", "f16") and step != self.contract:
                continue
            made = step(value)
            if made is not None:
                value, done = made, done + 1
        if value.element in FLOATS and self.rng.random() < 0.15:
            value = self.cast(value) or value
        self.result, self.named = value, self.rng.random() < 0.5
        return self

    @property
    def tolerance(self):
        return TOLERANCES[loosest(self.result.through, self.result.element)] if self.result.element != "i8" else 0.0

    def names_of(self, argument):
        """In half of the functions, the attribute that names sizes: equal names are equal sizes.  Computed sizes have no name."""
        names = [d.name if d.name in self.symbols else "" for d in argument.dims]
        if not self.named or not any(names):
            return ""
        names = ", ".join(f'"{name}"' for name in names)
        return f" {{vortex.dims = [{names}]}}"

    @property
    def text(self):
        parameters = ", ".join(f"{a.ssa}: {a.type}{self.names_of(a)}" for a in self.arguments)
        constants = [f"  {ssa} = arith.constant {spell_constant(value, element)} : {element}" for (value, element), ssa in self.constants.items()]
        return "\n".join([f"func.func @{self.name}({parameters}) -> {self.result.type} {{"] + constants + self.lines
                         + [f"  return {self.result.ssa} : {self.result.type}", "}"]) + "\n"

    def volume(self, sizes):
        """The largest iteration space at SIZES, and the largest tensor."""
        spaces = self.spaces + [a.dims for a in self.arguments] + [self.result.dims]
        return max(int(np.prod([d.size(sizes) for d in space], dtype=np.float64)) for space in spaces)

    def draw_inputs(self, sizes, rng):
        """Arguments at SIZES, from a NumPy generator."""
        from reference.numerics import to_bf16
        inputs = []
        for a in self.arguments:
            shape = tuple(d.size(sizes) for d in a.dims)
            if a.element.startswith("i"):
                inputs.append(rng.integers(-100, 100, shape).astype(DTYPES[a.element]).reshape(shape))
            else:
                x = rng.standard_normal(shape).astype(np.float32)
                x = np.asarray(x).reshape(shape)
                inputs.append(to_bf16(x).reshape(shape) if a.element == "bf16" else x.astype(DTYPES[a.element]))
        return inputs


def generate(seed, functions=3, kind=Function):
    """The functions of program SEED, each of class KIND."""
    rng, found = random.Random(f"program {seed}"), []
    while len(found) < functions:
        function = kind(f"f{len(found)}", rng).build()
        if function.volume(dict.fromkeys(function.symbols, 1)) <= MOST_STEPS:       # the sizes that are known are not too large together
            found.append(function)
    return found


def draw_sizes(function, count, seed, edges):
    """COUNT assignments of the function's symbols: all moderate first, then with a zero, with ones, then free; no larger than MOST_STEPS."""
    rng = random.Random(f"sizes {seed} {function.name}")
    found = []
    for i in range(count):
        sizes = {s: rng.choice(edges) for s in function.symbols}
        if sizes and i == 1:
            sizes[rng.choice(function.symbols)] = 0
        elif sizes and i == 2:
            sizes = {s: rng.choice((1, 1, sizes[s])) for s in sizes}
        while function.volume(sizes) > MOST_STEPS:
            largest = max(sizes, key=sizes.get)
            sizes[largest] = rng.choice([e for e in edges if e < sizes[largest]] or [1])
        found.append(sizes)
    return found
