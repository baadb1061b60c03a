"""Faults in what generated code looks at and writes itself when it is called, as those of mutations.py."""

CALL_MUTATIONS = [
    ("generated code writes to results of any size", "lib/Conversion/ConvertToLLVM.cpp",
     "LLVM::ICmpPredicate::eq, size,", "LLVM::ICmpPredicate::uge, size,",
     ["lit:Compiler/accepts"]),
    ("generated code takes calls whose sizes contradict each other", "lib/Compiler/Entries.cpp",
     "same.push_back({one->second, other->second});", "same.push_back({one->second, one->second});", ["lit:Compiler/accepts"]),
    ("generated code takes calls whose weights have other sizes", "lib/Compiler/Entries.cpp",
     "fixed.push_back({place, extent});\n      std::string", ";\n      std::string", ["lit:Compiler/accepts"]),
    ("generated code takes results of any size", "lib/Compiler/Entries.cpp",
     "    if (value.isWeight)\n", "    if (value.isWeight || i >= function.args.size())\n", ["lit:Compiler/accepts"]),
    ("generated code takes memory that is not aligned", "lib/Compiler/Entries.cpp",
     "refuseBits(b.CreateAnd(data, misaligned));", "(void)misaligned;", ["lit:Compiler/accepts"]),
    ("a call that generated code took tells nobody of its results", "lib/Runtime/Run.cpp",
     "if (!taken)", "if (taken)", ["ctest:Run", "lit:Compiler/accepts"]),
]
