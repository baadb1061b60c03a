// RUN: vortex-opt %s --split-input-file --verify-diagnostics --vortex-donate-arguments

// expected-error@below {{'vortex.donated' of argument 0 must name one of the 1 results, counted from 0}}
func.func @no_result(%x: tensor<?xf32> {vortex.donated = 1}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// expected-error@below {{'vortex.donated' of argument 0 needs a tensor of the type of result 0; the argument is 'tensor<?xf32>', the result 'tensor<4xf32>'}}
func.func @other_type(%x: tensor<?xf32> {vortex.donated = 0}, %y: tensor<4xf32>) -> tensor<4xf32> {
  return %y : tensor<4xf32>
}

// -----

// expected-error@below {{'vortex.donated' of argument 1 and of argument 0 name the same result, 0}}
func.func @twice(%x: tensor<?xf32> {vortex.donated = 0}, %y: tensor<?xf32> {vortex.donated = 0}) -> tensor<?xf32> {
  return %y : tensor<?xf32>
}

// -----

// expected-error@below {{'vortex.donated' of argument 0 is for public functions of one block that the program does not call}}
func.func @called(%x: tensor<?xf32> {vortex.donated = 0}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

func.func @caller(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = call @called(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
