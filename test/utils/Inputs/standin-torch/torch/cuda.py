"""Streams, events and graphs of the driver at hand."""
import contextlib
import ctypes as c
import time

cuda = c.CDLL("libcuda.so.1")
captured = None                                             # what waits for a graph's replay, while one is captured


def driver(function, *arguments):
    status = getattr(cuda, function)(*arguments)
    if status:
        raise RuntimeError(f"{function}: {status}")


def run(work):
    """Does WORK, or keeps it for the graph that is being captured."""
    if captured is None:
        work()
    else:
        captured.append(work)


def is_available():
    return True


def get_device_name(number):
    return "stand-in"


def set_device(number):
    device, context = c.c_int(), c.c_void_p()
    driver("cuInit", c.c_uint(0))
    driver("cuDeviceGet", c.byref(device), c.c_int(number))
    driver("cuDevicePrimaryCtxRetain", c.byref(context), device)
    driver("cuCtxPushCurrent_v2", context)


def synchronize():
    driver("cuStreamSynchronize", None)


class Stream:
    def __init__(self, device=None):
        self.cuda_stream = 4711


@contextlib.contextmanager
def stream(stream):
    yield


class Event:
    def __init__(self, enable_timing=False):
        pass

    def record(self, stream):
        self.at = time.perf_counter()

    def synchronize(self):
        pass

    def elapsed_time(self, last):
        return (last.at - self.at) * 1e3


class CUDAGraph:
    def replay(self):
        driver("cuGraphLaunch", self.made, c.c_void_p(4711))
        for work in self.work:
            work()


@contextlib.contextmanager
def graph(graph, stream):
    global captured
    collected, graph.made = c.c_void_p(), c.c_void_p()
    driver("cuStreamBeginCapture_v2", c.c_void_p(stream.cuda_stream), 0)
    graph.work = captured = []
    try:
        yield
    finally:
        captured = None
        driver("cuStreamEndCapture", c.c_void_p(stream.cuda_stream), c.byref(collected))
    driver("cuGraphInstantiateWithFlags", c.byref(graph.made), collected, c.c_ulonglong(0))
