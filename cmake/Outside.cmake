# The outside libraries of cmake/Layers.cmake, each as one interface target
# karakal_NAME. Headers are SYSTEM: their warnings are not ours.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# MLIR wants an equal major.minor in its version request.
find_package(MLIR 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/mlir)
add_library(karakal_LLVM INTERFACE)
target_include_directories(karakal_LLVM SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(karakal_LLVM INTERFACE ${llvm_definitions})
# NDEBUG changes the layout of a pass's statistics and of SelectionDAG's virtual
# tables. Debian's LLVM and MLIR are built with it, a Debug build of ours is not.
target_compile_definitions(karakal_LLVM INTERFACE $<$<CONFIG:Debug>:NDEBUG>)
target_link_libraries(karakal_LLVM INTERFACE LLVM)
add_library(karakal_MLIR INTERFACE)
target_include_directories(karakal_MLIR SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS})
# Only the shared libraries: the static MLIR targets would duplicate TypeIDs.
target_link_libraries(karakal_MLIR INTERFACE karakal_LLVM MLIR)
find_program(MLIR_TBLGEN mlir-tblgen HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
find_program(LLVM_TBLGEN llvm-tblgen HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
find_program(LLD_EXECUTABLE ld.lld HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)

pkg_check_modules(UNICORN REQUIRED IMPORTED_TARGET unicorn)
add_library(karakal_UNICORN INTERFACE)
target_link_libraries(karakal_UNICORN INTERFACE PkgConfig::UNICORN)

pkg_check_modules(PCAP REQUIRED IMPORTED_TARGET libpcap)
add_library(karakal_PCAP INTERFACE)
target_link_libraries(karakal_PCAP INTERFACE PkgConfig::PCAP)

# What traces and control files are compressed with.
pkg_check_modules(COMPRESSION REQUIRED IMPORTED_TARGET zlib libzstd liblzma)
add_library(karakal_COMPRESSION INTERFACE)
target_link_libraries(karakal_COMPRESSION INTERFACE PkgConfig::COMPRESSION)

find_program(ANTLR4_EXECUTABLE antlr4 REQUIRED)
find_path(ANTLR4_INCLUDE_DIR antlr4-runtime.h PATH_SUFFIXES antlr4-runtime
          REQUIRED)
find_library(ANTLR4_LIBRARY antlr4-runtime REQUIRED)
add_library(karakal_ANTLR INTERFACE)
target_include_directories(karakal_ANTLR SYSTEM INTERFACE ${ANTLR4_INCLUDE_DIR})
target_link_libraries(karakal_ANTLR INTERFACE ${ANTLR4_LIBRARY})

# Boost's own CMake package; CMake would otherwise prefer its module.
find_package(Boost REQUIRED CONFIG)
add_library(karakal_BOOST_GRAPH INTERFACE)
target_link_libraries(karakal_BOOST_GRAPH INTERFACE Boost::headers)

find_package(CLI11 REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)

# Only the module with bakersw's DPDK ports needs it; without it, there is none.
pkg_check_modules(DPDK IMPORTED_TARGET libdpdk>=22.11)
if(DPDK_FOUND)
  add_library(karakal_DPDK INTERFACE)
  target_link_libraries(karakal_DPDK INTERFACE PkgConfig::DPDK)
endif()
