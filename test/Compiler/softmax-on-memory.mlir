// Softmax on memrefs, in its own place too, as a value where its function becomes one and where that stays on memory.
// RUN: vortex-compile %s -o %t.so
// RUN: vortex-run %t.so --function=apart --input='2x3xf32="0 0 0 1 1 1"' --input=2x3xf32=7 --expected-output=arg1=2x3xf32=0.333333333 --tol=1e-6
// RUN: vortex-run %t.so --function=in_place --input='1x2xf32="0 0.693147181"' --expected-output='arg0=1x2xf32="0.333333333 0.666666667"' --tol=1e-6
// RUN: vortex-run %t.so --function=loop --input='2x2xf32="0 1 0 1"' --input=index=3 --expected-output=arg0=2x2xf32=0.5 --tol=1e-6
// RUN: vortex-run %t.so --function=loop --input=0x2xf32= --input=index=3 --expected-output=arg0=0x2xf32=

func.func @apart(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}

func.func @in_place(%x: memref<?x?xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<?x?xf32>) outs(%x : memref<?x?xf32>)
  return
}

// Down the columns, in a loop without products, which stays on memory: equal rows give a half.
func.func @loop(%x: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    linalg.softmax dimension(0) ins(%x : memref<?x?xf32>) outs(%x : memref<?x?xf32>)
  }
  return
}
