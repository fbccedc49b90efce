# What bakerc --target=x86 --emit=exe links to a program's object: a static
# library with the main function, without LLVM, and the options for the libraries
# behind it. Both lie in lib/karakal/ of the build tree and of a prefix.

add_library(karakal-standalone STATIC runtime/x86/main.cpp)
foreach(folder IN ITEMS support target-ixp traces host/standalone)
  karakal_library_of(${folder} library)
  target_sources(karakal-standalone PRIVATE "$<TARGET_OBJECTS:${library}>")
endforeach()
target_include_directories(karakal-standalone PRIVATE "${PROJECT_SOURCE_DIR}")
set_target_properties(karakal-standalone PROPERTIES
  ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib/karakal")

# Whoever links a program needs the libraries, not the packages to develop with
# them: the linker takes the names under which programs find them at run time.
set(options "-l:libstdc++.so.6 -lm")
foreach(file IN LISTS PCAP_LINK_LIBRARIES COMPRESSION_LINK_LIBRARIES)
  execute_process(COMMAND "${CMAKE_READELF}" -d "${file}"
    OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  if(NOT dynamic MATCHES "SONAME[^[]*\\[([^]]+)\\]")
    message(FATAL_ERROR "${file} has no name for programs")
  endif()
  string(APPEND options " -l:${CMAKE_MATCH_1}")
endforeach()
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[^ ]+")
  string(APPEND options " ${CMAKE_MATCH_0}")
endif()
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/lib/karakal/standalone.options"
  CONTENT "${options}\n")

add_dependencies(bakerc karakal-standalone)
install(TARGETS karakal-standalone
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}/karakal")
install(FILES "${PROJECT_BINARY_DIR}/lib/karakal/standalone.options"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/karakal")
