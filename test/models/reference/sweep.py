"""Sizes that compilers get wrong: 0 where it is legal, 1, primes, and one less, equal to and one more than likely tile sizes."""
import random
import zlib

# Tiles of x86 micro-kernels have 1..14 rows and 16, 32 or 64 columns; blocks and GPU tiles have 64 or 128 rows.
EDGES = [1, 2, 3, 5, 7, 8, 11, 13, 14, 15, 16, 17, 23, 28, 29, 31, 32, 33, 47, 48, 49, 63, 64, 65, 97, 127, 128, 129]
MODERATE = [2, 3, 5, 7, 17, 19, 33]

# "dim=least..most"; a dim not named here may be 0..129.  Least 1 where a maximum over nothing, an index into nothing or a division by
# the size has no meaning, more where a window must fit; most is kept small where every step costs a layer of 768 or 1024 features.
RANGES = {
    "attention": "b=0..3,m=0..65,n=1..65",
    "attention_causal": "b=0..5,m=1..65,past=0..65",
    "attention_all_dynamic": "b=0..3,m=0..65,n=1..65,d=1..65,dv=0..65",
    "attention_decode_gqa": "b=0..5,n=1..129",
    "batch_matmul_f32": "b=0..7", "batch_matmul_nt_f32": "b=0..7", "long_batch_bf16": "b=0..7",
    "batch_matmul_shared_f32": "b=0..7", "batch_matmul_broadcast_f32": "b=0..7", "batch_matmul_heads_f32": "b=0..3",
    "ffn_gelu": "m=0..65",
    "dequant_i4_matmul": "g=0..5",
    "embedding_matmul": "v=1..129", "embedding_add": "v=1..129", "embedding_halves": "v=1..129", "embedding_bag": "b=0..33,v=1..129", "scatter_add": "v=1..129",
    "per_head_softmax": "d=1..65", "sum_groups": "groups=1..33,each=0..33",
    "gru": "s=0..33,b=0..33", "power_iteration": "n=1..33", "ragged_max": "b=0..33",
    "conv2d_s1": "n=0..3,h=3..33,w=3..65", "conv2d_s2": "n=0..3,h=3..33,w=3..65", "conv2d_d2": "n=0..3,h=5..33,w=5..65",
    "conv2d_i8_i32": "n=0..3,h=3..33,w=3..65", "conv2d_same_bias_relu": "n=0..3,h=0..33,w=0..65",
    "conv2d_1x1_s2": "n=0..3,h=0..33,w=0..65", "conv2d_1x1_s2_bf16": "n=0..3,h=0..17,w=0..33,c=0..65,f=0..65",
    "conv2d_1x1_shortcut": "n=0..3,h=0..33,w=0..33", "conv2d_1x1_gate": "n=0..3,h=0..17,w=0..17,c=0..33,f=0..65",
    "conv2d_all_dynamic": "n=0..3,h=1..17,w=1..33,c=0..33,f=0..65,kh=1..7,kw=1..7",
    "depthwise_s1": "n=0..3,h=3..33,w=3..65", "depthwise_s2": "n=0..3,h=3..33,w=3..65,c=0..65",
    "conv2d_pad": "n=0..3,h=1..17,w=1..33,c=0..33,f=0..65,kh=1..3,kw=1..3",
    "conv2d_pad_i8": "n=0..3,h=1..17,w=1..33,c=0..33,f=0..65,kh=1..3,kw=1..3",
    "conv2d_pad_u8s8": "n=0..3,h=1..17,w=1..33,c=0..33,f=0..65,kh=1..3,kw=1..3",
    "qdq_linear": "m=0..65,n=0..65", "qdq_conv": "n=0..3,h=0..17,w=0..33,f=0..65",
    "conv2d_pad_bf16": "n=0..3,h=1..17,w=1..33,c=0..33,f=0..65,kh=1..3,kw=1..3", "conv2d_s2_i8": "n=0..3,h=7..17,w=7..33,c=0..33,f=0..65,kh=1..7,kw=1..7",
    "window_few_bf16": "n=0..3,h=1..40,w=1..70,f=0..65", "window_few_i8": "n=0..3,h=3..17,w=5..70,f=0..65",
    "window_48_bf16": "n=0..3,h=1..40,w=1..70,f=0..65", "window_residual_bf16": "n=0..3,h=1..17,w=1..70,f=0..65",
    "window_u8s8": "n=0..3,h=1..17,w=1..70,f=0..65", "window_row_bf16": "n=0..3,w=1..129,f=0..65",
    "window_three_bf16": "n=0..3,h=1..40,w=1..70,f=0..65", "window_one_bf16": "n=0..3,h=5..17,w=20..129,f=0..65",
    "window_five_i8": "n=0..3,h=1..17,w=1..70,f=0..65",
    "window_even_bf16": "n=0..3,h=1..17,w=1..40,f=0..65", "window_behind_bf16": "n=0..3,h=1..17,w=1..40,f=0..65",
    "window_space_bf16": "n=0..2,d=1..5,h=1..17,w=1..33,f=0..65",
    "conv2d_pad_s2": "n=0..3,h=1..17,w=1..33,c=0..33,f=0..65,kh=1..7,kw=1..7",
    "conv2d_pad_uneven": "n=0..3,h=7..17,w=7..33,c=0..33,f=0..65,kh=1..4,kw=1..4",
    "conv2d_pad_s2_weight_i8": "n=0..3,h=1..17,w=1..33,c=0..65,f=0..65,kh=1..7,kw=1..7",
    "conv2d_pad_s2_few_i8": "n=0..3,h=1..17,w=1..33,f=0..65,kh=1..7", "conv2d_pad_one_bf16": "n=0..3,h=1..17,w=1..33,f=0..65,kh=1..3",
    "conv2d_pad_uneven_weight_i8": "n=0..3,h=7..17,w=7..33,c=0..33,f=0..65,kh=1..4,kw=1..4",
    "conv2d_pad_rows_weight_i8": "n=0..3,h=1..17,w=7..33,c=0..33,f=0..65,kh=1..4,kw=1..7",
    "conv3d_pad_weight_i8": "n=0..2,d=1..5,h=1..7,w=1..17,c=0..17,f=0..33,kd=1..3,kh=1..3,kw=1..3",
    "conv2d_pad_blocks_bf16": "n=0..3,h=1..17,w=1..33", "conv3d_blocks_u8s8": "n=0..2,d=1..4,h=1..7,w=1..17",
    "conv2d_blocks_i8": "n=0..3,h=1..17,w=1..33",
    "conv2d_s2_all_dynamic": "n=0..3,h=7..17,w=7..33,c=0..33,f=0..65,kh=1..7,kw=1..7",
    "conv1d_pad": "n=0..3,w=1..129,c=0..33,f=0..65,kw=1..5", "conv3d_pad": "n=0..2,d=1..5,h=1..7,w=1..17,c=0..17,f=0..33,kd=1..3,kh=1..3,kw=1..3",
    "grouped_pad": "n=0..3,h=1..9,w=1..17,g=1..5,c=0..17,f=0..33,kh=1..3,kw=1..3",
    "grouped_s2": "n=0..3,h=3..9,w=3..17,g=1..5,c=0..17,f=0..33,kh=1..3,kw=1..3",
    "depthwise_pad": "n=0..3,h=1..17,w=5..33,c=0..65,kh=1..3,kw=1..7",
    "depthwise_pad_s2": "n=0..3,h=2..17,w=2..33,c=0..65,kh=1..5,kw=1..5",
    "depthwise_pad_d2": "n=0..3,h=3..17,w=3..33,c=0..65,kh=1..3,kw=1..3", "maxpool_3x3_pad": "n=0..3,h=1..17,w=1..33,c=0..65",
    "nchw_pad": "n=0..3,h=1..17,w=1..33,c=0..33,f=0..33,kh=1..3,kw=1..3",
    "nchw_pad_s2": "n=0..3,h=1..17,w=1..33,c=0..33,f=0..33,kh=1..3,kw=1..3",
    "maxpool_2x2_s2": "n=0..3,h=2..33,w=2..33", "avgpool_3x3_same": "n=0..3,h=1..33,w=1..33", "global_avgpool": "n=0..3,h=0..33,w=0..33",
    "softmax_named": "n=1..129", "softmax_rows": "n=1..129", "softmax_masked_4d": "b=0..3,h=0..5,m=0..33,n=1..129",
    "add_layernorm_768": "b=0..3,s=0..33",
    "reduce_middle_max": "m=0..33,k=1..129,n=0..65", "argmax_last": "n=1..129", "fix_rows": "m=1..129",
    "add_runtime_broadcast": "m=1..129,n=1..129",
    "transpose_0213": "b=0..3,h=0..13,d=0..65", "nchw_to_nhwc_i8": "n=0..3,h=0..33,w=0..33",
    "cache_step": "most=1..129,pos=0..128",
    "bert_layer": "b=0..3,s=1..33", "bert_encoder": "b=0..2,s=1..17",
    "llama_layer": "b=1..3,s=1..33,past=0..33", "llama_block": "b=1..2,s=1..17,past=0..33",
    "resnet_small": "b=0..2,h=32..65,w=32..65", "mlp": "m=0..129",
    "dlrm": "b=0..33,l0=0..17,l1=0..17,l2=0..17",
    "lstm": "s=1..17,b=0..17", "mlp_int8": "m=1..129",
}


