"""What instructions do.  decode() picks the function for an opcode once; it is then called for each execution."""
import re
from dataclasses import dataclass

import numpy as np

from . import bulk, cluster, collective, transfer, wgmma
from .memory import SimulationError
from .registers import as_bits, from_bits, reader
from .wait import Meeting

np.seterr(all="ignore")
U64 = np.uint64


def width(kind):
    """Bits of a type suffix."""
    return 1 if kind == "pred" else 32 if kind in ("f16x2", "bf16x2") else int(kind.lstrip("busfx")) if kind != "bf16" else 16


def type_of(kind):
    """The numbers that registers of type KIND hold; those of bf16 are its bits."""
    n = width(kind)
    if n == 1:
        return np.dtype(bool)
    if kind[0] == "f" and kind != "f16x2":
        return np.dtype(f"f{n // 8}")
    return np.dtype(f"{'i' if kind[0] == 's' else 'u'}{n // 8}")


def view(bits, kind):
    """Register bits as numbers of type KIND."""
    if kind == "bf16":
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return from_bits(bits, type_of(kind))


def bits_of(value, kind):
    """Numbers as register bits of type KIND."""
    if kind == "bf16":
        raw = value.astype(np.float32).view(np.uint32).astype(np.uint64)
        rounded = (raw + U64(0x7FFF) + ((raw >> U64(16)) & U64(1))) >> U64(16)
        return np.where(np.isnan(value), U64(0x7FFF), rounded & U64(0xFFFF))
    return as_bits(value.astype(type_of(kind), copy=False))


def operand(name, kind):
    """A function of a warp: operand NAME as numbers of type KIND."""
    if kind == "bf16":
        read = reader(name, np.dtype(np.uint16))
        return lambda warp: (read(warp).astype(np.uint32) << np.uint32(16)).view(np.float32)
    return reader(name, type_of(kind))


def result(name, kind):
    """A function of a warp, numbers and lanes: sets register NAME, of type KIND."""
    if kind == "bf16":
        return lambda warp, value, mask: warp.write(name, bits_of(value, kind), mask)
    dtype = type_of(kind)
    return lambda warp, value, mask: warp.write(name, value if value.dtype == dtype else value.astype(dtype), mask)


def truncated_division(x, y):
    if x.dtype.kind == "u":
        return x // y
    quotient = np.abs(x) // np.abs(y)
    return np.where((x < 0) != (y < 0), -quotient, quotient).astype(x.dtype)


def divide(x, y):
    if x.dtype.kind == "f":
        return x / y
    return truncated_division(x, np.where(y == 0, 1, y).astype(y.dtype))


def remainder(x, y):
    y = np.where(y == 0, 1, y).astype(y.dtype)
    return x - truncated_division(x, y) * y


def minimum(nan):
    return lambda x, y: np.minimum(x, y) if nan or x.dtype.kind != "f" else np.fmin(x, y)


def maximum(nan):
    return lambda x, y: np.maximum(x, y) if nan or x.dtype.kind != "f" else np.fmax(x, y)


BINARY = {"add": np.add, "sub": np.subtract, "div": divide, "rem": remainder, "and": np.bitwise_and, "or": np.bitwise_or,
          "xor": np.bitwise_xor}
UNARY = {"neg": np.negative, "abs": np.abs, "sqrt": np.sqrt, "rcp": lambda x: (1 / x).astype(x.dtype), "ex2": np.exp2, "lg2": np.log2,
         "tanh": np.tanh, "rsqrt": lambda x: (1 / np.sqrt(x)).astype(x.dtype), "sin": np.sin, "cos": np.cos}
COMPARE = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
           "lo": np.less, "ls": np.less_equal, "hi": np.greater, "hs": np.greater_equal}
ORDERED = set(COMPARE)


