//===- Options.cpp - What vortex-bench was asked to do --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <sstream>

using namespace vortex;
using namespace vortex::tools;

CommandLine vortex::tools::benchCommandLine() {
  return CommandLine(
      "vortex-bench", "gemm|FILE.so|FILE.mlir|FILE.mlirbc [flags]",
      "gemm times matrix products of sizes unknown to the compiler against "
      "the\n"
      "libraries that users would pick instead: in one process, in turns, "
      "each\n"
      "result compared before its time counts. FILE times one function of a\n"
      "program. Times are medians in microseconds; ratios are the time of the\n"
      "peer over vortex's, so above 1 vortex is ahead.");
}

/// One of a few words.
static CommandLine::Setter oneOf(std::vector<std::string> words,
                                 std::function<void(const std::string &)> set) {
  return [=](const std::string &text) {
    std::string all;
    for (const std::string &word : words) {
      if (text == word) {
        set(text);
        return std::string();
      }
      all += (all.empty() ? "" : ", ") + word;
    }
    return "expected one of " + all;
  };
}

std::optional<int> vortex::tools::parseBenchOptions(CommandLine &line, int argc,
                                                    char **argv,
                                                    bench::Options &options) {
  std::vector<std::string> subjects;
  line.integer("--threads", "N", "threads of all contenders (default: 1)", 1,
               1024, options.threads);
  line.integer("--repeats", "N", "batches of each contender (default: 7)", 1,
               1000, options.repeats);
  line.text("--json", "FILE", "also writes the results there", options.json);
  line.flag("--oracle", "also times every candidate that may run",
            options.oracle);
  line.flag("--realtime",
            "keeps other processes away from timed calls, given the right to",
            options.realtime);
  line.text("--target", "TARGET", "machine to compile for (default: host)",
            options.target);
  line.value("--dtype", "TYPE",
             "gemm: f32, f64, bf16, f16 (these two to f32) or i8 (to i32)",
             oneOf({"f32", "f64", "bf16", "f16", "i8"},
                   [&](auto &text) { options.dtype = text; }));
  line.text("--shapes", "FILE.csv",
            "gemm: sizes, by columns m, n, k[, batch, a_t, b_t, dtype]",
            options.shapes);
  line.flag("--column-major",
            "gemm: the rows describe column-major products, as DeepBench's do",
            options.columnMajor);
  line.integer("--random", "N", "gemm: also N sizes drawn log-uniformly", 0,
               100000, options.random);
  line.integer("--seed", "S", "gemm: of all that is drawn (default: 1)", 0,
               INT64_MAX, options.seed);
  line.number("--max-gflop", "X", "gemm: leaves out larger ones (default: 20)",
              0, options.maxGflop);
  line.number("--max-operand-mb", "X",
              "gemm: leaves out larger ones (default: 512)", 0,
              options.maxOperandMb);
  line.value("--weights", "packed|plain",
             "gemm: whether B is known beforehand (default: packed); B of a "
             "batched product is not",
             oneOf({"packed", "plain"},
                   [&](auto &text) { options.packed = text == "packed"; }));
  line.value("--peers", "LIST",
             "gemm: of onednn, openblas, mkl, libxsmm, by commas, or none "
             "(default: onednn,openblas)",
             [&](const std::string &text) -> std::string {
               options.peers.clear();
               std::stringstream stream(text);
               std::string peer;
               while (text != "none" && std::getline(stream, peer, ',')) {
                 if (peer != "onednn" && peer != "openblas" && peer != "mkl" &&
                     peer != "libxsmm")
                   return "there is no peer '" + peer + "'";
                 options.peers.push_back(peer);
               }
               return "";
             });
  line.text("--peer-path", "FOLDERS",
            "gemm: where peers are looked for first, by colons",
            options.peerPath);
  line.text("--function", "NAME",
            "FILE: the function; may be left out when there is one",
            options.function);
  line.texts("--input", "SPEC", "FILE: an argument, in order", options.inputs);
  if (std::optional<int> code = line.parse(argc, argv, subjects))
    return code;
  if (subjects.size() != 1)
    return line.usageError(subjects.empty()
                               ? "say what to time: gemm or a file"
                               : "more than one thing to time: " + subjects[1]);
  options.subject = subjects[0];
  bool gemm = options.subject == "gemm";
  if (!gemm && options.subject.find('.') == std::string::npos)
    return line.usageError("nothing to time is called '" + options.subject +
                           "'; there is gemm, or a file");
  if (gemm && options.shapes.empty() && !options.random)
    return line.usageError("no sizes: give --shapes=FILE.csv or --random=N");
  if (gemm && (!options.inputs.empty() || !options.function.empty()))
    return line.usageError("--function and --input go with a file, not gemm");
  if (!gemm && (!options.shapes.empty() || options.random))
    return line.usageError("--shapes and --random go with gemm, not a file");
  return std::nullopt;
}
