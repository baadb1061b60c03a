// REQUIRES: vortex-compile
// RUN: rm -rf %t && mkdir %t
// RUN: vortex-compile %s -o %t/a.so --cache-dir=%t/cache --dump-stages-to=%t/stages
// RUN: ls %t/cache | count 2
// RUN: vortex-compile %s -o %t/b.so --cache-dir=%t/cache
// RUN: cmp %t/a.so %t/b.so
// RUN: vortex-compile %s -o %t/c.so --no-cache --threads=2
// RUN: cmp %t/a.so %t/c.so
// RUN: FileCheck %s --check-prefix=HOST --input-file=%t/stages/host.ll
// RUN: FileCheck %s --check-prefix=KERNEL --input-file=%t/stages/kernel-add_par.ll
// RUN: llvm-nm -D %t/a.so | FileCheck %s --check-prefix=SYMBOLS

// Two kernels in modules of their own and the choice between them. A damaged
// cache entry is compiled again.
// RUN: sh -c 'for f in %t/cache/*.o; do echo x > $f; done'
// RUN: vortex-compile %s -o %t/d.so --cache-dir=%t/cache
// RUN: cmp %t/a.so %t/d.so

// HOST: declare {{.*}}void @add_seq(ptr
// KERNEL-DAG: define hidden void @add_par(ptr
// KERNEL-DAG: define internal void @add_par.body(ptr

// SYMBOLS-NOT: {{ [TtDdBb] }}
// SYMBOLS: T vortex_artifact_query
// SYMBOLS-NOT: {{ [TtDdBb] }}

module {
  func.func @f(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> (tensor<?x?xf32>, index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = tensor.dim %a, %c0 : tensor<?x?xf32>
    %n = tensor.dim %a, %c1 : tensor<?x?xf32>
    %e = tensor.empty(%m, %n) : tensor<?x?xf32>
    %bw = vortex.machine_param "l2.bandwidth" default 20.0
    %th = vortex.machine_param "threads" default 1.0
    %cost = arith.mulf %bw, %th : f64
    %ok = arith.cmpi ugt, %m, %c1 : index
    %true = arith.constant true
    %choice = arith.select %ok, %c1, %c0 : index
    %sel = vortex.select "add_0" ["seq", "par"] %choice allowed(%true, %ok) costs(%cost, %bw)
    %r = scf.index_switch %sel -> tensor<?x?xf32>
    case 1 {
      %x = vortex.kernel_call @add_par ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) : tensor<?x?xf32>
      scf.yield %x : tensor<?x?xf32>
    }
    default {
      %x = vortex.kernel_call @add_seq ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) : tensor<?x?xf32>
      scf.yield %x : tensor<?x?xf32>
    }
    return %r, %sel : tensor<?x?xf32>, index
  }
  module @add_par attributes {vortex.kernel_module, vortex.scheduler = false} {
    func.func @add_par(%ctx: !llvm.ptr, %a: memref<?x?xf32, strided<[?, 1], offset: ?>>, %b: memref<?xf32, strided<[1], offset: ?>>, %o: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %m = memref.dim %a, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %n = memref.dim %a, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
      scf.forall (%i) = (0) to (%m) step (3) {
        %left = arith.subi %m, %i : index
        %c3 = arith.constant 3 : index
        %t = arith.minui %left, %c3 : index
        %tmp = memref.alloc(%t, %n) : memref<?x?xf32>
        scf.for %j = %c0 to %t step %c1 {
          scf.for %k = %c0 to %n step %c1 {
            %r = arith.addi %i, %j : index
            %x = memref.load %a[%r, %k] : memref<?x?xf32, strided<[?, 1], offset: ?>>
            %y = memref.load %b[%k] : memref<?xf32, strided<[1], offset: ?>>
            %z = arith.addf %x, %y : f32
            memref.store %z, %tmp[%j, %k] : memref<?x?xf32>
          }
        }
        %v = memref.subview %o[%i, 0][%t, %n][1, 1] : memref<?x?xf32, strided<[?, 1], offset: ?>> to memref<?x?xf32, strided<[?, 1], offset: ?>>
        memref.copy %tmp, %v : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
      }
      return
    }
  }
  module @add_seq attributes {vortex.kernel_module} {
    func.func @add_seq(%ctx: !llvm.ptr, %a: memref<?x?xf32, strided<[?, 1], offset: ?>>, %b: memref<?xf32, strided<[1], offset: ?>>, %o: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
      linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>) outs(%o : memref<?x?xf32, strided<[?, 1], offset: ?>>) {
      ^bb0(%x: f32, %y: f32, %z: f32):
        %s = arith.addf %x, %y : f32
        linalg.yield %s : f32
      }
      return
    }
  }
}
