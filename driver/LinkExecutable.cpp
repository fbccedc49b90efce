// Executables of programs for x86: --target=x86 --emit=exe.

#include "driver/LinkExecutable.h"
#include "support/Assert.h"
#include "support/Files.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdlib>
#include <optional>

namespace karakal::driver {

using namespace llvm;

static constexpr const char *library = "libkarakal-standalone.a";

/// The folder of our library: in a prefix or in the build tree.
static Result<std::string> findLibraryFolder() {
  SmallString<128> tools(sys::path::parent_path(sys::fs::getMainExecutable(
      "", reinterpret_cast<void *>(&findLibraryFolder))));
  std::string tried;
  for (const char *relative : {KARAKAL_LIBRARIES_FROM_TOOLS, "../lib"}) {
    SmallString<128> folder(tools);
    sys::path::append(folder, relative, "karakal");
    sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
    SmallString<128> file(folder);
    sys::path::append(file, library);
    if (sys::fs::exists(file))
      return folder.str().str();
    tried = file.str().str();
  }
  return makeFileError("E-driver-048", tried,
                       "--emit=exe finds no library to link; install Karakal "
                       "with 'cmake --install', or build it");
}

/// The C compiler.
static Result<std::string> findCompiler() {
  if (const char *named = std::getenv("CC"); named && *named) {
    auto found = sys::findProgramByName(named);
    if (found)
      return *found;
    return makeError("E-driver-046", std::string("the C compiler of CC, '") +
                                         named + "', is not there");
  }
  for (const char *name : {"cc", "gcc", "clang"})
    if (auto found = sys::findProgramByName(name))
      return *found;
  return makeError("E-driver-046",
                   "--emit=exe links by a C compiler, and none of cc, gcc and "
                   "clang is there; install the packages gcc and libc6-dev, "
                   "name one in CC, or take --emit=obj");
}

/// Temporary files, which are removed.
class Temporary {
public:
  explicit Temporary(StringRef ending) {
    std::error_code failed =
        sys::fs::createTemporaryFile("bakerc", ending, path);
    KARAKAL_ASSERT(!failed,
                   "a temporary file can be made: " + failed.message());
  }
  ~Temporary() { sys::fs::remove(path); }
  Temporary(const Temporary &) = delete;

  SmallString<128> path;
};

/// What the compiler said, or that it could not be run.
static std::string complaint(StringRef log, const std::string &failure) {
  auto text = MemoryBuffer::getFile(log, /*IsText=*/true);
  StringRef said = text ? (*text)->getBuffer().trim() : StringRef();
  return (said.empty() ? StringRef(failure) : said).str();
}

Status linkExecutable(const std::string &object, const std::string &path) {
  KARAKAL_ASSERT(!path.empty() && path != "-", "an executable is a file");
  auto folder = findLibraryFolder();
  if (!folder)
    return folder.error();
  auto compiler = findCompiler();
  if (!compiler)
    return compiler.error();
  Temporary compiled("o"), log("log");
  if (Status written = writeFile(compiled.path.str().str(), object); !written)
    return written;
  // The linker's own file is beside the result, so that renaming replaces it.
  std::string part = path + ".part";
  std::string options = "@" + *folder + "/standalone.options";
  std::string archive = *folder + "/" + library;
  StringRef command[] = {*compiler, "-o",    part,   compiled.path,
                         archive,   options, "-pie", "-Wl,--gc-sections"};
  std::optional<StringRef> redirects[] = {std::nullopt, log.path.str(),
                                          log.path.str()};
  auto removePart = make_scope_exit([&] { sys::fs::remove(part); });
  std::string failure;
  int status = sys::ExecuteAndWait(*compiler, command, std::nullopt, redirects,
                                   0, 0, &failure);
  if (status != 0)
    return makeFileError("E-driver-047", path,
                         *compiler +
                             " cannot link the program; it needs the "
                             "packages gcc and libc6-dev: " +
                             complaint(log.path, failure));
  if (std::error_code failed = sys::fs::rename(part, path))
    return makeFileError("E-support-002", path,
                         "cannot be written: " + failed.message());
  removePart.release();
  return success();
}

} // namespace karakal::driver
