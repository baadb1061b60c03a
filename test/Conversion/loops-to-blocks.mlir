// A loop tests behind its body, and in front of all of it once; what it says of
// being repeated lies on the branch back, and others say "never" where asked to.
// RUN: vortex-opt --vortex-loops-to-blocks %s | FileCheck %s
// RUN: vortex-opt --vortex-loops-to-blocks=unroll=false %s | FileCheck %s --check-prefixes=CHECK,NEVER
// RUN: vortex-opt --vortex-loops-to-blocks=unroll=false --convert-to-llvm %s | FileCheck %s --check-prefix=LLVM

#four = #llvm.loop_unroll<count = 4 : i32>
#repeat = #llvm.loop_annotation<unroll = #four>

// NEVER: #[[ONCE:.*]] = #llvm.loop_unroll<disable = true>
// NEVER: #[[NEVER:.*]] = #llvm.loop_annotation<unroll = #[[ONCE]]>

// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[FROM:.*]]: index, %[[TO:.*]]: index, %[[STEP:.*]]: index, %[[IN:.*]]: f32)
// CHECK: %[[SOME:.*]] = arith.cmpi slt, %[[FROM]], %[[TO]]
// CHECK: cf.cond_br %[[SOME]], ^[[BODY:.*]](%[[FROM]], %[[IN]] : index, f32), ^[[BEHIND:.*]](%[[IN]] : f32)
// CHECK: ^[[BODY]](%[[I:.*]]: index, %[[SUM:.*]]: f32):
// CHECK: %[[OUT:.*]] = arith.addf %[[SUM]], %[[SUM]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[TO]]
// CHECK: cf.cond_br %[[MORE]], ^[[BACK:.*]](%[[NEXT]], %[[OUT]] : index, f32), ^[[BEHIND]](%[[OUT]] : f32)
// CHECK: ^[[BACK]](%[[AGAIN:.*]]: index, %[[SUM2:.*]]: f32):
// CHECK: cf.br ^[[BODY]](%[[AGAIN]], %[[SUM2]] : index, f32) {loop_annotation = #{{.*}}}
// CHECK: ^[[BEHIND]](%[[RESULT:.*]]: f32):
// CHECK: return %[[RESULT]]

// LLVM: #[[FOUR:.*]] = #llvm.loop_unroll<count = 4 : i32>
// LLVM: #[[REPEAT:.*]] = #llvm.loop_annotation<unroll = #[[FOUR]]>
// LLVM-LABEL: llvm.func @sum(
// LLVM: llvm.br {{.*}} {loop_annotation = #[[REPEAT]]}
func.func @sum(%from: index, %to: index, %step: index, %in: f32) -> f32 {
  %sum = scf.for %i = %from to %to step %step iter_args(%a = %in) -> (f32) {
    %b = arith.addf %a, %a : f32
    scf.yield %b : f32
  } {loop_annotation = #repeat}
  return %sum : f32
}

// A loop that says nothing, in a choice; unsigned bounds.
// CHECK-LABEL: func.func @nested(
// CHECK-NOT: scf.
// CHECK: arith.cmpi ult
// CHECK: arith.cmpi ult
// NEVER: cf.br {{.*}} {loop_annotation = #[[NEVER]]}
// CHECK: return
func.func @nested(%c: i1, %to: index, %m: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.if %c {
    scf.for unsigned %i = %c0 to %to step %c1 {
      memref.store %x, %m[%i] : memref<?xf32>
    }
  }
  return
}
