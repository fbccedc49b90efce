# What `cmake --install` puts into a prefix: the simulator as one library, its
# headers, the tools that need nothing else, and a package file, so that another
# project says find_package(Karakal) and links Karakal::karakal
# (docs/embedding.md).

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(installed_folders support target-ixp target-ixp/assembler traces sim-ixp)
foreach(folder IN LISTS installed_folders)
  karakal_library_of(${folder} library)
  list(APPEND installed_libraries ${library})
  foreach(ending h def)
    karakal_files_of(${folder} ${ending} files)
    foreach(file IN LISTS files)
      cmake_path(GET file PARENT_PATH room)
      install(FILES "${folder}/${file}"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/karakal/${folder}/${room}")
    endforeach()
  endforeach()
endforeach()

# One shared library: its user's compiler need not understand the bitcode of a
# Release build, and its user need not have the libraries behind it. Nothing in
# it can be replaced from outside, since the parts are not position-independent
# for that.
foreach(library IN LISTS installed_libraries)
  list(APPEND objects "$<TARGET_OBJECTS:${library}>")
endforeach()
add_library(karakal SHARED ${objects})
target_link_libraries(karakal PRIVATE karakal_UNICORN karakal_PCAP
  karakal_COMPRESSION)
target_link_options(karakal PRIVATE -Wl,-Bsymbolic)
target_compile_features(karakal INTERFACE cxx_std_17)
target_include_directories(karakal INTERFACE
  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/karakal>")
set_target_properties(karakal PROPERTIES LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/Karakal")
install(TARGETS karakal EXPORT KarakalTargets)
install(TARGETS ixpsim ixp-as ixp-dis)
install(EXPORT KarakalTargets NAMESPACE Karakal:: DESTINATION "${package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/KarakalConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/KarakalConfig.cmake
  "${PROJECT_BINARY_DIR}/KarakalConfigVersion.cmake" DESTINATION "${package}")
