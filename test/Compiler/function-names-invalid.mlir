// What goes wrong around the kernels, which is lowered while they are compiled, ends the compilation at once.
// RUN: not vortex-compile %s --target=host --no-cache -o %t.so 2>&1 | FileCheck %s
// RUN: test ! -e %t.so

// CHECK: error: function @g.elementwise.0.rows would have the name of a kernel, 'vortex.fn.g.elementwise.0.rows'
// CHECK-NOT: error:
func.func @"vortex.fn.g"(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = math.absf %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @g.elementwise.0.rows(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
