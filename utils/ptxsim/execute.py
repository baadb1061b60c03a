"""What instructions do.  decode() picks the function for an opcode once; it is then called for each execution."""
import re

import numpy as np

from . import bulk, cluster, collective, transfer, wgmma
from .memory import SimulationError
from .wait import Meeting

np.seterr(all="ignore")
U64 = np.uint64


def width(kind):
    """Bits of a type suffix."""
    return 1 if kind == "pred" else 32 if kind in ("f16x2", "bf16x2") else int(kind.lstrip("busfx")) if kind != "bf16" else 16


def view(bits, kind):
    """Register bits as numbers of type KIND."""
    n = width(kind)
    if kind == "bf16":
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    unsigned = {1: np.uint8, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[n]
    value = (bits & U64(2**n - 1)).astype(unsigned) if n < 64 else bits
    if kind[0] == "s":
        return value.view({8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}[n])
    if kind[0] == "f":
        return value.view({16: np.float16, 32: np.float32, 64: np.float64}[n])
    return value


def bits_of(value, kind):
    """Numbers of type KIND as register bits."""
    if kind == "bf16":
        raw = value.astype(np.float32).view(np.uint32).astype(np.uint64)
        rounded = (raw + U64(0x7FFF) + ((raw >> U64(16)) & U64(1))) >> U64(16)
        return np.where(np.isnan(value), U64(0x7FFF), rounded & U64(0xFFFF))
    if kind[0] == "f":
        value = value.astype({16: np.float16, 32: np.float32, 64: np.float64}[width(kind)])
        return value.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[value.itemsize]).astype(U64)
    n = width(kind)
    value = value.astype(np.int64).view(U64) if value.dtype.kind == "i" else value.astype(U64)
    return value & U64(2**n - 1) if n < 64 else value


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

    def typed(warp, i, as_kind=kind):
        return view(warp.read(operands[i]), as_kind)

    def write(warp, mask, value, as_kind=kind):
        warp.write(operands[0], bits_of(value, as_kind), mask)

    if base in ("mov", "cvta", "mov"):
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
            kind_bits = kind if kind == "pred" else "u" + str(width(kind))
            return lambda warp, mask: write(warp, mask, function(typed(warp, 1, kind_bits), typed(warp, 2, kind_bits)), kind_bits)
        if kind in ("f16x2", "bf16x2"):
            half = kind[:-2]

            def packed(warp, mask):
                out = np.zeros(32, U64)
                for i in (0, 16):
                    x, y = (view((warp.read(operands[j]) >> U64(i)) & U64(0xFFFF), half) for j in (1, 2))
                    out |= bits_of(function(x, y), half) << U64(i)
                warp.write(operands[0], out, mask)
            return packed
        return lambda warp, mask: write(warp, mask, function(typed(warp, 1), typed(warp, 2)))
    if base == "copysign":  # the sign of the first operand
        return lambda warp, mask: write(warp, mask, np.copysign(typed(warp, 2), typed(warp, 1)))
    if base in ("neg", "abs") and kind in ("f16x2", "bf16x2"):
        signs = U64(0x80008000)

        def packed_sign(warp, mask):
            bits = warp.read(operands[1])
            warp.write(operands[0], bits ^ signs if base == "neg" else bits & ~signs, mask)
        return packed_sign
    if kind.endswith("x2") and base in UNARY:
        raise SimulationError(f"the simulator does not know {base} of {kind}")
    if base in UNARY:
        return lambda warp, mask: write(warp, mask, UNARY[base](typed(warp, 1)))
    if base == "not":
        if kind == "pred":
            return lambda warp, mask: warp.write(operands[0], (warp.read(operands[1]) == 0).astype(U64), mask)
        return lambda warp, mask: write(warp, mask, ~typed(warp, 1, "u" + str(width(kind))), "u" + str(width(kind)))
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
        if "hi" in parts:
            def high(warp, mask):
                products = [int(x) * int(y) >> width(kind) for x, y in zip(typed(warp, 1), typed(warp, 2))]
                write(warp, mask, np.array([p & (2**64 - 1) for p in products], U64), "u" + str(width(kind)))
            return high
        result = kind[0] + str(2 * width(kind)) if "wide" in parts else kind

        def multiply(warp, mask):
            x, y = typed(warp, 1), typed(warp, 2)
            if "wide" in parts:
                x, y = (v.astype({"s": np.int64, "u": np.uint64}[kind[0]]) for v in (x, y))
            if base == "fma" or (base == "mad" and kind[0] == "f"):  # one rounding
                exact = x.astype(np.float64) * y.astype(np.float64) + typed(warp, 3).astype(np.float64)
                value = exact.astype(np.float32) if kind == "bf16" else exact.astype(x.dtype)
            else:
                value = x * y
                if base == "mad":
                    value = value + typed(warp, 3, result)
            write(warp, mask, value, result)
        return multiply
    if base in ("shl", "shr"):
        def shift(warp, mask):
            x, n = typed(warp, 1, kind if base == "shr" else "u" + str(width(kind))), view(warp.read(operands[2]), "u32")
            n = np.minimum(n, width(kind)).astype(np.uint64)
            if base == "shl":
                value = np.where(n < U64(width(kind)), x.astype(U64) << np.minimum(n, U64(63)), U64(0))
            elif x.dtype.kind == "i":
                value = x.astype(np.int64) >> np.minimum(n, U64(63)).astype(np.int64)
            else:
                value = np.where(n < U64(width(kind)), x.astype(U64) >> np.minimum(n, U64(63)), U64(0))
            write(warp, mask, value, kind if x.dtype.kind == "i" else "u" + str(width(kind)))
        return shift
    if base in ("bfe",):
        return lambda warp, mask: write(warp, mask, (typed(warp, 1).astype(U64) >> typed(warp, 2, "u32").astype(U64))
                                        & ((U64(1) << typed(warp, 3, "u32").astype(U64)) - U64(1)), "u" + str(width(kind)))
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
            return lambda warp, mask: warp.write(operands[0], ((np.isnan(typed(warp, 1)) | np.isnan(typed(warp, 2))) == (test == "nan"))
                                                 .astype(U64), mask)
        if compare is None:
            return None

        def set_predicate(warp, mask):
            x, y = typed(warp, 1, number), typed(warp, 2, number)
            value = compare(x, y)
            if x.dtype.kind == "f":
                nan = np.isnan(x) | np.isnan(y)
                value = value | nan if unordered else value & ~nan
            warp.write(operands[0], value.astype(U64), mask)
        return set_predicate
    if base == "selp":
        return lambda warp, mask: warp.write(
            operands[0], np.where(warp.read(operands[3]) != 0, warp.read(operands[1]), warp.read(operands[2])), mask)
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
NOTHING = ("fence", "membar", "prefetch")


def decode(instruction):
    """(instruction, function of (warp, lanes), whether the warp must be converged)."""
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
    return instruction, function, converged


