// RUN: vortex-opt %s --split-input-file --verify-diagnostics --vortex-lower-micro-kernels

// Row passes.
func.func @no_anchor(%a: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{row passes need the kernel's anchor}}
  %r = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, lane_axis = 0>
      ins(%a : tensor<?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%x: tensor<?xf32>, %o: tensor<?xf32>):
    %p = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @foreign(%a: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'vortex.micro_kernel' op cannot hold a tensor.cast}}
  %r = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, lane_axis = 1>
      ins(%a : tensor<?x?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %o: tensor<?xf32>):
    %t = tensor.cast %o : tensor<?xf32> to tensor<?xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<?x?xf32>) outs(%o : tensor<?xf32>) attrs = {vortex.anchor} {
    ^bb0(%v: f32, %w: f32):
      %s = arith.addf %w, %v : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @across_rows(%a: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %r = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, lane_axis = 1>
      ins(%a : tensor<?x?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %o: tensor<?xf32>):
    // expected-error @+1 {{'linalg.generic' op reduces across rows in a row tile}}
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<?x?xf32>) outs(%o : tensor<?xf32>) attrs = {vortex.anchor} {
    ^bb0(%v: f32, %w: f32):
      %s = arith.addf %w, %v : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @two_operations(%a: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %r = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, lane_axis = 1>
      ins(%a : tensor<?x?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %o: tensor<?xf32>):
    // expected-error @+1 {{'linalg.generic' op has a reduction that is not one operation}}
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<?x?xf32>) outs(%o : tensor<?xf32>) attrs = {vortex.anchor} {
    ^bb0(%v: f32, %w: f32):
      %q = arith.mulf %w, %v : f32
      %s = arith.addf %q, %v : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @no_neutral(%a: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %r = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, lane_axis = 1>
      ins(%a : tensor<?x?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %o: tensor<?xf32>):
    // expected-error @+1 {{'linalg.generic' op has a reduction without a neutral element}}
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<?x?xf32>) outs(%o : tensor<?xf32>) attrs = {vortex.anchor} {
    ^bb0(%v: f32, %w: f32):
      %s = arith.subf %w, %v : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    vortex.yield %p : tensor<?xf32>
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @not_computed(%a: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'vortex.micro_kernel' op yields a value it does not compute}}
  %r = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, lane_axis = 1>
      ins(%a : tensor<?x?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %o: tensor<?xf32>):
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<?x?xf32>) outs(%o : tensor<?xf32>) attrs = {vortex.anchor} {
    ^bb0(%v: f32, %w: f32):
      %s = arith.addf %w, %v : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    vortex.yield %o : tensor<?xf32>
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @twice(%a: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  // expected-error @+1 {{'vortex.micro_kernel' op yields a value twice}}
  %r:2 = vortex.micro_kernel <instruction = "vector", rows = 1, vectors = 1, lanes = 16, lane_axis = 1>
      ins(%a : tensor<?x?xf32>) outs(%c, %a : tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>, %q: tensor<?x?xf32>):
    %p = linalg.exp {vortex.anchor} ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p, %p : tensor<?x?xf32>, tensor<?x?xf32>
  } : tensor<?x?xf32>, tensor<?x?xf32>
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// Register tiles.
func.func @results(%a: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  // expected-error @+1 {{'vortex.micro_kernel' op register tiles have one result}}
  %r:2 = vortex.micro_kernel <instruction = "fma", rows = 2, vectors = 1, lanes = 16>
      ins(%a : tensor<?x?xf32>) outs(%c, %a : tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>, %q: tensor<?x?xf32>):
    %p = linalg.exp ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p, %x : tensor<?x?xf32>, tensor<?x?xf32>
  } : tensor<?x?xf32>, tensor<?x?xf32>
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

func.func @no_tile(%c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'vortex.micro_kernel' op yields no tile}}
  %r = vortex.micro_kernel <instruction = "fma", rows = 2, vectors = 1, lanes = 16> outs(%c : tensor<?x?xf32>) {
  ^bb0(%o: tensor<?x?xf32>):
    vortex.yield %o : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

func.func @scalar(%a: tensor<f32>, %c: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'vortex.micro_kernel' op yields no tile}}
  %r = vortex.micro_kernel <instruction = "fma", rows = 2, vectors = 1, lanes = 16> ins(%a : tensor<f32>) outs(%c : tensor<f32>) {
  ^bb0(%x: tensor<f32>, %o: tensor<f32>):
    %p = linalg.exp ins(%x : tensor<f32>) outs(%o : tensor<f32>) -> tensor<f32>
    vortex.yield %p : tensor<f32>
  } : tensor<f32>
  return %r : tensor<f32>
}

// -----

// Reductions in lanes.
func.func @three_columns(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{with lanes along a reduction needs a power of two of vectors, no more than lanes}}
  %r = vortex.micro_kernel <instruction = "fma", rows = 2, vectors = 3, lanes = 4, lane_axis = 2>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %p = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Dot products.
func.func @not_in_groups(%a: tensor<?x?xi8>, %b: tensor<?x32xi8>, %c: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error @+1 {{uses 'vpdpbusd', which reads B in groups of 4 steps of the innermost reduction}}
  %r = vortex.micro_kernel <instruction = "dot", rows = 4, vectors = 2, lanes = 16, opcode = "vpdpbusd", group = 4>
      ins(%a, %b : tensor<?x?xi8>, tensor<?x32xi8>) outs(%c : tensor<?x32xi32>) {
  ^bb0(%x: tensor<?x?xi8>, %y: tensor<?x32xi8>, %o: tensor<?x32xi32>):
    %p = linalg.matmul {vortex.anchor} ins(%x, %y : tensor<?x?xi8>, tensor<?x32xi8>) outs(%o : tensor<?x32xi32>) -> tensor<?x32xi32>
    vortex.yield %p : tensor<?x32xi32>
  } : tensor<?x32xi32>
  return %r : tensor<?x32xi32>
}

// -----

func.func @columns_in_lanes(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.micro_kernel <instruction = "fma", rows = 2, vectors = 2, lanes = 4, lane_axis = 1>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    // expected-error @+1 {{does not reduce along loop 1, which is in lanes}}
    %p = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

func.func @not_widened(%a: tensor<?x?xf32>, %b: tensor<?x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  // expected-error @+1 {{uses 'vdpbf16ps', but does not add products of widened elements}}
  %r = vortex.micro_kernel <instruction = "dot", rows = 4, vectors = 2, lanes = 16, opcode = "vdpbf16ps", group = 2>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x32xf32>) outs(%c : tensor<?x32xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x32xf32>, %o: tensor<?x32xf32>):
    %p = linalg.matmul {vortex.anchor} ins(%x, %y : tensor<?x?xf32>, tensor<?x32xf32>) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
    vortex.yield %p : tensor<?x32xf32>
  } : tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// -----

func.func @made_on_the_way(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = vortex.micro_kernel <instruction = "fma", rows = 2, vectors = 2, lanes = 4, lane_axis = 2>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %e = linalg.exp ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
    // expected-error @+1 {{with lanes along its reduction reads operands of the tile alone}}
    %p = linalg.matmul ins(%e, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

func.func @unknown(%a: tensor<?x?xi8>, %b: tensor<?x32xi8>, %c: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error @+1 {{has no code for 'vpdpxyz' on vectors of 512 bits}}
  %r = vortex.micro_kernel <instruction = "dot", rows = 4, vectors = 2, lanes = 16, opcode = "vpdpxyz", group = 4>
      ins(%a, %b : tensor<?x?xi8>, tensor<?x32xi8>) outs(%c : tensor<?x32xi32>) {
  ^bb0(%x: tensor<?x?xi8>, %y: tensor<?x32xi8>, %o: tensor<?x32xi32>):
    %p = linalg.matmul {vortex.anchor} ins(%x, %y : tensor<?x?xi8>, tensor<?x32xi8>) outs(%o : tensor<?x32xi32>) -> tensor<?x32xi32>
    vortex.yield %p : tensor<?x32xi32>
  } : tensor<?x32xi32>
  return %r : tensor<?x32xi32>
}

// -----

// Matrix tiles.
func.func @not_widened_tiles(%a: tensor<?x?xf32>, %b: tensor<?x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  // expected-error @+1 {{uses 'tdpbf16ps', but does not add products of widened elements}}
  %r = vortex.micro_kernel <instruction = "tile", rows = 32, vectors = 2, lanes = 16, unroll = 16, opcode = "tdpbf16ps", group = 2>
      ins(%a, %b : tensor<?x?xf32>, tensor<?x32xf32>) outs(%c : tensor<?x32xf32>) {
  ^bb0(%x: tensor<?x?xf32>, %y: tensor<?x32xf32>, %o: tensor<?x32xf32>):
    %p = linalg.matmul {vortex.anchor} ins(%x, %y : tensor<?x?xf32>, tensor<?x32xf32>) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
    vortex.yield %p : tensor<?x32xf32>
  } : tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// -----

func.func @no_target(%a: tensor<?x?xi8>, %b: tensor<?x32xi8>, %c: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error @+1 {{uses 'tdpbssd', which no target around it has}}
  %r = vortex.micro_kernel <instruction = "tile", rows = 32, vectors = 2, lanes = 16, unroll = 16, opcode = "tdpbssd", group = 4>
      ins(%a, %b : tensor<?x?xi8>, tensor<?x32xi8>) outs(%c : tensor<?x32xi32>) {
  ^bb0(%x: tensor<?x?xi8>, %y: tensor<?x32xi8>, %o: tensor<?x32xi32>):
    %p = linalg.matmul {vortex.anchor} ins(%x, %y : tensor<?x?xi8>, tensor<?x32xi8>) outs(%o : tensor<?x32xi32>) -> tensor<?x32xi32>
    vortex.yield %p : tensor<?x32xi32>
  } : tensor<?x32xi32>
  return %r : tensor<?x32xi32>
}
