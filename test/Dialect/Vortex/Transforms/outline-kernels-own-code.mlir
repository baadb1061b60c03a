// A kernel whose shared code spills has code of its own; the others share theirs as before.
// RUN: vortex-opt %s --vortex-outline-kernels=share=auto | FileCheck %s
// CHECK: vortex.kernel_call @a.rows
// CHECK: vortex.kernel_call @b.rows
// CHECK: vortex.kernel_call @a.rows
// CHECK: vortex.kernel_call @a.rows
// CHECK: module @a.rows attributes {vortex.general, vortex.implements = ["a=rows", "c=rows", "d=rows"]
// CHECK: module @b.rows attributes {vortex.implements = ["b=rows"]
// CHECK-NEXT: func.func @b.rows(%{{.*}}: !llvm.ptr, %{{.*}}: memref<100xf32,
module attributes {vortex.own_code = ["b=rows"]} {
func.func @f(%a0: tensor<64xf32>, %b0: tensor<100xf32>, %c0: tensor<128xf32>, %d0: tensor<256xf32>)
    -> (tensor<64xf32>, tensor<100xf32>, tensor<128xf32>, tensor<256xf32>) {
  %a = vortex.kernel "a" axes ["m"] outs(%a0 : tensor<64xf32>) {
  ^bb0(%o: tensor<64xf32>):
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%o : tensor<64xf32>) outs(%o : tensor<64xf32>) -> tensor<64xf32>
    vortex.yield %e : tensor<64xf32>
  } candidates {
  ^bb0(%m: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<64xf32>
  %b = vortex.kernel "b" axes ["m"] outs(%b0 : tensor<100xf32>) {
  ^bb0(%o: tensor<100xf32>):
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%o : tensor<100xf32>) outs(%o : tensor<100xf32>) -> tensor<100xf32>
    vortex.yield %e : tensor<100xf32>
  } candidates {
  ^bb0(%m: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<100xf32>
  %c = vortex.kernel "c" axes ["m"] outs(%c0 : tensor<128xf32>) {
  ^bb0(%o: tensor<128xf32>):
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%o : tensor<128xf32>) outs(%o : tensor<128xf32>) -> tensor<128xf32>
    vortex.yield %e : tensor<128xf32>
  } candidates {
  ^bb0(%m: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<128xf32>
  %d = vortex.kernel "d" axes ["m"] outs(%d0 : tensor<256xf32>) {
  ^bb0(%o: tensor<256xf32>):
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%o : tensor<256xf32>) outs(%o : tensor<256xf32>) -> tensor<256xf32>
    vortex.yield %e : tensor<256xf32>
  } candidates {
  ^bb0(%m: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<256xf32>
  return %a, %b, %c, %d : tensor<64xf32>, tensor<100xf32>, tensor<128xf32>, tensor<256xf32>
}
}
