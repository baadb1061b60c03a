//===- Simulator.cpp - The child process that runs PTX --------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines to the child: "load MODULE BYTES" with as many bytes of PTX behind, and
// "launch MODULE FUNCTION X Y Z SHARED PARAMETERS ADDRESS:BYTES..." with the
// parameters in hexadecimal. Each is answered by a line: "ok ..." or what went
// wrong.
//
//===----------------------------------------------------------------------===//

#include "StandIn.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

using namespace standin;

Simulator &Simulator::get() {
  static Simulator simulator;
  return simulator;
}

Simulator::Simulator() {
  int down[2], up[2];
  if (pipe(down) || pipe(up))
    return;
  Memory &memory = Memory::get();
  std::string file = std::to_string(memory.file()),
              begin = std::to_string(memory.begin()),
              size = std::to_string(4 * memory.size());
  pid_t child = fork();
  if (child == 0) {
    dup2(down[0], 0);
    dup2(up[1], 1);
    for (int end : {down[0], down[1], up[0], up[1]})
      close(end);
    execl(STANDIN_PYTHON, STANDIN_PYTHON, STANDIN_SIMULATOR, file.c_str(),
          begin.c_str(), size.c_str(), static_cast<char *>(nullptr));
    _exit(127);
  }
  close(down[0]);
  close(up[1]);
  to = down[1];
  from = up[0];
}

std::string Simulator::ask(const std::string &line) {
  for (size_t done = 0; done < line.size();) {
    ssize_t n = write(to, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return "the simulator does not run";
    done += size_t(n);
  }
  std::string answer;
  for (char c;;) {
    ssize_t n = read(from, &c, 1);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return "the simulator ended";
    if (c == '\n')
      return answer;
    answer += c;
  }
}

std::vector<Function> Simulator::load(int module, const std::string &ptx,
                                      std::string &error) {
  std::string answer = ask("load " + std::to_string(module) + " " +
                           std::to_string(ptx.size()) + "\n" + ptx);
  std::istringstream words(answer);
  std::string word;
  std::vector<Function> functions;
  if (!(words >> word) || word != "ok") {
    error = answer;
    return functions;
  }
  // For each function: name, threads, number of parameters, their bytes.
  Function function;
  size_t count;
  while (words >> function.name >> function.threads >> count) {
    function.module = module;
    function.parameters.resize(count);
    for (size_t &bytes : function.parameters)
      words >> bytes;
    functions.push_back(function);
  }
  return functions;
}

std::string Simulator::launch(const Function &function,
                              const unsigned (&grid)[3], unsigned shared,
                              const std::vector<char> &parameters) {
  std::ostringstream line;
  line << "launch " << function.module << ' ' << function.name;
  for (unsigned extent : grid)
    line << ' ' << extent;
  line << ' ' << shared << " x";
  for (char c : parameters) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x",
                  unsigned(static_cast<unsigned char>(c)));
    line << digits;
  }
  for (auto [address, bytes] : Memory::get().live())
    line << ' ' << address << ':' << bytes;
  line << '\n';
  std::string answer = ask(line.str());
  return answer == "ok" ? "" : answer;
}
