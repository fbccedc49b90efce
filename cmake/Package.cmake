# What an installed Karakal has besides the simulator's library: the compiler and
# its relatives, Baker's library, and programs to begin with. bakerc finds the
# library at ../share/karakal/runtime, so a prefix can be moved.

include(GNUInstallDirs)

# Debian keeps libMLIR in a folder of LLVM's version.
set(compilers bakerc baker-opt baker-format baker-lsp bakersw)
set_target_properties(${compilers} PROPERTIES INSTALL_RPATH "${LLVM_LIBRARY_DIR}")
install(TARGETS ${compilers})
install(DIRECTORY runtime/ DESTINATION "${CMAKE_INSTALL_DATADIR}/karakal/runtime"
  FILES_MATCHING PATTERN "*.baker" PATTERN "*.ll" PATTERN "*.uc")
install(FILES tools/package/bakersw@.service
  DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/system")
install(DIRECTORY apps DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/karakal")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/karakal"
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
install(FILES README.md DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/karakal")
