# Install rules and the CMake package, in two components: Runtime, without LLVM,
# and Compiler. `cmake --install build --component Runtime` installs one alone.
# The build tree can be found too (Vortex_DIR=<build>/lib/cmake/Vortex).
include(CMakePackageConfigHelpers)
set(VORTEX_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/Vortex)

# Component Runtime: the libraries, their headers, the tools without LLVM.
install(TARGETS vortex_runtime vortex_runtime_static vortex-run
  EXPORT VortexRuntimeTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Runtime
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Runtime
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Runtime)
install(FILES
  ${PROJECT_SOURCE_DIR}/include/vortex-c/Artifact.h
  ${PROJECT_SOURCE_DIR}/include/vortex-c/Library.h
  ${PROJECT_SOURCE_DIR}/include/vortex-c/Runtime.h
  ${PROJECT_SOURCE_DIR}/include/vortex-c/dlpack.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vortex-c COMPONENT Runtime)
install(FILES
  ${PROJECT_SOURCE_DIR}/include/vortex/Runtime/Checksum.h
  ${PROJECT_SOURCE_DIR}/include/vortex/Runtime/Runtime.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vortex/Runtime COMPONENT Runtime)
install(EXPORT VortexRuntimeTargets NAMESPACE Vortex::
  DESTINATION ${VORTEX_INSTALL_CMAKEDIR} COMPONENT Runtime)
export(EXPORT VortexRuntimeTargets NAMESPACE Vortex::
  FILE ${PROJECT_BINARY_DIR}/lib/cmake/Vortex/VortexRuntimeTargets.cmake)

# What lets artifacts call libraries lies where the run time is.
foreach(library openblas mkl onednn cublas)
  if(TARGET vortex_library_${library})
    install(TARGETS vortex_library_${library}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Runtime)
  endif()
endforeach()

# Component Compiler: the dialect's and the passes' libraries, every header that
# goes with them (those that TableGen makes included), the plugin, the tools.
# Libraries that only serve one tool stay at home, and so do their headers.
set(VORTEX_INSTALL_HWDESCDIR ${CMAKE_INSTALL_DATADIR}/vortex/hwdesc)
if(VORTEX_BUILD_COMPILER)
  get_property(VORTEX_LIBS GLOBAL PROPERTY VORTEX_LIBS)
  set(VORTEX_COMPILER_TOOLS)
  foreach(tool vortex-opt vortex-compile vortex-bench vortex-probe)
    if(TARGET ${tool})
      list(APPEND VORTEX_COMPILER_TOOLS ${tool})
    endif()
  endforeach()
  install(TARGETS ${VORTEX_LIBS} VortexProbe VortexPlugin ${VORTEX_COMPILER_TOOLS}
    EXPORT VortexCompilerTargets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Compiler
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Compiler
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Compiler)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/vortex
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT Compiler
    FILES_MATCHING PATTERN "*.h" PATTERN "*.td"
    PATTERN Bench EXCLUDE PATTERN Runtime EXCLUDE PATTERN ProbeTool.h EXCLUDE)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/include/vortex
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT Compiler
    FILES_MATCHING PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)
  install(EXPORT VortexCompilerTargets NAMESPACE Vortex::
    DESTINATION ${VORTEX_INSTALL_CMAKEDIR} COMPONENT Compiler)
  export(EXPORT VortexCompilerTargets NAMESPACE Vortex::
    FILE ${PROJECT_BINARY_DIR}/lib/cmake/Vortex/VortexCompilerTargets.cmake)
elseif(TARGET vortex-probe)
  install(TARGETS vortex-probe
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Runtime)
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/modules/VortexConfig.cmake.in
  ${PROJECT_BINARY_DIR}/lib/cmake/Vortex/VortexConfig.cmake
  INSTALL_DESTINATION ${VORTEX_INSTALL_CMAKEDIR}
  PATH_VARS VORTEX_INSTALL_HWDESCDIR)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/lib/cmake/Vortex/VortexConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
# Each component is a package by itself.
foreach(component Runtime Compiler)
  install(FILES
    ${PROJECT_BINARY_DIR}/lib/cmake/Vortex/VortexConfig.cmake
    ${PROJECT_BINARY_DIR}/lib/cmake/Vortex/VortexConfigVersion.cmake
    DESTINATION ${VORTEX_INSTALL_CMAKEDIR} COMPONENT ${component})
endforeach()
