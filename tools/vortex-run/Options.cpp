//===- Options.cpp - What vortex-run was asked to do ----------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

using namespace vortex::tools;

static CommandLine *commandLine = nullptr;

int vortex::tools::usageError(const std::string &message) {
  return commandLine->usageError(message);
}

int vortex::tools::failure(const std::string &message) {
  std::fprintf(stderr, "vortex-run: error: %s\n", message.c_str());
  return ExitFailed;
}

/// "SPEC" or "argN=SPEC"; the k-th without argN belongs to result k.
static Place parsePlace(const std::string &text,
                        const std::vector<Place> &before) {
  size_t digits = 3;
  while (digits < text.size() &&
         std::isdigit(static_cast<unsigned char>(text[digits])))
    ++digits;
  if (text.compare(0, 3, "arg") == 0 && digits > 3 && digits < 12 &&
      digits < text.size() && text[digits] == '=')
    return {true, std::atoll(text.c_str() + 3), text.substr(digits + 1)};
  int64_t results = 0;
  for (const Place &place : before)
    results += !place.isArgument;
  return {false, results, text};
}

std::optional<int> vortex::tools::parseOptions(int argc, char **argv,
                                               Options &options) {
  static CommandLine line(
      "vortex-run", "FILE.so|FILE.mlir|FILE.mlirbc [--function=NAME] [flags]",
      "Runs one function of an artifact. A module that is not compiled yet "
      "goes\n"
      "through vortex-compile first.\n\n"
      "SPEC is a value: 2x3xf32=\"1 2 3 4 5 6\", 2x3xf32=0 (all elements),\n"
      "4x768xf32=@x.npy, @x.npy, i64=3 (a scalar), 0x5xf32= (no elements).");
  commandLine = &line;
  double tol = -1, atol = -1, rtol = -1;
  std::vector<std::string> files;
  line.text("--function", "NAME",
            "the function; may be left out when there is one",
            options.function);
  line.texts("--input", "SPEC", "an argument, in order, weights included",
             options.inputs);
  line.value("--output", "[argN=]@FILE.npy",
             "stores the next result, or argument N afterwards",
             [&](const std::string &text) -> std::string {
               Place place = parsePlace(text, options.outputs);
               if (place.text.size() < 2 || place.text[0] != '@')
                 return "expected @FILE.npy or argN=@FILE.npy";
               place.text.erase(0, 1);
               options.outputs.push_back(place);
               return "";
             });
  line.value("--expected-output", "[argN=]SPEC",
             "compares the next result, or argument N afterwards",
             [&](const std::string &text) -> std::string {
               options.expected.push_back(parsePlace(text, options.expected));
               return "";
             });
  line.number("--tol", "T", "|got - want| <= T * max(1, max|want|)", 0, tol);
  line.number("--atol", "T",
              "|got - want| <= atol + rtol * |want|, elementwise", 0, atol);
  line.number("--rtol", "T", "see --atol", 0, rtol);
  line.text("--compare-precision", "REF.so",
            "prints how far results are from those of another artifact",
            options.reference);
  line.integer("--threads", "N", "threads of a call (default: all)", 1, 4096,
               options.threads);
  line.value("--device", "cpu|cuda:N",
             "where to run: an artifact for a GPU on CUDA device N",
             [&](const std::string &text) -> std::string {
               size_t digits = text.find_first_not_of("0123456789", 5);
               bool cuda = text.compare(0, 5, "cuda:") == 0 &&
                           text.size() > 5 && text.size() < 10 &&
                           digits == std::string::npos;
               if (!cuda && text != "cpu")
                 return "expected cpu or cuda:N";
               options.device =
                   cuda ? DLDevice{kDLCUDA, std::atoi(text.c_str() + 5)}
                        : DLDevice{kDLCPU, 0};
               return "";
             });
  line.text("--target", "TARGET", "for a module that is compiled first",
            options.target);
  line.value(
      "--force", "KERNEL=CANDIDATE",
      "runs that candidate where its kernel runs, or fails naming its guard",
      [&](const std::string &text) -> std::string {
        // A kernel has the name of its function, which may be anything.
        size_t equals = text.rfind('=');
        if (equals == std::string::npos || !equals || equals + 1 == text.size())
          return "expected KERNEL=CANDIDATE";
        options.forced.emplace_back(text.substr(0, equals),
                                    text.substr(equals + 1));
        return "";
      });
  line.flag("--every-candidate",
            "calls again with each candidate of each kernel forced, and "
            "compares",
            options.everyCandidate);
  line.flag("--explain", "prints which candidates ran and what they cost",
            options.explain);
  line.flag("--list", "prints functions and kernels, and runs nothing",
            options.list);
  line.integer("--repeat", "N", "runs N times and prints the time of a call", 1,
               1000000000, options.repeat);
  if (std::optional<int> code = line.parse(argc, argv, files))
    return code;
  if (files.size() != 1)
    return usageError(files.empty() ? "no file"
                                    : "more than one file: " + files[1]);
  options.file = files[0];
  if (tol >= 0 && (atol >= 0 || rtol >= 0))
    return usageError("--tol does not go with --atol and --rtol");
  if (options.everyCandidate)
    for (auto [flag, given] :
         {std::pair("--force", !options.forced.empty()),
          std::pair("--explain", options.explain),
          std::pair("--repeat", options.repeat != 0),
          std::pair("--compare-precision", !options.reference.empty()),
          std::pair("--list", options.list)})
      if (given)
        return usageError(std::string("--every-candidate does not go with ") +
                          flag);
  options.tolerance.tol = tol;
  options.tolerance.elementwise = atol >= 0 || rtol >= 0;
  options.tolerance.atol = std::max(atol, 0.0);
  options.tolerance.rtol = std::max(rtol, 0.0);
  return std::nullopt;
}
