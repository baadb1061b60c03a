"""The models that are compared: the program and its weights, sizes to draw, the same model for peers.

Inputs, weights and expected results come from the program's reference in test/models/reference."""
import collections
import math
import os
import random

from . import graphs, nets

# SIZES are drawn log-uniformly between two bounds; LIMIT, of the sizes drawn, says which are kept: neither minutes long nor out of the ordinary.
Model = collections.namedtuple("Model", "program inputs names sizes limit graph net")

IMAGE = {"b": (1, 8), "h": (32, 320), "w": (32, 320)}
BAGS = {f"l{t}": (1, 32) for t in range(3)}

MODELS = {
    "bert": Model("bert_encoder", 2, ["x", "mask"], {"b": (1, 8), "s": (1, 384)}, lambda b, s: b * s <= 768, graphs.bert, nets.bert),
    "prefill": Model("llama_block", 7, graphs.DECODER_INPUTS, {"b": (1, 2), "s": (8, 384), "past": (1, 256)},
                     lambda b, s, past: b * s <= 512, graphs.decoder, nets.decoder),
    "decode": Model("llama_block", 7, graphs.DECODER_INPUTS, {"b": (1, 4), "s": (1, 1), "past": (1, 1500)},
                    lambda b, s, past: True, graphs.decoder, nets.decoder),
    "resnet": Model("resnet_small", 1, ["x"], IMAGE, lambda b, h, w: b * h * w <= 130000 and max(h, w) <= 3 * min(h, w),
                    graphs.resnet, nets.resnet),
    "attention": Model("attention", 4, ["q", "k", "v", "mask"], {"b": (1, 4), "m": (2, 1024), "n": (2, 4096)},
                       lambda b, m, n: b * m * n <= 1 << 20, graphs.attention, nets.attention),
    "attention-row": Model("attention", 4, ["q", "k", "v", "mask"], {"b": (1, 4), "m": (1, 1), "n": (16, 4096)},
                           lambda b, m, n: True, graphs.attention, nets.attention),
    "lstm": Model("lstm", 3, ["x", "h0", "c0"], {"s": (1, 64), "b": (1, 32)}, lambda s, b: True, graphs.lstm, nets.lstm),
    "dlrm": Model("dlrm", 4, ["dense", "bag0", "bag1", "bag2"], {"b": (1, 512), **BAGS}, lambda b, l0, l1, l2: True, graphs.dlrm, nets.dlrm),
    "experts": Model("moe_top1", 1, ["x"], {"t": (1, 512)}, lambda t: True, graphs.experts, nets.experts),
    "mlp-int8": Model("mlp_int8", 1, ["x"], {"m": (1, 1024)}, lambda m: True, graphs.mlp_int8, None),
}


def draw(name, count, seed):
    """COUNT different sizes of the model, the same for a seed."""
    model, found, source = MODELS[name], [], random.Random(f"{name} {seed}")
    for _ in range(1000):
        sizes = {axis: min(high, int(math.exp(source.uniform(math.log(low), math.log(high + 1)))))
                 for axis, (low, high) in model.sizes.items()}
        if len(found) < count and model.limit(**sizes) and sizes not in found:
            found.append(sizes)
    return found


def compile_flags(name, program):
    """The program's file and the flags that bind its weights."""
    model, (inputs, _) = MODELS[name], program.make(program.sizes[0])
    bound = f"--weights={model.program}:{model.inputs}-{len(inputs) - 1}"
    return os.path.join("test", "models", program.file + ".mlir"), [bound] if len(inputs) > model.inputs else []
