// REQUIRES: vortex-compile
// RUN: vortex-compile %s -o %t.so --weights=f:1
// RUN: llvm-readelf -p .vortex.meta %t.so | FileCheck %s
// RUN: llvm-readelf -d %t.so | FileCheck %s --check-prefix=NEEDED
// RUN: llvm-readelf -SW %t.so | FileCheck %s --check-prefix=SECTIONS

// CHECK: "abi":{{[0-9]+}},"crc32":"{{[0-9a-f]+}}","features":"{{[^"]*}}","functions":[
// CHECK-SAME: {"args":[{"dims":["m","k"],"dtype":"f32","kind":"tensor","shape":[-1,-1]},{"dtype":"bf16","kind":"tensor","shape":[8],"weight":true},{"dtype":"index","kind":"scalar","shape":[]},{"dtype":"i4","kind":"memref","shape":[]}],"most_bytes":0,"name":"f","peak_bytes":"0","results":[{"dtype":"complex<f64>","kind":"scalar","shape":[]}],"where":["m <= k"]}
// CHECK-SAME: {"args":[],"most_bytes":0,"name":"functions may have odd names","peak_bytes":"0","precision":"bf16","results":[]}

// NEEDED: NEEDED{{.*}}libm.so.6
// NEEDED-NEXT: NEEDED{{.*}}libc.so.6
// NEEDED-NOT: NEEDED

// No writable data, no constructors.
// SECTIONS-NOT: {{ }}.data {{ }}
// SECTIONS-NOT: .bss
// SECTIONS-NOT: .init_array
func.func @f(%a: tensor<?x?xf32> {vortex.dims = ["m", "k"]}, %b: tensor<8xbf16>, %c: index, %d: memref<i4>) -> complex<f64> attributes {vortex.where = ["m <= k"]} {
  %r = complex.constant [1.0, 2.0] : complex<f64>
  return %r : complex<f64>
}
func.func @"functions may have odd names"() attributes {vortex.precision = "bf16"} {
  return
}
