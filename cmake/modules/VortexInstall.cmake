# Install rules and the CMake package; see docs.
