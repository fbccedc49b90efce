# The layer table: one row a folder, bottom-up. A folder may include only what
# its row names (and itself); the last column names the outside libraries that
# it alone may include. CMake takes its link lines from here, and
# tests/repository/test_layers.py its rule.
#
#             folder      | may include                          | from outside
set(KARAKAL_LAYERS
  "support     |                                      | "
  "target-ixp  | support                              | "
  "traces      | support                              | PCAP"
  "sim-ixp     | support target-ixp traces            | UNICORN"
  "ir          | support target-ixp                   | MLIR"
  "baker-lang  | support ir                           | ANTLR MLIR"
  "passes      | support target-ixp ir                | MLIR"
  "swcache     | support target-ixp ir                | MLIR"
  "aggregation | support target-ixp ir                | MLIR BOOST_GRAPH"
  "codegen-me  | support target-ixp ir                | LLVM"
  "host        | support target-ixp traces ir         | MLIR LLVM"
  "driver      | support target-ixp traces ir baker-lang host passes swcache aggregation codegen-me | MLIR LLVM"
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

# karakal_check_headers(FOLDER): every header of the folder compiles alone. Where
# a source file includes its own header first, compiling that file shows it; any
# other header is the only include of a file that the target check-headers
# compiles.
if(NOT TARGET check-headers)
  add_custom_target(check-headers)
endif()
function(karakal_check_headers folder)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
    "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "h$" "cpp" own "${header}")
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${own}")
      file(STRINGS "${own}" first REGEX "^#include" LIMIT_COUNT 1)
      if(first STREQUAL "#include \"${folder}/${header}\"")
        continue()
      endif()
    endif()
    set(source "${CMAKE_CURRENT_BINARY_DIR}/check-headers/${header}.cpp")
    file(CONFIGURE OUTPUT "${source}"
      CONTENT "#include \"${folder}/${header}\"\n")
    list(APPEND sources "${source}")
  endforeach()
  if(sources)
    add_library(${folder}-headers OBJECT EXCLUDE_FROM_ALL ${sources})
    target_link_libraries(${folder}-headers PRIVATE ${folder})
    add_dependencies(${folder}-headers ${folder}) # generated headers
    target_include_directories(${folder}-headers PRIVATE
      $<TARGET_PROPERTY:${folder},INCLUDE_DIRECTORIES>)
    target_compile_definitions(${folder}-headers PRIVATE
      $<TARGET_PROPERTY:${folder},COMPILE_DEFINITIONS>)
    add_dependencies(check-headers ${folder}-headers)
  endif()
endfunction()

# karakal_add_library(SOURCES...): the library of the current folder, linked to
# what its row of the table allows and to nothing else.
function(karakal_add_library)
  get_filename_component(folder "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
  karakal_layer(${folder} may_include outside)
  if(ARGN)
    add_library(${folder} STATIC ${ARGN})
    target_include_directories(${folder} PUBLIC
      "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
    foreach(library IN LISTS may_include)
      if(TARGET ${library}) # a folder of headers alone has no library
        target_link_libraries(${folder} PUBLIC ${library})
      endif()
    endforeach()
    foreach(library IN LISTS outside)
      target_link_libraries(${folder} PUBLIC karakal_${library})
    endforeach()
    karakal_check_headers(${folder})
  endif()
endfunction()
