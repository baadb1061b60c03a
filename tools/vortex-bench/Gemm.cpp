//===- Gemm.cpp - Matrix products against vendor libraries -------- -===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// All contenders run in this process, interleaved in rotating order; a time is
// the median over batches, each of as many calls as fill about two
// milliseconds. A result is compared with the first peer's before it counts.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "SpawnCompiler.h"

#include "vortex-c/Runtime.h"
#include "vortex-c/dlpack.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>
#include <unistd.h>

using namespace vortex::bench;

namespace {
double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::micro>(
             Clock::now().time_since_epoch())
      .count();
}

/// Memory for one operand, aligned to a cache line.
class Matrix {
public:
  Matrix(int64_t rows, int64_t columns) : shape{rows, columns} {
    size_t bytes = std::max<size_t>(64, (rows * columns * 4 + 63) / 64 * 64);
    data = static_cast<float *>(std::aligned_alloc(64, bytes));
    std::memset(data, 0, bytes);
    tensor.data = data;
    tensor.device = {kDLCPU, 0};
    tensor.ndim = 2;
    tensor.dtype = {kDLFloat, 32, 1};
    tensor.shape = shape;
    tensor.strides = nullptr;
    tensor.byte_offset = 0;
  }
  Matrix(const Matrix &) = delete;
  ~Matrix() { std::free(data); }
  int64_t size() const { return shape[0] * shape[1]; }

  float *data;
  DLTensor tensor;
  int64_t shape[2];
};

/// The compiled product.
struct Product {
  VortexModule *module = nullptr;
  VortexInstance *instance = nullptr;
  VortexContext *context = nullptr;
  bool packed = false;
  ~Product() {
    vortexContextDestroy(context);
    vortexInstanceDestroy(instance);
    vortexModuleUnload(module);
  }
};

struct Contender {
  std::string name;
  Run run;
  Matrix *result;
  std::vector<double> batches;
};
} // namespace

/// The program: one product of unknown sizes.
static std::string programText(bool packed) {
  std::string weight = packed ? " {vortex.weight}" : "";
  return "func.func @gemm(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>" + weight +
         R"mlir() -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
)mlir";
}

/// Compiles and loads the product.
static std::string makeProduct(const Options &options, Product &product) {
  const char *folder = std::getenv("TMPDIR");
  std::string source = std::string(folder && *folder ? folder : "/tmp") +
                       "/vortex-bench-XXXXXX.mlir";
  int file = mkstemps(&source[0], 5);
  if (file < 0)
    return source + ": " + std::strerror(errno);
  close(file);
  std::ofstream(source) << programText(options.packed);
  std::string artifact;
  std::string error =
      vortex::tools::spawnCompiler(source, options.target, artifact);
  unlink(source.c_str());
  if (!error.empty())
    return error;
  VortexContextOptions context{};
  context.size = sizeof context;
  context.threads = int32_t(options.threads);
  product.packed = options.packed;
  bool loaded =
      !vortexModuleLoad(artifact.c_str(), &product.module) &&
      !vortexInstanceCreate(product.module, &product.instance) &&
      !vortexContextCreate(product.instance, &context, &product.context);
  unlink(artifact.c_str());
  return loaded ? "" : vortexLastError();
}

/// A call of the product; `error` gets the first failure.
static Run callProduct(Product &product, Matrix &a, Matrix &b, Matrix &c,
                       std::string &error) {
  return [&] {
    const DLTensor *args[] = {&a.tensor, &b.tensor};
    DLManagedTensorVersioned result{};
    result.version = {1, 0};
    result.dl_tensor = c.tensor;
    DLManagedTensorVersioned *results[] = {&result};
    if (vortexContextCall(product.context, "gemm", args, product.packed ? 1 : 2,
                          results, 1) &&
        error.empty())
      error = vortexLastError();
  };
}

static bool close(const Matrix &x, const Matrix &y, int64_t k) {
  double worst = 0, largest = 1;
  for (int64_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, std::fabs(double(x.data[i]) - y.data[i]));
    largest = std::max(largest, std::fabs(double(y.data[i])));
  }
  return worst <= 1e-6 * largest * std::sqrt(double(k) + 64);
}

/// Median of the batches, in microseconds, and their spread (p90 / p10).
static void summarize(Contender &contender, Row &row) {
  std::vector<double> &b = contender.batches;
  std::sort(b.begin(), b.end());
  row.us[contender.name] = b[b.size() / 2];
  row.spread[contender.name] = b[b.size() * 9 / 10] / b[b.size() / 10];
}

/// Times contenders in rotating order.
static void timeAll(std::vector<Contender> &contenders, int64_t repeats,
                    bool pause) {
  std::vector<int64_t> calls;
  for (Contender &contender : contenders) {
    contender.run();
    double start = now();
    contender.run();
    double once = std::max(now() - start, 0.05);
    calls.push_back(std::max<int64_t>(1, int64_t(2000 / once)));
  }
  for (int64_t repeat = 0; repeat < repeats; ++repeat)
    for (size_t i = 0; i < contenders.size(); ++i) {
      size_t which = (i + repeat) % contenders.size();
      // Workers of another library may still be spinning.
      if (pause)
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
      contenders[which].run();
      double start = now();
      for (int64_t call = 0; call < calls[which]; ++call)
        contenders[which].run();
      contenders[which].batches.push_back((now() - start) / calls[which]);
    }
}

