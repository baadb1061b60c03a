//===- PointTile.h - The elements that a thread makes ----------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VORTEX_CONVERSION_VORTEXTOGPU_POINTTILE_H
#define VORTEX_CONVERSION_VORTEXTOGPU_POINTTILE_H

#include "PayloadEmitter.h"

namespace vortex {

/// The elements of the anchor's result that one thread makes, in rows and
/// columns: their sums are in registers, what is behind the anchor is computed
/// from them, then all is stored. Elements past an edge are copies of the last
/// one inside: they are read like it and not stored.
class PointTile {
public:
  /// `count` coordinates along `axis`, in runs of `run` that are beside each
  /// other and begin `step` apart.
  struct Side {
    unsigned axis = 0;
    Int origin;
    int64_t count = 1, step = 1;
    bool bounded = false; ///< none is past the edge
    /// Axes whose points are counted, `axis` the last; empty: of that alone.
    llvm::SmallVector<unsigned> joined = {};
    int64_t run = 1;
  };
  struct Point {
    llvm::SmallVector<Int> axes; ///< coordinates; null: not divided
    mlir::Value inside;          ///< i1; null: always
  };

  PointTile(KernelOp kernel, mlir::linalg::LinalgOp anchor,
            DeviceKernel &device)
      : kernel(kernel), anchor(anchor), device(device), b(device.b),
        payload(kernel, device) {}

  /// Whether what is behind the anchor walks its result element by element;
  /// says what does not.
  mlir::LogicalResult verify();
  /// Makes the points: the last side is the fastest.
  void make(llvm::ArrayRef<Side> sides);
  llvm::ArrayRef<Point> getPoints() const { return points; }
  PayloadEmitter &getPayload() { return payload; }

  /// What the anchor starts with at each point.
  llvm::SmallVector<mlir::Value> start();
  /// Stores the kernel's results, `sums` being the anchor's; without, the
  /// anchor reduces nothing.
  void store(llvm::ArrayRef<mlir::Value> sums = {});

private:
  void hidePlaces();
  void setCoordinates(Point &point, const Side &side, Int coordinate);
  int64_t getStoreRun();
  mlir::Value pointerTo(unsigned result, const Point &point);
  void storeOnes(llvm::ArrayRef<llvm::SmallVector<mlir::Value>> elements);
  void storeRuns(llvm::ArrayRef<llvm::SmallVector<mlir::Value>> elements,
                 int64_t run);
  llvm::SmallVector<Int> resultAt(const Point &point);

  KernelOp kernel;
  mlir::linalg::LinalgOp anchor;
  DeviceKernel &device;
  mlir::ImplicitLocOpBuilder &b;
  PayloadEmitter payload;
  llvm::SmallVector<Side> sides;
  llvm::SmallVector<Point> points;
};

} // namespace vortex

#endif // VORTEX_CONVERSION_VORTEXTOGPU_POINTTILE_H
