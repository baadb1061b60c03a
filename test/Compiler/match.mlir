// A size that depends on data is bound and checked while the program runs.
// REQUIRES: vortex-compile, vortex-run
// RUN: vortex-compile %s --target=host -o %t.so
// RUN: vortex-run %t.so --function=take --input=8x3xf32=2 --input=1xindex=4 --input=4xf32=1 --expected-output=4x3xf32=3
// RUN: vortex-run %t.so --function=take --input=8x3xf32=2 --input=1xindex=0 --input=0xf32= --expected-output=0x3xf32=
// RUN: not vortex-run %t.so --function=take --input=8x3xf32=2 --input=1xindex=3 --input=3xf32=1 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not vortex-run %t.so --function=take --input=8x3xf32=2 --input=1xindex=8 --input=8xf32=1 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: not vortex-run %t.so --function=take --input=8x3xf32=2 --input=1xindex=4 --input=6xf32=1 2>&1 | FileCheck %s --check-prefix=BIAS

// ODD: 'taken % 2 == 0' does not hold
// ALL: 'taken < rows' does not hold
// BIAS: dimension 0 is not 'taken'

// The first count[0] rows of x, with a bias for each.
func.func @take(%x: tensor<?x3xf32> {vortex.dims = ["rows", ""]}, %count: tensor<1xindex>, %bias: tensor<?xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.extract %count[%c0] : tensor<1xindex>
  %slice = tensor.extract_slice %x[0, 0] [%n, 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
  %taken = vortex.match %slice ["taken", ""] where ["taken < rows", "taken % 2 == 0"] : tensor<?x3xf32>
  %b = vortex.match %bias ["taken"] : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%taken, %b : tensor<?x3xf32>, tensor<?xf32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
