# Files that mlir-tblgen and llvm-tblgen generate from a folder's .td files. They
# are put into the build directory under the path of their source, so that
# "ir/dialect/BakerOps.h.inc" names its layer as any other header does.

# karakal_tblgen(TD OUTPUT ARGUMENTS...): OUTPUT, made by mlir-tblgen from TD;
# both are relative to the current folder. Appends it to the list `generated`.
function(karakal_tblgen td output)
  set(file "${CMAKE_CURRENT_BINARY_DIR}/${output}")
  get_filename_component(folder "${file}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(
    OUTPUT "${file}"
    COMMAND ${MLIR_TBLGEN} ${ARGN}
      -I "${PROJECT_SOURCE_DIR}" -I "${MLIR_INCLUDE_DIRS}"
      -o "${file}" -d "${file}.d" "${CMAKE_CURRENT_SOURCE_DIR}/${td}"
    DEPFILE "${file}.d"
    DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${td}"
    COMMENT "${output}")
  set(generated ${generated} "${file}" PARENT_SCOPE)
endfunction()

# karakal_add_pass_library(GROUP): the library of a folder of passes, whose
# Passes.td declares them under the group's name.
function(karakal_add_pass_library group)
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(generated)
  karakal_tblgen(Passes.td Passes.h.inc -gen-pass-decls -name ${group})
  karakal_library_of(${folder} library)
  add_custom_target(${library}_generated DEPENDS ${generated})
  karakal_add_library()
  add_dependencies(${library} ${library}_generated ir_generated)
endfunction()
