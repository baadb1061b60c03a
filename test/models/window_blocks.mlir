// Filters whose panels exceed a small L2 (--target=...,l2.capacity=32KiB): rows of the window in turn.

// Bias and ReLU, the result in bf16.
func.func @conv2d_pad_blocks_bf16(%x: tensor<?x?x?x32xbf16>, %f: tensor<3x3x32x40xbf16> {vortex.weight}, %o: tensor<?x?x?x40xf32>, %bias: tensor<40xf32>, %out: tensor<?x?x?x40xbf16>) -> tensor<?x?x?x40xbf16> {
  %zero = arith.constant 0.0 : f32
  %padding = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : bf16
  } : tensor<?x?x?x32xbf16> to tensor<?x?x?x32xbf16>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x40xf32>) -> tensor<?x?x?x40xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h + i, w + j, c)>,
      affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %f : tensor<?x?x?x32xbf16>, tensor<3x3x32x40xbf16>) outs(%init : tensor<?x?x?x40xf32>) {
  ^bb0(%u: bf16, %v: bf16, %s: f32):
    %a = arith.extf %u : bf16 to f32
    %b = arith.extf %v : bf16 to f32
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x40xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(n, h, w, f) -> (n, h, w, f)>, affine_map<(n, h, w, f) -> (f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %bias : tensor<?x?x?x40xf32>, tensor<40xf32>) outs(%out : tensor<?x?x?x40xbf16>) {
  ^bb0(%u: f32, %v: f32, %s: bf16):
    %a = arith.addf %u, %v : f32
    %b = arith.maximumf %a, %zero : f32
    %t = arith.truncf %b : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x?x?x40xbf16>
  return %z : tensor<?x?x?x40xbf16>
}

// Three dimensions of bytes without a sign, added to what there is.
func.func @conv3d_blocks_u8s8(%x: tensor<?x?x?x?x24xi8>, %f: tensor<3x2x3x24x72xi8> {vortex.weight}, %o: tensor<?x?x?x?x72xi32>) -> tensor<?x?x?x?x72xi32> {
  %zero = arith.constant 0 : i32
  %padding = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 1, 1, 0] high[0, 1, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %i4: index):
    tensor.yield %padding : i8
  } : tensor<?x?x?x?x24xi8> to tensor<?x?x?x?x24xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(n, d, h, w, f, k, i, j, c) -> (n, d + k, h + i, w + j, c)>,
      affine_map<(n, d, h, w, f, k, i, j, c) -> (k, i, j, c, f)>, affine_map<(n, d, h, w, f, k, i, j, c) -> (n, d, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction"]}
      ins(%p, %f : tensor<?x?x?x?x24xi8>, tensor<3x2x3x24x72xi8>) outs(%o : tensor<?x?x?x?x72xi32>) {
  ^bb0(%u: i8, %v: i8, %s: i32):
    %a = arith.extui %u : i8 to i32
    %b = arith.extsi %v : i8 to i32
    %q = arith.muli %a, %b : i32
    %t = arith.addi %s, %q : i32
    linalg.yield %t : i32
  } -> tensor<?x?x?x?x72xi32>
  return %y : tensor<?x?x?x?x72xi32>
}

// Signed bytes of an instruction for unsigned ones: what it adds is taken off for all rows of the window.
func.func @conv2d_blocks_i8(%x: tensor<?x?x?x64xi8>, %f: tensor<3x3x64x32xi8> {vortex.weight}, %o: tensor<?x?x?x32xi32>) -> tensor<?x?x?x32xi32> {
  %zero = arith.constant 0 : i32
  %padding = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %padding : i8
  } : tensor<?x?x?x64xi8> to tensor<?x?x?x64xi8>
  %init = linalg.fill ins(%zero : i32) outs(%o : tensor<?x?x?x32xi32>) -> tensor<?x?x?x32xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h + i, w + j, c)>,
      affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %f : tensor<?x?x?x64xi8>, tensor<3x3x64x32xi8>) outs(%init : tensor<?x?x?x32xi32>) {
  ^bb0(%u: i8, %v: i8, %s: i32):
    %a = arith.extsi %u : i8 to i32
    %b = arith.extsi %v : i8 to i32
    %q = arith.muli %a, %b : i32
    %t = arith.addi %s, %q : i32
    linalg.yield %t : i32
  } -> tensor<?x?x?x32xi32>
  return %y : tensor<?x?x?x32xi32>
}
