//===- Shapes.cpp - Problem sizes from a file or drawn at random --- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

using namespace vortex::bench;

double Shape::largestOperandBytes() const {
  return 4.0 * std::max({m * k, k * n, m * n});
}

static std::vector<std::string> splitLine(const std::string &line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  std::string cell;
  while (std::getline(stream, cell, ',')) {
    while (!cell.empty() && (cell.back() == '\r' || cell.back() == ' '))
      cell.pop_back();
    cells.push_back(cell);
  }
  return cells;
}

std::string vortex::bench::readShapes(const Options &options,
                                      std::vector<Shape> &shapes,
                                      size_t &leftOut) {
  auto take = [&](Shape shape) {
    if (shape.flops() > options.maxGflop * 1e9 ||
        shape.largestOperandBytes() > options.maxOperandMb * 1e6) {
      ++leftOut;
      return;
    }
    bool known = std::any_of(shapes.begin(), shapes.end(), [&](Shape &s) {
      return s.m == shape.m && s.n == shape.n && s.k == shape.k;
    });
    if (!known)
      shapes.push_back(shape);
  };
  if (options.random) {
    // Log-uniform in each extent.
    std::mt19937_64 random(options.seed);
    std::uniform_real_distribution<double> exponent(0, std::log(4096.0));
    for (int64_t i = 0; i < options.random; ++i) {
      auto draw = [&] { return int64_t(std::exp(exponent(random))); };
      int64_t m = draw(), n = draw(), k = draw();
      take({m, n, k});
    }
  }
  if (options.shapes.empty())
    return "";
  std::ifstream file(options.shapes);
  if (!file)
    return options.shapes + ": cannot be read";
  std::string line;
  if (!std::getline(file, line))
    return options.shapes + ": is empty; the first line names the columns";
  std::vector<std::string> header = splitLine(line);
  auto column = [&](const char *name) {
    return std::find(header.begin(), header.end(), name) - header.begin();
  };
  size_t columns[3] = {size_t(column("m")), size_t(column("n")),
                       size_t(column("k"))};
  for (size_t c : columns)
    if (c == header.size())
      return options.shapes + ":1: needs columns m, n and k";
  for (int number = 2; std::getline(file, line); ++number) {
    if (line.empty() || line == "\r")
      continue;
    std::vector<std::string> cells = splitLine(line);
    int64_t extents[3];
    for (int i = 0; i < 3; ++i) {
      const std::string cell =
          columns[i] < cells.size() ? cells[columns[i]] : std::string();
      char *end = nullptr;
      extents[i] = std::strtoll(cell.c_str(), &end, 10);
      if (cell.empty() || *end || extents[i] < 0)
        return options.shapes + ":" + std::to_string(number) +
               ": expected a size, got '" + cell + "'";
    }
    take({extents[0], extents[1], extents[2]});
  }
  return "";
}
