"""Faults in what kernels know of their operands' and results' memory, as those of mutations.py."""

MEMORY_MUTATIONS = [
    ("kernels do not know that packed operands have no gaps", "lib/Dialect/Vortex/Transforms/OutlineKernels.cpp",
     "layouts.packed.push_back(operand.getOperandNumber());", "layouts.dense.push_back(operand.getOperandNumber());",
     ["lit:Transforms/outline-kernels-dense", "lit:Transforms/bound-window"]),
    ("packed operands may have gaps", "lib/Conversion/DensifyOperands.cpp",
     "return type.getLayout().isIdentity();", "return true;", ["lit:Conversion/densify-operands"]),
    ("kernels of packed and of other operands are the same", "lib/Dialect/Vortex/Transforms/OutlineKernels.cpp",
     "text += std::to_string(position) + ';';", ";", ["lit:Transforms/outline-kernels-shared"]),
    ("tiles that may be written whole take no lines ahead", "lib/Dialect/Vortex/Transforms/InsertPrefetches.cpp",
     "collectWrites(&branch.thenBlock()->front(), writes);", ";", ["lit:Transforms/insert-prefetches", "lit:counts/hot-loops.test"]),
    ("tiles of few steps take lines ahead", "lib/Dialect/Vortex/Transforms/InsertPrefetches.cpp",
     "CmpIPredicate::uge, steps,", "CmpIPredicate::ule, steps,", ["lit:Transforms/insert-prefetches"]),
    ("copies of pixels have tiles of two vectors where channels are not known", "lib/Dialect/Vortex/Transforms/CpuConvCandidates.cpp",
     "return hasRows(4) && (!known || divideChannels(4)) ? 4 : 2;", "return hasRows(4) && known && divideChannels(4) ? 4 : 2;",
     ["lit:Transforms/hierarchize-conv.mlir"]),
    ("copies of windows read behind the image", "lib/Dialect/Vortex/Transforms/ExpandLoads.cpp",
     "extents[dim] = most(least(extents[dim], left), zero);", "(void)left;", ["lit:Transforms/bound-window"]),
]
