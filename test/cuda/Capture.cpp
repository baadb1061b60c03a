//===- Capture.cpp - Streams captured into graphs -------------------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Capture.h"

#include "StandIn.h"

using namespace standin;

Capture &Capture::get() {
  static Capture capture;
  return capture;
}

int Capture::begin(void *stream) {
  if (active || !stream) {
    complain("a capture begins %s",
             active ? "inside of another" : "on the default stream");
    return invalidValue;
  }
  active = true;
  broken = success;
  captured = stream;
  nodes.clear();
  log("capture");
  return success;
}

int Capture::end(void *stream, Graph **graph) {
  if (!active || stream != captured) {
    complain("a capture ends that did not begin");
    return invalidValue;
  }
  active = false;
  *graph = broken ? nullptr : new Graph{std::move(nodes)};
  log("captured %zu", broken ? size_t(0) : (*graph)->nodes.size());
  return broken ? captureInvalidated : success;
}

int Capture::submit(void *stream, std::function<int()> work) {
  if (!active || (stream && stream != captured))
    return work();
  if (!stream) {
    complain("work on the default stream while another is captured");
    return broken = captureImplicit;
  }
  if (broken)
    return captureInvalidated;
  nodes.push_back(std::move(work));
  return success;
}

int Capture::forbid(const char *what) {
  if (!active)
    return success;
  complain("%s while a stream is captured", what);
  return broken = captureUnsupported;
}
