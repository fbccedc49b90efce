# Headers of others that most files of a row include, compiled once. They take
# about half of the processor time of a build. No header of ours is among them,
# so a change of ours never compiles them again.
#
# No file may depend on them: check-headers compiles every header of ours without
# them.
#
# CMake's own precompiled headers name the build tree in their commands. These do
# not, so that ccache finds what another checkout has compiled.

option(KARAKAL_PRECOMPILED_HEADERS "compile the headers of MLIR and LLVM once" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(KARAKAL_PRECOMPILED_HEADERS OFF)
endif()

# karakal_precompile(NAME LIBRARY HEADERS...): compiles the headers as the users
# of the library compile them.
function(karakal_precompile name library)
  if(NOT KARAKAL_PRECOMPILED_HEADERS)
    return()
  endif()
  set(source "${PROJECT_BINARY_DIR}/precompiled/${name}.cpp")
  list(TRANSFORM ARGN REPLACE "(.+)" "#include <\\1>\n" OUTPUT_VARIABLE includes)
  list(JOIN includes "" includes)
  file(CONFIGURE OUTPUT "${source}" CONTENT "${includes}")
  add_library(precompiled-${name} OBJECT EXCLUDE_FROM_ALL "${source}")
  target_link_libraries(precompiled-${name} PRIVATE ${library})
  target_compile_options(precompiled-${name} PRIVATE
    -x c++-header -fpch-instantiate-templates "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# karakal_use_precompiled(TARGET NAME SOURCES...): each of the files of TARGET
# begins with the headers.
function(karakal_use_precompiled target name)
  if(NOT KARAKAL_PRECOMPILED_HEADERS)
    return()
  endif()
  set(header "${PROJECT_BINARY_DIR}/CMakeFiles/precompiled-${name}.dir/precompiled/${name}.cpp.o")
  # The files that it was made from may be those of another checkout: ninja knows
  # when they change, the compiler need not look.
  target_compile_options(${target} PRIVATE
    "SHELL:-include-pch ${header} -Xclang -fno-validate-pch")
  set_target_properties(${target} PROPERTIES KARAKAL_PRECOMPILED ${name})
  set_property(SOURCE ${ARGN} APPEND PROPERTY OBJECT_DEPENDS "${header}")
  add_dependencies(${target} precompiled-${name})
endfunction()

set(mlir_headers
  llvm/ADT/DenseSet.h
  llvm/ADT/MapVector.h
  llvm/ADT/PostOrderIterator.h
  llvm/ADT/SetVector.h
  llvm/ADT/StringExtras.h
  llvm/ADT/StringSet.h
  llvm/ADT/TypeSwitch.h
  llvm/Support/FormatVariadic.h
  llvm/Support/MemoryBuffer.h
  llvm/Support/raw_ostream.h
  mlir/Dialect/Arith/IR/Arith.h
  mlir/Dialect/ControlFlow/IR/ControlFlowOps.h
  mlir/Dialect/Func/IR/FuncOps.h
  mlir/IR/Builders.h
  mlir/IR/BuiltinOps.h
  mlir/IR/Dominance.h
  mlir/IR/IRMapping.h
  mlir/IR/Matchers.h
  mlir/IR/OpImplementation.h
  mlir/Interfaces/ControlFlowInterfaces.h
  mlir/Pass/Pass.h
  algorithm
  functional
  map
  memory
  optional
  set
  string
  vector)
karakal_precompile(mlir karakal_MLIR ${mlir_headers})

karakal_precompile(llvm karakal_LLVM
  llvm/ADT/DenseMap.h
  llvm/ADT/SmallPtrSet.h
  llvm/ADT/StringExtras.h
  llvm/CodeGen/MachineFrameInfo.h
  llvm/CodeGen/MachineFunctionPass.h
  llvm/CodeGen/MachineInstrBuilder.h
  llvm/CodeGen/MachineRegisterInfo.h
  llvm/CodeGen/TargetInstrInfo.h
  llvm/IR/IRBuilder.h
  llvm/IR/InstIterator.h
  llvm/IR/IntrinsicInst.h
  llvm/IR/Module.h
  llvm/IR/PatternMatch.h
  llvm/Pass.h
  llvm/Support/KnownBits.h
  llvm/Support/MemoryBuffer.h
  algorithm
  functional
  map
  optional
  set
  string
  vector)

set(test_headers
  gmock/gmock.h
  gtest/gtest.h
  filesystem
  fstream
  map
  sstream
  string
  vector)
karakal_precompile(tests GTest::gmock ${test_headers})
add_library(karakal_MLIR_TESTS INTERFACE)
target_link_libraries(karakal_MLIR_TESTS INTERFACE karakal_MLIR GTest::gmock)
karakal_precompile(mlir-tests karakal_MLIR_TESTS ${mlir_headers} ${test_headers})
