// The file of the target that has the precompiled headers: CMake wants one.
