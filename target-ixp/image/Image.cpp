#include "target-ixp/image/Image.h"

#include "support/Files.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/image/Elf.h"
#include "target-ixp/image/LocalsFile.h"

#include <cstdlib>

namespace karakal::target {

namespace {

const std::string UcodePrefix = ".ucode.";
const std::string LinesPrefix = ".lines.";
const std::string LocalsPrefix = ".locals.";

std::vector<uint8_t> bytesOf(const std::string &text) {
  return {text.begin(), text.end()};
}

std::vector<uint8_t> packWords(const std::vector<uint64_t> &words) {
  std::vector<uint8_t> bytes;
  bytes.reserve(words.size() * MicrowordBytes);
  for (uint64_t word : words) {
    KARAKAL_ASSERT(word >> 40 == 0, "a word has 40 bits");
    for (int shift = 32; shift >= 0; shift -= 8)
      bytes.push_back(static_cast<uint8_t>(word >> shift));
  }
  return bytes;
}

std::vector<uint64_t> unpackWords(const std::vector<uint8_t> &bytes) {
  std::vector<uint64_t> words(bytes.size() / MicrowordBytes, 0);
  for (size_t i = 0; i < words.size() * MicrowordBytes; ++i)
    words[i / MicrowordBytes] = words[i / MicrowordBytes] << 8 | bytes[i];
  return words;
}

std::string printLines(const std::vector<SourceLine> &lines) {
  std::string text;
  for (const SourceLine &line : lines)
    text += line.file + ":" + std::to_string(line.line) + "\n";
  return text;
}

std::vector<SourceLine> parseLines(const std::vector<uint8_t> &bytes) {
  std::vector<SourceLine> lines;
  std::string current;
  for (uint8_t byte : bytes) {
    if (byte != '\n') {
      current += static_cast<char>(byte);
      continue;
    }
    size_t colon = current.rfind(':');
    SourceLine line;
    line.file = current.substr(0, colon);
    if (colon != std::string::npos)
      line.line = static_cast<uint32_t>(
          std::strtoul(current.c_str() + colon + 1, nullptr, 10));
    lines.push_back(line);
    current.clear();
  }
  return lines;
}

bool startsWith(const std::string &text, const std::string &prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

Error withFile(Error error, const std::string &file) {
  error.file = file;
  return error;
}

} // namespace

std::vector<uint8_t> serializeImage(const Image &image) {
  std::vector<ElfSection> sections;
  nlohmann::json manifest = image.manifest;
  manifest["format"] = "karakal-image";
  manifest["version"] = ImageVersion;
  std::string text =
      manifest.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
  sections.push_back({".manifest", bytesOf(text + "\n"), false, 0});
  for (const auto &[name, words] : image.microcode)
    sections.push_back({UcodePrefix + name, packWords(words), false, 0});
  for (const auto &[name, lines] : image.lines)
    sections.push_back(
        {LinesPrefix + name, bytesOf(printLines(lines)), false, 0});
  for (const auto &[name, locals] : image.locals)
    sections.push_back(
        {LocalsPrefix + name, bytesOf(printLocals(locals)), false, 0});
  for (const Segment &segment : image.xscale)
    sections.push_back({segment.name, segment.bytes, true, segment.address});
  return writeElf(sections);
}

Result<Image> parseImage(const std::vector<uint8_t> &bytes,
                         const std::string &name) {
  Result<std::vector<ElfSection>> sections = readElf(bytes, name);
  if (!sections)
    return sections.error();
  Image image;
  bool hasManifest = false;
  for (ElfSection &section : *sections) {
    if (section.name == ".manifest") {
      image.manifest = nlohmann::json::parse(section.bytes.begin(),
                                             section.bytes.end(), nullptr,
                                             /*allow_exceptions=*/false);
      hasManifest = true;
    } else if (startsWith(section.name, UcodePrefix)) {
      if (section.bytes.size() % MicrowordBytes)
        return makeFileError("E-target-ixp-074", name,
                             "the image is damaged: section '" + section.name +
                                 "' is not a whole number of microwords");
      image.microcode[section.name.substr(UcodePrefix.size())] =
          unpackWords(section.bytes);
    } else if (startsWith(section.name, LinesPrefix)) {
      image.lines[section.name.substr(LinesPrefix.size())] =
          parseLines(section.bytes);
    } else if (startsWith(section.name, LocalsPrefix)) {
      std::optional<Locals> locals =
          parseLocals({section.bytes.begin(), section.bytes.end()});
      if (!locals)
        return makeFileError("E-target-ixp-074", name,
                             "the image is damaged: section '" + section.name +
                                 "' does not describe local variables");
      image.locals[section.name.substr(LocalsPrefix.size())] =
          std::move(*locals);
    } else if (section.loaded) {
      image.xscale.push_back(
          {section.name, section.address, std::move(section.bytes)});
    }
  }
  if (!hasManifest)
    return makeFileError("E-target-ixp-072", name,
                         "this ELF file is not a Karakal image: it has no "
                         "manifest");
  if (!image.manifest.is_object())
    return makeFileError("E-target-ixp-074", name,
                         "the image is damaged: its manifest is not a JSON "
                         "object");
  const nlohmann::json &manifest = image.manifest;
  if (!manifest.contains("format") || manifest["format"] != "karakal-image")
    return makeFileError("E-target-ixp-072", name,
                         "this ELF file is not a Karakal image: its manifest "
                         "has another format");
  if (!manifest.contains("version") || manifest["version"] != ImageVersion)
    return makeFileError(
        "E-target-ixp-075", name,
        "the image has version " +
            (manifest.contains("version") ? manifest["version"].dump()
                                          : std::string("none")) +
            ", but this program reads version " + std::to_string(ImageVersion) +
            "; compile it again with the bakerc of this version");
  if (Status status = validateImage(image); !status)
    return withFile(status.error(), name);
  return image;
}

Status writeImage(const std::string &path, const Image &image) {
  if (Status status = validateImage(image); !status)
    return withFile(status.error(), path);
  std::vector<uint8_t> bytes = serializeImage(image);
  return writeFile(path, {bytes.begin(), bytes.end()});
}

Result<Image> readImage(const std::string &path) {
  Result<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.error();
  return parseImage({bytes->begin(), bytes->end()}, path);
}

} // namespace karakal::target
