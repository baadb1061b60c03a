// RUN: vortex-opt %s --verify-diagnostics --vortex-lower-micro-kernels

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
