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

// A value that the payload makes has the size of an operand.
// CHECK-LABEL: func.func @temporary
// AUTO: vortex.kernel_call @t.rows
// AUTO: vortex.kernel_call @u.rows
// ALWAYS-COUNT-2: vortex.kernel_call @t.rows
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

// A value of a size that no operand has keeps it, and so does its kernel.
// CHECK-LABEL: func.func @inner
// CHECK: vortex.kernel_call @v.rows
// CHECK: vortex.kernel_call @w.rows
func.func @inner(%v0: tensor<64xf32>, %w0: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %v = vortex.kernel "v" axes ["m", "n"] outs(%v0 : tensor<64xf32>) {
  ^bb0(%o: tensor<64xf32>):
    %one = arith.constant 1.0 : f32
    %w = tensor.empty() : tensor<64x200xf32>
    %f = linalg.fill ins(%one : f32) outs(%w : tensor<64x200xf32>) -> tensor<64x200xf32>
    %e = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"], vortex.anchor, vortex.id = "e"}
        ins(%f : tensor<64x200xf32>) outs(%o : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %sum = arith.addf %in, %out : f32
      linalg.yield %sum : f32
    } -> tensor<64xf32>
    vortex.yield %e : tensor<64xf32>
  } candidates {
  ^bb0(%m: index, %k: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<64xf32>
  %w = vortex.kernel "w" axes ["m", "n"] outs(%w0 : tensor<64xf32>) {
  ^bb0(%o: tensor<64xf32>):
    %one = arith.constant 1.0 : f32
    %w = tensor.empty() : tensor<64x300xf32>
    %f = linalg.fill ins(%one : f32) outs(%w : tensor<64x300xf32>) -> tensor<64x300xf32>
    %e = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"], vortex.anchor, vortex.id = "e"}
        ins(%f : tensor<64x300xf32>) outs(%o : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %sum = arith.addf %in, %out : f32
      linalg.yield %sum : f32
    } -> tensor<64xf32>
    vortex.yield %e : tensor<64xf32>
  } candidates {
  ^bb0(%m: index, %k: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<64xf32>
  return %v, %w : tensor<64xf32>, tensor<64xf32>
}

// Bound weights: extents of what is unpacked are those of other operands, and so many panels as there are, few or many; tiles
// and small extents stay known.
// CHECK-LABEL: func.func @bound
// CHECK-COUNT-3: vortex.kernel_call @b0.rows
// NEVER-LABEL: func.func @bound
// NEVER: vortex.kernel_call @b0.rows
// NEVER: vortex.kernel_call @b1.rows
// NEVER: vortex.kernel_call @b2.rows
func.func @bound(%x0: tensor<?x64xf32>, %p0: tensor<2x64x3x32xf32>, %y0: tensor<?x64xf32>,
                 %x1: tensor<?x64xf32>, %p1: tensor<4x64x3x32xf32>, %y1: tensor<?x100xf32>,
                 %x2: tensor<?x128xf32>, %p2: tensor<64x128x3x32xf32>, %y2: tensor<?x2048xf32>)
    -> (tensor<?x64xf32>, tensor<?x100xf32>, tensor<?x2048xf32>) {
  %b0 = vortex.kernel "b0" axes ["m", "n", "k", "l"] ins(%x0, %p0 : tensor<?x64xf32>, tensor<2x64x3x32xf32>)
      outs(%y0 : tensor<?x64xf32>) {
  ^bb0(%a: tensor<?x64xf32>, %p: tensor<2x64x3x32xf32>, %c: tensor<?x64xf32>):
    %w = tensor.empty() : tensor<64x64x3xf32>
    %b = linalg.unpack %p outer_dims_perm = [1, 0, 2] inner_dims_pos = [1] inner_tiles = [32] into %w
        : tensor<2x64x3x32xf32> -> tensor<64x64x3xf32>
    %e = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k)>, affine_map<(m, n, k, l) -> (k, n, l)>,
                                          affine_map<(m, n, k, l) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction", "reduction"], vortex.anchor, vortex.id = "e"}
        ins(%a, %b : tensor<?x64xf32>, tensor<64x64x3xf32>) outs(%c : tensor<?x64xf32>) {
    ^bb0(%s: f32, %t: f32, %out: f32):
      %product = arith.mulf %s, %t : f32
      %sum = arith.addf %out, %product : f32
      linalg.yield %sum : f32
    } -> tensor<?x64xf32>
    vortex.yield %e : tensor<?x64xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index, %l: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<?x64xf32>
  %b1 = vortex.kernel "b1" axes ["m", "n", "k", "l"] ins(%x1, %p1 : tensor<?x64xf32>, tensor<4x64x3x32xf32>)
      outs(%y1 : tensor<?x100xf32>) {
  ^bb0(%a: tensor<?x64xf32>, %p: tensor<4x64x3x32xf32>, %c: tensor<?x100xf32>):
    %w = tensor.empty() : tensor<64x100x3xf32>
    %b = linalg.unpack %p outer_dims_perm = [1, 0, 2] inner_dims_pos = [1] inner_tiles = [32] into %w
        : tensor<4x64x3x32xf32> -> tensor<64x100x3xf32>
    %e = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k)>, affine_map<(m, n, k, l) -> (k, n, l)>,
                                          affine_map<(m, n, k, l) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction", "reduction"], vortex.anchor, vortex.id = "e"}
        ins(%a, %b : tensor<?x64xf32>, tensor<64x100x3xf32>) outs(%c : tensor<?x100xf32>) {
    ^bb0(%s: f32, %t: f32, %out: f32):
      %product = arith.mulf %s, %t : f32
      %sum = arith.addf %out, %product : f32
      linalg.yield %sum : f32
    } -> tensor<?x100xf32>
    vortex.yield %e : tensor<?x100xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index, %l: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<?x100xf32>
  %b2 = vortex.kernel "b2" axes ["m", "n", "k", "l"] ins(%x2, %p2 : tensor<?x128xf32>, tensor<64x128x3x32xf32>)
      outs(%y2 : tensor<?x2048xf32>) {
  ^bb0(%a: tensor<?x128xf32>, %p: tensor<64x128x3x32xf32>, %c: tensor<?x2048xf32>):
    %w = tensor.empty() : tensor<128x2048x3xf32>
    %b = linalg.unpack %p outer_dims_perm = [1, 0, 2] inner_dims_pos = [1] inner_tiles = [32] into %w
        : tensor<64x128x3x32xf32> -> tensor<128x2048x3xf32>
    %e = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k)>, affine_map<(m, n, k, l) -> (k, n, l)>,
                                          affine_map<(m, n, k, l) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction", "reduction"], vortex.anchor, vortex.id = "e"}
        ins(%a, %b : tensor<?x128xf32>, tensor<128x2048x3xf32>) outs(%c : tensor<?x2048xf32>) {
    ^bb0(%s: f32, %t: f32, %out: f32):
      %product = arith.mulf %s, %t : f32
      %sum = arith.addf %out, %product : f32
      linalg.yield %sum : f32
    } -> tensor<?x2048xf32>
    vortex.yield %e : tensor<?x2048xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index, %l: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<?x2048xf32>
  return %b0, %b1, %b2 : tensor<?x64xf32>, tensor<?x100xf32>, tensor<?x2048xf32>
}

// Two are enough where weights are bound.
// CHECK-LABEL: func.func @pair
// CHECK-COUNT-2: vortex.kernel_call @c0.rows
func.func @pair(%x0: tensor<?x64xf32>, %p0: tensor<2x64x5x32xf32>, %y0: tensor<?x64xf32>,
                %x1: tensor<?x96xf32>, %p1: tensor<4x96x5x32xf32>, %y1: tensor<?x128xf32>)
    -> (tensor<?x64xf32>, tensor<?x128xf32>) {
  %c0 = vortex.kernel "c0" axes ["m", "n", "k", "l"] ins(%x0, %p0 : tensor<?x64xf32>, tensor<2x64x5x32xf32>)
      outs(%y0 : tensor<?x64xf32>) {
  ^bb0(%a: tensor<?x64xf32>, %p: tensor<2x64x5x32xf32>, %c: tensor<?x64xf32>):
    %w = tensor.empty() : tensor<64x64x5xf32>
    %b = linalg.unpack %p outer_dims_perm = [1, 0, 2] inner_dims_pos = [1] inner_tiles = [32] into %w
        : tensor<2x64x5x32xf32> -> tensor<64x64x5xf32>
    %e = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k)>, affine_map<(m, n, k, l) -> (k, n, l)>,
                                          affine_map<(m, n, k, l) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction", "reduction"], vortex.anchor, vortex.id = "e"}
        ins(%a, %b : tensor<?x64xf32>, tensor<64x64x5xf32>) outs(%c : tensor<?x64xf32>) {
    ^bb0(%s: f32, %t: f32, %out: f32):
      %product = arith.mulf %s, %t : f32
      %sum = arith.addf %out, %product : f32
      linalg.yield %sum : f32
    } -> tensor<?x64xf32>
    vortex.yield %e : tensor<?x64xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index, %l: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<?x64xf32>
  %c1 = vortex.kernel "c1" axes ["m", "n", "k", "l"] ins(%x1, %p1 : tensor<?x96xf32>, tensor<4x96x5x32xf32>)
      outs(%y1 : tensor<?x128xf32>) {
  ^bb0(%a: tensor<?x96xf32>, %p: tensor<4x96x5x32xf32>, %c: tensor<?x128xf32>):
    %w = tensor.empty() : tensor<96x128x5xf32>
    %b = linalg.unpack %p outer_dims_perm = [1, 0, 2] inner_dims_pos = [1] inner_tiles = [32] into %w
        : tensor<4x96x5x32xf32> -> tensor<96x128x5xf32>
    %e = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k)>, affine_map<(m, n, k, l) -> (k, n, l)>,
                                          affine_map<(m, n, k, l) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction", "reduction"], vortex.anchor, vortex.id = "e"}
        ins(%a, %b : tensor<?x96xf32>, tensor<96x128x5xf32>) outs(%c : tensor<?x128xf32>) {
    ^bb0(%s: f32, %t: f32, %out: f32):
      %product = arith.mulf %s, %t : f32
      %sum = arith.addf %out, %product : f32
      linalg.yield %sum : f32
    } -> tensor<?x128xf32>
    vortex.yield %e : tensor<?x128xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index, %l: index):
    vortex.candidate @rows schedule {
      vortex.stage ["e"]
    }
  } : tensor<?x128xf32>
  return %c0, %c1 : tensor<?x64xf32>, tensor<?x128xf32>
}

// Of a batch of products more or fewer are the same loops: two are enough to share. One is none, and how many heads
// follow each other within a row is no batch.
// CHECK-LABEL: func.func @batches
// AUTO-COUNT-2: vortex.kernel_call @v.tile
// AUTO: vortex.kernel_call @x.tile
// AUTO: vortex.kernel_call @y.tile
// NEVER-LABEL: func.func @batches
// NEVER: vortex.kernel_call @v.tile
// NEVER: vortex.kernel_call @w.tile
func.func @batches(%v0: tensor<12x?x64xf32>, %v1: tensor<12x64x?xf32>, %v2: tensor<12x?x?xf32>,
                   %w0: tensor<?x?x64xf32>, %w1: tensor<?x64x?xf32>, %w2: tensor<?x?x?xf32>,
                   %x0: tensor<1x?x64xf32>, %x1: tensor<1x64x?xf32>, %x2: tensor<1x?x?xf32>,
                   %y0: tensor<12x?x16xf32>, %y1: tensor<12x16x?xf32>, %y2: tensor<12x?x?xf32>)
    -> (tensor<12x?x?xf32>, tensor<?x?x?xf32>, tensor<1x?x?xf32>, tensor<12x?x?xf32>) {
  %v = vortex.kernel "v" axes ["b", "m", "n", "k"] ins(%v0, %v1 : tensor<12x?x64xf32>, tensor<12x64x?xf32>) outs(%v2 : tensor<12x?x?xf32>) {
  ^bb0(%l: tensor<12x?x64xf32>, %r: tensor<12x64x?xf32>, %o: tensor<12x?x?xf32>):
    %p = linalg.batch_matmul {vortex.anchor, vortex.id = "p"} ins(%l, %r : tensor<12x?x64xf32>, tensor<12x64x?xf32>) outs(%o : tensor<12x?x?xf32>) -> tensor<12x?x?xf32>
    %e = linalg.exp {vortex.id = "e"} ins(%p : tensor<12x?x?xf32>) outs(%o : tensor<12x?x?xf32>) -> tensor<12x?x?xf32>
    vortex.yield %e : tensor<12x?x?xf32>
  } candidates {
  ^bb0(%b: index, %m: index, %n: index, %k: index):
    vortex.candidate @tile schedule {
      vortex.stage ["p", "e"]
    }
  } : tensor<12x?x?xf32>
  %w = vortex.kernel "w" axes ["b", "m", "n", "k"] ins(%w0, %w1 : tensor<?x?x64xf32>, tensor<?x64x?xf32>) outs(%w2 : tensor<?x?x?xf32>) {
  ^bb0(%l: tensor<?x?x64xf32>, %r: tensor<?x64x?xf32>, %o: tensor<?x?x?xf32>):
    %p = linalg.batch_matmul {vortex.anchor, vortex.id = "p"} ins(%l, %r : tensor<?x?x64xf32>, tensor<?x64x?xf32>) outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %e = linalg.exp {vortex.id = "e"} ins(%p : tensor<?x?x?xf32>) outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    vortex.yield %e : tensor<?x?x?xf32>
  } candidates {
  ^bb0(%b: index, %m: index, %n: index, %k: index):
    vortex.candidate @tile schedule {
      vortex.stage ["p", "e"]
    }
  } : tensor<?x?x?xf32>
  %x = vortex.kernel "x" axes ["b", "m", "n", "k"] ins(%x0, %x1 : tensor<1x?x64xf32>, tensor<1x64x?xf32>) outs(%x2 : tensor<1x?x?xf32>) {
  ^bb0(%l: tensor<1x?x64xf32>, %r: tensor<1x64x?xf32>, %o: tensor<1x?x?xf32>):
    %p = linalg.batch_matmul {vortex.anchor, vortex.id = "p"} ins(%l, %r : tensor<1x?x64xf32>, tensor<1x64x?xf32>) outs(%o : tensor<1x?x?xf32>) -> tensor<1x?x?xf32>
    %e = linalg.exp {vortex.id = "e"} ins(%p : tensor<1x?x?xf32>) outs(%o : tensor<1x?x?xf32>) -> tensor<1x?x?xf32>
    vortex.yield %e : tensor<1x?x?xf32>
  } candidates {
  ^bb0(%b: index, %m: index, %n: index, %k: index):
    vortex.candidate @tile schedule {
      vortex.stage ["p", "e"]
    }
  } : tensor<1x?x?xf32>
  %y = vortex.kernel "y" axes ["b", "m", "n", "k"] ins(%y0, %y1 : tensor<12x?x16xf32>, tensor<12x16x?xf32>) outs(%y2 : tensor<12x?x?xf32>) {
  ^bb0(%l: tensor<12x?x16xf32>, %r: tensor<12x16x?xf32>, %o: tensor<12x?x?xf32>):
    %p = linalg.batch_matmul {vortex.anchor, vortex.id = "p"} ins(%l, %r : tensor<12x?x16xf32>, tensor<12x16x?xf32>) outs(%o : tensor<12x?x?xf32>) -> tensor<12x?x?xf32>
    %e = linalg.exp {vortex.id = "e"} ins(%p : tensor<12x?x?xf32>) outs(%o : tensor<12x?x?xf32>) -> tensor<12x?x?xf32>
    vortex.yield %e : tensor<12x?x?xf32>
  } candidates {
  ^bb0(%b: index, %m: index, %n: index, %k: index):
    vortex.candidate @tile schedule {
      vortex.stage ["p", "e"]
    }
  } : tensor<12x?x?xf32>
  return %v, %w, %x, %y : tensor<12x?x?xf32>, tensor<?x?x?xf32>, tensor<1x?x?xf32>, tensor<12x?x?xf32>
}

// CHECK: module @a.rows attributes {vortex.general, vortex.implements = ["a=rows", "d=rows", "b=rows", "c=rows"]
// CHECK-NEXT: func.func @a.rows(%{{.*}}: !llvm.ptr, %{{.*}}: memref<48x?xf32, strided<[?, 1], offset: ?>>)
// CHECK: linalg.exp {{.*}} -> tensor<48x?xf32>
// ALWAYS: module @p.rows attributes {vortex.general, vortex.implements = ["p=rows", "q=rows"]
// ALWAYS-NEXT: func.func @p.rows(%{{.*}}: !llvm.ptr, %{{.*}}: memref<?xf32, strided<[1], offset: ?>>, %{{.*}}: memref<?x?xf32, strided<[?, 1], offset: ?>>)
// NEVER: func.func @a.rows(%{{.*}}: !llvm.ptr, %{{.*}}: memref<48x64xf32,
// ALWAYS: module @t.rows attributes {vortex.general
// ALWAYS: %[[rows:.*]] = tensor.dim %[[o:.*]], %c0
// ALWAYS: tensor.empty(%[[rows]], %{{.*}}) : tensor<?x?xf32>
// CHECK: module @b0.rows attributes {vortex.general
// CHECK-NEXT: func.func @b0.rows(%{{.*}}: !llvm.ptr, %{{.*}}: memref<?x?xf32, {{.*}}>, %{{.*}}: memref<?x?x3x32xf32, {{.*}}>, %{{.*}}: memref<?x?xf32,
// CHECK: ^bb0(%[[a:.*]]: tensor<?x?xf32>, %[[p:.*]]: tensor<?x?x3x32xf32>, %[[c:.*]]: tensor<?x?xf32>):
// CHECK: %[[k:.*]] = tensor.dim %[[a]], %c1
// CHECK: %[[n:.*]] = tensor.dim %[[c]], %c1
// CHECK: %[[w:.*]] = tensor.empty(%[[k]], %[[n]]) : tensor<?x?x3xf32>
// CHECK: linalg.unpack %[[p]] {{.*}} into %[[w]] : tensor<?x?x3x32xf32> -> tensor<?x?x3xf32>
// AUTO: module @v.tile attributes {vortex.general, vortex.implements = ["v=tile", "w=tile"]
// AUTO-NEXT: func.func @v.tile(%{{.*}}: !llvm.ptr, %{{.*}}: memref<?x?x64xf32, strided<[?, 64, 1], offset: ?>>,
