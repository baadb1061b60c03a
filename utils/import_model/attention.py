"""Rules for attention, as opset 23 has it, and what goes with it."""
import numpy as np

from .graph import FLOATS, attributes_of


def heads_in_front(b, x, heads):
    """[batch, rows, heads * width] as [batch, heads, rows, width]."""
    width = b.divided(b.size(x, 2), heads)
    return b.op("Transpose", b.reshape(x, b.size(x, 0), b.size(x, 1), heads, width), perm=[0, 2, 1, 3])


def attention(b, node):
    """Queries, keys and values without a cache; masks are added."""
    q, k, v = node.input[:3]
    attributes, kind = attributes_of(node), b.kind(q)
    mask, *rest = [*node.input[3:], "", "", ""][:4]
    rank, softcap = b.rank(q), attributes.get("softcap", 0.0)
    if rank not in (3, 4) or any(rest) or len([o for o in node.output if o]) > 1 or kind not in FLOATS or softcap:
        return None
    if set(attributes) - {"is_causal", "kv_num_heads", "q_num_heads", "scale", "softcap", "softmax_precision", "qk_matmul_output_mode"}:
        return None
    rows, keys = b.size(q, rank - 2), b.size(k, rank - 2)
    if rank == 3:
        many, shared, n = attributes["q_num_heads"], attributes["kv_num_heads"], b.size(q, 0)
        width = b.divided(b.size(q, 2), many)
        out = b.times(b.divided(b.size(v, 2), shared), many)
        q, k, v = heads_in_front(b, q, many), heads_in_front(b, k, shared), heads_in_front(b, v, shared)
    else:
        many, shared, width = b.extent(q, 1), b.extent(k, 1), b.size(q, 3)
        if many is None or shared is None:
            return None
    groups = many // shared
    if groups > 1:
        k, v = (repeated(b, x, groups, node, i) for x, i in ((k, 1), (v, 2)))
    if "scale" in attributes:
        scale = b.scalar(attributes["scale"], kind)
    else:
        scale = b.op("Cast", b.op("Div", np.array([1], dtype=np.float32), b.op("Sqrt", b.op("Cast", width, to=1))), to=kind)
    scores = b.op("Mul", b.op("MatMul", q, b.op("Transpose", k, perm=[0, 1, 3, 2])), scale)
    never = b.scalar(-np.inf, kind)
    if mask:
        scores = b.op("Where", mask, scores, never) if b.kind(mask) == 9 else b.op("Add", scores, mask)
    if attributes.get("is_causal", 0):
        later = b.op("Less", b.unsqueeze(b.count_up(rows), [1]), b.unsqueeze(b.count_up(keys), [0]))
        scores = b.op("Where", later, never, scores)
    y = b.op("MatMul", b.op("Softmax", scores, axis=-1), v)
    if rank == 4:
        return y
    return b.reshape(b.op("Transpose", y, perm=[0, 2, 1, 3]), n, rows, out)


def repeated(b, x, groups, node, operand):
    """Heads that several queries share, once for each."""
    source, rank = node.input[operand], b.rank(node.input[operand])
    shared = attributes_of(node)["kv_num_heads"] if rank == 3 else b.extent(source, 1)
    rows = b.size(source, rank - 2)
    width = b.size(source, 3) if rank == 4 else b.divided(b.size(source, 2), shared)
    copies = b.op("Concat", *[b.unsqueeze(x, [2])] * groups, axis=2)
    return b.reshape(copies, b.size(source, 0), shared * groups, rows, width)


def rotary_embedding(b, node):
    """Pairs of columns are rotated; what is behind them stays."""
    x, cosine, sine = node.input[:3]
    positions = node.input[3] if len(node.input) > 3 else ""
    attributes, rank = attributes_of(node), b.rank(x)
    heads, paired = attributes.get("num_heads", 0), attributes.get("interleaved", 0)
    if rank not in (3, 4) or rank == 3 and not heads:
        return None
    width = b.extent(x, 3) if rank == 4 else b.extent(x, 2) and b.extent(x, 2) // heads
    rotated = attributes.get("rotary_embedding_dim", 0) or width
    if not rotated:
        return None
    half, sizes = rotated // 2, [b.size(x, axis) for axis in range(rank)]
    if rank == 3:
        y = b.reshape(x, sizes[0], sizes[1], heads, width)
    else:
        y = b.op("Transpose", x, perm=[0, 2, 1, 3])
    if positions:
        cosine, sine = (b.op("Gather", v, positions, axis=0) for v in (cosine, sine))
    cosine, sine = (b.unsqueeze(v, [2]) for v in (cosine, sine))
    far = [np.iinfo(np.int64).max]
    if paired:
        first, second = (b.op("Slice", y, [i], [rotated], [3], [2]) for i in (0, 1))
    else:
        first, second = b.op("Slice", y, [0], [half], [3]), b.op("Slice", y, [half], [rotated], [3])
    real = b.op("Sub", b.op("Mul", cosine, first), b.op("Mul", sine, second))
    imaginary = b.op("Add", b.op("Mul", sine, first), b.op("Mul", cosine, second))
    if paired:
        both = b.op("Concat", b.unsqueeze(real, [4]), b.unsqueeze(imaginary, [4]), axis=4)
        count = heads or sizes[1]
        turned = b.reshape(both, sizes[0], sizes[1 if rank == 3 else 2], count, rotated)
    else:
        turned = b.op("Concat", real, imaginary, axis=3)
    if rotated != width:
        turned = b.op("Concat", turned, b.op("Slice", y, [rotated], far, [3]), axis=3)
    return b.reshape(turned, *sizes) if rank == 3 else b.op("Transpose", turned, perm=[0, 2, 1, 3])


RULES = {"Attention": attention, "RotaryEmbedding": rotary_embedding}
