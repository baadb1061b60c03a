// Kernels that differ in known extents alone share their code where there are three, or where two are enough.
// RUN: vortex-opt %s --vortex-outline-kernels=share=auto | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: vortex-opt %s --vortex-outline-kernels=share=always | FileCheck %s --check-prefixes=CHECK,ALWAYS
// RUN: vortex-opt %s --vortex-outline-kernels | FileCheck %s --check-prefix=NEVER
// RUN: vortex-opt %s --vortex-attach-target=target=sm_80 --vortex-outline-kernels=share=always | FileCheck %s --check-prefix=NEVER

// Three widths, and one of them twice. What all have in common, 48 rows, stays known.
// CHECK-LABEL: func.func @widths
// CHECK-COUNT-4: vortex.kernel_call @a.rows outs(%{{.*}} : tensor<48x{{[0-9]+}}xf32>)
// NEVER-LABEL: func.func @widths
// NEVER: vortex.kernel_call @a.rows
// NEVER: vortex.kernel_call @b.rows
// NEVER: vortex.kernel_call @c.rows
// NEVER: vortex.kernel_call @a.rows
func.func @widths(%x: tensor<48x64xf32>, %y: tensor<48x128xf32>, %z: tensor<48x100xf32>)
    -> (tensor<48x64xf32>, tensor<48x128xf32>, tensor<48x100xf32>, tensor<48x64xf32>) {
  %a = vortex.kernel "a" axes ["m", "n"] outs(%x : tensor<48x64xf32>) {
  ^bb0(%o: tensor<48x64xf32>):
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%o : tensor<48x64xf32>) outs(%o : tensor<48x64xf32>) -> tensor<48x64xf32>
    vortex.yield %e : tensor<48x64xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<48x64xf32>
  %b = vortex.kernel "b" axes ["m", "n"] outs(%y : tensor<48x128xf32>) {
  ^bb0(%o: tensor<48x128xf32>):
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%o : tensor<48x128xf32>) outs(%o : tensor<48x128xf32>) -> tensor<48x128xf32>
    vortex.yield %e : tensor<48x128xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<48x128xf32>
  %c = vortex.kernel "c" axes ["m", "n"] outs(%z : tensor<48x100xf32>) {
  ^bb0(%o: tensor<48x100xf32>):
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%o : tensor<48x100xf32>) outs(%o : tensor<48x100xf32>) -> tensor<48x100xf32>
    vortex.yield %e : tensor<48x100xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<48x100xf32>
  %d = vortex.kernel "d" axes ["m", "n"] outs(%x : tensor<48x64xf32>) {
  ^bb0(%o: tensor<48x64xf32>):
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%o : tensor<48x64xf32>) outs(%o : tensor<48x64xf32>) -> tensor<48x64xf32>
    vortex.yield %e : tensor<48x64xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<48x64xf32>
  return %a, %b, %c, %d : tensor<48x64xf32>, tensor<48x128xf32>, tensor<48x100xf32>, tensor<48x64xf32>
}

