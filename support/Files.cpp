#include "support/Files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace karakal {

// Uses stdio, because the standard library's streams throw on directories.

Result<std::string> readFile(const std::string &path) {
  errno = 0;
  std::FILE *file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  std::string bytes;
  if (file) {
    char buffer[1 << 16];
    size_t count;
    while ((count = std::fread(buffer, 1, sizeof buffer, file)) > 0)
      bytes.append(buffer, count);
  }
  bool good = file && !std::ferror(file);
  int reason = errno;
  if (file && file != stdin)
    std::fclose(file);
  if (good)
    return bytes;
  return makeFileError("E-support-001", path,
                       std::string("cannot read the file: ") +
                           std::strerror(reason));
}

Status writeFile(const std::string &path, const std::string &bytes) {
  errno = 0;
  // Devices and pipes cannot be replaced by renaming.
  struct stat status;
  bool special = path != "-" && ::stat(path.c_str(), &status) == 0 &&
                 !S_ISREG(status.st_mode);
  std::string temporary =
      special ? path : path + ".tmp" + std::to_string(::getpid());
  std::FILE *file = path == "-" ? stdout : std::fopen(temporary.c_str(), "wb");
  bool good =
      file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (file)
    good =
        (file == stdout ? std::fflush(file) : std::fclose(file)) == 0 && good;
  bool renames = path != "-" && !special;
  good =
      good && (!renames || std::rename(temporary.c_str(), path.c_str()) == 0);
  if (good)
    return success();
  int reason = errno;
  if (renames)
    std::remove(temporary.c_str());
  return makeFileError("E-support-002", path,
                       std::string("cannot write the file: ") +
                           std::strerror(reason));
}

} // namespace karakal
