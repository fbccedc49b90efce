# Found by find_package(Karakal): the target Karakal::karakal.
include(CMakeFindDependencyMacro)
# Some headers (images, statistics) name its types.
find_dependency(nlohmann_json)
include("${CMAKE_CURRENT_LIST_DIR}/KarakalTargets.cmake")
