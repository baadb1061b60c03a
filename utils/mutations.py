"""Faults for utils/mutate to plant: (name, file, text, replacement, tests that must fail).

Each text occurs exactly once in its file.  A test is "lit:REGEX" (a filter of test names) or "ctest:REGEX".
"""
EMIT = "lib/Dialect/Vortex/Transforms/EmitRegisterTile.cpp"
ROWS = "lib/Dialect/Vortex/Transforms/EmitRowPasses.cpp"
INNER = "lib/Dialect/Vortex/Transforms/EmitInnerProducts.cpp"
PACKS = "lib/Dialect/Vortex/Transforms/LowerPacks.cpp"
ARITH = "lib/Dialect/Vortex/Transforms/SizeArith.h"
CHOICE = "lib/Dialect/Vortex/Transforms/CandidateChoice.cpp"
OUTLINE = "lib/Dialect/Vortex/Transforms/OutlineKernels.cpp"
GPU = "lib/Dialect/Vortex/Transforms/GpuCandidates.cpp"
RING = "lib/Conversion/VortexToNVVM/TileRing.cpp"
DEVICE_ROWS = "lib/Conversion/VortexToNVVM/RowKernel.cpp"
POINTS = "lib/Conversion/VortexToNVVM/PointTile.cpp"
PARALLEL = "lib/Conversion/LowerParallel.cpp"
COMPILER = "lib/Compiler/Compiler.cpp"
SPILLS = "lib/Compiler/SpillCount.cpp"
KERNELS = "lib/Compiler/Kernels.cpp"
TENSOR = "lib/Runtime/Tensor.cpp"
ARENA = "lib/Runtime/Arena.cpp"
EXPRESSION = "lib/Runtime/Expression.cpp"
CALL = "lib/Runtime/Call.cpp"
EXECUTOR = "lib/Runtime/Executor.cpp"
DEVICE_CALL = "lib/Runtime/CudaExecutor.cpp"
DEVICE_COPY = "lib/Runtime/CudaCopy.cpp"
DEVICE_MEMORY = "lib/Runtime/CudaDevice.cpp"
LAUNCHES = "lib/Conversion/VortexToNVVM/LowerLaunches.cpp"
POOL = "lib/Runtime/ThreadPool.cpp"
SIZE_EXPR = "lib/Dialect/Vortex/Analysis/SizeExpr.cpp"
SIZE_BOUNDS = "lib/Dialect/Vortex/Analysis/SizeBounds.cpp"
SIZE_FACTS = "lib/Dialect/Vortex/Analysis/SizeFacts.cpp"
SIZES = "lib/Dialect/Vortex/Analysis/SizeAnalysis.cpp"

MODELS, CANDIDATES = "lit:e2e/models/gemm", "lit:e2e/candidates/gemm"
DOTS = "lit:e2e/candidates/dot-product"
TILES = "lit:e2e/candidates/matrix-tiles"
MATRIX = "lib/Dialect/Vortex/Transforms/EmitMatrixTile.cpp"
ANSWERS = "ctest:SizeFactsRandom\\."
DEVICE = "lit:ptxsim/(matmul|every-candidate)"
SCALAR = "lit:ptxsim/run-kernels"

