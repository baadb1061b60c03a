//===- CommandLine.h - The command line of the tools ------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small parser for the tools that must not use cl::opt (libLLVM owns
// `--threads` and exits as it likes). Flags are `--name`, `--name=VALUE` or
// `--name VALUE`; one-letter flags are `-o VALUE`. Usage errors exit with 2 and
// point at --help. Every tool has --help and --version.
//
//   CommandLine line("vortex-run", "FILE --function=NAME", "Runs a function.");
//   line.value("--threads", "N", "threads of a call", [&](auto &text) {...});
//   if (std::optional<int> code = line.parse(argc, argv, files))
//     return *code;
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TOOLS_COMMON_COMMANDLINE_H
#define VORTEX_TOOLS_COMMON_COMMANDLINE_H

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vortex {
namespace tools {

/// Exit codes of all tools.
enum ExitCode { ExitDone = 0, ExitFailed = 1, ExitUsage = 2 };

/// The exit code of a tool that would end with `code`: what it printed and
/// could not write is a failure, too.
inline int finish(const char *tool, int code) {
  errno = 0;
  if (!std::fflush(stdout) && !std::ferror(stdout))
    return code;
  std::fprintf(stderr, "%s: cannot write to standard output%s%s\n", tool,
               errno ? ": " : "", errno ? std::strerror(errno) : "");
  return code == ExitDone ? int(ExitFailed) : code;
}

class CommandLine {
public:
  /// Takes a flag's value; returns "" or why it is not one.
  using Setter = std::function<std::string(const std::string &value)>;

  CommandLine(std::string tool, std::string usage, std::string summary)
      : tool(std::move(tool)), usage(std::move(usage)),
        summary(std::move(summary)) {}

  /// A flag without a value.
  void flag(const char *name, const char *help, bool &to) {
    flags.push_back({name, "", help, [&to](const std::string &) {
                       to = true;
                       return std::string();
                     }});
  }
  /// A flag with a value. `placeholder` stands for it in the help.
  void value(const char *name, const char *placeholder, const char *help,
             Setter set) {
    flags.push_back({name, placeholder, help, std::move(set)});
  }
  void text(const char *name, const char *placeholder, const char *help,
            std::string &to) {
    value(name, placeholder, help, [&to](const std::string &v) {
      to = v;
      return std::string();
    });
  }
  void texts(const char *name, const char *placeholder, const char *help,
             std::vector<std::string> &to) {
    value(name, placeholder, help, [&to](const std::string &v) {
      to.push_back(v);
      return std::string();
    });
  }
  void integer(const char *name, const char *placeholder, const char *help,
               int64_t least, int64_t most, int64_t &to) {
    value(name, placeholder, help, [=, &to](const std::string &v) {
      char *end;
      errno = 0;
      long long n = std::strtoll(v.c_str(), &end, 10);
      if (v.empty() || *end || errno || n < least || n > most)
        return "expected an integer from " + std::to_string(least) + " to " +
               std::to_string(most);
      to = n;
      return std::string();
    });
  }
  void number(const char *name, const char *placeholder, const char *help,
              double least, double &to) {
    value(name, placeholder, help, [=, &to](const std::string &v) {
      char *end;
      double n = std::strtod(v.c_str(), &end);
      if (v.empty() || *end || !(n >= least) || std::isinf(n))
        return "expected a finite number of at least " + std::to_string(least);
      to = n;
      return std::string();
    });
  }

  /// The exit code when the tool is to end here: after --help and --version, or
  /// a usage error. What is not a flag goes to `positional`.
  std::optional<int> parse(int argc, char **argv,
                           std::vector<std::string> &positional) {
    for (int i = 1; i < argc; ++i) {
      std::string argument = argv[i];
      if (argument == "--help" || argument == "-h") {
        printHelp();
        return ExitDone;
      }
      if (argument == "--version") {
        std::printf("%s %s\n", tool.c_str(), VORTEX_VERSION);
        return ExitDone;
      }
      if (argument == "--") {
        positional.insert(positional.end(), argv + i + 1, argv + argc);
        break;
      }
      if (argument.size() < 2 || argument[0] != '-') {
        positional.push_back(argument);
        continue;
      }
      size_t equals = argument.find('=');
      std::string name = argument.substr(0, equals);
      const Flag *flag = nullptr;
      for (const Flag &f : flags)
        if (f.name == name)
          flag = &f;
      if (!flag)
        return usageError("unknown flag '" + name + "'");
      bool takesValue = !flag->placeholder.empty();
      std::string value;
      if (equals != std::string::npos) {
        if (!takesValue)
          return usageError("'" + name + "' takes no value");
        value = argument.substr(equals + 1);
      } else if (takesValue) {
        // A value that looks like a flag is a value that was forgotten.
        if (i + 1 == argc || argv[i + 1][0] == '-')
          return usageError("'" + name + "' needs a value: " + name + "=" +
                            flag->placeholder);
        value = argv[++i];
      }
      if (takesValue && value.empty())
        return usageError("'" + name + "' needs a value: " + name + "=" +
                          flag->placeholder);
      std::string error = flag->set(value);
      if (!error.empty())
        return usageError("'" + name + "=" + value + "': " + error);
    }
    return std::nullopt;
  }

  /// Prints a usage error and returns the exit code for it.
  int usageError(const std::string &message) const {
    std::fprintf(stderr, "%s: %s\nTry '%s --help'.\n", tool.c_str(),
                 message.c_str(), tool.c_str());
    return ExitUsage;
  }

private:
  struct Flag {
    std::string name, placeholder, help;
    Setter set;
  };

  void printHelp() const {
    std::printf("usage: %s %s\n\n%s\n\n", tool.c_str(), usage.c_str(),
                summary.c_str());
    auto line = [](const std::string &left, const std::string &help) {
      if (left.size() < 28)
        std::printf("  %-28s%s\n", left.c_str(), help.c_str());
      else
        std::printf("  %s\n  %-28s%s\n", left.c_str(), "", help.c_str());
    };
    for (const Flag &f : flags)
      line(f.placeholder.empty() ? f.name
           : f.name.size() == 2  ? f.name + " " + f.placeholder
                                 : f.name + "=" + f.placeholder,
           f.help);
    line("--help", "this text");
    line("--version", "the version");
    std::printf("\nExit codes: 0 done, 1 the work failed, 2 usage.\n");
  }

  std::string tool, usage, summary;
  std::vector<Flag> flags;
};

} // namespace tools
} // namespace vortex

#endif // VORTEX_TOOLS_COMMON_COMMANDLINE_H
