// REQUIRES: vortex-compile, vortex-run
// RUN: vortex-compile %s -o %t.so
// RUN: vortex-run %t.so --input=6x2xindex="7 30  7 30  7 31  8 31  7 30  0 0" --expected-output=6xindex="1 1 2 0 1 2"
// Who listens to choices, or forces one, is asked each time.
// RUN: vortex-run %t.so --input=4x2xindex="7 30  7 30  8 31  7 30" --explain 2>&1 | FileCheck %s --check-prefix=TOLD
// RUN: vortex-run %t.so --input=4x2xindex="7 30  7 30  8 31  7 30" --force=which=a --expected-output=4xindex="0 0 0 0"
// TOLD-DAG: kernel which: b {{.*}}, 3 times
// TOLD-DAG: kernel which: a {{.*}}, 1 time

// A choice in a loop over pairs of sizes remembers its latest answer: another one of either size is another question.
func.func @choices(%sizes: tensor<?x2xindex>) -> tensor<?xindex> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %true = arith.constant true
  %n = tensor.dim %sizes, %c0 : tensor<?x2xindex>
  %empty = tensor.empty(%n) : tensor<?xindex>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%out = %empty) -> tensor<?xindex> {
    %a = tensor.extract %sizes[%i, %c0] : tensor<?x2xindex>
    %b = tensor.extract %sizes[%i, %c1] : tensor<?x2xindex>
    %rate = vortex.machine_param "test.rate" default 1.000000e+00
    // (a mod 5 + b mod 3) mod 3, said at length.
    %0 = arith.divui %a, %c5 : index
    %1 = arith.muli %0, %c5 : index
    %2 = arith.subi %a, %1 : index
    %3 = arith.divui %b, %c3 : index
    %4 = arith.muli %3, %c3 : index
    %5 = arith.subi %b, %4 : index
    %6 = arith.addi %2, %5 : index
    %7 = arith.addi %6, %c2 : index
    %8 = arith.remui %7, %c3 : index
    %9 = arith.index_cast %8 : index to i64
    %10 = arith.sitofp %9 : i64 to f64
    %11 = arith.mulf %10, %rate : f64
    %12 = arith.addf %11, %rate : f64
    %13 = arith.subf %12, %rate : f64
    %14 = arith.divf %13, %rate : f64
    %15 = arith.fptosi %14 : f64 to i64
    %choice = arith.index_cast %15 : i64 to index
    %which = vortex.select "which" ["a", "b", "c"] %choice allowed(%true, %true, %true) costs(%11, %12, %13)
    %next = tensor.insert %which into %out[%i] : tensor<?xindex>
    scf.yield %next : tensor<?xindex>
  }
  return %r : tensor<?xindex>
}
