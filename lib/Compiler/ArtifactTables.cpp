//===- ArtifactTables.cpp - What an artifact says of itself -*- C++ -*-===//
//
// Part of the Vortex project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArtifactTables.h"

#include "Entries.h"

#include "vortex/Conversion/CallContext.h"
#include "vortex/Dialect/Vortex/IR/VortexDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/JSON.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace vortex;
using namespace llvm;

#ifndef VORTEX_VERSION
#define VORTEX_VERSION "0.1.0"
#endif

//===----------------------------------------------------------------------===//
// From MLIR
//===----------------------------------------------------------------------===//

static KernelTable readKernel(mlir::DictionaryAttr kernel) {
  auto strings = [&](StringRef name) {
    std::vector<std::string> list;
    if (auto array = kernel.getAs<mlir::ArrayAttr>(name))
      for (auto text : array.getAsRange<mlir::StringAttr>())
        list.push_back(text.str());
    return list;
  };
  KernelTable table{kernel.getAs<mlir::StringAttr>("name").str(),
                    strings("candidates"), strings("guards"), strings("costs"),
                    strings("axes")};
  // Kernels that nobody described have no formulas.
  table.guards.resize(table.candidates.size());
  table.costs.resize(table.candidates.size());
  if (auto decided = kernel.getAs<mlir::IntegerAttr>("decided"))
    table.decided = decided.getInt();
  return table;
}

void vortex::readTables(mlir::ModuleOp module, ArtifactTables &tables) {
  if (auto params = module->getAttrOfType<mlir::ArrayAttr>(kParamsAttr))
    for (auto param : params.getAsRange<mlir::DictionaryAttr>())
      tables.params.push_back(
          {param.getAs<mlir::StringAttr>("name").str(),
           param.getAs<mlir::FloatAttr>("default").getValueAsDouble()});
  if (auto kernels = module->getAttrOfType<mlir::ArrayAttr>(kKernelsAttr))
    for (auto kernel : kernels.getAsRange<mlir::DictionaryAttr>())
      tables.kernels.push_back(readKernel(kernel));
  if (auto libraries = module->getAttrOfType<mlir::ArrayAttr>(kLibrariesAttr))
    for (auto name : libraries.getAsRange<mlir::StringAttr>())
      tables.libraries.push_back(name.str());
  for (FunctionSignature &function : tables.functions)
    if (auto op = module.lookupSymbol<mlir::func::FuncOp>(function.name)) {
      if (auto chooser =
              op->getAttrOfType<mlir::FlatSymbolRefAttr>(kChooserAttr))
        function.chooser = chooser.getValue().str();
      if (auto precision = op->getAttrOfType<mlir::StringAttr>(kPrecisionAttr))
        function.precision = precision.str();
      if (auto relations =
              op->getAttrOfType<mlir::ArrayAttr>(kCheckedAtCallAttr))
        for (auto relation : relations.getAsRange<mlir::StringAttr>())
          if (!is_contained(function.relations, relation.getValue()))
            function.relations.push_back(relation.str());
    }
}

void vortex::readMemos(mlir::ModuleOp module, ArtifactTables &tables) {
  if (auto memos = module->getAttrOfType<mlir::IntegerAttr>(kMemosAttr))
    tables.numMemos = memos.getInt();
}

