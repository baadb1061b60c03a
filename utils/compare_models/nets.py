"""The models as a PyTorch user writes them: functions of the weights that give a function of the inputs."""


def bert(torch, weights):
    f, count = torch.nn.functional, 16
    layers = [[w.T.contiguous() if w.ndim == 2 else w for w in weights[i:i + count]] for i in range(0, len(weights), count)]

    def run(x, mask):
        batch, length, width = x.shape
        for wq, bq, wk, bk, wv, bv, wo, bo, g1, b1, w1, c1, w2, c2, g2, b2 in layers:
            q, k, v = (f.linear(x, w, b).view(batch, length, 12, 64).transpose(1, 2) for w, b in ((wq, bq), (wk, bk), (wv, bv)))
            a = f.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(batch, length, width)
            x = f.layer_norm(x + f.linear(a, wo, bo), (width,), g1, b1)
            x = f.layer_norm(x + f.linear(f.gelu(f.linear(x, w1, c1)), w2, c2), (width,), g2, b2)
        return x
    return run


def decoder(torch, weights):
    f, count = torch.nn.functional, 9
    layers = [[w.T.contiguous() if w.ndim == 2 else w for w in weights[i:i + count]] for i in range(0, len(weights), count)]
    frequencies = 10000.0 ** (-torch.arange(0, 64, 2, dtype=torch.float64) / 64)

    def rotate(x, cos, sin):
        low, high = x.chunk(2, -1)
        return x * cos + torch.cat((-high, low), -1) * sin

    def run(x, positions, mask, *past):
        batch, length, width = x.shape
        angles = (positions[..., None].float() * frequencies.float()).repeat(1, 1, 2)[:, None]
        cos, sin, results = angles.cos(), angles.sin(), []
        for i, (g1, wq, wk, wv, wo, g2, gate, up, down) in enumerate(layers):
            y = f.rms_norm(x, (width,), g1, 1e-5)
            q, k, v = (f.linear(y, w).view(batch, length, -1, 64).transpose(1, 2) for w in (wq, wk, wv))
            k, v = torch.cat((past[2 * i], rotate(k, cos, sin)), 2), torch.cat((past[2 * i + 1], v), 2)
            results += [k, v]
            a = f.scaled_dot_product_attention(rotate(q, cos, sin), k, v, attn_mask=mask, enable_gqa=True)
            x = x + f.linear(a.transpose(1, 2).reshape(batch, length, width), wo)
            y = f.rms_norm(x, (width,), g2, 1e-5)
            x = x + f.linear(f.silu(f.linear(y, gate)) * f.linear(y, up), down)
        return (x, *results)
    return run


def resnet(torch, weights):
    f = torch.nn.functional

    def run(x):
        left = list(weights)

        def conv(x, stride=1):
            w, b = left.pop(0), left.pop(0)
            return f.conv2d(x, w, b, stride, w.shape[-1] // 2)

        x = f.max_pool2d(conv(x, 2).relu_(), 3, 2, 1)
        for stage, width in enumerate((64, 128, 256, 512)):
            for block in range(2):
                stride = 2 if stage and not block else 1
                y = conv(conv(x, stride).relu_())
                x = (y + (conv(x, stride) if x.shape[1] != width else x)).relu_()
        return f.linear(x.mean((2, 3)), *left)
    return run


def attention(torch, weights):
    return lambda q, k, v, mask: torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])


def lstm(torch, weights):
    # Gates in the order input, output, forget, cell there and input, forget, cell, output here.
    def order(w):
        i, o, f, c = w.chunk(4)
        return torch.cat((i, f, c, o)).contiguous()
    w, r, b = (t[0] for t in weights)
    flat = [order(w), order(r), order(b[:512]), order(b[512:])]
    return lambda x, h, c: torch.lstm(x, (h, c), flat, True, 1, 0.0, False, False, False)


def dlrm(torch, weights):
    f = torch.nn.functional
    w0, b0, w1, b1, *tables, w2, b2, w3, b3 = weights
    w0, w1, w2, w3 = (w.T.contiguous() for w in (w0, w1, w2, w3))

    def run(x, *bags):
        x = f.linear(f.linear(x, w0, b0).relu_(), w1, b1).relu_()
        features = torch.stack([x] + [f.embedding_bag(bag, table, mode="sum") for bag, table in zip(bags, tables)], 1)
        dots = torch.bmm(features, features.transpose(1, 2)).flatten(1)
        return f.linear(f.linear(torch.cat((x, dots), 1), w2, b2).relu_(), w3, b3).sigmoid_()
    return run


def experts(torch, weights):
    f = torch.nn.functional
    route, up, up_bias, down, down_bias = weights
    route, up, down = route.T.contiguous(), up.transpose(1, 2).contiguous(), down.transpose(1, 2).contiguous()

    def run(x):
        share, pick = f.linear(x, route).softmax(-1).max(-1, keepdim=True)
        y = torch.empty_like(x)
        for e in range(4):
            rows = (pick[:, 0] == e).nonzero()[:, 0]
            if len(rows):
                y[rows] = f.linear(f.linear(x[rows], up[e], up_bias[e]).relu_(), down[e], down_bias[e])
        return y.mul_(share)
    return run
