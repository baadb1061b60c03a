# Finds MLIR 22 and gives add_vortex_library, which links against the
# distribution's shared libMLIR and libLLVM.
find_package(MLIR 22.1 REQUIRED CONFIG)
# lld, which links artifacts, is a static library beside them.
find_package(LLD REQUIRED CONFIG HINTS ${MLIR_CMAKE_DIR}/../lld)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(VORTEX_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
add_definitions(${VORTEX_LLVM_DEFINITIONS})
if(NOT LLVM_ENABLE_RTTI)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()

# Reading these headers takes most of the time of compiling a file, so they are
# read once; a change of the dialect compiles most files anew in any case. Files
# still include what they use: CMAKE_DISABLE_PRECOMPILE_HEADERS=ON shows what one
# forgot.
set(VORTEX_PRECOMPILED_HEADERS
  <llvm/ADT/StringExtras.h>
  <mlir/Dialect/Affine/IR/AffineOps.h>
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Arith/Utils/Utils.h>
  <mlir/Dialect/Bufferization/IR/Bufferization.h>
  <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/GPU/IR/GPUDialect.h>
  <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/Dialect/LLVMIR/NVVMDialect.h>
  <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/Linalg/Transforms/Transforms.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/Dialect/Utils/StaticValueUtils.h>
  <mlir/Dialect/Vector/IR/VectorOps.h>
  <mlir/IR/IRMapping.h>
  <mlir/IR/Matchers.h>
  <mlir/IR/Remarks.h>
  <mlir/Interfaces/FunctionInterfaces.h>
  <mlir/Pass/Pass.h>
  <mlir/Pass/PassManager.h>
  <mlir/Transforms/DialectConversion.h>
  <mlir/Transforms/GreedyPatternRewriteDriver.h>
  <vortex/Dialect/Vortex/IR/VortexDialect.h>)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  # ccache knows a precompiled header by its content, which no time may change.
  add_library(VortexPrecompiled OBJECT ${PROJECT_SOURCE_DIR}/cmake/Precompiled.cpp)
  target_precompile_headers(VortexPrecompiled PRIVATE ${VORTEX_PRECOMPILED_HEADERS})
  add_dependencies(VortexPrecompiled VortexHeaders)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# add_vortex_library(NAME sources... [DEPENDS targets...] [LINK_LIBS libraries...])
function(add_vortex_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} MLIR LLVM)
  add_dependencies(${name} VortexHeaders ${ARG_DEPENDS})
  if(TARGET VortexPrecompiled)
    target_precompile_headers(${name} REUSE_FROM VortexPrecompiled)
  endif()
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # Each file of a unit of several (CMAKE_UNITY_BUILD) names its own.
  set_target_properties(${name} PROPERTIES
    UNITY_BUILD_CODE_AFTER_INCLUDE "#undef DEBUG_TYPE")
  set_property(GLOBAL APPEND PROPERTY VORTEX_LIBS ${name})
endfunction()
