//===- ObjectCache.h - Compiled kernels on disk -----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_LIB_COMPILER_OBJECTCACHE_H
#define VORTEX_LIB_COMPILER_OBJECTCACHE_H

#include "CodeGen.h"
#include "Link.h"

#include <mutex>
#include <system_error>

namespace vortex {

/// A folder of object files named by a hash of all that decides their bytes.
/// Any number of processes may use one at the same time. A damaged or absent
/// entry is a miss; a folder that cannot be written is no error, but a problem.
class ObjectCache {
public:
  explicit ObjectCache(llvm::StringRef folder) : folder(folder) {}

  /// The name of the object compiled from `ir` (text) with these options by
  /// this compiler and this LLVM.
  static std::string getKey(llvm::StringRef ir, const CodeTarget &target,
                            const CodeGenOptions &options);

  /// Fills `object` and by how many instructions its innermost loops spill;
  /// false when the cache does not have it.
  bool lookup(llvm::StringRef key, ObjectCode &object, unsigned &spills) const;
  /// Keeps an object; may be called by several threads.
  void store(llvm::StringRef key, const ObjectCode &object, unsigned spills);

  /// Why the first object that could not be kept was not; "" for none.
  const std::string &getProblem() const { return problem; }

private:
  std::error_code write(llvm::StringRef key, const ObjectCode &object,
                        unsigned spills) const;
  std::string getPath(llvm::StringRef key) const;

  std::string folder, problem;
  std::mutex problemMutex;
};

} // namespace vortex

#endif // VORTEX_LIB_COMPILER_OBJECTCACHE_H
