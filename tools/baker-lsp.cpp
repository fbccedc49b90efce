// baker-lsp: the language server for Baker, on standard input and output.
//
// baker-lsp [FOLDER…]     looks up imports in the folders, then in the library

#include "baker-lang/editor/LanguageServer.h"
#include "driver/pipeline/LlvmStage.h"
#include "driver/report/AddressMap.h"
#include "support/CommandLine.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <poll.h>
#include <unistd.h>

/// Waits for the next key of a user who is writing.
static bool isInputWaiting() {
  constexpr int milliseconds = 20;
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  return std::cin.rdbuf()->in_avail() > 0 || poll(&input, 1, milliseconds) > 0;
}

int main(int argc, char **argv) {
  if (auto empty = karakal::findEmptyArgument(argc, argv); !empty.empty()) {
    std::cerr << "baker-lsp: error: " << empty << "\n";
    return 2;
  }
  std::ios::sync_with_stdio(false);
  CLI::App app("Language server for Baker: an editor starts it and talks to it "
               "on standard input and output.",
               "baker-lsp");
  app.set_version_flag("--version", karakal::versionOf("baker-lsp"),
                       karakal::versionHelp);
  std::vector<std::string> importFolders;
  app.add_option("FOLDER", importFolders,
                 "also look up imports in these folders");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  importFolders.push_back(karakal::driver::runtimeDirectory());
  return karakal::lang::LanguageServer(std::cin, std::cout, importFolders,
                                       karakal::driver::addressMapOf,
                                       isInputWaiting)
      .run();
}
