//===- Entries.cpp - How artifacts are called ----------------*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entries.h"

#include "vortex/Dialect/Vortex/Analysis/SizeAnalysis.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <map>

using namespace vortex;
using namespace llvm;

Function *vortex::createEntry(Module &module, Function *callee,
                              ArrayRef<ValueSignature> args,
                              const Twine &name) {
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::getUnqual(context);
  auto *type =
      FunctionType::get(Type::getVoidTy(context), {pointer, pointer}, false);
  Function *entry =
      Function::Create(type, GlobalValue::InternalLinkage, name, module);
  IRBuilder<> b(BasicBlock::Create(context, "", entry));
  Type *i64 = b.getInt64Ty();
  SmallVector<Value *> operands{entry->getArg(0)};
  for (auto [i, arg] : enumerate(args)) {
    Value *slot = b.CreateConstInBoundsGEP1_64(pointer, entry->getArg(1), i);
    Value *value = b.CreateLoad(pointer, slot);
    if (arg.kind == VORTEX_SCALAR) {
      Type *scalar = callee->getFunctionType()->getParamType(operands.size());
      // Narrow integers fill a byte.
      if (scalar->isIntegerTy() && scalar->getIntegerBitWidth() < 8)
        value = b.CreateTrunc(b.CreateLoad(b.getInt8Ty(), value), scalar);
      else
        value = b.CreateAlignedLoad(scalar, value, Align(1));
      operands.push_back(value);
      continue;
    }
    Value *data = b.CreateLoad(pointer, value);
    Value *sizes =
        b.CreateLoad(pointer, b.CreateConstInBoundsGEP1_64(pointer, value, 1));
    int64_t rank = arg.extents.size();
    SmallVector<Value *> extents(rank), strides(rank);
    Value *stride = b.getInt64(1);
    for (int64_t d = rank - 1; d >= 0; --d) {
      extents[d] =
          arg.extents[d] >= 0
              ? static_cast<Value *>(b.getInt64(arg.extents[d]))
              : b.CreateLoad(i64, b.CreateConstInBoundsGEP1_64(i64, sizes, d));
      strides[d] = stride;
      stride = b.CreateMul(stride, extents[d]);
    }
    operands.append({data, data, b.getInt64(0)});
    operands.append(extents);
    operands.append(strides);
  }
  b.CreateCall(callee, operands);
  b.CreateRetVoid();
  return entry;
}

//===----------------------------------------------------------------------===//
// Accepting a call
//===----------------------------------------------------------------------===//

namespace {

/// A size of an argument or, behind those, of a result.
struct Place {
  size_t value, dim;
};

/// What the sizes of a call that is as nearly all are have to be.
struct Agreements {
  std::vector<std::pair<Place, Place>> same;
  std::vector<std::pair<Place, int64_t>> fixed;

  /// False where more has to hold than these can say.
  bool collect(const FunctionSignature &function);

private:
  using Names = std::map<std::string, Place, std::less<>>;
  bool addRelation(const Names &names, StringRef relation);
};
} // namespace

static bool isIdentifier(StringRef text) {
  return !text.empty() && (isAlpha(text[0]) || text[0] == '_') &&
         all_of(text, [](char c) {
           return isAlnum(c) || c == '_' || c == '.' || c == '$';
         });
}

bool Agreements::addRelation(const Names &names, StringRef relation) {
  auto [left, right] = relation.split(" == ");
  auto one = names.find(left.trim().str()),
       other = names.find(right.trim().str());
  if (one == names.end() || other == names.end())
    return false;
  same.push_back({one->second, other->second});
  return true;
}

bool Agreements::collect(const FunctionSignature &function) {
  // A declared name is before what each size is called anyway.
  Names names;
  std::vector<std::pair<Place, std::string>> declared;
  auto nameOf = [](const ValueSignature &value, size_t dim) {
    return dim < value.dims.size() ? value.dims[dim] : std::string();
  };
  for (auto [a, arg] : enumerate(function.args))
    for (auto [d, extent] : enumerate(arg.extents)) {
      Place place{a, d};
      if (extent >= 0)
        fixed.push_back({place, extent});
      std::string name = nameOf(arg, d);
      if (name.empty())
        continue;
      declared.push_back({place, name});
      if (isIdentifier(name))
        names.insert({name, place});
    }
  for (auto [a, arg] : enumerate(function.args))
    for (size_t d = 0; d < arg.extents.size(); ++d)
      names.insert({("arg" + Twine(a) + ".dim" + Twine(d)).str(), Place{a, d}});

  for (auto &[place, name] : declared) {
    auto known = names.find(name);
    if (known == names.end())
      return false;
    same.push_back({place, known->second});
  }
  for (const std::string &relation : function.relations)
    if (!addRelation(names, relation))
      return false;
  for (auto [r, result] : enumerate(function.results))
    for (auto [d, extent] : enumerate(result.extents)) {
      Place place{function.args.size() + r, d};
      std::string name = nameOf(result, d);
      auto known = names.find(name);
      if (!name.empty() && known == names.end())
        return false;
      if (extent >= 0)
        fixed.push_back({place, extent});
      if (!name.empty())
        same.push_back({place, known->second});
    }
  return true;
}

