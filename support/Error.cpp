#include "support/Error.h"
#include "support/InternalError.h"

#include <cstdio>
#include <cstdlib>

namespace karakal {

std::string Error::str() const {
  std::string text;
  if (!file.empty()) {
    text += file + ":";
    if (line != 0)
      text += std::to_string(line) + ":";
    if (column != 0)
      text += std::to_string(column) + ":";
    text += " ";
  }
  text += "error: " + message;
  if (!id.empty())
    text += " [" + id + "]";
  return text;
}

static std::function<std::string()> &internalErrorContext() {
  static std::function<std::string()> context;
  return context;
}

void setInternalErrorContext(std::function<std::string()> describe) {
  internalErrorContext() = std::move(describe);
}

std::string takeInternalErrorContext() {
  std::function<std::string()> describe;
  std::swap(describe, internalErrorContext());
  return describe ? describe() : "";
}

void reportInternalError(const char *file, int line, const std::string &what) {
  std::fprintf(stderr,
               "internal error: %s\n  at %s:%d\n"
               "This is a bug of Karakal, not of your input. Please report it "
               "with the command line\nand the input files.\n",
               what.c_str(), file, line);
  std::fputs(takeInternalErrorContext().c_str(), stderr);
  std::fflush(nullptr);
  std::_Exit(ExitInternalError);
}

} // namespace karakal