// Two that multiply: one code if all may share. Of the same place in all others the extent is known.
// CHECK-LABEL: func.func @two
// AUTO: vortex.kernel_call @p.rows
// AUTO: vortex.kernel_call @q.rows
// ALWAYS-COUNT-2: vortex.kernel_call @p.rows
func.func @two(%x: tensor<?x64xf32>, %y: tensor<?x96xf32>, %t: tensor<64xf32>, %u: tensor<96xf32>)
    -> (tensor<?x64xf32>, tensor<?x96xf32>) {
  %a = vortex.kernel "p" axes ["m", "n"] ins(%t : tensor<64xf32>) outs(%x : tensor<?x64xf32>) {
  ^bb0(%v: tensor<64xf32>, %o: tensor<?x64xf32>):
    %e = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"], vortex.anchor, vortex.id = "e"}
        ins(%v : tensor<64xf32>) outs(%o : tensor<?x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %sum = arith.addf %in, %out : f32
      linalg.yield %sum : f32
    } -> tensor<?x64xf32>
    vortex.yield %e : tensor<?x64xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<?x64xf32>
  %b = vortex.kernel "q" axes ["m", "n"] ins(%u : tensor<96xf32>) outs(%y : tensor<?x96xf32>) {
  ^bb0(%v: tensor<96xf32>, %o: tensor<?x96xf32>):
    %e = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"], vortex.anchor, vortex.id = "e"}
        ins(%v : tensor<96xf32>) outs(%o : tensor<?x96xf32>) {
    ^bb0(%in: f32, %out: f32):
      %sum = arith.addf %in, %out : f32
      linalg.yield %sum : f32
    } -> tensor<?x96xf32>
    vortex.yield %e : tensor<?x96xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<?x96xf32>
  return %a, %b : tensor<?x64xf32>, tensor<?x96xf32>
}

// Extents of tiles and windows make other code.
// CHECK-LABEL: func.func @small
// CHECK: vortex.kernel_call @r.rows
// CHECK: vortex.kernel_call @s.rows
func.func @small(%x: tensor<?x8xf32>, %y: tensor<?x32xf32>) -> (tensor<?x8xf32>, tensor<?x32xf32>) {
  %a = vortex.kernel "r" axes ["m", "n"] outs(%x : tensor<?x8xf32>) {
  ^bb0(%o: tensor<?x8xf32>):
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%o : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
    vortex.yield %e : tensor<?x8xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<?x8xf32>
  %b = vortex.kernel "s" axes ["m", "n"] outs(%y : tensor<?x32xf32>) {
  ^bb0(%o: tensor<?x32xf32>):
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%o : tensor<?x32xf32>) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
    vortex.yield %e : tensor<?x32xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<?x32xf32>
  return %a, %b : tensor<?x8xf32>, tensor<?x32xf32>
}

// A value whose size the payload says keeps it, and so does its kernel.
// CHECK-LABEL: func.func @temporary
// CHECK: vortex.kernel_call @t.rows
// CHECK: vortex.kernel_call @u.rows
func.func @temporary(%x: tensor<64x64xf32>, %y: tensor<96x96xf32>) -> (tensor<64x64xf32>, tensor<96x96xf32>) {
  %a = vortex.kernel "t" axes ["m", "n"] outs(%x : tensor<64x64xf32>) {
  ^bb0(%o: tensor<64x64xf32>):
    %w = tensor.empty() : tensor<64x64xf32>
    %f = linalg.exp {vortex.id = "f"} ins(%o : tensor<64x64xf32>) outs(%w : tensor<64x64xf32>) -> tensor<64x64xf32>
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%f : tensor<64x64xf32>) outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
    vortex.yield %e : tensor<64x64xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    vortex.candidate @rows schedule {
      vortex.stage ["f", "e"]
    }
  } : tensor<64x64xf32>
  %b = vortex.kernel "u" axes ["m", "n"] outs(%y : tensor<96x96xf32>) {
  ^bb0(%o: tensor<96x96xf32>):
    %w = tensor.empty() : tensor<96x96xf32>
    %f = linalg.exp {vortex.id = "f"} ins(%o : tensor<96x96xf32>) outs(%w : tensor<96x96xf32>) -> tensor<96x96xf32>
    %e = linalg.exp {vortex.anchor, vortex.id = "e"} ins(%f : tensor<96x96xf32>) outs(%o : tensor<96x96xf32>) -> tensor<96x96xf32>
    vortex.yield %e : tensor<96x96xf32>
  } candidates {
  ^bb0(%m: index, %n: index):
    vortex.candidate @rows schedule {
      vortex.stage ["f", "e"]
    }
  } : tensor<96x96xf32>
  return %a, %b : tensor<64x64xf32>, tensor<96x96xf32>
}

// CHECK: module @a.rows attributes {vortex.general, vortex.implements = ["a=rows", "d=rows", "b=rows", "c=rows"]
// CHECK-NEXT: func.func @a.rows(%{{.*}}: !llvm.ptr, %{{.*}}: memref<48x?xf32, strided<[?, 1], offset: ?>>)
// CHECK: linalg.exp {{.*}} -> tensor<48x?xf32>
// ALWAYS: module @p.rows attributes {vortex.general, vortex.implements = ["p=rows", "q=rows"]
// ALWAYS-NEXT: func.func @p.rows(%{{.*}}: !llvm.ptr, %{{.*}}: memref<?xf32, strided<[1], offset: ?>>, %{{.*}}: memref<?x?xf32, strided<[?, 1], offset: ?>>)
// NEVER: func.func @a.rows(%{{.*}}: !llvm.ptr, %{{.*}}: memref<48x64xf32,
