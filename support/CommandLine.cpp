// What all tools ask of their command lines.

#include "support/CommandLine.h"

namespace karakal {

std::string findEmptyArgument(int argc, const char *const *argv) {
  bool areOptions = true;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument.empty()) {
      std::string where = i == 1 ? "the first argument" : "the argument after ";
      if (i > 1)
        where += "'" + std::string(argv[i - 1]) + "'";
      return where + " is empty";
    }
    if (argument == "--")
      areOptions = false;
    bool isOption = areOptions && argument.substr(0, 2) == "--";
    if (isOption && argument.find('=') == argument.size() - 1)
      return "'" + std::string(argument.substr(0, argument.size() - 1)) +
             "' has an empty value; leave the option out or give it a value";
  }
  return "";
}

std::string versionOf(std::string_view tool) {
  return std::string(tool) + " (Karakal) " KARAKAL_VERSION;
}

} // namespace karakal