LogicalResult vortex::readBound(mlir::ModuleOp module, ArtifactTables &tables) {
  for (FunctionSignature &function : tables.functions) {
    auto op = module.lookupSymbol<mlir::func::FuncOp>(function.name);
    if (!op)
      continue;
    if (auto binder = op->getAttrOfType<mlir::FlatSymbolRefAttr>(kBinderAttr))
      function.binder = binder.getValue().str();
    // The context, once it is there, is no argument of the signature.
    size_t first =
        op.getNumArguments() && op.getArgAttr(0, kContextAttr) ? 1 : 0;
    for (auto [i, type] : enumerate(op.getArgumentTypes())) {
      if (op.getArgAttr(i, kSizesOnlyAttr))
        function.args[i - first].sizesOnly = true;
      if (!op.getArgAttr(i, kBoundAttr))
        continue;
      FailureOr<ValueSignature> value = getValueSignature(type);
      if (failed(value))
        return op.emitError() << "packed weight of type " << type
                              << " cannot be kept by an instance";
      value->kind = VORTEX_TENSOR;
      function.bound.push_back(*value);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// To LLVM
//===----------------------------------------------------------------------===//

namespace {

/// The code of a function; null for what it does not have.
struct Entries {
  Function *run = nullptr, *bind = nullptr, *choose = nullptr,
           *accepts = nullptr;
};

/// Builds the structs of Artifact.h as constants.
class TableBuilder {
public:
  TableBuilder(Module &module)
      : module(module), context(module.getContext()),
        i32(Type::getInt32Ty(context)), i64(Type::getInt64Ty(context)),
        f64(Type::getDoubleTy(context)),
        pointer(PointerType::getUnqual(context)) {}

  Constant *artifact(const ArtifactTables &tables, ArrayRef<Entries> entries);

private:
  Constant *int32(int64_t value) { return ConstantInt::get(i32, value, true); }
  Constant *int64(int64_t value) { return ConstantInt::get(i64, value, true); }
  Constant *null() { return ConstantPointerNull::get(pointer); }
  Constant *orNull(Constant *value) { return value ? value : null(); }

  /// A private constant, or null when `value` has no elements.
  Constant *global(Constant *value, const Twine &name) {
    if (auto *array = dyn_cast<ArrayType>(value->getType()))
      if (array->getNumElements() == 0)
        return null();
    auto *variable = new GlobalVariable(module, value->getType(), true,
                                        GlobalValue::PrivateLinkage, value,
                                        "vortex." + name);
    return variable;
  }
  /// Many kernels share formulas and names.
  Constant *text(StringRef text) {
    Constant *&known = textsByValue[text];
    if (!known)
      known = global(ConstantDataArray::getString(context, text), "text");
    return known;
  }
  Constant *texts(const std::vector<std::string> &list) {
    SmallVector<Constant *> pointers;
    for (const std::string &entry : list)
      pointers.push_back(text(entry));
    return global(
        ConstantArray::get(ArrayType::get(pointer, pointers.size()), pointers),
        "texts");
  }
  /// A struct that starts with its size in bytes.
  Constant *sized(SmallVector<Constant *> fields) {
    fields.insert(fields.begin(), int32(0));
    Constant *value = ConstantStruct::getAnon(fields);
    fields[0] =
        int32(module.getDataLayout().getTypeAllocSize(value->getType()));
    return ConstantStruct::getAnon(fields);
  }
  Constant *array(ArrayRef<Constant *> entries, const Twine &name) {
    if (entries.empty())
      return null();
    return global(
        ConstantArray::get(
            ArrayType::get(entries[0]->getType(), entries.size()), entries),
        name);
  }
  Constant *values(const std::vector<ValueSignature> &list);
  Constant *device(const ArtifactTables &tables);

  Module &module;
  LLVMContext &context;
  Type *i32, *i64, *f64;
  PointerType *pointer;
  StringMap<Constant *> textsByValue;
};

Constant *TableBuilder::values(const std::vector<ValueSignature> &list) {
  SmallVector<Constant *> entries;
  for (const ValueSignature &value : list) {
    SmallVector<uint64_t> extents(value.extents.begin(), value.extents.end());
    entries.push_back(
        sized({int32(value.kind), int32(value.dtype), int32(extents.size()),
               global(ConstantDataArray::get(context, extents), "extents"),
               value.dims.empty() ? null() : texts(value.dims),
               int32(value.isWeight), null(), int32(value.sizesOnly)}));
  }
  return array(entries, "values");
}

/// VortexDeviceInfo with the code of all kernels.
Constant *TableBuilder::device(const ArtifactTables &tables) {
  if (tables.deviceIsa.empty())
    return null();
  SmallVector<Constant *> kernels;
  for (const KernelCode &kernel : tables.deviceKernels) {
    Constant *cubin = null();
    if (!kernel.cubin.empty()) {
      cubin = global(ConstantDataArray::getString(context, kernel.cubin,
                                                  /*AddNull=*/false),
                     "cubin");
      cast<GlobalVariable>(cubin)->setAlignment(Align(16));
    }
    SmallVector<uint64_t> tile(kernel.tile.begin(), kernel.tile.end());
    kernels.push_back(sized(
        {text(kernel.name), text(kernel.function), text(kernel.ptx), cubin,
         int64(kernel.cubin.size()), int64(kernel.threads),
         int64(kernel.sharedBytes), int64(tile.size()),
         global(ConstantDataArray::get(context, tile), "tile"),
         int64(kernel.parameters), int64(kernel.queue), int64(kernel.cluster),
         int64(kernel.candidates.size()), texts(kernel.candidates)}));
  }
  return global(sized({text(tables.deviceIsa), int64(kernels.size()),
                       array(kernels, "device.kernels")}),
                "device");
}

Constant *TableBuilder::artifact(const ArtifactTables &tables,
                                 ArrayRef<Entries> entries) {
  SmallVector<Constant *> functions, kernels, params;
  for (auto [function, entry] : zip(tables.functions, entries))
    functions.push_back(
        sized({text(function.name), int64(function.args.size()),
               values(function.args), int64(function.results.size()),
               values(function.results), int64(function.relations.size()),
               texts(function.relations), entry.run, orNull(entry.bind),
               int64(function.bound.size()), values(function.bound),
               orNull(entry.choose), text(function.precision),
               text(function.peakBytes), int64(function.mostBytes.value_or(-1)),
               orNull(entry.accepts)}));
  for (const KernelTable &kernel : tables.kernels)
    kernels.push_back(sized({text(kernel.name), int64(kernel.candidates.size()),
                             texts(kernel.candidates), texts(kernel.guards),
                             texts(kernel.costs), int64(kernel.axes.size()),
                             texts(kernel.axes), int64(kernel.decided)}));
  for (const ParamTable &param : tables.params)
    params.push_back(
        sized({text(param.name), ConstantFP::get(f64, param.defaultValue)}));
  return global(
      sized({int32(VORTEX_ARTIFACT_ABI), text("vortex " VORTEX_VERSION),
             text(tables.target.name), text(tables.target.getNeeded()),
             int64(functions.size()), array(functions, "functions"),
             int64(kernels.size()), array(kernels, "kernels"),
             int64(params.size()), array(params, "params"),
             int64(tables.numMemos), device(tables),
             int64(tables.libraries.size()), texts(tables.libraries)}),
      "artifact");
}

/// Puts the metadata into its section; kept though nothing refers to it.
void addMetadata(Module &module, const ArtifactTables &tables) {
  Constant *text = ConstantDataArray::getString(
      module.getContext(), getMetadata(tables), /*AddNull=*/false);
  auto *variable =
      new GlobalVariable(module, text->getType(), true,
                         GlobalValue::PrivateLinkage, text, "vortex.meta");
  variable->setSection(VORTEX_ARTIFACT_SECTION);
  variable->setAlignment(Align(1));
  appendToUsed(module, variable);
}
} // namespace

bool vortex::addTables(Module &module, const ArtifactTables &tables,
                       std::string &error) {
  SmallVector<Entries> entries;
  auto find = [&](const std::string &name) -> Function * {
    Function *function = module.getFunction(kFunctionPrefix.str() + name);
    return function && !function->isDeclaration() ? function : nullptr;
  };
  for (const FunctionSignature &function : tables.functions) {
    std::string name = kFunctionPrefix.str() + function.name;
    Function *run = find(function.name);
    Function *bind = find(function.binder);
    Function *choose = find(function.chooser);
    if (!run || (!function.bound.empty() && !bind) ||
        (!function.chooser.empty() && !choose)) {
      error = "function @" + function.name + " was lost on the way";
      return false;
    }
    std::vector<ValueSignature> all = function.args, weights;
    for (const ValueSignature &arg : function.args)
      if (arg.isWeight)
        weights.push_back(arg);
    append_range(all, function.bound);
    Entries &entry = entries.emplace_back();
    entry.run = createEntry(module, run, all, name + ".entry");
    if (!function.bound.empty())
      entry.bind = createEntry(module, bind, weights, name + ".bind.entry");
    if (choose)
      entry.choose =
          createEntry(module, choose, function.args, name + ".choose.entry");
    // Of the device's memory host code knows nothing.
    if (tables.deviceIsa.empty())
      entry.accepts = createAccepts(module, function, name + ".accepts");
  }
  for (Function &function : module) {
    if (function.isIntrinsic())
      continue;
    if (!function.isDeclaration())
      function.setLinkage(GlobalValue::InternalLinkage);
  }
  for (GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration() && !variable.hasPrivateLinkage())
      variable.setLinkage(GlobalValue::InternalLinkage);

  Constant *info = TableBuilder(module).artifact(tables, entries);
  addMetadata(module, tables);

  LLVMContext &context = module.getContext();
  auto *type = FunctionType::get(PointerType::getUnqual(context),
                                 {Type::getInt32Ty(context)}, false);
  Function *query = Function::Create(type, GlobalValue::ExternalLinkage,
                                     VORTEX_ARTIFACT_QUERY, module);
  IRBuilder<> b(BasicBlock::Create(context, "", query));
  Value *known =
      b.CreateICmpEQ(query->getArg(0), b.getInt32(VORTEX_ARTIFACT_ABI));
  b.CreateRet(b.CreateSelect(
      known, info, ConstantPointerNull::get(PointerType::getUnqual(context))));
  return true;
}

//===----------------------------------------------------------------------===//
// To JSON
//===----------------------------------------------------------------------===//

static json::Array toJSON(const std::vector<ValueSignature> &values) {
  static constexpr StringLiteral kinds[] = {"scalar", "tensor", "memref"};
  json::Array array;
  for (const ValueSignature &value : values) {
    json::Object object{{"kind", kinds[value.kind]},
                        {"dtype", getDTypeName(value.dtype)},
                        {"shape", json::Array(value.extents)}};
    if (!value.dims.empty())
      object["dims"] = json::Array(value.dims);
    if (value.isWeight)
      object["weight"] = true;
    if (value.sizesOnly)
      object["sizes_only"] = true;
    array.push_back(std::move(object));
  }
  return array;
}

/// Formulas are left to the tables: they would be most of the text.
static json::Object toJSON(const KernelTable &kernel) {
  json::Object object{{"name", kernel.name},
                      {"candidates", json::Array(kernel.candidates)}};
  if (kernel.candidates.empty())
    object["fallback"] = true;
  if (kernel.decided >= 0)
    object["decided"] = kernel.decided;
  return object;
}

/// What is known of a device kernel without its code.
static json::Object toJSON(const KernelCode &kernel) {
  json::Object object{{"name", kernel.name},
                      {"binary", !kernel.cubin.empty()},
                      {"threads", kernel.threads},
                      {"shared_bytes", kernel.sharedBytes},
                      {"tile", json::Array(kernel.tile)},
                      {"parameters", kernel.parameters}};
  if (kernel.queue)
    object["queue"] = kernel.queue;
  if (kernel.cluster > 1)
    object["cluster"] = kernel.cluster;
  return object;
}

std::string vortex::getMetadata(const ArtifactTables &tables) {
  json::Array functions, kernels, params;
  for (const FunctionSignature &function : tables.functions) {
    json::Object object{{"name", function.name},
                        {"args", toJSON(function.args)},
                        {"results", toJSON(function.results)}};
    if (!function.relations.empty())
      object["where"] = json::Array(function.relations);
    if (!function.precision.empty())
      object["precision"] = function.precision;
    if (!function.peakBytes.empty())
      object["peak_bytes"] = function.peakBytes;
    if (function.mostBytes)
      object["most_bytes"] = *function.mostBytes;
    if (!function.bound.empty())
      object["bound"] = toJSON(function.bound);
    functions.push_back(std::move(object));
  }
  for (const KernelTable &kernel : tables.kernels)
    kernels.push_back(toJSON(kernel));
  for (const ParamTable &param : tables.params)
    params.push_back(
        json::Object{{"name", param.name}, {"default", param.defaultValue}});
  json::Object object{{"abi", int64_t(VORTEX_ARTIFACT_ABI)},
                      {"crc32", "00000000"},
                      {"features", tables.target.getNeeded()},
                      {"functions", std::move(functions)},
                      {"kernels", std::move(kernels)},
                      {"link_crc32", "00000000"},
                      {"llvm", LLVM_VERSION_STRING},
                      {"params", std::move(params)},
                      {"target", tables.target.name},
                      {"triple", tables.target.triple},
                      {"vortex", VORTEX_VERSION}};
  if (!tables.libraries.empty())
    object["libraries"] = json::Array(tables.libraries);
  if (!tables.programs.empty())
    object["programs"] = json::Array(tables.programs);
  if (!tables.deviceIsa.empty()) {
    json::Array device;
    for (const KernelCode &kernel : tables.deviceKernels)
      device.push_back(toJSON(kernel));
    object["device"] =
        json::Object{{"isa", tables.deviceIsa}, {"kernels", std::move(device)}};
  }
  std::string text;
  raw_string_ostream(text) << formatv("{0}", json::Value(std::move(object)));
  return text;
}
