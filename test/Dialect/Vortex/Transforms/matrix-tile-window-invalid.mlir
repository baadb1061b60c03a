// RUN: vortex-opt %s --target=x86-avx512-amx --split-input-file --verify-diagnostics --vortex-expand=candidate=tiles --vortex-lower-micro-kernels

// What stages of matrix tiles are refused for, by themselves and under a window.

// Other cases.
func.func @f(%x: tensor<?x?x?x32xbf16>, %f: tensor<3x3x32x?xbf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = vortex.kernel "conv" axes ["n", "h", "w", "f", "i", "j", "c"]
      ins(%x, %f : tensor<?x?x?x32xbf16>, tensor<3x3x32x?xbf16>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x32xbf16>, %pf: tensor<3x3x32x?xbf16>, %po: tensor<?x?x?x?xf32>):
    %p = linalg.conv_2d_nhwc_hwcf {vortex.anchor, vortex.id = "conv"} ins(%px, %pf : tensor<?x?x?x32xbf16>, tensor<3x3x32x?xbf16>)
        outs(%po : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    vortex.yield %p : tensor<?x?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %h: index, %w: index, %g: index, %i: index, %j: index, %c: index):
    %one = arith.constant 1 : index
    %width = arith.constant 32 : index
    vortex.candidate @tiles schedule {
      vortex.level "device" for () load (<operand = 1, layout = panel, axis = 3, group = 2> by %width) {
        vortex.level "core" forall (PL 0 by %one, PL 1 by %one, PL 3 by %width) load (<operand = 0, layout = copy, axis = 1> by %one) {
          // expected-error @+1 {{has cases for fewer columns or lanes along a reduction, which matrix tiles do not have}}
          vortex.stage ["conv"] micro <instruction = "tile", rows = 32, vectors = 2, lanes = 16, unroll = 16, narrow_rows = 64, opcode = "tdpbf16ps", group = 2>
        }
      }
    }
  } : tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

// Lanes along the channels.
func.func @f(%x: tensor<?x?x?x32xbf16>, %f: tensor<3x3x32x?xbf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = vortex.kernel "conv" axes ["n", "h", "w", "f", "i", "j", "c"]
      ins(%x, %f : tensor<?x?x?x32xbf16>, tensor<3x3x32x?xbf16>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x32xbf16>, %pf: tensor<3x3x32x?xbf16>, %po: tensor<?x?x?x?xf32>):
    %p = linalg.conv_2d_nhwc_hwcf {vortex.anchor, vortex.id = "conv"} ins(%px, %pf : tensor<?x?x?x32xbf16>, tensor<3x3x32x?xbf16>)
        outs(%po : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    vortex.yield %p : tensor<?x?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %h: index, %w: index, %g: index, %i: index, %j: index, %c: index):
    %one = arith.constant 1 : index
    %width = arith.constant 32 : index
    vortex.candidate @tiles schedule {
      vortex.level "device" for () load (<operand = 1, layout = panel, axis = 3, group = 2> by %width) {
        vortex.level "core" forall (PL 0 by %one, PL 1 by %one, PL 3 by %width) load (<operand = 0, layout = copy, axis = 1> by %one) {
          // expected-error @+1 {{has cases for fewer columns or lanes along a reduction, which matrix tiles do not have}}
          vortex.stage ["conv"] micro <instruction = "tile", rows = 32, vectors = 2, lanes = 16, unroll = 16, lane_axis = 6, opcode = "tdpbf16ps", group = 2>
        }
      }
    }
  } : tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

