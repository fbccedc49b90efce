# Optimization by branch counts (profile-guided optimization): a release build by
# Clang knows how often each branch of a library was taken while it did its work.
# The counts are a text file beside the sources. `./dev train` counts again.
# A function whose branches have changed since then is compiled without counts.

option(KARAKAL_COUNT_BRANCHES "build the programs that count, for ./dev train" OFF)
find_program(LLVM_PROFDATA llvm-profdata HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)

# karakal_use_branch_counts(LIBRARY FILE): compiles the library by the counts of
# the file.
function(karakal_use_branch_counts library file)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  # A function of one file is named by the file without its folder, which differs
  # between checkouts. Branches are counted before anything is inlined, because
  # functions of the standard library differ between its versions.
  target_compile_options(${library} PRIVATE
    "SHELL:-mllvm -static-func-full-module-prefix=false"
    "SHELL:-mllvm -disable-preinline")
  if(KARAKAL_COUNT_BRANCHES)
    target_compile_options(${library} PRIVATE -fprofile-generate)
    target_link_options(${library} INTERFACE -fprofile-generate)
    return()
  endif()
  # The digest in the name compiles the library again when the counts change. The
  # path is relative to the build tree, so that ccache finds what another checkout
  # has compiled.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(SHA256 "${file}" digest)
  string(SUBSTRING ${digest} 0 16 digest)
  set(made "branch-counts/${library}-${digest}.profdata")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/branch-counts")
  execute_process(COMMAND ${LLVM_PROFDATA} merge "${file}" -o "${PROJECT_BINARY_DIR}/${made}"
    COMMAND_ERROR_IS_FATAL ANY)
  # No warnings about functions without counts.
  target_compile_options(${library} PRIVATE
    "-fprofile-use=${made}" -Wno-profile-instr-unprofiled -Wno-backend-plugin)
endfunction()
