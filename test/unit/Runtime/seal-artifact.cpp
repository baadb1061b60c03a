//===- seal-artifact.cpp - Writes the checksums of an artifact ------------===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vortex/Runtime/Checksum.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  std::ifstream in(argv[1], std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  if (const char *error =
          vortex::runtime::sealArtifact(&bytes[0], bytes.size())) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error);
    return 1;
  }
  std::ofstream(argv[1], std::ios::binary) << bytes;
  return 0;
}
