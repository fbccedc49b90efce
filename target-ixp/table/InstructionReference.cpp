// Prints the tables of instructions as a document.

#include "target-ixp/table/InstructionReference.h"

#include "target-ixp/table/InstructionTable.h"

#include <algorithm>

namespace karakal::target {

namespace {

constexpr unsigned WordBits = 40;

/// A group of formats under one heading, in the order of the table.
struct Chapter {
  const char *heading;
  Format first, last;
};

constexpr Chapter Chapters[] = {
    {"Arithmetic, logic, CAM, CRC", Format::Fixed, Format::Crc},
    {"Shifts and bytes", Format::ShfUnary, Format::LdField},
    {"Constants", Format::Immed, Format::ImmedWord},
    {"Multiplication", Format::MulStep, Format::MulLast},
    {"Branches", Format::Branch, Format::Jump},
    {"Contexts and local CSRs", Format::CtxArb, Format::CsrWrite},
};

struct Delay {
  const char *what;
  unsigned words;
};

constexpr Delay Delays[] = {
    {"LM_ADDR written, local memory used", LmAddrSlots},
    {"cam_lookup with lm_addr, local memory used", CamLmAddrSlots},
    {"T_INDEX written, `*$index` used", TIndexSlots},
    {"BYTE_INDEX written, byte_align", ByteIndexSlots},
    {"NN_PUT or NN_GET written, `*n$index` used", NeighbourIndexSlots},
    {"another local CSR written, in effect", OtherCsrSlots},
    {"next-neighbour register of this engine written, read",
     NeighbourSelfSlots},
    {"crc, next crc", CrcToCrcSlots},
    {"crc, CRC_REMAINDER read", CrcToCsrSlots},
};

const char *const Introduction =
    R"(# MEv2 instructions

Made from `target-ixp/table/InstructionTable.def` by `ixp-as --describe`; the encoder,
the decoder, the assembler, the simulator and the compiler read the same table.

A word has 40 bits, written here from bit 39 to bit 0 in groups of four; a dot
is a bit of an operand. "slots" are the words in the pipeline after a taken
branch or a context swap; the number after the slash is how many of them
`defer[n]` can turn into delay slots. "cc" is whether the instruction writes the
condition codes. Sources: I proved on Linux's images for the IXP2400, Q Intel's
QuickAssist words, V test vectors of the NFP-6000, L the disassembler of 2005, H
hardware manual of the IXP2800, N sources for the NFP, S Intel's macro library, M
inferred.
)";

std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

/// The fixed bits of a word, dots for the others.
std::string pattern(const InstructionRow &row) {
  std::string text;
  for (unsigned bit = WordBits; bit-- > 0;) {
    bool isFixed = row.mask >> bit & 1;
    text += !isFixed ? '.' : row.bits >> bit & 1 ? '1' : '0';
    if (bit % 4 == 0 && bit != 0)
      text += ' ';
  }
  return text;
}

std::string nameOf(const InstructionRow &row) {
  std::string name = row.mnemonic;
  return *row.variant ? name + " " + row.variant : name;
}

std::string slotsOf(const InstructionRow &row) {
  if (row.slots == 0)
    return "";
  return std::to_string(row.slots) + "/" + std::to_string(row.maxDefer);
}

void addChapter(std::string &text, const Chapter &chapter) {
  text += std::string("\n## ") + chapter.heading +
          "\n\n| instruction | text | word | cc | slots | meaning | source |\n"
          "|---|---|---|---|---|---|---|\n";
  for (const InstructionRow &row : instructionTable())
    if (row.format >= chapter.first && row.format <= chapter.last)
      text += "| " + cell(nameOf(row)) + " | `" + formatText(row.format) +
              "` | `" + pattern(row) + "` | " +
              (row.setsConditionCodes ? "yes" : "") + " | " + slotsOf(row) +
              " | " + cell(row.semantics) + " | " + row.source + " |\n";
}

const char *nameOf(XferUse use) {
  static const char *const names[] = {"", "in", "out", "in and out"};
  return names[static_cast<unsigned>(use)];
}

const char *nameOf(AddressForm form) {
  static const char *const names[] = {"a + b", "literal CAP register",
                                      "literal register and data",
                                      "literal register", "none"};
  return names[static_cast<unsigned>(form)];
}

void addCommands(std::string &text) {
  text += std::string("\n## Commands\n\n`") + formatText(Format::Command) +
          "`. \"bytes\" is the unit of `count`; `indirect_ref` gives a count "
          "above 8. \"xfer\" is the direction of the transfer registers, "
          "\"signals\" how many are raised: 2 are an even one and the next. "
          "Slots: 2/2 with `ctx_swap`.\n\n"
          "| command | word | xfer | count | bytes | signals | address | "
          "meaning | source |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const InstructionRow &row : instructionTable())
    if (row.isCommand())
      text += "| " + nameOf(row) + " | `" + pattern(row) + "` | " +
              nameOf(row.xfer) + " | " +
              (row.countMax ? "1.." + std::to_string(row.countMax) : "") +
              " | " + std::to_string(row.unitBytes) + " | " +
              std::to_string(row.signals) + " | " + nameOf(row.address) +
              " | " + cell(row.semantics) + " | " + row.source + " |\n";
}

void addNumbers(std::string &text) {
  text += "\n## Delays\n\nWords required between the two.\n\n"
          "| from, to | words |\n|---|---|\n";
  for (const Delay &delay : Delays)
    text += std::string("| ") + delay.what + " | " +
            std::to_string(delay.words) + " |\n";
  text += "\n## Local CSRs\n\n| byte | name |\n|---|---|\n";
  for (unsigned offset = 0; offset < 1024; offset += 4)
    if (const char *name = localCsrName(offset)) {
      char number[8];
      std::snprintf(number, sizeof number, "0x%03x", offset);
      text += std::string("| ") + number + " | " + name + " |\n";
    }
  text += "\n## Input states\n\nThe input states of br_inp_state.\n\n"
          "| number | name |\n|---|---|\n";
  for (unsigned number = 0; inputStateName(number); ++number)
    text +=
        "| " + std::to_string(number) + " | " + inputStateName(number) + " |\n";
}

} // namespace

std::string instructionReference() {
  std::string text = Introduction;
  for (const Chapter &chapter : Chapters)
    addChapter(text, chapter);
  addCommands(text);
  addNumbers(text);
  return text;
}

} // namespace karakal::target
