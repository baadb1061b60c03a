// RUN: split-file %s %t
// RUN: vortex-opt %t/mm.mlir --target=gfx90a --vortex-convert-to-rocdl -o /dev/null
// RUN: sed 's/store(4)/store(3)/' %t/mm.mlir | not vortex-opt --target=gfx90a --vortex-convert-to-rocdl 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: sed 's/TRL 2 by %c64/TRL 2 by %c8/' %t/mm.mlir | not vortex-opt --target=gfx90a --vortex-convert-to-rocdl 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: sed 's/"mfma_f32_16x16x16f16"/"mfma_f32_16x16x16f16_1k"/' %vortex_src_root/hwdesc/gfx90a.mlir > %t/none.mlir
// RUN: not vortex-opt %t/mm.mlir --target-file=%t/none.mlir --vortex-convert-to-rocdl 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: sed '/mfma_f32_16x16x16f16/s/16x16x16,/16x16x32,/' %vortex_src_root/hwdesc/gfx90a.mlir > %t/shape.mlir
// RUN: not vortex-opt %t/mm.mlir --target-file=%t/shape.mlir --vortex-lower-to-amdgcn 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: sed -e 's/mfma_f32_16x16x16f16/mfma_f32_32x32x4f16/' -e '/32x32x4f16/s/16x16x16,/32x32x4,/' %vortex_src_root/hwdesc/gfx90a.mlir > %t/blocks.mlir
// RUN: not vortex-opt %t/mm.mlir --target-file=%t/blocks.mlir --vortex-convert-to-rocdl 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not vortex-opt %t/mm.mlir --target=gfx90a,cpu=gfx942 --vortex-convert-to-rocdl 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not vortex-opt %t/mm.mlir --target=sm_80 --vortex-convert-to-nvvm 2>&1 | FileCheck %s --check-prefix=NVIDIA
// RUN: not vortex-opt %t/bytes.mlir --target=gfx90a --vortex-convert-to-rocdl 2>&1 | FileCheck %s --check-prefix=SIGN

// STORE: error: 'vortex.level' op stores runs of 3 elements; a thread holds runs of 4
// STEPS: error: 'vortex.stage' op has a tile of 8 of axis k, which instruction 'mfma_f32_16x16x16f16' of target gfx90a covers in steps of 32
// NAME: none.mlir:{{.*}}error: instruction 'mfma_f32_16x16x16f16_1k' is none of gfx90a, which has {{.*}}mfma_f32_16x16x16f16,
// SHAPE: error: instruction 'mfma_f32_16x16x16f16': 'shape' is 16x16x32, and that of the op with this name 16x16x16
// BLOCKS: error: 'vortex.stage' op needs 'mfma' for 'f16' x 'f16' -> 'f32'
// CPU: error: instruction 'mfma_i32_16x16x16i8' is none of gfx942, which has {{.*}}mfma_i32_16x16x32_i8
// NVIDIA: error: 'vortex.stage' op uses 'mfma' for 'f16' x 'f16' -> 'f32', which target sm_80 does not have
// SIGN: error: 'linalg.generic' op multiplies factors without a sign, which mfma takes for signed ones

//--- mm.mlir
func.func @mm(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %o: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill {vortex.id = "fill"} ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.matmul {vortex.anchor, vortex.id = "mm"} ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    vortex.yield %p : tensor<?x?xf32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c32 = arith.constant 32 : index
    vortex.candidate @ring schedule {
      vortex.level "block" grid (PL 0 by %c64, PL 1 by %c64) store(4) {
        vortex.level "smem" for (TRL 2 by %c64)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c8,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c8) stages(2) resident {
          vortex.level "warp" forall (PL 0 by %c32, PL 1 by %c32) {
            vortex.stage ["fill", "mm"] micro <instruction = "mfma", rows = 32, vectors = 2, lanes = 16, unroll = 2>
          }
        }
      }
    }
  } : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

//--- bytes.mlir
func.func @mm(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %y = vortex.kernel "mm" axes ["m", "n", "k"] ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) {
  ^bb0(%x: tensor<?x?xi8>, %w: tensor<?x?xi8>, %o: tensor<?x?xi32>):
    %zero = arith.constant 0 : i32
    %z = linalg.fill {vortex.id = "fill"} ins(%zero : i32) outs(%o : tensor<?x?xi32>) -> tensor<?x?xi32>
    %p = linalg.generic {vortex.anchor, vortex.id = "mm",
        indexing_maps = [affine_map<(i, j, s) -> (i, s)>, affine_map<(i, j, s) -> (s, j)>, affine_map<(i, j, s) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<?x?xi8>, tensor<?x?xi8>) outs(%z : tensor<?x?xi32>) {
    ^bb0(%d: i8, %e: i8, %s: i32):
      %dw = arith.extui %d : i8 to i32
      %ew = arith.extsi %e : i8 to i32
      %q = arith.muli %dw, %ew : i32
      %t = arith.addi %s, %q : i32
      linalg.yield %t : i32
    } -> tensor<?x?xi32>
    vortex.yield %p : tensor<?x?xi32>
  } candidates {
  ^bb0(%m: index, %n: index, %k: index):
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c32 = arith.constant 32 : index
    vortex.candidate @ring schedule {
      vortex.level "block" grid (PL 0 by %c64, PL 1 by %c64) store(4) {
        vortex.level "smem" for (TRL 2 by %c64)
            load (<operand = 0, layout = swizzle, axis = 2, together = true> by %c16,
                  <operand = 1, layout = swizzle, axis = 1, together = true> by %c16) stages(2) resident {
          vortex.level "warp" forall (PL 0 by %c32, PL 1 by %c32) {
            vortex.stage ["fill", "mm"] micro <instruction = "mfma", rows = 32, vectors = 2, lanes = 16, unroll = 2>
          }
        }
      }
    }
  } : tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
