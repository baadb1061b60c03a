"""Each program against what PyTorch has for it (cuBLAS, cuDNN, its own kernels), and where memory bounds it against a copy of as many
bytes: interleaved rounds, medians, in CUDA graphs where all can be captured."""
import contextlib
import statistics
import time

from .device import DeviceError
from .numerics import apart, wrong

CALLS = 10
# Both sides round, and libraries add in other orders: what is wrong is off by much more.
SLACK = 10


def others(torch, device):
    """{function: what PyTorch does for the same inputs, written to the given result where it can be}"""
    F = torch.nn.functional
    one = torch.ones(1, device=device)
    torch.backends.cudnn.benchmark = True                   # cuDNN takes the fastest of what it has

    def product(tf32=False):
        def multiply(a, b, out):
            torch.backends.cuda.matmul.allow_tf32 = tf32
            return torch.matmul(a, b, out=out)
        return multiply

    def convolution(stride, tf32=False):
        # Seen as channels first, images and weights lie as cuDNN likes them best.
        def convolve(x, w, out):
            torch.backends.cudnn.allow_tf32 = tf32
            return F.conv2d(x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2), stride=stride).permute(0, 2, 3, 1)
        return convolve

    attend = F.scaled_dot_product_attention
    return {"gemm_f16": product(), "gemm_bf16": product(), "gemm_f32": product(), "gemm_f64": product(), "gemm_tf32": product(tf32=True),
            "gemm_nt_f16": lambda a, b, out: torch.matmul(a, b.t(), out=out),
            "gemm_tn_f16": lambda a, b, out: torch.matmul(a.t(), b, out=out),
            "gemm_i8": lambda a, b, out: torch._int_mm(a, b.t(), out=out),
            "gemm_e4m3": lambda a, b, out: torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.float32),
            "bmm_f16": lambda a, b, out: torch.bmm(a, b, out=out),
            "bmm_nt_f16": lambda a, b, out: torch.bmm(a, b.permute(0, 2, 1), out=out),
            "linear_f16": lambda a, b, bias, out: torch.relu_(torch.addmm(bias, a, b, out=out)),
            "conv_f16": convolution(1), "conv_s2_f16": convolution(2), "conv_f32": convolution(1), "conv_tf32": convolution(1, tf32=True),
            "softmax_f32": lambda x, out: torch.softmax(x, -1, out=out),
            "layer_norm_f32": lambda x, g, h, out: F.layer_norm(x, x.shape[-1:], g, h),
            "rms_norm_f16": lambda x, g, out: F.rms_norm(x, x.shape[-1:], g.to(x.dtype), 1e-5),
            "column_sum_f32": lambda x, out: torch.sum(x, 0, out=out),
            "add_f32": lambda x, y, out: torch.add(x, y, out=out),
            "transpose_f32": lambda x, out: out.copy_(x.t()), "transpose_f16": lambda x, out: out.copy_(x.t()),
            "attention_f16": lambda q, k, v, out: attend(q[None], k[None], v[None]),
            "attention_bf16": lambda q, k, v, out: attend(q[None], k[None], v[None]),
            "attention_causal_f16": lambda q, k, v, out: attend(q[None], k[None], v[None], is_causal=True)}


def first_line(error):
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def capture(torch, call, stream):
    """CALLS calls as one graph, or None and why not."""
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(CALLS):
                call()
        return graph.replay, ""
    except Exception as e:                                  # whatever a library raises while it is captured
        torch.cuda.synchronize()
        return None, first_line(e)


def measure_once(torch, side, stream):
    """Microseconds of a call."""
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    first.record(stream)
    side()
    last.record(stream)
    last.synchronize()
    return first.elapsed_time(last) * 1e3 / CALLS


def measure(torch, sides, stream, rounds, turns=None, seconds=float("inf")):
    """Median microseconds of a call for each of SIDES, whose rounds take turns, each in the context of its own of TURNS. No round but the
    first begins after SECONDS."""
    times, began = [[] for _ in sides], time.monotonic()
    with torch.cuda.stream(stream):
        for number in range(rounds):
            if number and time.monotonic() - began > seconds:
                break
            for side, taken, turn in zip(sides, times, turns or [contextlib.nullcontext] * len(times)):
                with turn():
                    taken.append(measure_once(torch, side, stream))
    return [statistics.median(taken) for taken in times]


def several(call):
    def run():
        for _ in range(CALLS):
            call()
    return run


