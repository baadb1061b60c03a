// RUN: vortex-opt %s --split-input-file --verify-diagnostics

// Blocks alone have rows of several axes.

func.func @f(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = vortex.kernel "conv" axes ["n", "h", "w", "f", "kh", "kw", "c"]
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x?xf32>, %pw: tensor<?x?x?x?xf32>, %po: tensor<?x?x?x?xf32>):
    %p = linalg.conv_2d_nhwc_hwcf {vortex.anchor, vortex.id = "conv"} ins(%px, %pw : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
        outs(%po : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    vortex.yield %p : tensor<?x?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %h: index, %v: index, %f: index, %kh: index, %kw: index, %c: index):
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{counts axes together, but is no grid or queue of blocks}}
      vortex.level "block" forall (PL 0 by %c1, PL 1 by %c1, PL 2 by %c64, PL 3 by %c64) joined(3) {
        vortex.stage ["conv"] micro <instruction = "simt", rows = 64, vectors = 2, lanes = 32, unroll = 4>
      }
    }
  } : tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

// Two or more are counted together.

func.func @f(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = vortex.kernel "conv" axes ["n", "h", "w", "f", "kh", "kw", "c"]
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x?xf32>, %pw: tensor<?x?x?x?xf32>, %po: tensor<?x?x?x?xf32>):
    %p = linalg.conv_2d_nhwc_hwcf {vortex.anchor, vortex.id = "conv"} ins(%px, %pw : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
        outs(%po : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    vortex.yield %p : tensor<?x?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %h: index, %v: index, %f: index, %kh: index, %kw: index, %c: index):
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{counts 1 of its 4 axes together; it needs two or more}}
      vortex.level "block" grid (PL 0 by %c1, PL 1 by %c1, PL 2 by %c64, PL 3 by %c64) joined(1) {
        vortex.stage ["conv"] micro <instruction = "simt", rows = 64, vectors = 2, lanes = 32, unroll = 4>
      }
    }
  } : tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

// There are as many axes.

func.func @f(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = vortex.kernel "conv" axes ["n", "h", "w", "f", "kh", "kw", "c"]
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x?xf32>, %pw: tensor<?x?x?x?xf32>, %po: tensor<?x?x?x?xf32>):
    %p = linalg.conv_2d_nhwc_hwcf {vortex.anchor, vortex.id = "conv"} ins(%px, %pw : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
        outs(%po : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    vortex.yield %p : tensor<?x?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %h: index, %v: index, %f: index, %kh: index, %kw: index, %c: index):
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{counts 5 of its 4 axes together; it needs two or more}}
      vortex.level "block" grid (PL 0 by %c1, PL 1 by %c1, PL 2 by %c64, PL 3 by %c64) joined(5) {
        vortex.stage ["conv"] micro <instruction = "simt", rows = 64, vectors = 2, lanes = 32, unroll = 4>
      }
    }
  } : tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

// The last one has the size.

func.func @f(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = vortex.kernel "conv" axes ["n", "h", "w", "f", "kh", "kw", "c"]
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x?xf32>, %pw: tensor<?x?x?x?xf32>, %po: tensor<?x?x?x?xf32>):
    %p = linalg.conv_2d_nhwc_hwcf {vortex.anchor, vortex.id = "conv"} ins(%px, %pw : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
        outs(%po : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    vortex.yield %p : tensor<?x?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %h: index, %v: index, %f: index, %kh: index, %kw: index, %c: index):
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{counts axis h together with the next and tiles it by more than 1; only the last of such axes has a size}}
      vortex.level "block" grid (PL 0 by %c1, PL 1 by %c2, PL 2 by %c64, PL 3 by %c64) joined(3) {
        vortex.stage ["conv"] micro <instruction = "simt", rows = 64, vectors = 2, lanes = 32, unroll = 4>
      }
    }
  } : tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

// Points of the result are counted.

func.func @f(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = vortex.kernel "conv" axes ["n", "h", "w", "f", "kh", "kw", "c"]
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x?xf32>, %pw: tensor<?x?x?x?xf32>, %po: tensor<?x?x?x?xf32>):
    %p = linalg.conv_2d_nhwc_hwcf {vortex.anchor, vortex.id = "conv"} ins(%px, %pw : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
        outs(%po : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    vortex.yield %p : tensor<?x?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %h: index, %v: index, %f: index, %kh: index, %kw: index, %c: index):
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{counts reduction axis c together with others}}
      vortex.level "block" grid (PL 1 by %c1, PL 6 by %c64) combine("add") joined(2) {
        vortex.stage ["conv"] micro <instruction = "simt", rows = 64, vectors = 2, lanes = 32, unroll = 4>
      }
    }
  } : tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

// An operand has all of such axes or none.

func.func @f(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = vortex.kernel "conv" axes ["n", "h", "w", "f", "kh", "kw", "c"]
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%o : tensor<?x?x?x?xf32>) {
  ^bb0(%px: tensor<?x?x?x?xf32>, %pw: tensor<?x?x?x?xf32>, %po: tensor<?x?x?x?xf32>):
    %p = linalg.conv_2d_nhwc_hwcf {vortex.anchor, vortex.id = "conv"} ins(%px, %pw : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
        outs(%po : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    vortex.yield %p : tensor<?x?x?x?xf32>
  } candidates {
  ^bb0(%n: index, %h: index, %v: index, %f: index, %kh: index, %kw: index, %c: index):
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    vortex.candidate @bad schedule {
      // expected-error @+1 {{counts axes w and f together, of which input 0 depends on one; it must depend on all of them or on none}}
      vortex.level "block" grid (PL 2 by %c1, PL 3 by %c64) joined(2) {
        vortex.stage ["conv"] micro <instruction = "simt", rows = 64, vectors = 2, lanes = 32, unroll = 4>
      }
    }
  } : tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}
