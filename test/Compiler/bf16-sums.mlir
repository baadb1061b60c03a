// Sums of bf16 go from block to block in kernels and loops: no function that makes floats of them is called on machines without instructions for bf16.
// REQUIRES: vortex-compile, vortex-run, avx2
// RUN: vortex-compile %s --target=x86-avx2 -o %t.so
// RUN: vortex-run %t.so --function=rows --input=3x21xbf16=2 --expected-output=3xbf16=42 --every-candidate
// RUN: vortex-run %t.so --function=rows --input=2x203xbf16=1 --expected-output=2xbf16=203 --every-candidate
// RUN: vortex-run %t.so --function=columns --input=21x19xbf16=2 --expected-output=19xbf16=42 --every-candidate
// RUN: vortex-run %t.so --function=softmax --input=3x8xbf16=3 --expected-output=3x8xbf16=0.125 --every-candidate
// RUN: vortex-run %t.so --function=softmax --input=1x5xbf16="0 0 -inf 0 0" --expected-output=1x5xbf16="0.25 0.25 0 0.25 0.25" --every-candidate
// RUN: vortex-run %t.so --function=largest --input=2x5xbf16="1 2 3 4 -5 -1 -2 -3 -4 -5" --expected-output=2xbf16="4 -1" --every-candidate
// RUN: vortex-run %t.so --function=vector --input=5x7xbf16=2 --input=7xbf16=3 --expected-output=5xbf16=42 --every-candidate
// RUN: vortex-run %t.so --function=loop --input=9xbf16="1 2 3 4 5 6 7 8 9" --input=bf16=5 --expected-output=bf16=50
// RUN: vortex-compile %s --target=x86-avx2 --candidates=none -o %t.none.so
// RUN: vortex-run %t.none.so --function=vector --input=5x7xbf16=2 --input=7xbf16=3 --expected-output=5xbf16=42
// RUN: vortex-compile %s --target=x86-avx512 -o %t.so

func.func @rows(%x: tensor<?x?xbf16>) -> tensor<?xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%m) : tensor<?xbf16>
  %i = linalg.fill ins(%zero : bf16) outs(%e : tensor<?xbf16>) -> tensor<?xbf16>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<?x?xbf16>) outs(%i : tensor<?xbf16>) dimensions = [1]
  return %r : tensor<?xbf16>
}

func.func @columns(%x: tensor<?x?xbf16>) -> tensor<?xbf16> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : bf16
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %e = tensor.empty(%n) : tensor<?xbf16>
  %i = linalg.fill ins(%zero : bf16) outs(%e : tensor<?xbf16>) -> tensor<?xbf16>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<?x?xbf16>) outs(%i : tensor<?xbf16>) dimensions = [0]
  return %r : tensor<?xbf16>
}

func.func @largest(%x: tensor<?x?xbf16>) -> tensor<?xbf16> {
  %c0 = arith.constant 0 : index
  %least = arith.constant 0xFF80 : bf16
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%m) : tensor<?xbf16>
  %i = linalg.fill ins(%least : bf16) outs(%e : tensor<?xbf16>) -> tensor<?xbf16>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<?x?xbf16>) outs(%i : tensor<?xbf16>) dimensions = [1]
  return %r : tensor<?xbf16>
}

func.func @softmax(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xbf16>) outs(%e : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %r : tensor<?x?xbf16>
}

func.func @vector(%a: tensor<?x?xbf16>, %x: tensor<?xbf16>) -> tensor<?xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %m = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%m) : tensor<?xbf16>
  %i = linalg.fill ins(%zero : bf16) outs(%e : tensor<?xbf16>) -> tensor<?xbf16>
  %r = linalg.matvec ins(%a, %x : tensor<?x?xbf16>, tensor<?xbf16>) outs(%i : tensor<?xbf16>) -> tensor<?xbf16>
  return %r : tensor<?xbf16>
}

func.func @loop(%x: tensor<?xbf16>, %start: bf16) -> bf16 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xbf16>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %start) -> bf16 {
    %v = tensor.extract %x[%i] : tensor<?xbf16>
    %s = arith.addf %v, %sum : bf16
    scf.yield %s : bf16
  }
  return %r : bf16
}
