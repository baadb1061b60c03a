//===- Capture.h - Streams captured into graphs -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA driver API, "Stream management": a captured stream collects its work
// instead of running it. What waits, allocates or may do either is an error
// then (mode CU_STREAM_CAPTURE_MODE_GLOBAL), and the capture is lost.
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_TEST_CUDA_CAPTURE_H
#define VORTEX_TEST_CUDA_CAPTURE_H

#include <functional>
#include <vector>

namespace standin {

/// What a capture has collected, in order.
struct Graph {
  std::vector<std::function<int()>> nodes;
};

class Capture {
public:
  static Capture &get();

  int begin(void *stream);
  /// Gives what was collected; an error where something was forbidden.
  int end(void *stream, Graph **graph);
  /// Runs `work`, or collects it for the captured stream.
  int submit(void *stream, std::function<int()> work);
  /// An error, and the end of what can come of the capture, while there is one.
  int forbid(const char *what);

private:
  bool active = false;
  int broken = 0;
  void *captured = nullptr;
  std::vector<std::function<int()>> nodes;
};

} // namespace standin

#endif // VORTEX_TEST_CUDA_CAPTURE_H