/// The candidate that the latest call ran.
static std::string lastChoice(const Product &product) {
  VortexChoice choice;
  if (vortexContextNumChoices(product.context) == 0 ||
      vortexContextChoice(product.context, 0, &choice))
    return "";
  if (choice.candidate < 0)
    return "fallback";
  return vortexModuleKernel(product.module, choice.kernel)
      ->candidates[choice.candidate];
}

static std::string runShape(const Options &options, Product &product,
                            std::map<std::string, std::unique_ptr<Peer>> &peers,
                            const Shape &shape, Row &row) {
  std::mt19937 random(static_cast<unsigned>(options.seed));
  std::uniform_real_distribution<float> uniform(-1, 1);
  Matrix a(shape.m, shape.k), b(shape.k, shape.n);
  for (Matrix *matrix : {&a, &b})
    for (int64_t i = 0; i < matrix->size(); ++i)
      matrix->data[i] = uniform(random);
  std::vector<std::unique_ptr<Matrix>> results;
  std::vector<Contender> contenders;
  auto result = [&]() -> Matrix & {
    results.push_back(std::make_unique<Matrix>(shape.m, shape.n));
    return *results.back();
  };
  for (auto &[name, peer] : peers) {
    Matrix &c = result();
    if (Run run = peer->prepare(shape, a.data, b.data, c.data, options.packed))
      contenders.push_back({name, std::move(run), &c, {}});
  }
  std::string error;
  if (options.packed) {
    const DLTensor *weights[] = {&b.tensor};
    if (vortexInstanceBindWeights(product.instance, "gemm", weights, 1,
                                  nullptr))
      return vortexLastError();
  }
  Matrix &c = result();
  contenders.push_back(
      {"vortex", callProduct(product, a, b, c, error), &c, {}});

  row.shape = shape;
  vortexContextRecordChoices(product.context, 1);
  for (Contender &contender : contenders)
    contender.run();
  row.choice = lastChoice(product);
  vortexContextRecordChoices(product.context, 0);
  if (!error.empty())
    return error;
  for (Contender &contender : contenders)
    if (!close(*contender.result, *contenders[0].result, shape.k))
      return contender.name + " and " + contenders[0].name +
             " differ at m=" + std::to_string(shape.m) +
             " n=" + std::to_string(shape.n) + " k=" + std::to_string(shape.k);
  timeAll(contenders, options.repeats, options.threads > 1);
  for (Contender &contender : contenders)
    summarize(contender, row);

  if (options.oracle) {
    const VortexKernelInfo *kernel = vortexModuleKernel(product.module, 0);
    std::vector<Contender> forced;
    for (int64_t i = 0; kernel && i < kernel->num_candidates; ++i) {
      const char *name = kernel->candidates[i];
      Run run = callProduct(product, a, b, c, error);
      forced.push_back({name,
                        [=, &product] {
                          vortexContextForce(product.context, kernel->name,
                                             name);
                          run();
                        },
                        &c,
                        {}});
    }
    timeAll(forced, options.repeats, false);
    if (kernel)
      vortexContextForce(product.context, kernel->name, nullptr);
    Row times;
    for (Contender &contender : forced) {
      summarize(contender, times);
      double us = times.us[contender.name];
      if (row.oracle.empty() || us < row.oracleUs) {
        row.oracle = contender.name;
        row.oracleUs = us;
      }
    }
    if (times.us.count(row.choice))
      row.us["choice"] = times.us[row.choice];
  }
  return error;
}

std::string vortex::bench::runGemm(const Options &options,
                                   std::vector<Row> &rows, size_t &leftOut) {
  std::vector<Shape> shapes;
  if (std::string error = readShapes(options, shapes, leftOut); !error.empty())
    return error;
  std::map<std::string, std::unique_ptr<Peer>> peers;
  for (const std::string &name : options.peers) {
    std::string reason;
    if (auto peer = loadPeer(name, options.threads, reason))
      peers[name] = std::move(peer);
    else
      std::fprintf(stderr, "vortex-bench: peer %s left out: %s\n", name.c_str(),
                   reason.c_str());
  }
  Product product;
  if (std::string error = makeProduct(options, product); !error.empty())
    return error;
  bool terminal = isatty(2);
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].m == 0 || shapes[i].n == 0 || shapes[i].k == 0)
      continue;
    if (terminal)
      std::fprintf(stderr, "\r%zu of %zu", i + 1, shapes.size());
    Row row;
    if (std::string error = runShape(options, product, peers, shapes[i], row);
        !error.empty())
      return error;
    rows.push_back(std::move(row));
  }
  if (terminal)
    std::fprintf(stderr, "\n");
  return "";
}
