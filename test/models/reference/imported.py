"""References of the other programs in imported/."""
import numpy as np

from .numerics import *
from .registry import draw, program


@program("imported/resnet_small", "b=1,h=32,w=32", "b=2,h=37,w=51", "b=1,h=64,w=33", tol=1e-4)
def resnet_small(r, b, h, w):
    x = r.f(b, 3, h, w)
    weights = []

    def layer(y, name, cin, cout, k, stride=1, relu=True):
        f, c = draw(f"resnet.{name}.w", (cout, cin, k, k), np.sqrt(2.0 / (cin * k * k))), draw(f"resnet.{name}.b", (cout,), 0.02)
        weights.extend([f, c])
        y = conv(y, f.transpose(2, 3, 1, 0), stride, pad=k // 2) + c
        return np.maximum(y, 0) if relu else y

    y = layer(x.transpose(0, 2, 3, 1), "stem", 3, 64, 7, 2)
    y = windows(np.pad(y, ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=-np.inf), 3, 2, lambda p: np.max(p, axis=0))
    cin = 64
    for s, c in enumerate((64, 128, 256, 512)):
        for n in range(2):
            stride = 2 if s and not n else 1
            z = layer(layer(y, f"{s}.{n}.c1", cin, c, 3, stride), f"{s}.{n}.c2", c, c, 3, relu=False)
            if stride != 1 or cin != c:
                y = layer(y, f"{s}.{n}.down", cin, c, 1, stride, relu=False)
            y, cin = np.maximum(y + z, 0), c
    fw, fb = draw("resnet.fc.w", (1000, 512), 1 / np.sqrt(512)), draw("resnet.fc.b", (1000,), 0.02)
    return [x] + weights + [fw, fb], [y.mean((1, 2)) @ fw.T + fb]


def mlp_weights(prefix, dims):
    return [t for i, (k, n) in enumerate(zip(dims, dims[1:]))
            for t in (draw(f"{prefix}.{i}.w", (k, n)), draw(f"{prefix}.{i}.b", (n,), 0.02))]


def mlp_ref(x, w):
    for i in range(0, len(w), 2):
        x = mm(x, w[i]) + w[i + 1]
        x = np.maximum(x, 0) if i + 2 < len(w) else x
    return x


@program("imported/mlp", "m=1", "m=7", "m=33", "m=0")
def mlp(r, m):
    x, w = r.f(m, 256), mlp_weights("mlp", (256, 1024, 1024, 64))
    return [x] + w, [mlp_ref(x, w)]


@program("imported/mlp_const", "m=1", "m=7", "m=33")
def mlp_const(r, m):
    x = r.f(m, 256)
    return [x], [mlp_ref(x, mlp_weights("mlpc", (256, 384, 384, 64)))]


@program("imported/mlp_resource", "m=1", "m=7", "m=33")
def mlp_resource(r, m):
    return mlp_const(r, m)


@program("imported/dlrm", "b=1,l0=1,l1=1,l2=1", "b=3,l0=2,l1=7,l2=1", "b=17,l0=5,l1=3,l2=11")
def dlrm(r, b, l0, l1, l2):
    x, bags = r.f(b, 13), [r.ints(0, 1000, b, l) for l in (l0, l1, l2)]

    def lin(n, k, m):
        return [draw(f"dlrm.{n}.w", (k, m)), draw(f"dlrm.{n}.b", (m,), 0.02)]

    bot0, bot1, top0, top1 = lin("bot0", 13, 128), lin("bot1", 128, 64), lin("top0", 80, 128), lin("top1", 128, 1)
    emb = [draw(f"dlrm.emb{t}", (1000, 64), 0.3) for t in range(3)]
    y = np.maximum(np.maximum(mm(x, bot0[0]) + bot0[1], 0) @ bot1[0] + bot1[1], 0)
    f = np.stack([y] + [d(e)[i].sum(1) for e, i in zip(emb, bags)], 1)
    z = np.concatenate([y, (f @ f.transpose(0, 2, 1)).reshape(b, 16)], 1)
    z = sigmoid(np.maximum(z @ top0[0] + top0[1], 0) @ top1[0] + top1[1])
    return [x] + bags + bot0 + bot1 + emb + top0 + top1, [z]


@program("imported/lstm", "s=1,b=1", "s=5,b=3", "s=17,b=2")
def lstm(r, s, b):
    x, h, c = r.f(s, b, 128), r.f(1, b, 128), r.f(1, b, 128)
    w, q, bias = draw("lstm.w", (1, 512, 128), 1 / np.sqrt(128)), draw("lstm.r", (1, 512, 128), 1 / np.sqrt(128)), draw("lstm.b", (1, 1024), 0.1)
    ys, hn, cn = [], d(h[0]), d(c[0])
    for t in range(s):
        g = x[t] @ d(w[0]).T + hn @ d(q[0]).T + bias[0, :512] + bias[0, 512:]
        i, o, f = (sigmoid(g[:, k:k + 128]) for k in (0, 128, 256))
        cn = f * cn + i * np.tanh(g[:, 384:])
        hn = o * np.tanh(cn)
        ys.append(hn)
    return [x, h, c, w, q, bias], [np.array(ys), hn[None], cn[None]]


@program("imported/mlp_int8", "m=1", "m=7", "m=33", tol=2e-3)
def mlp_int8(r, m):
    x, w, y = r.f(m, 256), [], None
    y = x
    for i, (k, n) in enumerate(((256, 512), (512, 64))):
        q8, b = draw(f"mlp8.{i}.w", (k, n), dtype=np.int8), draw(f"mlp8.{i}.b", (n,), 0.02)
        w += [q8, b]
        lo, hi = np.minimum(y.min(), f32(0)), np.maximum(y.max(), f32(0))
        scale = (hi - lo) / f32(255)
        zp = np.rint(np.clip(-lo / scale, 0, 255))
        q = np.clip(np.rint(y / scale) + zp, 0, 255)
        acc = (q - zp).astype(np.int32) @ q8.astype(np.int32)
        y = acc.astype(f32) * (scale * f32(1.0 / (127 * np.sqrt(k)))) + b
        y = np.maximum(y, 0) if i == 0 else y
    return [x] + w, [y]
