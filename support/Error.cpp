#include "support/Error.h"
#include "support/InternalError.h"
#include "support/Text.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

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
  return printable(text);
}

namespace {

/// What each thread is doing. Not thread_local: the installed library is made
/// of the same objects, which are not position-independent.
std::mutex contextsMutex;
std::map<std::thread::id, std::function<std::string()>> contexts;

} // namespace

void setInternalErrorContext(std::function<std::string()> describe) {
  std::lock_guard lock(contextsMutex);
  if (describe)
    contexts[std::this_thread::get_id()] = std::move(describe);
  else
    contexts.erase(std::this_thread::get_id());
}

std::string takeInternalErrorContext() {
  std::function<std::string()> describe;
  {
    std::lock_guard lock(contextsMutex);
    if (auto node = contexts.extract(std::this_thread::get_id()))
      describe = std::move(node.mapped());
  }
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
