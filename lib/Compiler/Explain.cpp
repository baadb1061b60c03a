//===- Explain.cpp - The kernels of a program in words --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explain.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;
using namespace vortex;

static std::string getDecision(const KernelTable &kernel) {
  if (kernel.candidates.empty())
    return "a fallback, generic loops";
  if (kernel.candidates.size() == 1)
    return "one candidate";
  if (kernel.decided >= 0)
    return kernel.candidates[kernel.decided] + ", decided as sizes are known";
  return "each call chooses the cheapest of " +
         std::to_string(kernel.candidates.size());
}

void vortex::explainKernels(ArrayRef<KernelTable> kernels,
                            raw_ostream &stream) {
  StringMap<std::string> printed;
  for (const KernelTable &kernel : kernels) {
    stream << "kernel " << kernel.name;
    if (!kernel.axes.empty())
      stream << " (" << join(kernel.axes, ", ") << ")";
    stream << ": " << getDecision(kernel) << "\n";
    for (size_t i = 0; i < kernel.candidates.size(); ++i) {
      const std::string &name = kernel.candidates[i];
      stream << "  candidate " << name << "\n";
      auto print = [&](StringRef what, StringRef formula) {
        stream << "    " << what << ": ";
        auto [it, added] =
            printed.try_emplace(formula, name + " of " + kernel.name);
        SmallVector<StringRef> lines;
        formula.split(lines, '\n');
        if (!added)
          stream << "as " << it->second << "\n";
        else if (lines.size() == 1)
          stream << formula << "\n";
        else
          stream << "\n      " << join(lines, "\n      ") << "\n";
      };
      if (!kernel.guards[i].empty())
        print("only if", kernel.guards[i]);
      if (!kernel.costs[i].empty())
        print("cost in ns", kernel.costs[i]);
    }
  }
  if (kernels.empty())
    stream << "the program has no kernels\n";
}

void vortex::explainMemory(ArrayRef<FunctionSignature> functions,
                           raw_ostream &stream) {
  for (const FunctionSignature &function : functions) {
    stream << "memory of " << function.name << ": intermediates take ";
    if (function.peakBytes.empty()) {
      stream << "what data decides\n";
      continue;
    }
    stream << "at most " << function.peakBytes << " bytes at once";
    if (function.mostBytes &&
        std::to_string(*function.mostBytes) != function.peakBytes)
      stream << ", no more than " << *function.mostBytes
             << " at the sizes declared";
    stream << "\n";
  }
}

namespace {
/// Upstream's printers show a remark as the list of its parts.
class RemarkPrinter : public mlir::remark::detail::MLIRRemarkStreamerBase {
public:
  explicit RemarkPrinter(raw_ostream &stream) : stream(stream) {}
  void streamOptimizationRemark(
      const mlir::remark::detail::Remark &remark) override {
    stream << "remark: ";
    for (const auto &part : remark.getArgs())
      stream << part.val;
    stream << "\n";
  }

private:
  raw_ostream &stream;
};
} // namespace

LogicalResult vortex::printRemarks(mlir::MLIRContext &context,
                                   raw_ostream &stream) {
  std::string ours = "vortex-.*";
  return mlir::remark::enableOptimizationRemarks(
      context, std::make_unique<RemarkPrinter>(stream),
      std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(),
      mlir::remark::RemarkCategories{
          {}, /*passed=*/ours, /*missed=*/ours, {}, {}});
}
