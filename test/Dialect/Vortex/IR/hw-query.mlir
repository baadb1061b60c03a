// RUN: vortex-opt %s --transform-interpreter --verify-diagnostics -o /dev/null

// Upstream's transform.dlti.query reads a description that an op carries.

#hw = #vortex.hw<
  isa = "x86-avx2", chip = "example", triple = "x86_64-unknown-linux-gnu",
  cpu = "x86-64-v3", features = "+fma",
  levels = [
    <"device", units = 1, memory = dram, capacity = 1 GiB, bandwidth = 30, granularity = 64>,
    <"core", units = 4, startup = 300>,
    <"l2", units = 1, memory = cache, capacity = 1 MiB, bandwidth = 90, granularity = 64>,
    <"l1", units = 1, memory = cache, capacity = 32 KiB, bandwidth = 200, granularity = 64>,
    <"register", units = 1, memory = register, capacity = 512, granularity = 32>
  ],
  instructions = [
    <"vfmadd231ps", kind = fma, type = f32 x f32 -> f32, shape = 1x8x1, rate = 110, feature = "fma">
  ]>

module attributes {test.hw = #hw, transform.with_named_sequence} {
  // expected-remark @below {{capacity = 32768 : i64, exposed = 0.000000e+00 : f64, granularity = 64 : i64}}
  // expected-remark @below {{"x86-avx2"}}
  // expected-remark @below {{"example"}}
  // expected-remark @below {{1048576 : i64}}
  // expected-remark @below {{4 : i64}}
  // expected-remark @below {{9.000000e+01 : f64}}
  // expected-remark @below {{"cache"}}
  // expected-remark @below {{1.100000e+02 : f64}}
  func.func private @f()

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %isa = transform.dlti.query ["isa"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %isa at %f : !transform.any_param, !transform.any_op
    %chip = transform.dlti.query ["chip"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %chip at %f : !transform.any_param, !transform.any_op
    %capacity = transform.dlti.query ["l2.capacity"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %capacity at %f : !transform.any_param, !transform.any_op
    %units = transform.dlti.query ["core.units"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %units at %f : !transform.any_param, !transform.any_op
    // Without a number of its own, one reader draws the whole bandwidth.
    %stream = transform.dlti.query ["l2.stream"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %stream at %f : !transform.any_param, !transform.any_op
    %memory = transform.dlti.query ["l2.memory"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %memory at %f : !transform.any_param, !transform.any_op
    %rate = transform.dlti.query ["fma.f32.rate"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %rate at %f : !transform.any_param, !transform.any_op
    %level = transform.dlti.query ["l1"] at %f : (!transform.any_op) -> !transform.any_param
    transform.debug.emit_param_as_remark %level at %f : !transform.any_param, !transform.any_op
    transform.yield
  }
}
