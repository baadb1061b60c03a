"""The models as ONNX graphs, in the operators that exporters write for them, with the weights of the references as initializers."""
import numpy as np


class Graph:
    """An ONNX graph in the making. Weights are taken in the order of the program's arguments."""

    def __init__(self, weights):
        self.weights, self.nodes, self.values, self.inputs, self.outputs = list(weights), [], [], [], []

    def __getattr__(self, operator):
        def add(*operands, outs=1, **attributes):
            from onnx import helper
            names = [f"v{len(self.nodes)}_{i}" for i in range(outs)]
            self.nodes.append(helper.make_node(operator, [self.name(o) for o in operands], names, **attributes))
            return names[0] if outs == 1 else names
        return add

    def name(self, operand):
        """Of a value, which is one already, or of a constant."""
        if isinstance(operand, str):
            return operand
        from onnx import numpy_helper
        self.values.append(numpy_helper.from_array(np.ascontiguousarray(operand), f"w{len(self.values)}"))
        return self.values[-1].name

    def take(self):
        return self.weights.pop(0)

    def ints(self, *values):
        return np.array(values, np.int64)

    def input(self, name, *sizes, of=np.float32):
        from onnx import helper
        self.inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(of)), sizes))
        return name

    def output(self, value, *sizes):
        from onnx import TensorProto, helper
        self.outputs.append(helper.make_tensor_value_info(value, TensorProto.FLOAT, sizes))

    def bytes(self):
        from onnx import checker, helper
        model = helper.make_model(helper.make_graph(self.nodes, "main", self.inputs, self.outputs, self.values),
                                  opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        checker.check_model(model)
        return model.SerializeToString()

    def linear(self, x, bias=True):
        y = self.MatMul(x, self.take())
        return self.Add(y, self.take()) if bias else y

    def heads(self, x, count, size):
        return self.Transpose(self.Reshape(x, self.ints(0, 0, count, size)), perm=[0, 2, 1, 3])

    def join_heads(self, x, width):
        return self.Reshape(self.Transpose(x, perm=[0, 2, 1, 3]), self.ints(0, 0, width))

    def attend(self, q, k, v, mask, size):
        scores = self.Mul(self.MatMul(q, self.Transpose(k, perm=[0, 1, 3, 2])), np.float32(size ** -0.5))
        return self.MatMul(self.Softmax(self.Add(scores, mask), axis=-1), v)


def bert(weights):
    g = Graph(weights)
    x, mask = g.input("x", "b", "s", 768), g.input("mask", "b", 1, 1, "s")
    for _ in range(4):
        q, k, v = (g.heads(g.linear(x), 12, 64) for _ in range(3))
        x = g.Add(x, g.linear(g.join_heads(g.attend(q, k, v, mask, 64), 768)))
        x = g.LayerNormalization(x, g.take(), g.take(), axis=-1, epsilon=1e-5)
        y = g.linear(x)
        y = g.Mul(g.Mul(y, g.Add(g.Erf(g.Div(y, np.float32(2 ** 0.5))), np.float32(1))), np.float32(0.5))
        x = g.LayerNormalization(g.Add(x, g.linear(y)), g.take(), g.take(), axis=-1, epsilon=1e-5)
    g.output(x, "b", "s", 768)
    return g


DECODER_INPUTS = ["x", "positions", "mask", "key0", "value0", "key1", "value1"]


def decoder(weights):
    g = Graph(weights)
    x, positions = g.input("x", "b", "s", 1024), g.input("positions", "b", "s", of=np.int64)
    mask = g.input("mask", "b", 1, "s", "total")
    past = [g.input(name, "b", 8, "past", 64) for name in DECODER_INPUTS[3:]]
    frequencies = (10000.0 ** (-np.arange(0, 64, 2) / 64)).astype(np.float32)
    angles = g.Mul(g.Unsqueeze(g.Cast(positions, to=1), g.ints(2)), frequencies)
    angles = g.Unsqueeze(g.Concat(angles, angles, axis=-1), g.ints(1))
    cos, sin = g.Cos(angles), g.Sin(angles)

    def norm(t):
        square = g.ReduceMean(g.Mul(t, t), axes=[-1], keepdims=1)
        return g.Mul(g.Mul(t, g.Reciprocal(g.Sqrt(g.Add(square, np.float32(1e-5))))), g.take())

    def rotate(t):
        low, high = g.Slice(t, g.ints(0), g.ints(32), g.ints(3)), g.Slice(t, g.ints(32), g.ints(64), g.ints(3))
        return g.Add(g.Mul(t, cos), g.Mul(g.Concat(g.Neg(high), low, axis=-1), sin))

    def repeat(t):
        batch, keys = (g.Gather(g.Shape(t), g.ints(axis)) for axis in (0, 2))
        every = g.Expand(g.Unsqueeze(t, g.ints(2)), g.Concat(batch, g.ints(8, 2), keys, g.ints(64), axis=0))
        return g.Reshape(every, g.Concat(batch, g.ints(16), keys, g.ints(64), axis=0))

    results = []
    for layer in range(2):
        y = norm(x)
        q, k = rotate(g.heads(g.linear(y, False), 16, 64)), rotate(g.heads(g.linear(y, False), 8, 64))
        v = g.heads(g.linear(y, False), 8, 64)
        k, v = g.Concat(past[2 * layer], k, axis=2), g.Concat(past[2 * layer + 1], v, axis=2)
        results += [k, v]
        x = g.Add(x, g.linear(g.join_heads(g.attend(q, repeat(k), repeat(v), mask, 64), 1024), False))
        y = norm(x)
        gate, up = g.linear(y, False), g.linear(y, False)
        x = g.Add(x, g.linear(g.Mul(g.Mul(gate, g.Sigmoid(gate)), up), False))
    g.output(x, "b", "s", 1024)
    for value in results:
        g.output(value, "b", 8, "total", 64)
    return g


def resnet(weights):
    g = Graph(weights)

    def conv(x, size, stride=1):
        return g.Conv(x, g.take(), g.take(), kernel_shape=[size, size], strides=[stride, stride], pads=[size // 2] * 4)

    x = g.Relu(conv(g.input("x", "b", 3, "h", "w"), 7, 2))
    x, channels = g.MaxPool(x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), 64
    for stage, width in enumerate((64, 128, 256, 512)):
        for block in range(2):
            stride = 2 if stage and not block else 1
            y = conv(g.Relu(conv(x, 3, stride)), 3)
            x = conv(x, 1, stride) if width != channels else x
            x, channels = g.Relu(g.Add(x, y)), width
    g.output(g.Gemm(g.Flatten(g.GlobalAveragePool(x), axis=1), g.take(), g.take(), transB=1), "b", 1000)
    return g


def attention(weights):
    g = Graph(weights)
    q = g.input("q", "b", 12, "m", 64)
    k, v = (g.input(name, "b", 12, "n", 64) for name in "kv")
    g.output(g.attend(q, k, v, g.Unsqueeze(g.input("mask", "b", "n"), g.ints(1, 2)), 64), "b", 12, "m", 64)
    return g


def lstm(weights):
    g = Graph(weights)
    x = g.input("x", "s", "b", 128)
    h, c = (g.input(name, 1, "b", 128) for name in ("h0", "c0"))
    y, h, c = g.LSTM(x, g.take(), g.take(), g.take(), "", h, c, outs=3, hidden_size=128)
    g.output(g.Squeeze(y, g.ints(1)), "s", "b", 128)
    g.output(h, 1, "b", 128)
    g.output(c, 1, "b", 128)
    return g


def dlrm(weights):
    g = Graph(weights)
    x = g.input("dense", "b", 13)
    bags = [g.input(f"bag{t}", "b", f"l{t}", of=np.int64) for t in range(3)]
    for _ in range(2):
        x = g.Relu(g.linear(x))
    sums = [g.ReduceSum(g.Gather(g.take(), bag, axis=0), g.ints(1), keepdims=1) for bag in bags]
    features = g.Concat(g.Unsqueeze(x, g.ints(1)), *sums, axis=1)
    dots = g.Flatten(g.MatMul(features, g.Transpose(features, perm=[0, 2, 1])), axis=1)
    g.output(g.Sigmoid(g.linear(g.Relu(g.linear(g.Concat(x, dots, axis=1))))), "b", 1)
    return g


def experts(weights):
    g = Graph(weights)
    route, up, up_bias, down, down_bias = weights
    x = g.input("x", "t", 256)
    scores = g.MatMul(x, route)
    share, pick = g.ReduceMax(g.Softmax(scores, axis=-1), axes=[1], keepdims=1), g.ArgMax(scores, axis=1, keepdims=0)
    y = g.Mul(x, np.float32(0))
    for e in range(4):
        rows = g.Transpose(g.NonZero(g.Equal(pick, np.int64(e))), perm=[1, 0])
        hidden = g.Relu(g.Add(g.MatMul(g.GatherND(x, rows), up[e]), up_bias[e]))
        y = g.ScatterND(y, rows, g.Add(g.MatMul(hidden, down[e]), down_bias[e]))
    g.output(g.Mul(y, share), "t", 256)
    return g


def mlp_int8(weights):
    g = Graph(weights)
    x = g.input("x", "m", 256)
    for layer, size in enumerate((256, 512)):
        q, scale, zero = g.DynamicQuantizeLinear(x, outs=3)
        sums = g.Cast(g.MatMulInteger(q, g.take(), zero), to=1)
        x = g.Add(g.Mul(sums, g.Mul(scale, np.float32(1 / (127 * size ** 0.5)))), g.take())
        x = x if layer else g.Relu(x)
    g.output(x, "m", 64)
    return g