def _window(s):
    s["m"] = max(1, s["m"])
    s["start"] = min(s["start"], s["m"])
    s["len"] = min(s["len"], s["m"] - s["start"])


def _broadcast(s):
    s["ym"], s["yn"] = (1 if s["ym"] % 2 else s["m"]), (1 if s["yn"] % 2 else s["n"])


def _filter_fits(s):
    s["kh"], s["kw"] = min(s["kh"], s["h"]), min(s["kw"], s["w"])


def _position(s):
    s["pos"] = min(s["pos"], s["most"] - 1)


# What must hold between the sizes of a program.
RELATIONS = {"window_matmul": _window, "add_runtime_broadcast": _broadcast, "conv2d_all_dynamic": _filter_fits, "cache_step": _position}


def ranges(program):
    """{dim: (least, most)} of PROGRAM."""
    found = {dim: (0, 129) for dim in program.dims}
    for item in filter(None, RANGES.get(program.name, "").split(",")):
        dim, bounds = item.split("=")
        least, most = bounds.split("..")
        found[dim] = int(least), int(most)
    return found


def sweep(program, count, seed=0):
    """COUNT sizes of PROGRAM: first each dim at its smallest in turn, then all dims walk the edges, each in an order of its own."""
    rng = random.Random(zlib.crc32(f"{program.name} {seed}".encode()))
    bounds, found = ranges(program), []

    def within(values, dim):
        least, most = bounds[dim]
        return [v for v in values if least <= v <= most] or [least]

    for dim in program.dims:
        found.append({d: bounds[d][0] if d == dim else rng.choice(within(MODERATE, d)) for d in program.dims})
    walks = {}
    for dim in program.dims:
        walks[dim] = []
        while len(walks[dim]) < count:
            edges = within(EDGES, dim)
            rng.shuffle(edges)
            walks[dim] += edges
    found += [{d: walks[d][i] for d in program.dims} for i in range(max(0, count - len(found)))]
    for sizes in found:
        if program.name in RELATIONS:
            RELATIONS[program.name](sizes)
    return found[:max(count, len(program.dims)) if count else 0]