namespace {
/// Emits the code.
class AcceptsBuilder {
public:
  AcceptsBuilder(Module &module, const FunctionSignature &function,
                 const Twine &name)
      : function(function), b(module.getContext()), i64(b.getInt64Ty()),
        pointer(b.getPtrTy()), wrong(b.getInt64(0)) {
    code = Function::Create(
        FunctionType::get(i64, {pointer, pointer, pointer}, false),
        GlobalValue::InternalLinkage, name, module);
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "", code));
  }

  Function *build(const Agreements &agreements);

private:
  Value *load(Type *type, Value *base, int64_t index) {
    return b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(type, base, index));
  }
  void refuseBits(Value *bits) { wrong = b.CreateOr(wrong, bits); }
  /// A number that is not zero where `address` is null: no address of a program
  /// has the uppermost bit.
  void refuseNull(Value *address) {
    refuseBits(b.CreateLShr(b.CreateSub(address, b.getInt64(1)), 63));
  }
  void take(const ValueSignature &value, Value *buffer);
  Value *size(Place place) { return load(i64, sizes[place.value], place.dim); }

  const FunctionSignature &function;
  IRBuilder<> b;
  Type *i64;
  PointerType *pointer;
  Function *code;
  Value *wrong;
  /// Of each argument, then each result; null for those without.
  SmallVector<Value *> sizes;
};
} // namespace

/// Looks at a buffer's memory, and where its sizes are.
void AcceptsBuilder::take(const ValueSignature &value, Value *buffer) {
  Value *data = b.CreatePtrToInt(load(pointer, buffer, 0), i64);
  refuseNull(data);
  if (uint64_t misaligned = getDTypeAlignment(value.dtype) - 1)
    refuseBits(b.CreateAnd(data, misaligned));
  if (value.extents.empty()) {
    sizes.push_back(nullptr);
    return;
  }
  sizes.push_back(load(pointer, buffer, 1));
  refuseNull(b.CreatePtrToInt(sizes.back(), i64));
}

Function *AcceptsBuilder::build(const Agreements &agreements) {
  Value *args = code->getArg(0), *results = code->getArg(1),
        *entries = code->getArg(2);
  int64_t inputs = 0;
  for (auto [i, arg] : enumerate(function.args)) {
    if (arg.isWeight) {
      Value *bound = arg.extents.empty() ? nullptr : load(pointer, entries, i);
      sizes.push_back(bound ? load(pointer, bound, 1) : nullptr);
      continue;
    }
    Value *buffer = b.CreateConstInBoundsGEP1_64(pointer, args, 2 * inputs++);
    take(arg, buffer);
    b.CreateStore(arg.kind == VORTEX_SCALAR ? load(pointer, buffer, 0) : buffer,
                  b.CreateConstInBoundsGEP1_64(pointer, entries, i));
  }
  for (auto [r, result] : enumerate(function.results))
    take(result, b.CreateConstInBoundsGEP1_64(pointer, results, 2 * r));

  LLVMContext &context = code->getContext();
  auto *look = BasicBlock::Create(context, "look", code);
  auto *refuse = BasicBlock::Create(context, "refuse", code);
  b.CreateCondBr(b.CreateIsNull(wrong), look, refuse);
  b.SetInsertPoint(refuse);
  b.CreateRet(b.getInt64(0));

  b.SetInsertPoint(look);
  // Those of results may be what data decides, and are written without a look
  // at what they are.
  Value *all = b.getInt64(0);
  int64_t mostRank = 1;
  wrong = b.getInt64(0);
  for (auto [i, value] : enumerate(
           concat<const ValueSignature>(function.args, function.results))) {
    if (value.isWeight)
      continue;
    mostRank = std::max<int64_t>(mostRank, value.extents.size());
    for (size_t d = 0; d < value.extents.size(); ++d)
      all = b.CreateOr(all, size({i, d}));
  }
  for (auto &[one, other] : agreements.same)
    if (one.value != other.value || one.dim != other.dim)
      refuseBits(b.CreateXor(size(one), size(other)));
  for (auto &[place, extent] : agreements.fixed)
    refuseBits(b.CreateXor(size(place), b.getInt64(extent)));
  // Sizes whose products may be out of range, negative ones among them.
  refuseBits(b.CreateLShr(all, Log2_64(kMostExtent) / mostRank));
  b.CreateRet(b.CreateZExt(b.CreateIsNull(wrong), i64));
  return code;
}

Function *vortex::createAccepts(Module &module,
                                const FunctionSignature &function,
                                const Twine &name) {
  Agreements agreements;
  if (!agreements.collect(function))
    return nullptr;
  return AcceptsBuilder(module, function, name).build(agreements);
}
