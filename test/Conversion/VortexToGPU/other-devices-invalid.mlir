// RUN: not vortex-opt %s --target=gfx90a --vortex-hierarchize --vortex-select-kernels --vortex-convert-to-nvvm 2>&1 | FileCheck %s --check-prefix=AMD
// RUN: not vortex-opt %s --target=sm_80 --vortex-hierarchize --vortex-select-kernels --vortex-convert-to-rocdl 2>&1 | FileCheck %s --check-prefix=NVIDIA
// RUN: not vortex-opt %s --target=vulkan --vortex-hierarchize --vortex-select-kernels --vortex-convert-to-rocdl 2>&1 | FileCheck %s --check-prefix=VULKAN
// RUN: not vortex-opt %s --target=gfx90a,warp.capacity=98304,warp.alignment=64,warp.granularity=192 --vortex-hierarchize --vortex-select-kernels --vortex-convert-to-rocdl 2>&1 | FileCheck %s --check-prefix=LANES

// AMD: error: target gfx90a is no GPU of NVIDIA; its device code comes from vortex-convert-to-rocdl
// NVIDIA: error: target sm_80 is no GPU of AMD; its device code comes from vortex-convert-to-nvvm
// VULKAN: error: target vulkan is no GPU of AMD; its device code comes from vortex-convert-to-spirv
// LANES: error: target gfx90a has warps of 48 lanes; device code needs a power of two
func.func @sum(%x: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.reduce {arith.addf} ins(%x : tensor<?x?xf32>) outs(%o : tensor<?xf32>) dimensions = [1]
  return %r : tensor<?xf32>
}
