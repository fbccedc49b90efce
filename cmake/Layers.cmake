# The layer table: one row per folder, bottom-up. A folder may include only itself
# and what its row names; the last column names the outside libraries that only
# such rows may include. A room (sub-folder) that may know less than its folder
# is a row of its own. Each row is a library. CMake takes its link lines from
# this table, tests/repository/test_layers.py its rule, and docs/layers.svg is
# drawn from it.
#
#             folder               | may include                          | from outside
set(KARAKAL_LAYERS
  "support              |                                      | "
  "target-ixp           | support                              | "
  "target-ixp/assembler | support target-ixp                   | "
  "target-ixp/microcode | support target-ixp                   | BOOST_GRAPH"
  "traces               | support                              | PCAP COMPRESSION"
  "sim-ixp              | support target-ixp traces            | UNICORN COMPRESSION"
  "sim-ixp/python       | support target-ixp traces sim-ixp    | PYBIND11"
  "ir                   | support target-ixp                   | MLIR"
  "ir/interp            | support target-ixp ir                | MLIR"
  "baker-lang           | support ir                           | ANTLR MLIR"
  "passes               | support target-ixp target-ixp/microcode ir | MLIR"
  "swcache              | support target-ixp ir                | MLIR"
  "aggregation          | support target-ixp target-ixp/microcode ir | MLIR BOOST_GRAPH"
  "codegen-me           | support target-ixp target-ixp/microcode ir | LLVM"
  "codegen-x86          | support target-ixp traces ir         | LLVM"
  "codegen-x86/batch    | support target-ixp ir codegen-x86    | MLIR LLVM"
  "codegen-x86/specialize | support target-ixp codegen-x86       | LLVM"
  "codegen-x86/model    | support                              | "
  "host/standalone      | support target-ixp traces codegen-x86 | "
  "host                 | support target-ixp traces ir codegen-x86 codegen-x86/specialize codegen-x86/model host/standalone | MLIR LLVM"
  "switch               | support target-ixp traces codegen-x86 | "
  "switch/ethdev        | support codegen-x86 switch           | DPDK"
  "driver               | support target-ixp target-ixp/assembler target-ixp/microcode traces ir ir/interp baker-lang codegen-x86 codegen-x86/batch codegen-x86/specialize codegen-x86/model host/standalone host switch passes swcache aggregation codegen-me | MLIR LLVM"
)

# The rooms of a folder, bottom-up: a room may include itself and the rooms before
# it. "." stands for the files in the folder itself.
#
#             folder      | rooms
set(KARAKAL_ROOMS
  "target-ixp  | chip image table"
  "sim-ixp     | bus observe media memory engine core run report ."
  "ir          | dialect analysis"
  "baker-lang  | . tree syntax sema checks lower tables editor"
  "passes      | . packets pac memory to-llvm"
  "aggregation | . model formation split locks locals"
  "codegen-me  | target prepare machine words ."
  "host        | observe parts . profile live"
  "driver      | pipeline cores report ."
)

# karakal_layer(FOLDER MAY_INCLUDE_VAR OUTSIDE_VAR): the row of FOLDER.
function(karakal_layer folder may_include_var outside_var)
  foreach(row IN LISTS KARAKAL_LAYERS)
    string(REPLACE "|" ";" cells "${row}")
    list(TRANSFORM cells STRIP)
    list(GET cells 0 name)
    if(name STREQUAL folder)
      list(GET cells 1 may_include)
      list(GET cells 2 outside)
      separate_arguments(may_include)
      separate_arguments(outside)
      set(${may_include_var} "${may_include}" PARENT_SCOPE)
      set(${outside_var} "${outside}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "folder '${folder}' has no row in cmake/Layers.cmake")
endfunction()

# karakal_library_of(FOLDER VAR): the CMake target of a row.
function(karakal_library_of folder var)
  string(REPLACE "/" "-" library "${folder}")
  set(${var} "${library}" PARENT_SCOPE)
endfunction()

# karakal_files_of(FOLDER ENDING VAR): the files of a row, relative to FOLDER:
# those in the folder and in its rooms, except rooms that are rows themselves.
function(karakal_files_of folder ending var)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS
    RELATIVE "${PROJECT_SOURCE_DIR}/${folder}"
    "${PROJECT_SOURCE_DIR}/${folder}/*.${ending}")
  foreach(row IN LISTS KARAKAL_LAYERS)
    if(row MATCHES "^${folder}/([^ |]+)")
      list(FILTER files EXCLUDE REGEX "^${CMAKE_MATCH_1}/")
    endif()
  endforeach()
  set(${var} "${files}" PARENT_SCOPE)
endfunction()

# karakal_check_headers(FOLDER): every header of the folder compiles alone. If a
# source file includes its own header first and nothing is precompiled for it,
# compiling that file is the check. For any other header the target check-headers
# compiles a file that includes nothing else.
if(NOT TARGET check-headers)
  add_custom_target(check-headers)
endif()
function(karakal_check_headers folder)
  karakal_library_of(${folder} library)
  karakal_files_of(${folder} h headers)
  get_target_property(precompiled ${library} KARAKAL_PRECOMPILED)
  set(checks)
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "h$" "cpp" own "${PROJECT_SOURCE_DIR}/${folder}/${header}")
    if(EXISTS "${own}" AND NOT precompiled)
      file(STRINGS "${own}" first REGEX "^#include" LIMIT_COUNT 1)
      if(first STREQUAL "#include \"${folder}/${header}\"")
        continue()
      endif()
    endif()
    set(source "${CMAKE_CURRENT_BINARY_DIR}/check-headers/${header}.cpp")
    file(CONFIGURE OUTPUT "${source}"
      CONTENT "#include \"${folder}/${header}\"\n")
    list(APPEND checks "${source}")
  endforeach()
  if(checks)
    add_library(${library}-headers OBJECT EXCLUDE_FROM_ALL ${checks})
    target_link_libraries(${library}-headers PRIVATE ${library})
    add_dependencies(${library}-headers ${library}) # generated headers
    target_include_directories(${library}-headers PRIVATE
      $<TARGET_PROPERTY:${library},INCLUDE_DIRECTORIES>)
    target_compile_definitions(${library}-headers PRIVATE
      $<TARGET_PROPERTY:${library},COMPILE_DEFINITIONS>)
    target_compile_options(${library}-headers PRIVATE -O0)
    add_dependencies(check-headers ${library}-headers)
  endif()
endfunction()

# karakal_add_library([GENERATED...]): the library of the current folder: all of
# its source files and those that are generated, linked to what its row of the
# table allows and to nothing else.
function(karakal_add_library)
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  karakal_layer(${folder} may_include outside)
  karakal_library_of(${folder} library)
  karakal_files_of(${folder} cpp sources)
  add_library(${library} STATIC ${sources} ${ARGN})
  target_include_directories(${library} PUBLIC
    "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
  foreach(other IN LISTS may_include)
    karakal_library_of(${other} other)
    target_link_libraries(${library} PUBLIC ${other})
  endforeach()
  foreach(other IN LISTS outside)
    target_link_libraries(${library} PUBLIC karakal_${other})
  endforeach()
  if("MLIR" IN_LIST outside)
    karakal_use_precompiled(${library} mlir ${sources})
  elseif("LLVM" IN_LIST outside)
    karakal_use_precompiled(${library} llvm ${sources})
  endif()
  karakal_check_headers(${folder})
endfunction()
