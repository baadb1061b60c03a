// A fused multiply-add of f16 or bf16 is rounded once, also on machines without one.
// REQUIRES: vortex-compile, vortex-run, avx2
// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/narrow_fma.py %t
// RUN: vortex-compile %s --target=host -o %t/host.so
// RUN: vortex-run %t/host.so --function=half --input=@%t/f16-a.npy --input=@%t/f16-b.npy --input=@%t/f16-c.npy --expected-output=@%t/f16-want.npy --atol=0
// RUN: vortex-run %t/host.so --function=brain --input=4000xbf16=@%t/bf16-a.npy --input=4000xbf16=@%t/bf16-b.npy --input=4000xbf16=@%t/bf16-c.npy --expected-output=4000xbf16=@%t/bf16-want.npy --atol=0
// RUN: vortex-run %t/host.so --function=scalar --input=f16=1.001 --input=f16=0.999 --input=f16=-1 --expected-output=f16=-9.5367431640625e-07 --atol=0
// RUN: vortex-compile %s --target=x86-avx2 -o %t/avx2.so
// RUN: vortex-run %t/avx2.so --function=half --input=@%t/f16-a.npy --input=@%t/f16-b.npy --input=@%t/f16-c.npy --expected-output=@%t/f16-want.npy --atol=0
// RUN: vortex-run %t/avx2.so --function=brain --input=4000xbf16=@%t/bf16-a.npy --input=4000xbf16=@%t/bf16-b.npy --input=4000xbf16=@%t/bf16-c.npy --expected-output=4000xbf16=@%t/bf16-want.npy --atol=0
// RUN: vortex-compile %s --target=x86-avx512 -o %t/avx512.so
// RUN: %if avx512 %{ vortex-run %t/avx512.so --function=half --input=@%t/f16-a.npy --input=@%t/f16-b.npy --input=@%t/f16-c.npy --expected-output=@%t/f16-want.npy --atol=0 %}
// RUN: %if avx512 %{ vortex-run %t/avx512.so --function=brain --input=4000xbf16=@%t/bf16-a.npy --input=4000xbf16=@%t/bf16-b.npy --input=4000xbf16=@%t/bf16-c.npy --expected-output=4000xbf16=@%t/bf16-want.npy --atol=0 %}

func.func @half(%a: tensor<?xf16>, %b: tensor<?xf16>, %c: tensor<?xf16>) -> tensor<?xf16> {
  %r = math.fma %a, %b, %c : tensor<?xf16>
  return %r : tensor<?xf16>
}
func.func @brain(%a: tensor<?xbf16>, %b: tensor<?xbf16>, %c: tensor<?xbf16>) -> tensor<?xbf16> {
  %r = math.fma %a, %b, %c : tensor<?xbf16>
  return %r : tensor<?xbf16>
}
func.func @scalar(%a: f16, %b: f16, %c: f16) -> f16 {
  %r = math.fma %a, %b, %c : f16
  return %r : f16
}
