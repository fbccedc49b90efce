#include "target-ixp/image/Elf.h"

#include <algorithm>
#include <cstring>

namespace karakal::target {

namespace {

constexpr uint32_t HeaderBytes = 52;
constexpr uint32_t ProgramHeaderBytes = 32;
constexpr uint32_t SectionHeaderBytes = 40;
constexpr uint16_t TypeExecutable = 2;      // ET_EXEC
constexpr uint16_t MachineArm = 40;         // EM_ARM
constexpr uint32_t SectionProgbits = 1;     // SHT_PROGBITS
constexpr uint32_t SectionStrings = 3;      // SHT_STRTAB
constexpr uint32_t FlagsLoaded = 1 | 2 | 4; // write, allocate, execute
constexpr uint32_t SegmentLoad = 1;         // PT_LOAD
constexpr uint32_t SegmentFlags = 7;        // read, write, execute
constexpr uint8_t Identity[16] = {0x7f, 'E', 'L', 'F', 1, 2, 1};

class Output {
public:
  std::vector<uint8_t> bytes;
  void half(uint32_t value) {
    bytes.push_back(static_cast<uint8_t>(value >> 8));
    bytes.push_back(static_cast<uint8_t>(value));
  }
  void word(uint32_t value) {
    half(value >> 16);
    half(value & 0xffff);
  }
  void append(const std::vector<uint8_t> &more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  void align() { bytes.resize((bytes.size() + 3) & ~size_t(3), 0); }
};

uint32_t aligned(size_t size) {
  return static_cast<uint32_t>((size + 3) & ~size_t(3));
}

/// Writes header, program headers, contents, names and section headers.
class ElfWriter {
public:
  explicit ElfWriter(const std::vector<ElfSection> &sections);

  std::vector<uint8_t> write();

private:
  const std::vector<ElfSection> &sections;
  std::vector<uint8_t> names = {0};
  std::vector<uint32_t> nameOffsets; ///< name of each section, then name table
  std::vector<uint32_t> offsets;     ///< file offset of each section's bytes
  uint32_t loadedCount = 0;
  uint32_t namesOffset = 0;
  uint32_t headersOffset = 0; ///< file offset of the section headers
  Output out;

  void addName(const std::string &name);
  void writeHeader();
  void writeProgramHeaders();
  void writeSectionHeaders();
};

void ElfWriter::addName(const std::string &name) {
  nameOffsets.push_back(static_cast<uint32_t>(names.size()));
  names.insert(names.end(), name.begin(), name.end());
  names.push_back(0);
}

ElfWriter::ElfWriter(const std::vector<ElfSection> &sections)
    : sections(sections) {
  for (const ElfSection &section : sections) {
    addName(section.name);
    loadedCount += section.loaded;
  }
  addName(".shstrtab");
  uint32_t position = HeaderBytes + loadedCount * ProgramHeaderBytes;
  for (const ElfSection &section : sections) {
    offsets.push_back(position);
    position += aligned(section.bytes.size());
  }
  namesOffset = position;
  headersOffset = position + aligned(names.size());
}

void ElfWriter::writeHeader() {
  uint32_t sectionCount = static_cast<uint32_t>(sections.size()) + 2;
  out.bytes.assign(std::begin(Identity), std::end(Identity));
  out.half(TypeExecutable);
  out.half(MachineArm);
  out.word(1); // version
  out.word(0); // entry: the manifest names the entries
  out.word(loadedCount ? HeaderBytes : 0);
  out.word(headersOffset);
  out.word(0); // flags
  out.half(HeaderBytes);
  out.half(ProgramHeaderBytes);
  out.half(loadedCount);
  out.half(SectionHeaderBytes);
  out.half(sectionCount);
  out.half(sectionCount - 1);
}

void ElfWriter::writeProgramHeaders() {
  for (size_t i = 0; i < sections.size(); ++i) {
    if (!sections[i].loaded)
      continue;
    uint32_t size = static_cast<uint32_t>(sections[i].bytes.size());
    for (uint32_t value : {SegmentLoad, offsets[i], sections[i].address,
                           sections[i].address, size, size, SegmentFlags, 4u})
      out.word(value);
  }
}

void ElfWriter::writeSectionHeaders() {
  KARAKAL_ASSERT(nameOffsets.size() == sections.size() + 1,
                 "every section and the name table have a name");
  out.bytes.resize(out.bytes.size() + SectionHeaderBytes, 0); // null section
  for (size_t i = 0; i < sections.size(); ++i) {
    bool loaded = sections[i].loaded;
    uint32_t size = static_cast<uint32_t>(sections[i].bytes.size());
    for (uint32_t value :
         {nameOffsets[i], SectionProgbits, loaded ? FlagsLoaded : 0u,
          loaded ? sections[i].address : 0u, offsets[i], size, 0u, 0u, 4u, 0u})
      out.word(value);
  }
  for (uint32_t value :
       {nameOffsets.back(), SectionStrings, 0u, 0u, namesOffset,
        static_cast<uint32_t>(names.size()), 0u, 0u, 1u, 0u})
    out.word(value);
}

std::vector<uint8_t> ElfWriter::write() {
  writeHeader();
  writeProgramHeaders();
  for (size_t i = 0; i < sections.size(); ++i) {
    KARAKAL_ASSERT(out.bytes.size() == offsets[i],
                   "a section is where its header says");
    out.append(sections[i].bytes);
    out.align();
  }
  KARAKAL_ASSERT(out.bytes.size() == namesOffset,
                 "the section names are where their header says");
  out.append(names);
  out.align();
  KARAKAL_ASSERT(out.bytes.size() == headersOffset,
                 "the section headers are where the header says");
  writeSectionHeaders();
  return std::move(out.bytes);
}

} // namespace

std::vector<uint8_t> writeElf(const std::vector<ElfSection> &sections) {
  return ElfWriter(sections).write();
}

namespace {

class Input {
public:
  Input(const std::vector<uint8_t> &bytes, const std::string &name)
      : bytes(bytes), name(name) {}