// Words of another size.
func.func @f(%x: tensor<?x?x?x32xbf16>, %f: tensor<3x3x32x?xbf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = vortex.kernel "conv" axes ["n", "h", "w", "f", "i", "j", "c"]
      ins(%x, %f : tensor<?x?x?x32xbf16>, tensor<3x3x32x?xbf16>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x32xbf16>, %pf: tensor<3x3x32x?xbf16>, %po: tensor<?x?x?x?xf32>):
    %p = linalg.conv_2d_nhwc_hwcf {vortex.anchor, vortex.id = "conv"} ins(%px, %pf : tensor<?x?x?x32xbf16>, tensor<3x3x32x?xbf16>)
        outs(%po : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    vortex.yield %p : tensor<?x?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %h: index, %w: index, %g: index, %i: index, %j: index, %c: index):
    %one = arith.constant 1 : index
    %width = arith.constant 32 : index
    vortex.candidate @tiles schedule {
      vortex.level "device" for () load (<operand = 1, layout = panel, axis = 3, group = 2> by %width) {
        vortex.level "core" forall (PL 0 by %one, PL 1 by %one, PL 3 by %width) load (<operand = 0, layout = copy, axis = 1> by %one) {
          // expected-error @+1 {{has 32 rows of tiles with 16 columns and 8 x 4 steps in 'f32'; instruction 'tdpbf16ps' of target x86-avx512-amx has 16x16x32 in 'f32'}}
          vortex.stage ["conv"] micro <instruction = "tile", rows = 32, vectors = 2, lanes = 16, unroll = 8, opcode = "tdpbf16ps", group = 4>
        }
      }
    }
  } : tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

// More steps than a tile has.
func.func @f(%x: tensor<?x?x?x32xbf16>, %f: tensor<3x3x32x?xbf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = vortex.kernel "conv" axes ["n", "h", "w", "f", "i", "j", "c"]
      ins(%x, %f : tensor<?x?x?x32xbf16>, tensor<3x3x32x?xbf16>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x32xbf16>, %pf: tensor<3x3x32x?xbf16>, %po: tensor<?x?x?x?xf32>):
    %p = linalg.conv_2d_nhwc_hwcf {vortex.anchor, vortex.id = "conv"} ins(%px, %pf : tensor<?x?x?x32xbf16>, tensor<3x3x32x?xbf16>)
        outs(%po : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    vortex.yield %p : tensor<?x?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %h: index, %w: index, %g: index, %i: index, %j: index, %c: index):
    %one = arith.constant 1 : index
    %width = arith.constant 32 : index
    vortex.candidate @tiles schedule {
      vortex.level "device" for () load (<operand = 1, layout = panel, axis = 3, group = 2> by %width) {
        vortex.level "core" forall (PL 0 by %one, PL 1 by %one, PL 3 by %width) load (<operand = 0, layout = copy, axis = 1> by %one) {
          // expected-error @+1 {{has 32 rows of tiles with 16 columns and 20 x 2 steps in 'f32'}}
          vortex.stage ["conv"] micro <instruction = "tile", rows = 32, vectors = 2, lanes = 16, unroll = 20, opcode = "tdpbf16ps", group = 2>
        }
      }
    }
  } : tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

// Tiles read past the last pixel, where a copy has room.
func.func @f(%x: tensor<?x?x?x32xbf16>, %f: tensor<3x3x32x?xbf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = vortex.kernel "conv" axes ["n", "h", "w", "f", "i", "j", "c"]
      ins(%x, %f : tensor<?x?x?x32xbf16>, tensor<3x3x32x?xbf16>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x32xbf16>, %pf: tensor<3x3x32x?xbf16>, %po: tensor<?x?x?x?xf32>):
    %p = linalg.conv_2d_nhwc_hwcf {vortex.anchor, vortex.id = "conv"} ins(%px, %pf : tensor<?x?x?x32xbf16>, tensor<3x3x32x?xbf16>)
        outs(%po : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    vortex.yield %p : tensor<?x?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %h: index, %w: index, %g: index, %i: index, %j: index, %c: index):
    %one = arith.constant 1 : index
    %width = arith.constant 32 : index
    vortex.candidate @tiles schedule {
      vortex.level "device" for () load (<operand = 1, layout = panel, axis = 3, group = 2> by %width) {
        vortex.level "core" forall (PL 0 by %one, PL 1 by %one, PL 3 by %width) {
          // expected-error @+1 {{uses 'tdpbf16ps' under a window of an image that no level around it copies; tiles read past the last pixel, where a copy has room}}
          vortex.stage ["conv"] micro <instruction = "tile", rows = 32, vectors = 2, lanes = 16, unroll = 16, opcode = "tdpbf16ps", group = 2>
        }
      }
    }
  } : tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}
