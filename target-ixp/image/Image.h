// The .ixp image.
//
// One file with everything that a chip needs to run a program: the microcode of
// every role, XScale code, and a manifest that places them. The file is a
// 32-bit big-endian ELF for ARM, so that readelf and objdump read it:
//
//   .manifest       JSON (docs/image.md)
//   .ucode.NAME     5-byte big-endian microwords
//   .lines.NAME     one "file:line" per word, optional
//   .locals.NAME    JSON: where local variables lie, optional
//   other sections  XScale code and data, each also a loadable segment
//
// The bytes depend on the contents only. readImage checks the manifest against
// its schema: the keys that docs/image.md requires exist and have the right
// type, engines name microcode that exists, addresses are on the chip.

#ifndef KARAKAL_TARGET_IXP_IMAGE_IMAGE_H
#define KARAKAL_TARGET_IXP_IMAGE_IMAGE_H

#include "support/Error.h"
#include "target-ixp/image/Microcode.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace karakal::target {

constexpr unsigned ImageVersion = 1;

/// XScale code or data to be loaded at a DRAM address.
struct Segment {
  std::string name; ///< section name, e.g. ".xscale.text"
  uint32_t address = 0;
  std::vector<uint8_t> bytes;
};

struct Image {
  nlohmann::json manifest;
  /// Words by name: "rx", "tx" and one for each aggregate.
  std::map<std::string, std::vector<uint64_t>> microcode;
  /// Source line of each word, by microcode name; any name may be missing.
  std::map<std::string, std::vector<SourceLine>> lines;
  /// Local variables, by microcode name; any name may be missing.
  std::map<std::string, Locals> locals;
  std::vector<Segment> xscale;
};

/// Writes a temporary file next to `path` and renames it, so that the file is
/// either complete or unchanged. Errors: E-support-002 (cannot write), 074 (the
/// image violates the schema).
Status writeImage(const std::string &path, const Image &image);
/// Errors: E-support-001 (cannot read), 072 (not an image), 073 (truncated),
/// 074 (damaged), 075 (another version).
Result<Image> readImage(const std::string &path);

/// Converts an image to the bytes of its file and back; `name` is for messages.
std::vector<uint8_t> serializeImage(const Image &image);
Result<Image> parseImage(const std::vector<uint8_t> &bytes,
                         const std::string &name);
/// Checks manifest and contents against docs/image.md (E-target-ixp-074).
Status validateImage(const Image &image);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_IMAGE_IMAGE_H
