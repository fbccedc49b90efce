// Code of earlier runs in a folder.

#include "driver/cores/CodeCache.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace karakal::driver {

namespace {

constexpr size_t checksumSize = 20;

std::string checksumOf(StringRef text) {
  std::array<uint8_t, checksumSize> bytes =
      SHA1::hash(arrayRefFromStringRef(text));
  return std::string(bytes.begin(), bytes.end());
}

/// The compiler at hand: another one makes other code.
std::string compilerName() {
  std::string path =
      sys::fs::getMainExecutable("", reinterpret_cast<void *>(&checksumOf));
  sys::fs::file_status status;
  if (sys::fs::status(path, status))
    return path;
  return path + " " + std::to_string(status.getSize()) + " " +
         std::to_string(sys::toTimeT(status.getLastModificationTime())) +
         " LLVM " LLVM_VERSION_STRING;
}

} // namespace

std::string CodeCache::keyOf(ArrayRef<std::string> inputs) {
  // Checksums instead of the inputs, so that no two lists are the same text.
  std::string all = checksumOf(compilerName());
  for (const std::string &input : inputs)
    all += checksumOf(input);
  return toHex(checksumOf(all), /*LowerCase=*/true);
}

std::string CodeCache::pathOf(StringRef key) const {
  // LLVM's pruning removes files with this prefix only.
  return folder + "/llvmcache-" + key.str();
}

std::optional<std::string> CodeCache::find(StringRef key) const {
  auto file = MemoryBuffer::getFile(pathOf(key), /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file || (*file)->getBufferSize() < checksumSize)
    return std::nullopt;
  StringRef code = (*file)->getBuffer().drop_front(checksumSize);
  if (!(*file)->getBuffer().starts_with(checksumOf(code)))
    return std::nullopt;
  return code.str();
}

Status CodeCache::keep(StringRef key, StringRef code) const {
  std::error_code made = sys::fs::create_directories(folder);
  auto written = made ? errorCodeToError(made)
                      : writeToOutput(pathOf(key), [&](raw_ostream &out) {
                          out << checksumOf(code) << code;
                          return llvm::Error::success();
                        });
  if (written)
    return makeFileError(
        "E-driver-023", folder,
        "compiled code cannot be kept here: " + toString(std::move(written)) +
            ". Choose another --cache-dir.");
  pruneCache(folder, CachePruningPolicy());
  return success();
}

} // namespace karakal::driver
