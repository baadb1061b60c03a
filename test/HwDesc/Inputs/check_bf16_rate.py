"""Fails when TARGET, this machine by default numbers, is AMD's with AVX-512 and has vdpbf16ps no faster than f32 multiply-adds."""
import pathlib
import re
import sys

cpu = pathlib.Path("/proc/cpuinfo").read_text()
if "AuthenticAMD" in cpu and " avx512_bf16" in cpu:
    text = pathlib.Path(sys.argv[1]).read_text()
    rate = {name: float(re.search(rf'<"{name}".*?rate = ([0-9.e+]+)', text, re.S)[1]) for name in ("vfmadd231ps", "vdpbf16ps")}
    sys.exit(rate["vdpbf16ps"] <= rate["vfmadd231ps"] and f"vdpbf16ps: {rate}")