def missing(torch, call):
    """Why the library does not compute this, or nothing."""
    try:
        call()
        torch.cuda.synchronize()
        return ""
    except Exception as e:                                  # each of its functions has limits and errors of its own
        return first_line(e)


class Timer:
    """Times of PROGRAM, whose candidates in FAULTY ("function kernel=candidate") are not run."""

    def __init__(self, program, torch, device, rounds, faulty):
        self.program, self.torch, self.device, self.rounds, self.faulty = program, torch, device, rounds, set(faulty)
        self.stream, self.others = torch.cuda.Stream(device), others(torch, device)
        program.set_stream(self.stream.cuda_stream)

    def compares(self, case):
        return case.function in self.others

    def time(self, case, sizes, how):
        """The entry of the report that HOW, given CASE and SIZES, fills; with "error" in the place of times where there are none."""
        entry = {"function": case.function, "sizes": list(sizes), "failures": []}
        try:
            return entry | how(case, sizes)
        except (RuntimeError, DeviceError) as e:            # the library's: no memory, say
            self.torch.cuda.synchronize()                   # fails where the device is lost, which ends this process
            self.torch.cuda.empty_cache()
            return entry | {"error": first_line(e)}

    def make(self, case, sizes):
        """Inputs and room for results."""
        inputs, results = case.shapes(*sizes)
        made = ([self.torch.randn(shape, device=self.device).to(getattr(self.torch, kind)) for shape, kind in inputs],
                [self.torch.empty(shape, dtype=getattr(self.torch, kind), device=self.device) for shape, kind in results])
        self.torch.cuda.synchronize()                       # another stream reads them
        return made

    def compare(self, case, sizes):
        torch, program = self.torch, self.program
        tensors, outs = self.make(case, sizes)
        theirs_out = torch.empty_like(outs[0])
        arguments = [program.borrow(t) for t in tensors]
        chosen = [(one.kernel, one.chosen) for one in program.choices(case.function, arguments)]
        if found := [name for kernel, name in chosen if f"{case.function} {kernel}={name}" in self.faulty]:
            return {"error": f"chooses {found[0]}, which faulted"}
        # A bias of the products' own type is what PyTorch takes.
        given = [t.to(tensors[0].dtype) if case.function == "linear_f16" else t for t in tensors]
        sides = {"": program.prepare(case.function, arguments, [program.borrow(t) for t in outs]),
                 "torch_": lambda: self.others[case.function](*given, theirs_out)}
        if case.moved:
            half = torch.empty(max(1, int(case.moved(*sizes) / 8)), device=self.device)
            other = torch.empty_like(half)
            sides["copy_"] = lambda: other.copy_(half)
        entry = {"chosen": chosen}
        with torch.cuda.stream(self.stream):
            if without := missing(torch, sides["torch_"]):
                entry["without"] = without
                del sides["torch_"]
            sides[""]()
            torch.cuda.synchronize()
            if not without:
                entry["failures"] = self.differs(case, sizes, outs[0], sides["torch_"]())
            for _ in range(2):
                for call in sides.values():
                    call()
        torch.cuda.synchronize()
        return entry | self.take(case, sizes, sides)

    def differs(self, case, sizes, mine, theirs):
        """Numbers at sizes that no reference in f64 is made for, against the library's."""
        if theirs is None:
            return []
        error, largest = apart(mine, theirs)
        if not wrong(error, largest, SLACK * case.tolerance):
            return []
        return [{"case": f"{case.function} {'x'.join(map(str, sizes))} against PyTorch", "error": error, "largest": largest}]

    def take(self, case, sizes, sides):
        """The times of SIDES, and what they mean."""
        graphs = {side: capture(self.torch, call, self.stream) for side, call in sides.items()}
        all_of_them = all(graph for graph, _ in graphs.values())
        runs = [graph for graph, _ in graphs.values()] if all_of_them else [several(call) for call in sides.values()]
        entry = dict(zip((side + "us" for side in sides), measure(self.torch, runs, self.stream, self.rounds)))
        mine, entry["graphs"] = entry["us"], all_of_them
        if not all_of_them:
            entry["no_graph"] = {side or "vortex_": why for side, (_, why) in graphs.items() if why}
        if "torch_us" in entry:
            entry["over_torch"] = entry["torch_us"] / mine
        if "copy_us" in entry:
            entry["of_copy"] = entry["copy_us"] / mine
            entry["gbytes"] = case.moved(*sizes) / mine * 1e-3
        if case.flops:
            entry["tflops"] = case.flops(*sizes) / mine * 1e-6
        return entry
