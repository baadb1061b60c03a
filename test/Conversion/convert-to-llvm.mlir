// RUN: vortex-opt %s --vortex-convert-to-llvm | FileCheck %s

// CHECK: llvm.func @kernel(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64, f32)
// CHECK: llvm.mlir.global private constant @[[TEXT:.*]]("sizes differ\00")

// CHECK-LABEL: llvm.func @memory(
// CHECK-SAME: %[[C:.*]]: !llvm.ptr, %{{.*}}: i64)
// CHECK: "llvm.intr.umul.with.overflow"
// CHECK: llvm.getelementptr inbounds %[[C]][0, 4]
// CHECK: llvm.call %{{.*}}(%[[C]], %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, i64) -> (!llvm.ptr {llvm.noalias})
// CHECK: llvm.getelementptr inbounds %[[C]][0, 5]
// CHECK: llvm.call %{{.*}}(%[[C]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()
// The caller's memory where it is of that size, else what the run time answers.
// CHECK: llvm.getelementptr inbounds %[[C]][0, 20]
// CHECK: %[[GIVEN:.*]] = llvm.load
// CHECK: %[[NONE:.*]] = llvm.icmp "eq" %[[GIVEN]]
// CHECK: llvm.cond_br %[[NONE]], ^[[ASK:.*]], ^[[COMPARE:.*]]
// CHECK: ^[[COMPARE]]:
// CHECK: llvm.getelementptr %[[GIVEN]][0]
// CHECK: %[[DATA:.*]] = llvm.load
// CHECK: llvm.getelementptr %[[GIVEN]][1]
// CHECK: llvm.icmp "eq" %{{.*}}, %{{.*}} : i64
// CHECK: llvm.cond_br %{{.*}}, ^[[AFTER:.*]](%[[DATA]] : !llvm.ptr), ^[[ASK]]
// CHECK: ^[[ASK]]:
// CHECK: llvm.getelementptr inbounds %[[C]][0, 6]
// CHECK: llvm.call %{{.*}}(%[[C]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, i64, !llvm.ptr, i64) -> !llvm.ptr
func.func @memory(%c: !llvm.ptr {vortex.context}, %n: index) {
  %0 = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %0 : memref<?xf32>
  %1 = vortex.result 0(%n) : memref<?xf32>
  return
}

// CHECK-LABEL: llvm.func @assertion(
// CHECK: llvm.cond_br
// CHECK: llvm.mlir.addressof @[[TEXT]]
// CHECK: llvm.getelementptr inbounds %{{.*}}[0, 7]
// CHECK: llvm.unreachable
func.func @assertion(%c: !llvm.ptr {vortex.context}, %ok: i1) {
  cf.assert %ok, "sizes differ"
  return
}

// Memory of tensors is not written during the call.
// CHECK-LABEL: llvm.func @call(
// CHECK-SAME: %[[C:[a-z0-9]*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.noalias, llvm.readonly}
// CHECK: llvm.call @kernel(%[[C]],
func.func @call(%c: !llvm.ptr {vortex.context}, %m: memref<?xf32> {vortex.read_only}, %x: f32) {
  vortex.kernel_call @kernel ins(%m, %x : memref<?xf32>, f32)
  return
}

// An instruction that only multiplies is followed by the addition.
// CHECK-LABEL: llvm.func @permute(
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.ps.512"(%[[A:.*]], %[[I:.*]], %{{.*}}) : (vector<16xf32>, vector<16xi32>, vector<16xf32>) -> vector<16xf32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.q.512"
func.func @permute(%a: vector<16xf32>, %b: vector<16xf32>, %i: vector<16xi32>, %x: vector<8xi64>) -> (vector<16xf32>, vector<8xi64>) {
  %0 = vortex.permute %a, %b by %i : vector<16xf32>, vector<16xi32>
  %1 = vortex.permute %x, %x by %x : vector<8xi64>, vector<8xi64>
  return %0, %1 : vector<16xf32>, vector<8xi64>
}

// CHECK-LABEL: llvm.func @dot_products(
// CHECK: llvm.inline_asm {{.*}}"", "=v,0"
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.*}}, %{{.*}}, %{{.*}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
// CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"(%{{.*}}, %{{.*}}) : (vector<32xi16>, vector<32xi16>) -> vector<16xi32>
// CHECK: llvm.add %{{.*}}, %[[P]]
func.func @dot_products(%s: vector<16xi32>, %a: vector<64xi8>, %b: vector<64xi8>, %x: vector<32xi16>) -> vector<16xi32> {
  %0 = vortex.opaque %a : vector<64xi8>
  %1 = vortex.dot_product "vpdpbusd" %s, %0, %b : vector<64xi8>, vector<64xi8> -> vector<16xi32>
  %2 = vortex.dot_product "vpmaddwd" %1, %x, %x : vector<32xi16>, vector<32xi16> -> vector<16xi32>
  return %2 : vector<16xi32>
}

// Without an instruction the first of each two bf16 is shifted to the upper half of an f32, the second is there already.
// CHECK-LABEL: llvm.func @pairs(
// CHECK: %[[UP:.*]] = llvm.mlir.constant(dense<16> : vector<8xi32>)
// CHECK: %[[A:.*]] = llvm.shl %{{.*}}, %[[UP]]
// CHECK: %[[AF:.*]] = llvm.bitcast %[[A]] : vector<8xi32> to vector<8xf32>
// CHECK: llvm.shl
// CHECK: %[[S:.*]] = llvm.intr.fma(%[[AF]], %{{.*}}, %{{.*}}) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
// CHECK: llvm.mlir.constant(dense<-65536> : vector<8xi32>)
// CHECK: llvm.and
// CHECK: llvm.and
// CHECK: llvm.intr.fma(%{{.*}}, %{{.*}}, %[[S]])
// CHECK: llvm.return
// CHECK-LABEL: llvm.func @first(
// CHECK: llvm.intr.fma
// CHECK-NOT: llvm.and
// CHECK: llvm.return
// CHECK-LABEL: llvm.func @second(
// CHECK-NOT: llvm.shl
// CHECK: llvm.and
// CHECK: llvm.intr.fma
// CHECK-NOT: llvm.intr.fma
// CHECK: llvm.return
func.func @pairs(%s: vector<8xf32>, %a: vector<16xbf16>, %b: vector<16xbf16>) -> vector<8xf32> {
  %0 = vortex.dot_product "vfmadd231ps_bf16" %s, %a, %b : vector<16xbf16>, vector<16xbf16> -> vector<8xf32>
  return %0 : vector<8xf32>
}
func.func @first(%s: vector<8xf32>, %a: vector<16xbf16>, %b: vector<16xbf16>) -> vector<8xf32> {
  %0 = vortex.dot_product "vfmadd231ps_bf16_low" %s, %a, %b : vector<16xbf16>, vector<16xbf16> -> vector<8xf32>
  return %0 : vector<8xf32>
}
func.func @second(%s: vector<8xf32>, %a: vector<16xbf16>, %b: vector<16xbf16>) -> vector<8xf32> {
  %0 = vortex.dot_product "vfmadd231ps_bf16_high" %s, %a, %b : vector<16xbf16>, vector<16xbf16> -> vector<8xf32>
  return %0 : vector<8xf32>
}