MUTATIONS = [
    # Register tiles.
    ("tile mask one lane short", EMIT,
     "arith::SubIOp::create(b, loc, columns, shared.constant(v * lanes));",
     "arith::SubIOp::create(b, loc, columns, shared.constant(v * lanes + 1));", [MODELS]),
    ("tile bit mask one lane long", EMIT,
     "      constant(lanes));\n  Value one = arith::ConstantIntOp::create(b, loc, 1, 64);",
     "      constant(lanes));\n  Value one = arith::ConstantIntOp::create(b, loc, 2, 64);", [MODELS]),
    ("inner products count lanes past the end", INNER,
     "b, loc, type, ValueRange{rest});", "b, loc, type, ValueRange{stride});", [CANDIDATES]),
    ("inner products join a column with the next", INNER,
     "firsts.push_back(i < tile.columns ? i * width : 0);",
     "firsts.push_back(i < tile.columns ? (i + 1) % tile.columns * width : 0);", [CANDIDATES]),
    ("tile remainder of the reduction dropped", EMIT,
     "return finish(results(loop(whole, size, 1, sum)));",
     "return finish(results(loop(size, size, 1, sum)));", [MODELS]),
    ("tile remainder starts from the old sums", EMIT,
     "return finish(results(loop(whole, size, 1, sum)));",
     "return finish(results(loop(whole, size, 1, accumulators)));", [MODELS]),
    ("tile reduction step repeats", EMIT,
     "u ? arith::AddIOp::create(b, loc, iv, constant(u)).getResult() : iv;",
     "u ? arith::AddIOp::create(b, loc, iv, constant(u - 1)).getResult() : iv;", [MODELS]),
    ("tile accumulates from the first result alone", EMIT,
     "      return accumulators[r][v];",
     "      return accumulators[0][v];", [MODELS]),
    ("tile writes the row before", EMIT,
     "        at[rank - tile.rowDim] = tile.rowAt(r);",
     "        at[rank - tile.rowDim] = tile.rowAt(r ? r - 1 : r);", [MODELS]),
    ("tile case has a row too few", EMIT,
     "    for (int64_t r = 1; r <= most; ++r) {",
     "    for (int64_t r = 1; r < most; ++r) {", [MODELS, CANDIDATES]),
    # Rows.
    ("row tail is not masked", ROWS,
     "      if (masked) {\n        valid =",
     "      if (false) {\n        valid =", ["lit:e2e/models/(softmax|norm)"]),
    ("row vectors overlap", ROWS,
     "arith::AddIOp::create(b, loc, iv, constant(u * lanes))",
     "arith::AddIOp::create(b, loc, iv, constant(u))", ["lit:e2e/models/(softmax|reduce|elementwise)"]),
    # Packs.
    ("pack forgets the last rows of a group", PACKS,
     "constant(r), left);",
     "constant(r + 1), left);", [CANDIDATES]),
    ("pack reads the panel before", PACKS,
     "    at[position] = arith::AddIOp::create(b, loc, base, constant(c));",
     "    at[position] = base;", [CANDIDATES]),
    ("pack of a panel is stale: rows are never zero padded", PACKS,
     "Value count = tight ? left : whole;",
     "Value count = left;", ["lit:Transforms/lower-packs"]),
    ("packed rows of a group have a wrong stride", PACKS,
     "arith::MulIOp::create(b, loc, k1, rows),",
     "arith::MulIOp::create(b, loc, k1, tile),", [CANDIDATES]),
    # Matrix tiles.
    ("matrix tiles drop the last steps", MATRIX, "loop(whole, all,", "loop(all, all,", [TILES]),
    ("matrix tiles read steps past the last of B", MATRIX,
     "b, loc, VectorType::get({run}, b.getI1Type()), there);",
     "b, loc, VectorType::get({run}, b.getI1Type()),\n      arith::ConstantIntOp::create(b, loc, 1, 1));", [TILES]),
    ("matrix tiles start each block from zero", MATRIX,
     "  bool fromZero = startsAtZero();", "  bool fromZero = true;", [TILES]),
    ("matrix tiles take signed bytes for unsigned ones", MATRIX,
     "payload.a.isUnsignedInteger(),", "payload.b.isUnsignedInteger(),", [TILES]),
    ("rows of matrix tiles keep steps past the last", "lib/Dialect/Vortex/Transforms/PackTiles.cpp",
     "arith::SubIOp::create(b, loc, steps, at[rank - 1]),", "constant(run),", [TILES]),
    ("emulated tiles are signed alike", "test/amx/Tiles.cpp",
     "at(y, k, 4 * n + i, signedB)", "at(y, k, 4 * n + i, signedA)", ["ctest:AmxEmulator"]),
    # Dot products.
    ("dot products drop the last group of A in place", EMIT,
     "dots.hasTail() ? Step(tail) : nullptr", "nullptr", [DOTS]),
    ("dot products keep what flipped signs add", EMIT,
     "return arith::SubIOp::create(b, loc, sums[r][v], sums[rows][v]);",
     "return sums[r][v];", [DOTS]),
    ("dot products swap factors of other signs", "lib/Dialect/Vortex/Transforms/DotProduct.cpp",
     "  if (a == second && b == first)\n    return DotOperands::Swapped;",
     "  if (a == second && b == first)\n    return DotOperands::InOrder;", [DOTS]),
    ("groups of a panel read past the last step", PACKS,
     "arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, row, end);",
     "arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, row, end);", [DOTS]),
    ("steps of a group lie in another order", PACKS,
     "InterleaveOp::create(b, loc, rows[i], rows[i + half]);",
     "InterleaveOp::create(b, loc, rows[i + half], rows[i]);", [DOTS]),
    # Sizes, guards, choice.
    ("ceil-div rounds down", ARITH,
     "x.arith->binary<mlir::arith::CeilDivUIOp>(x, y);",
     "x.arith->binary<mlir::arith::DivUIOp>(x, y);", [MODELS, "lit:counts/"]),
    ("choice takes the dearest candidate", CHOICE,
     "arith::CmpFPredicate::OLT, cost, best);",
     "arith::CmpFPredicate::OGT, cost, best);", ["lit:counts/choices", "lit:Transforms/select-kernels"]),
    ("choice ignores guards", CHOICE,
     "arith::AndIOp::create(b, loc, guard, cheaper);",
     "arith::AndIOp::create(b, loc, cheaper, cheaper);", ["lit:ptxsim/choices", "lit:Transforms/select-kernels"]),
    ("alignment guard is swapped", GPU,
     "    return rest < arith.size(1);",
     "    return rest > arith.size(0);", ["lit:ptxsim/choices"]),
    ("kernels with other layouts of operands share code", OUTLINE,
     "    os << position << ',';",
     "    (void)position;", ["lit:Transforms/outline-kernels"]),
    # Code generation.
    ("spills of innermost loops are not counted", SPILLS,
     "        count += load.spills;",
     "        count += 0;", ["lit:Compiler/spills"]),
    ("spilling candidates are kept", COMPILER,
     "  } while (spills.size() + missing.size() != before);",
     "  } while (false);", ["lit:Compiler/spills"]),
    ("the other setting of the scheduler is not tried", KERNELS,
     "  other.scheduler = !codeGen.scheduler;",
     "  other.scheduler = codeGen.scheduler;", ["lit:Compiler/spills"]),
    # Parallel loops.
    ("parallel loop forgets its last iteration", PARALLEL,
     "return arith::CeilDivUIOp::create(b, loc, distance, value(step));",
     "return arith::DivUIOp::create(b, loc, distance, value(step));", ["lit:Conversion/lower-parallel", MODELS]),
    ("parallel indices are swapped", PARALLEL,
     "      i = arith::RemUIOp::create(b, loc, rest, count);",
     "      i = arith::DivUIOp::create(b, loc, rest, count);", [MODELS]),
    ("parallel loop has no lower bound", PARALLEL,
     "                              getValueOrCreateConstantIndexOp(b, loc, lower));\n    mapping.map",
     "                              arith::ConstantIndexOp::create(b, loc, 0));\n    mapping.map", ["lit:Conversion/lower-parallel"]),
    # Device kernels.
    ("GPU ring has no barrier", RING,
     "    NVVM::Barrier0Op::create(b);\n    issueTile",
     "    issueTile", [DEVICE]),
    ("GPU ring waits for a stage too few", RING,
     "    NVVM::CpAsyncWaitGroupOp::create(b, ahead - 1);",
     "    NVVM::CpAsyncWaitGroupOp::create(b, ahead);", [DEVICE]),
    ("GPU ring is a stage too long", RING,
     "following == number(plan.stages), following);",
     "following == number(plan.stages + 1), following);", [DEVICE]),
    ("GPU edge is not filled with zeros", RING,
     "source, size, kind, (valid * bytes).value);",
     "source, size, kind, number(size).value);", [DEVICE]),
    # Launching.
    ("launch reads its extents one place further", LAUNCHES,
     "firstExtent = values.size();",
     "firstExtent = values.size() + 1;", ["lit:cuda/run"]),
    ("an empty grid is launched", DEVICE_CALL,
     "  if (!blocks)\n    return;\n",
     "", ["lit:cuda/run"]),
    ("rows are copied with the pitch of the other side", DEVICE_COPY,
     "copy.fromPitch = size_t(m.strides[1][rows - 1] * e.bytes);",
     "copy.fromPitch = size_t(m.strides[0][rows - 1] * e.bytes);", ["lit:cuda/(run|api)"]),
    ("constants go to the device at each use", DEVICE_MEMORY,
     "    if (known)\n      return known;\n",
     "", ["lit:cuda/run"]),
    ("the driver's numbers are not used", EXECUTOR,
     "machine[i] = told;",
     "(void)told;", ["lit:cuda/api"]),
    ("tensors of another device are taken", TENSOR,
     "return at.device_id == device\n",
     "return true\n", ["lit:cuda/api"]),
    ("GPU lanes join half of a row", DEVICE_ROWS,
     "int64_t distance = kWarpLanes / 2;",
     "int64_t distance = kWarpLanes / 4;", [SCALAR]),
    ("GPU warps of a row do not wait for each other", DEVICE_ROWS,
     "  NVVM::Barrier0Op::create(b);\n  Value sum;",
     "  Value sum;", [SCALAR]),
    ("GPU reductions of a row share their places", DEVICE_ROWS,
     "int64_t start = reductions++ * plan.together * kPartialBytes;",
     "int64_t start = 0 * plan.together * kPartialBytes;", [SCALAR]),
    ("GPU row forgets single elements", DEVICE_ROWS,
     "  llvm::copy(rest.getResults(), state.begin());\n",
     "", [SCALAR]),
    ("GPU tile reads past the edge", POINTS,
     "along.push_back({coordinate.atMost(end), coordinate < extent});",
     "along.push_back({coordinate, coordinate < extent});", [SCALAR]),
    # Run time.
    ("size check of arguments is missing", TENSOR,
     "  if (tensor->ndim != value.rank)",
     "  if (false)", ["ctest:Call\\."]),
    ("strided tensors are taken as dense", TENSOR,
     "        (tensor->strides && size != 1 && tensor->strides[d] != elements) ||\n", "", ["ctest:Call\\."]),
    ("copy of a strided tensor uses a wrong stride", TENSOR,
     "      offset += index[d] * strides[d];",
     "      offset += index[d] * run;", ["ctest:Call\\."]),
    ("arena hands out blocks that are too small", ARENA,
     "      if (used > block->bytes)",
     "      if (used > block->bytes + 64)", ["ctest:Arena\\."]),
    ("arena does not merge what is free", ARENA,
     "  if (right && !right->owner) {",
     "  if (false) {", ["ctest:Arena\\.|Call\\."]),
    ("a ring's tile goes to the other operand", "lib/Dialect/Vortex/Transforms/Expand.cpp",
     "operand->set(copy->getResult(0));", "op->setOperand(0, copy->getResult(0));", ["lit:candidates/gpu-nests"]),
    ("a branch's result is not known to be its memory", "lib/Pipelines/LowerToLLVM.cpp",
     "  pm.addPass(createSwitchToIf());", "", ["lit:Compiler/switch-in-loop"]),
    ("iterations of a loop share memory", "lib/Conversion/SeparateEmpties.cpp",
     "      sinkIntoLoops(op);", "      (void)op;", ["lit:Conversion/separate-empties"]),
    ("rows are the dimension in front of the columns", "lib/Dialect/Vortex/Transforms/Expand.cpp",
     "return fromEnd == 2 ?", "return true ?", ["lit:e2e/models/batch-matmul"]),
    ("lanes past the end divide by zero", "lib/Dialect/Vortex/Transforms/MicroKernelEmitter.cpp",
     "  if (isIntegerDivision(op)) {", "  if (false && isIntegerDivision(op)) {", ["lit:Transforms/lower-micro-kernels"]),
    ("partial sums are not joined", EMIT,
     "  for (const TileValue &partial : partials.drop_front())", "  for (const TileValue &partial : partials.take_front(0))", [MODELS]),
    ("scratch memory stays until the end of a call", "lib/Pipelines/LowerToLLVM.cpp",
     "bufferization::createOptimizeAllocationLivenessPass());",
     "createCanonicalizerPass());", ["lit:counts/arena"]),
    ("relations divide towards zero", EXPRESSION,
     "return a / b - (a % b != 0 && (a < 0) != (b < 0));",
     "return a / b;", ["ctest:Expression\\."]),
    ("relations' ceil-div rounds down", EXPRESSION,
     "r = floorDiv(a, b) + (a % b != 0);",
     "r = floorDiv(a, b);", ["ctest:Expression\\."]),
    ("results of another size than the caller's are written", CALL,
     "      if (sizes[d] != tensor.shape[d]) {",
     "      if (false) {", ["ctest:Call\\."]),
    ("threads claim an iteration twice", POOL,
     "  begin = at;\n",
     "  begin = at > 0 ? at - 1 : at;\n", ["ctest:ThreadPool\\."]),
    ("a remembered choice ignores its first number", "lib/Conversion/RememberChoices.cpp",
     "  for (auto [i, key] : llvm::enumerate(keys))\n    require(", "  for (auto [i, key] : llvm::enumerate(keys))\n    if (i) require(",
     ["lit:Compiler/remember-choices"]),
    ("choices that differ share a function", "lib/Conversion/ShareChoices.cpp",
     "  if (same != others.end()) {", "  if (!others.empty()) {\n    same = others.begin();", ["lit:Conversion/share-choices"]),
    ("a remembered choice hides from who listens", "lib/Conversion/RememberChoices.cpp",
     "LLVM::ICmpPredicate::eq, hook,", "LLVM::ICmpPredicate::ne, memo,", ["lit:Compiler/remember-choices"]),

    # What the bits of a result may depend on, and how exact functions of vectors are.
    ("batch-invariant tiles let LLVM contract", "lib/Dialect/Vortex/Transforms/ReductionOrder.cpp",
     "micro->getGroup(), /*contract=*/false));", "micro->getGroup(), /*contract=*/true));", ["lit:e2e/batch-invariant"]),
    ("batch-invariant tiles keep partial sums", "lib/Dialect/Vortex/Transforms/CpuContraction.cpp",
     "  if (oneOrder && inFlight) {", "  if (false && inFlight) {", ["lit:hierarchize-one-order"]),
    ("exponential's low part of ln(2) lost", "lib/Dialect/Vortex/Transforms/VectorFunctions.cpp",
     "  r = a.fma(k, a.number(-c.low), r);\n", "", ["lit:e2e/vector-functions"]),

    # Sizes: a wrong answer about one is a wrong program.
    ("quotients of quotients forget to scale", SIZE_EXPR,
     "add(inner->operands[0], mul(constant(offset), *by))", "add(inner->operands[0], constant(offset))", [ANSWERS]),
    ("no product of sizes wraps", SIZE_EXPR,
     "  if (!x || range(x).isBounded())\n    return x;", "  return x;", [ANSWERS]),
    ("remainders are less than they may be", SIZE_BOUNDS,
     "std::max<int64_t>(*by.max, 1) - 1;", "std::max<int64_t>(*by.max, 1) - 2;", [ANSWERS]),
    ("divisors of products forget a remainder", SIZE_BOUNDS,
     "Wide(y.modulus) * x.remainder);", "Wide(0));", [ANSWERS]),
    ("a divisor's remainder has the other sign", SIZE_FACTS,
     "floorModulo(-offset, divisor)", "floorModulo(offset, divisor)", [ANSWERS]),
    ("equations are divided by what may be zero", SIZE_FACTS,
     "if (bounds.min.value_or(0) <= 0 && bounds.max.value_or(0) >= 0)", "if (false)", [ANSWERS]),
    ("the other way of a branch knows its condition", SIZES,
     "block == branch.thenBlock()", "true", ["lit:Transforms/simplify-sizes"]),
    ("assertions are taken away on the word of an op", "lib/Dialect/Vortex/Transforms/SimplifySizes.cpp",
     "SizeAnalysis sizes(getOperation());", "SizeAnalysis sizes(getOperation(), SizeTrust::Ops);", ["lit:Transforms/simplify-sizes"]),
    ("kernels are formed on what is asserted behind them", "lib/Dialect/Vortex/Transforms/FormKernels.cpp",
     "getFactsAt(last->getNextNode())", "getFactsAt(last->getBlock()->getTerminator())", ["lit:Transforms/form-kernels"]),
    ("calls with sizes that wrap are let in", TENSOR,
     "  if (!sizesFit(*tensor))", "  if (false && !sizesFit(*tensor))", ["ctest:Call\\.WrongArguments"]),

    # The benchmark's own checks: a result that differs from the reference must fail the run.
    ("benchmark's reference of a GELU is off by a thousandth", "lib/Bench/Rows.cpp",
     "  return x / 2 * (1 + std::erf(x * std::sqrt(0.5)));",
     "  return x / 2 * (1.001 + std::erf(x * std::sqrt(0.5)));", ["lit:tools/vortex-bench/rows"]),
    ("benchmark's reference of a convolution ignores the dilation", "lib/Bench/Conv.cpp",
     "row * v.stride + i * v.dilation - v.pad",
     "row * v.stride + i - v.pad", ["lit:tools/vortex-bench/conv"]),
]
