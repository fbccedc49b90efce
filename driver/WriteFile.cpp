#include "driver/WriteFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace karakal::driver {

namespace {

Error cannotWrite(const std::string &path, const std::string &why) {
  return makeFileError("E-driver-022", path, "cannot be written: " + why);
}

Status writeStandardOutput(llvm::StringRef content) {
  llvm::raw_fd_ostream &out = llvm::outs();
  out << content;
  out.flush();
  if (!out.has_error())
    return success();
  std::string why = out.error().message();
  out.clear_error();
  return cannotWrite("standard output", why);
}

} // namespace

Status writeFile(const std::string &path, llvm::StringRef content) {
  if (path == "-")
    return writeStandardOutput(content);
  // A device or a pipe cannot be replaced by a file.
  bool isSpecial =
      llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path);
  std::string part = isSpecial ? path : path + ".part";
  std::error_code code;
  {
    llvm::raw_fd_ostream stream(part, code);
    if (code)
      return cannotWrite(path, code.message());
    stream << content;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  if (!code && !isSpecial)
    code = llvm::sys::fs::rename(part, path);
  if (!code)
    return success();
  if (!isSpecial)
    llvm::sys::fs::remove(part);
  return cannotWrite(path, code.message());
}

} // namespace karakal::driver
