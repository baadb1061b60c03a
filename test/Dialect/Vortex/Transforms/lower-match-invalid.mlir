// RUN: vortex-opt %s --vortex-lower-match --split-input-file --verify-diagnostics

func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{has relation 'n <= m': there is no size 'm' here}}
  %0 = vortex.match %x ["n"] where ["n <= m"] : tensor<?xf32>
  return
}

// -----

// Bound in a branch, unknown behind it.
func.func @f(%c: i1, %x: tensor<?xf32>) {
  scf.if %c {
    %0 = vortex.match %x ["n"] : tensor<?xf32>
  }
  // expected-error @+1 {{has relation 'n <= 4': there is no size 'n' here}}
  %1 = vortex.match %x [""] where ["n <= 4"] : tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{has relation 'n + 4': it compares nothing}}
  %0 = vortex.match %x ["n"] where ["n + 4"] : tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{has relation 'n < 4 )': unexpected ')'}}
  %0 = vortex.match %x ["n"] where ["n < 4 )"] : tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{has relation 'n < (4': expected ')'}}
  %0 = vortex.match %x ["n"] where ["n < (4"] : tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{has relation 'n <': it ends early}}
  %0 = vortex.match %x ["n"] where ["n <"] : tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{has relation 'n % 0 == 0': it divides by zero}}
  %0 = vortex.match %x ["n"] where ["n % 0 == 0"] : tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{has relation 'n < 99999999999999999999': a number is too large}}
  %0 = vortex.match %x ["n"] where ["n < 99999999999999999999"] : tensor<?xf32>
  return
}

// -----

// What can hold at no size is an error when it is compiled.
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{'n % 2 == 0' does not hold at any size}}
  %0 = vortex.match %x ["n"] where ["n % 2 == 0"] : tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<5x4xf32>) {
  // expected-error @+1 {{dimension 1 is not 'n' at any size}}
  %0 = vortex.match %x ["n", "n"] : tensor<5x4xf32>
  return
}

// -----

// Relations and sizes of a function are for the run time, which must be able to read them.
// expected-error @+1 {{'vortex.where' has relation 'm <= q': there is no size 'q' here}}
func.func @f(%x: tensor<?xf32> {vortex.dims = ["m"]}) attributes {vortex.where = ["m <= q"]} {
  return
}

// -----

// expected-error @+1 {{'vortex.where' has relation 'arg0.dim1 == 4': there is no size 'arg0.dim1' here}}
func.func @f(%x: tensor<?xf32>) attributes {vortex.where = ["arg0.dim0 == 4", "arg0.dim1 == 4"]} {
  return
}

// -----

// expected-error @+1 {{argument 0: 'vortex.dims' has 'n n': unexpected 'n'}}
func.func @f(%x: tensor<?xf32> {vortex.dims = ["n n"]}, %n: tensor<?xf32> {vortex.dims = ["n"]}) {
  return
}

// -----

// expected-error @+1 {{result 0: 'vortex.dims' has '2 * k': there is no size 'k' here}}
func.func @f(%x: tensor<?xf32>) -> (tensor<?xf32> {vortex.dims = ["2 * k"]}) {
  return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{argument 0: 'vortex.dims' has 'arg1.dim0', which is the name that a size of an argument has by itself}}
func.func @f(%x: tensor<?xf32> {vortex.dims = ["arg1.dim0"]}, %y: tensor<?xf32>) {
  return
}

// -----

// Words of the language are no names.
// expected-error @+1 {{argument 0: 'vortex.dims' has 'min': expected '(' after min or max}}
func.func @f(%x: tensor<?xf32> {vortex.dims = ["min"]}) {
  return
}

// -----

// expected-error @+1 {{result 0: 'vortex.dims' has 'max': expected '(' after min or max}}
func.func @f(%x: tensor<?xf32>) -> (tensor<?xf32> {vortex.dims = ["max"]}) {
  return %x : tensor<?xf32>
}