def decode_arithmetic(instruction):
    """The function of an instruction on registers alone, or None."""
    parts = instruction.opcode.split(".")
    base, kind, operands = parts[0], parts[-1], instruction.operands

    def typed(i, as_kind=kind):
        return operand(operands[i], as_kind)

    def assign(value, as_kind=kind):
        """Sets the first operand to what VALUE, a function of a warp, gives."""
        write = result(operands[0], as_kind)
        return lambda warp, mask: write(warp, value(warp), mask)

    def apply(function, *sources, as_kind=kind):
        if len(sources) == 1:
            return assign(lambda warp: function(sources[0](warp)), as_kind)
        return assign(lambda warp: function(*[source(warp) for source in sources]), as_kind)

    if base in ("mov", "cvta"):
        if operands[0].startswith("{"):  # mov.b32 {lo, hi}, whole
            pieces = [p.strip() for p in operands[0].strip("{}").split(",")]
            step = U64(width(kind) // len(pieces))

            def unpack(warp, mask):
                whole = warp.read(operands[1])
                for i, piece in enumerate(pieces):
                    warp.write(piece, (whole >> (U64(i) * step)) & U64(2 ** int(step) - 1), mask)
            return unpack
        if operands[1].startswith("{"):  # mov.b32 whole, {lo, hi}
            sources = [p.strip() for p in operands[1].strip("{}").split(",")]
            step = width(kind) // len(sources)

            def pack(warp, mask):
                whole = np.zeros(32, U64)
                for i, source in enumerate(sources):
                    whole |= (warp.read(source) & U64(2**step - 1)) << U64(i * step)
                warp.write(operands[0], whole, mask)
            return pack
        return lambda warp, mask: warp.move(operands[0], operands[1], mask)
    if base in BINARY or base in ("min", "max"):
        function = BINARY.get(base) or {"min": minimum, "max": maximum}[base]("NaN" in parts)
        if kind == "pred" or (base in ("and", "or", "xor")):
            bits = kind if kind == "pred" else "u" + str(width(kind))
            return apply(function, typed(1, bits), typed(2, bits), as_kind=bits)
        if kind in ("f16x2", "bf16x2"):
            half = kind[:-2]

            def packed(warp, mask):
                out = np.zeros(32, U64)
                for i in (0, 16):
                    x, y = (view((warp.read(operands[j]) >> U64(i)) & U64(0xFFFF), half) for j in (1, 2))
                    out |= bits_of(function(x, y), half) << U64(i)
                warp.write(operands[0], out, mask)
            return packed
        return apply(function, typed(1), typed(2))
    if base == "copysign":  # the sign of the first operand
        return apply(np.copysign, typed(2), typed(1))
    if base in ("neg", "abs") and kind in ("f16x2", "bf16x2"):
        signs = U64(0x80008000)

        def packed_sign(warp, mask):
            bits = warp.read(operands[1])
            warp.write(operands[0], bits ^ signs if base == "neg" else bits & ~signs, mask)
        return packed_sign
    if kind.endswith("x2") and base in UNARY:
        raise SimulationError(f"the simulator does not know {base} of {kind}")
    if base in UNARY:
        return apply(UNARY[base], typed(1))
    if base == "not":
        bits = kind if kind == "pred" else "u" + str(width(kind))
        return apply(np.invert, typed(1, bits), as_kind=bits)
    if base in ("mul", "fma") and kind in ("f16x2", "bf16x2"):
        half = kind[:-2]

        def packed_product(warp, mask):
            out = np.zeros(32, U64)
            for i in (0, 16):
                x = [view((warp.read(operands[j]) >> U64(i)) & U64(0xFFFF), half).astype(np.float64) for j in range(1, len(operands))]
                value = x[0] * x[1] + (x[2] if base == "fma" else 0.0)
                out |= bits_of(value.astype(np.float32 if half[0] == "b" else np.float16), half) << U64(i)
            warp.write(operands[0], out, mask)
        return packed_product
    if base in ("mul", "mad", "fma"):
        bits = "u" + str(width(kind))
        x, y = typed(1), typed(2)
        if "hi" in parts:
            def high(x, y):
                return np.array([int(x) * int(y) >> width(kind) & (2 ** width(kind) - 1) for x, y in zip(x, y)], type_of(bits))
            return apply(high, x, y, as_kind=bits)
        if base == "fma" or (base == "mad" and kind[0] == "f"):  # one rounding
            single = np.float32 if kind == "bf16" else type_of(kind)

            def fused(x, y, z):
                return (x.astype(np.float64) * y.astype(np.float64) + z.astype(np.float64)).astype(single)
            return apply(fused, x, y, typed(3))
        full = kind[0] + str(2 * width(kind)) if "wide" in parts else kind
        if "wide" in parts:
            wide = {"s": np.int64, "u": np.uint64}[kind[0]]

            def product(x, y):
                return x.astype(wide) * y.astype(wide)
        else:
            product = np.multiply
        if base == "mul":
            return apply(product, x, y, as_kind=full)
        return apply(lambda x, y, z: product(x, y) + z, x, y, typed(3, full), as_kind=full)
    if base in ("shl", "shr"):
        bits, most = "u" + str(width(kind)), np.uint32(width(kind))
        signed = base == "shr" and kind[0] == "s"

        def shift(x, n):
            if signed:
                return x >> np.minimum(n, most - np.uint32(1)).astype(x.dtype)
            moved = (np.left_shift if base == "shl" else np.right_shift)(x, np.minimum(n, most - np.uint32(1)).astype(x.dtype))
            return np.where(n < most, moved, x.dtype.type(0))
        return apply(shift, typed(1, kind if signed else bits), typed(2, "u32"), as_kind=kind if signed else bits)
    if base in ("bfe",):
        return apply(lambda x, at, count: (x.astype(U64) >> at.astype(U64)) & ((U64(1) << count.astype(U64)) - U64(1)),
                     typed(1), typed(2, "u32"), typed(3, "u32"), as_kind="u" + str(width(kind)))
    if instruction.opcode == "prmt.b32":
        def permute(warp, mask):
            both = (warp.read(operands[1]) & U64(0xFFFFFFFF)) | (warp.read(operands[2]) << U64(32))
            selector, result = warp.read(operands[3]), np.zeros(32, U64)
            for i in range(4):
                choice = (selector >> U64(4 * i)) & U64(15)
                byte = (both >> ((choice & U64(7)) * U64(8))) & U64(255)
                sign = np.where(byte >= U64(128), U64(255), U64(0))
                result |= np.where(choice >= U64(8), sign, byte) << U64(8 * i)
            warp.write(operands[0], result, mask)
        return permute
    if base == "setp":
        test = parts[1]
        unordered = test not in ORDERED and test[:-1] in ORDERED and test.endswith("u")
        compare = COMPARE.get(test[:-1] if unordered else test)
        number = kind if kind[0] != "b" or kind == "bf16" else "u" + kind[1:]
        if test in ("nan", "num"):
            return apply(lambda x, y: (np.isnan(x) | np.isnan(y)) == (test == "nan"), typed(1), typed(2), as_kind="pred")
        if compare is None:
            return None
        x, y = typed(1, number), typed(2, number)
        if number[0] not in "fb":
            return apply(compare, x, y, as_kind="pred")

        def compare_floats(x, y):
            # What is ordered is false where a number is none but for "not equal".
            nan = np.isnan(x) | np.isnan(y)
            return compare(x, y) | nan if unordered else compare(x, y) & ~nan
        return apply(compare_floats, x, y, as_kind="pred")
    if base == "selp":
        bits = "u" + str(width(kind))
        return apply(np.where, operand(operands[3], "pred"), typed(1, bits), typed(2, bits), as_kind=bits)
    if base == "cvt":
        return decode_conversion(instruction, parts)
    return None


def decode_conversion(instruction, parts):
    target, source = parts[-2], parts[-1]
    operands = instruction.operands
    if target in ("f16x2", "bf16x2"):  # cvt.rn.f16x2.f32 d, high, low
        half = target[:-2]

        def pack(warp, mask):
            high, low = (bits_of(view(warp.read(operands[i]), source), half) for i in (1, 2))
            warp.write(operands[0], (high << U64(16)) | low, mask)
        return pack

    if target[0] != "b" and target not in ("s8", "s16", "s32") and source[0] in "us" and width(source) > 1:
        return lambda warp, mask, read=operand(operands[1], source), write=result(operands[0], target): write(warp, read(warp), mask)

    def convert(warp, mask):
        value = view(warp.read(operands[1]), source)
        whole = {"rni": np.rint, "rmi": np.floor, "rpi": np.ceil, "rzi": np.trunc}.get(parts[1])
        if whole and value.dtype.kind == "f" and target[0] not in "us":
            value = whole(value)
        if value.dtype.kind == "f" and target[0] in "us":
            rounding = whole or np.trunc
            low, high = (0, 2 ** width(target) - 1) if target[0] == "u" else (-2 ** (width(target) - 1), 2 ** (width(target) - 1) - 1)
            value = np.clip(np.nan_to_num(rounding(value.astype(np.float64))), low, high).astype(np.int64)
        bits = bits_of(value, target)
        if target in ("s8", "s16", "s32"):  # a register that is wider has the sign
            bits = view(bits, target).astype(np.int64).view(U64)
        warp.write(operands[0], bits, mask)
    return convert


def decode_barrier(operands):
    """Of the block (number 0), or of as many threads as are said."""
    if operands == ["0"]:
        return lambda warp, mask: Meeting(0, warp.block.threads)
    if len(operands) != 2:
        return None

    def meet(warp, mask):
        number, threads = (warp.read(operand)[mask] for operand in operands)
        if len({*number}) > 1 or not 0 < number[0] < 16 or threads[0] % U64(32):
            raise SimulationError(f"a barrier {number[0]} of {threads[0]} threads")
        return Meeting(int(number[0]), int(threads[0]))
    return meet


# Instructions that all active lanes of a warp execute together.
CONVERGED = ("mma.sync", "ldmatrix", "bar.sync", "bar.warp.sync", "barrier.sync", "shfl.sync", "wgmma.", "setmaxnreg.", "elect.sync")
# Instructions behind which lanes may be gone, or wait: no others answer a Sleep or a Meeting.
WAITS = ("ret", "exit", "bar.", "barrier.", "mbarrier.", "setmaxnreg.")
NOTHING = ("fence", "membar", "prefetch")
# What a loop around a wait does between two attempts.
IDLE = ("bra", "setp", "selp", "mov", "and", "or", "not")


@dataclass(slots=True)
class Step:
    """An instruction with its function of (warp, lanes), which may answer what lanes wait for."""

    instruction: object
    execute: object
    converged: bool  # whether all lanes of the warp must be there
    waits: bool
    idle: bool


def decode(instruction):
    """The step that INSTRUCTION is."""
    opcode, operands = instruction.opcode, instruction.operands
    base = opcode.split(".")[0]
    converged = opcode.startswith(CONVERGED)

    def unknown(warp, mask):
        raise SimulationError("the simulator does not know this instruction")

    if base == "bra":
        def branch(warp, mask):
            warp.pc[mask] = instruction.target
        function = branch
    elif base in ("ret", "exit"):
        def leave(warp, mask):
            warp.active = warp.active & ~mask
        function = leave
    elif opcode == "bar.warp.sync":
        def function(warp, mask):
            if (warp.read(operands[0])[mask] & U64(2**32 - 1) != U64(2**32 - 1)).any():
                raise SimulationError("the simulator knows whole warps that meet")
    elif opcode.startswith("barrier.cluster."):
        function = cluster.decode(instruction) or unknown
        converged = opcode.endswith(".aligned")
    elif base in ("bar", "barrier"):
        function = decode_barrier(operands) or unknown
    elif base in NOTHING and not opcode.startswith(("fence.mbarrier_init", "fence.proxy.async")):
        def function(warp, mask):
            return None
    else:
        families = (bulk, cluster, wgmma, transfer, collective)
        function = next(filter(None, (family.decode(instruction) for family in families)), None)
        function = function or decode_arithmetic(instruction) or unknown
    return Step(instruction, function, converged, opcode.startswith(WAITS), base in IDLE)