  bool has(uint64_t offset, uint64_t size) const {
    return offset + size <= bytes.size();
  }
  uint32_t half(uint64_t offset) const {
    return bytes[offset] << 8 | bytes[offset + 1];
  }
  uint32_t word(uint64_t offset) const {
    return half(offset) << 16 | half(offset + 2);
  }
  Error notElf() const {
    return makeFileError("E-target-ixp-072", name,
                         "this is not a Karakal image (a 32-bit big-endian "
                         "ELF file for ARM); use bakerc to make one");
  }
  Error cutShort(uint64_t needed) const {
    return makeFileError("E-target-ixp-073", name,
                         "the image is cut short: it has " +
                             std::to_string(bytes.size()) + " bytes of " +
                             std::to_string(needed));
  }
  Error damaged(const std::string &what) const {
    return makeFileError("E-target-ixp-074", name,
                         "the image is damaged: " + what);
  }

private:
  const std::vector<uint8_t> &bytes;
  const std::string &name;
};

} // namespace

Result<std::vector<ElfSection>> readElf(const std::vector<uint8_t> &bytes,
                                        const std::string &name) {
  Input in(bytes, name);
  size_t identified = std::min<size_t>(bytes.size(), 7);
  if (identified < 4 || std::memcmp(bytes.data(), Identity, identified) != 0)
    return in.notElf();
  if (!in.has(0, HeaderBytes))
    return in.cutShort(HeaderBytes);
  if (in.half(16) != TypeExecutable || in.half(18) != MachineArm)
    return in.notElf();
  uint64_t headers = in.word(32);
  uint32_t count = in.half(48), namesIndex = in.half(50);
  if (in.half(46) != SectionHeaderBytes || count == 0 || namesIndex >= count)
    return in.damaged("its section table is malformed");
  uint64_t end = headers + uint64_t(count) * SectionHeaderBytes;
  if (!in.has(0, end))
    return in.cutShort(end);

  auto header = [&](uint32_t index) {
    return headers + uint64_t(index) * SectionHeaderBytes;
  };
  uint64_t namesOffset = in.word(header(namesIndex) + 16);
  uint64_t namesSize = in.word(header(namesIndex) + 20);
  if (!in.has(namesOffset, namesSize))
    return in.damaged("its section names are outside the file");
  std::vector<ElfSection> sections;
  for (uint32_t index = 1; index < count; ++index) {
    if (index == namesIndex)
      continue;
    uint64_t at = header(index);
    ElfSection section;
    for (uint64_t c = in.word(at); c < namesSize && bytes[namesOffset + c]; ++c)
      section.name += static_cast<char>(bytes[namesOffset + c]);
    uint64_t offset = in.word(at + 16), size = in.word(at + 20);
    if (!in.has(offset, size))
      return in.damaged("section '" + section.name + "' is outside the file");
    section.bytes.assign(bytes.begin() + static_cast<std::ptrdiff_t>(offset),
                         bytes.begin() +
                             static_cast<std::ptrdiff_t>(offset + size));
    section.loaded = in.word(at + 8) & 2;
    section.address = in.word(at + 12);
    sections.push_back(std::move(section));
  }
  return sections;
}

} // namespace karakal::target
