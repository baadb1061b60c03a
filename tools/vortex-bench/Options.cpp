//===- Options.cpp - What vortex-bench was asked to do --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <algorithm>
#include <sstream>

using namespace vortex;
using namespace vortex::tools;

/// The names of all kinds.
static std::string kindNames(const char *separator) {
  std::string names;
  for (const bench::Kind &kind : bench::kinds())
    names += (names.empty() ? "" : separator) + kind.name;
  return names;
}

CommandLine vortex::tools::benchCommandLine() {
  std::string columns;
  for (const bench::Kind &kind : bench::kinds())
    columns += "\n  " + kind.name + std::string(11 - kind.name.size(), ' ') +
               kind.about;
  const std::string summary =
      R"(KIND times a program of sizes unknown to the compiler at the sizes of a table,
against the libraries that users would pick instead: in one process, in turns,
each result compared before its time counts. FILE times one function of a
program. Times are medians in microseconds; ratios are the time of the peer over
vortex's, so above 1 vortex is ahead.

Kinds, and the columns of their tables:)" +
      columns + R"(

conv also takes DeepBench's names of columns. Images and results are NHWC for
all contenders, filters HWCF; oneDNN may put them into layouts of its own,
images within the time, filters before it. A program is compiled for each
combination of stride, pad and dilation; groups are 1 or, depthwise, c and f.)";
  return CommandLine("vortex-bench",
                     kindNames("|") + "|FILE.so|FILE.mlir|FILE.mlirbc [flags]",
                     summary);
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
  line.flag("--oracle",
            "also times every candidate that may run, for KIND all tiles that "
            "registers and alignment allow, of which programs have few: a "
            "second program has them, which takes a minute to compile",
            options.oracle);
  line.flag("--oracle-kept",
            "the same of the candidates alone that the program has",
            options.oracleKept);
  line.flag("--realtime",
            "keeps other processes away from timed calls, given the right to",
            options.realtime);
  line.flag("--dlpack",
            "KIND: calls with DLPack tensors (vortexContextCall), not with "
            "pointers and sizes as peers are (vortexContextRun)",
            options.dlpack);
  line.text("--target", "TARGET", "machine to compile for (default: host)",
            options.target);
  line.value(
      "--dtype", "TYPE",
      "KIND: f32 (the default), f64; gemm and conv also bf16, f16 (these "
      "two to f32), i8 or u8s8 (A without signs; these two to i32)",
      oneOf({"f32", "f64", "bf16", "f16", "i8", "u8s8"},
            [&](auto &text) { options.dtype = text; }));
  line.text("--shapes", "FILE.csv",
            "KIND: sizes, by the columns above and dtype; others are ignored",
            options.shapes);
  line.flag("--column-major",
            "gemm: the rows describe column-major products, as DeepBench's do",
            options.columnMajor);
  line.flag("--static",
            "gemm: also times the program compiled for each size by itself, "
            "which takes seconds a size; vortex's own time is that of unknown "
            "sizes",
            options.compareStatic);
  line.flag("--batch-invariant",
            "KIND: also times the program compiled with "
            "--deterministic=batch-invariant",
            options.compareOneOrder);
  line.flag("--known-filters",
            "conv: compiles for c, f, kh and kw of each filter, as a model "
            "does, with n, h and w left open",
            options.knownFilters);
  line.integer("--random", "N", "KIND: also N sizes drawn log-uniformly", 0,
               100000, options.random);
  line.integer("--seed", "S", "KIND: of all that is drawn (default: 1)", 0,
               INT64_MAX, options.seed);
  line.number("--max-gflop", "X", "KIND: leaves out larger ones (default: 20)",
              0, options.maxGflop);
  line.number("--max-operand-mb", "X",
              "KIND: leaves out larger ones (default: 512)", 0,
              options.maxOperandMb);
  line.value("--weights", "packed|plain",
             "KIND: whether weights are known beforehand (default: packed): B "
             "without a batch, filters, gamma and beta",
             oneOf({"packed", "plain"},
                   [&](auto &text) { options.packed = text == "packed"; }));
  const std::vector<std::string> names = bench::peerNames();
  std::string known;
  for (const std::string &name : names)
    known += (known.empty() ? "" : ",") + name;
  const std::string about =
      "KIND: of " + known +
      ", by commas, all, or none (default: onednn,openblas); onednn and "
      "onednn3 "
      "have all kinds, the others gemm alone; onednn3-rt is one primitive for "
      "any number of rows";
  line.value("--peers", "LIST", about.c_str(),
             [&, names, known](const std::string &text) -> std::string {
               options.peers.clear();
               std::stringstream stream(text == "all" ? known : text);
               std::string peer;
               while (text != "none" && std::getline(stream, peer, ',')) {
                 if (std::find(names.begin(), names.end(), peer) == names.end())
                   return "there is no peer '" + peer + "'";
                 options.peers.push_back(peer);
               }
               return "";
             });
  line.text("--peer-path", "FOLDERS",
            "KIND: where peers are looked for first, by colons",
            options.peerPath);
  line.text("--function", "NAME",
            "FILE: the function; may be left out when there is one",
            options.function);
  line.texts("--input", "SPEC", "FILE: an argument, in order", options.inputs);
  if (std::optional<int> code = line.parse(argc, argv, subjects))
    return code;
  if (subjects.size() != 1)
    return line.usageError(
        subjects.empty() ? "say what to time: " + kindNames(", ") + " or a file"
                         : "more than one thing to time: " + subjects[1]);
  options.subject = subjects[0];
  const bench::Kind *kind = bench::findKind(options.subject);
  if (!kind && options.subject.find('.') == std::string::npos)
    return line.usageError("nothing to time is called '" + options.subject +
                           "'; there is " + kindNames(", ") + ", or a file");
  if (kind && options.shapes.empty() && !options.random)
    return line.usageError("no sizes: give --shapes=FILE.csv or --random=N");
  if (kind && (!options.inputs.empty() || !options.function.empty()))
    return line.usageError("--function and --input go with a file, not " +
                           kind->name);
  if (kind && !kind->takes(options.dtype))
    return line.usageError(kind->name + " takes " + kind->dtypeList() +
                           ", not " + options.dtype);
  if (options.columnMajor && (!kind || kind->name != "gemm"))
    return line.usageError("--column-major goes with gemm");
  if (options.compareStatic && (!kind || kind->name != "gemm"))
    return line.usageError("--static goes with gemm");
  if (options.knownFilters && (!kind || kind->name != "conv"))
    return line.usageError("--known-filters goes with conv");
  if (!kind && (!options.shapes.empty() || options.random))
    return line.usageError("--shapes and --random go with " + kindNames(", ") +
                           ", not a file");
  return std::nullopt;
}
