// RUN: vortex-opt %s --transform-interpreter --verify-diagnostics -o /dev/null

// expected-note @below {{key "l9.units" has no DLTI-mapping}}
module attributes {test.hw = #vortex.hw<isa = "other", triple = "t", levels = [
    <"device", units = 1>, <"register", units = 1, memory = register, capacity = 64, granularity = 8>
  ]>, transform.with_named_sequence} {
  // expected-error @below {{target op of failed DLTI query}}
  func.func private @f()

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'transform.dlti.query' op failed to apply}}
    %l9 = transform.dlti.query ["l9.units"] at %f : (!transform.any_op) -> !transform.any_param
    transform.yield
  }
}
