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

# add_vortex_library(NAME sources... [DEPENDS targets...] [LINK_LIBS libraries...])
function(add_vortex_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} MLIR LLVM)
  add_dependencies(${name} VortexHeaders ${ARG_DEPENDS})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_property(GLOBAL APPEND PROPERTY VORTEX_LIBS ${name})
endfunction()
