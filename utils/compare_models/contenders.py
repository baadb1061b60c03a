"""Who is timed. Each class loads one model and makes calls of its inputs that do nothing but the work: no argument is converted while timed.

A class has `load(model, weights, threads, artifact)`, whose ImportError says that the peer is not installed, and `prepare(names, inputs, wants)`, which gives
a function to call and one that gives its results."""
import os
import sys

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "examples", "bert-encoder"))
import runtime  # noqa: E402


class Vortex:
    def __init__(self, build):
        self.build = build

    def load(self, model, weights, threads, artifact):
        library = os.path.join(self.build, "lib", "libvortex_runtime.so")
        self.model, self.function = runtime.Model(library, artifact, threads), model.program
        if weights:
            self.model.bind(self.function, weights)
        self.version = ""

    def prepare(self, names, inputs, wants):
        outputs = [np.empty_like(want) for want in wants]
        return self.model.prepare(self.function, inputs, outputs), lambda: outputs

    @property
    def peak_bytes(self):
        return self.model.scratch_bytes


class OnnxRuntime:
    def load(self, model, weights, threads, artifact):
        import onnxruntime
        self.version, options = onnxruntime.__version__, onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
        graph = model.graph(weights)
        self.outputs = [value.name for value in graph.outputs]
        self.session = onnxruntime.InferenceSession(graph.bytes(), options, providers=["CPUExecutionProvider"])
        self.value = onnxruntime.OrtValue.ortvalue_from_numpy

    def prepare(self, names, inputs, wants):
        binding, outputs = self.session.io_binding(), [self.value(np.empty_like(want)) for want in wants]
        for name, array in zip(names, inputs):
            binding.bind_ortvalue_input(name, self.value(array))
        for name, output in zip(self.outputs, outputs):
            binding.bind_ortvalue_output(name, output)
        return lambda: self.session.run_with_iobinding(binding), lambda: [output.numpy() for output in outputs]


class OpenVino:
    precision = "f32"

    def load(self, model, weights, threads, artifact):
        import openvino
        # It computes in bf16 on processors with instructions for that, unless it is told not to; so does Vortex where it is told to.
        options = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": self.precision}
        core, self.version, self.tensor = openvino.Core(), openvino.__version__.split("-")[0], openvino.Tensor
        graph = model.graph(weights)
        self.request = core.compile_model(core.read_model(graph.bytes()), "CPU", options).create_infer_request()

    def prepare(self, names, inputs, wants):
        for name, array in zip(names, inputs):
            self.request.set_tensor(name, self.tensor(array, shared_memory=bool(array.size)))
        return self.request.infer, lambda: [self.request.get_output_tensor(i).data for i in range(len(wants))]


class Torch:
    def load(self, model, weights, threads, artifact):
        import torch
        if not model.net:
            raise ImportError("the model has no counterpart in it")
        torch.set_num_threads(threads)
        self.torch, self.version = torch, torch.__version__.split("+")[0]
        self.run = self.make(model.net(torch, [torch.from_numpy(w.copy()) for w in weights]))

    def make(self, net):
        return net

    def prepare(self, names, inputs, wants):
        tensors, results = [self.torch.from_numpy(array) for array in inputs], []

        def call():
            with self.torch.inference_mode():
                results[:] = [self.run(*tensors)]

        def flat(values):
            return [values] if isinstance(values, self.torch.Tensor) else [t for value in values for t in flat(value)]
        return call, lambda: [t.numpy() for t in flat(results[0])]


class TorchCompile(Torch):
    """Compiled on its first calls, and again where a size is not as it assumed then."""

    def make(self, net):
        return self.torch.compile(net, dynamic=True)


PEERS = {"onnxruntime": OnnxRuntime, "openvino": OpenVino, "torch": Torch, "torch-compile": TorchCompile}
USUAL = ["onnxruntime", "openvino", "torch"]  # without a compiler for each size
