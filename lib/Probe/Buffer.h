//===- Buffer.h - Memory that is measured ----------------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_PROBE_BUFFER_H
#define VORTEX_LIB_PROBE_BUFFER_H

#include <cstdint>
#include <cstring>
#include <sys/mman.h>

namespace vortex::probe {

/// Zeroed memory in huge pages where the system gives them, so that address
/// translation is not what is measured.
class Buffer {
public:
  explicit Buffer(int64_t bytes) : bytes(bytes) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return;
    data = static_cast<char *>(memory);
    madvise(data, bytes, MADV_HUGEPAGE);
    std::memset(data, 0, bytes);
  }
  ~Buffer() {
    if (data)
      munmap(data, bytes);
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  char *data = nullptr;
  const int64_t bytes;
};

} // namespace vortex::probe

#endif // VORTEX_LIB_PROBE_BUFFER_H
