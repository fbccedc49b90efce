// baker-lsp: the language server for Baker, on standard input and output.
//
// baker-lsp [FOLDER…]     also looks up imports in the folders

#include "baker-lang/editor/LanguageServer.h"
#include "driver/report/AddressMap.h"

#include <iostream>

int main(int argc, char **argv) {
  return karakal::lang::LanguageServer(std::cin, std::cout,
                                       {argv + 1, argv + argc},
                                       karakal::driver::addressMapOf)
      .run();
}
