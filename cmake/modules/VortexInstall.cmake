# Install rules and the CMake package. `find_package(Vortex COMPONENTS Runtime)`
# needs no LLVM; the build tree can be found too (Vortex_DIR=<build>/lib/cmake/Vortex).
include(CMakePackageConfigHelpers)
set(VORTEX_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/Vortex)

# Component Runtime: the libraries, their headers.
install(TARGETS vortex_runtime vortex_runtime_static EXPORT VortexRuntimeTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Runtime
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Runtime)
install(FILES
  ${PROJECT_SOURCE_DIR}/include/vortex-c/Artifact.h
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

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/modules/VortexConfig.cmake.in
  ${PROJECT_BINARY_DIR}/lib/cmake/Vortex/VortexConfig.cmake
  INSTALL_DESTINATION ${VORTEX_INSTALL_CMAKEDIR})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/lib/cmake/Vortex/VortexConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/lib/cmake/Vortex/VortexConfig.cmake
  ${PROJECT_BINARY_DIR}/lib/cmake/Vortex/VortexConfigVersion.cmake
  DESTINATION ${VORTEX_INSTALL_CMAKEDIR} COMPONENT Runtime)
