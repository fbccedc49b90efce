#include "target-ixp/table/InstructionTable.h"

#include "support/Error.h"

#include <cctype>

namespace karakal::target {

uint64_t formatMask(Format format) {
  constexpr uint64_t masks[] = {
#define KARAKAL_FORMAT(name, group, mask, text) mask,
#include "target-ixp/table/Formats.def"
  };
  return masks[static_cast<unsigned>(format)];
}

const char *formatText(Format format) {
  static const char *const texts[] = {
#define KARAKAL_FORMAT(name, group, mask, text) text,
#include "target-ixp/table/Formats.def"
  };
  return texts[static_cast<unsigned>(format)];
}

namespace {

constexpr bool Cc = true;
constexpr bool No = false;

InstructionRow instructionRow(Op op, const char *mnemonic, const char *variant,
                              Format format, uint64_t bits, bool flags,
                              unsigned slots, unsigned maxDefer,
                              const char *semantics, const char *source) {
  uint64_t fixed = format == Format::MulLast ? bits | 0xc0000 : bits;
  return {op,
          mnemonic,
          variant,
          format,
          fixed,
          formatMask(format),
          flags,
          static_cast<uint8_t>(slots),
          static_cast<uint8_t>(maxDefer),
          XferUse::No,
          0,
          0,
          0,
          AddressForm::Sum,
          semantics,
          source};
}

InstructionRow commandRow(Op op, const char *mnemonic, const char *variant,
                          unsigned target, unsigned token, XferUse xfer,
                          unsigned countMax, unsigned unitBytes,
                          unsigned signals, AddressForm address,
                          const char *semantics, const char *source) {
  uint64_t mask = formatMask(Format::Command);
  uint64_t bits = uint64_t(target) << 32 | uint64_t(token) << 18;
  if (address == AddressForm::FastData || address == AddressForm::FastAlu) {
    mask &= ~0xc0000ull; // bits 19:18 are data
    mask |= 0x300;       // and 9:8 are always 3
    bits |= 0x300;
  }
  return {op,
          mnemonic,
          variant,
          Format::Command,
          bits,
          mask,
          false,
          2, // if it swaps
          2,
          xfer,
          static_cast<uint8_t>(countMax),
          static_cast<uint8_t>(unitBytes),
          static_cast<uint8_t>(signals),
          address,
          semantics,
          source};
}

} // namespace

const std::array<InstructionRow, OpCount> &instructionTable() {
  static const std::array<InstructionRow, OpCount> table = {
#define KARAKAL_INSTRUCTION(op, mnemonic, variant, format, bits, flags, slots, \
                            maxDefer, semantics, source)                       \
  instructionRow(Op::op, mnemonic, variant, Format::format, bits, flags,       \
                 slots, maxDefer, semantics, source),
#define KARAKAL_COMMAND(op, unit, mnemonic, variant, target, token, xfer,      \
                        countMax, unitBytes, signals, address, semantics,      \
                        source)                                                \
  commandRow(Op::op, mnemonic, variant, target, token, XferUse::xfer,          \
             countMax, unitBytes, signals, AddressForm::address, semantics,    \
             source),
#include "target-ixp/table/InstructionTable.def"
  };
  return table;
}

const InstructionRow &row(Op op) {
  return instructionTable()[static_cast<unsigned>(op)];
}

const InstructionRow *findRow(uint64_t word) {
  if (word >> 40)
    return nullptr;
  const InstructionRow *found = nullptr;
  for (const InstructionRow &candidate : instructionTable()) {
    if ((word & candidate.mask) != candidate.bits)
      continue;
    // A fixed word takes precedence over the format that it matches.
    if (candidate.format == Format::Fixed)
      return &candidate;
    bool shifterFormat = candidate.format == Format::ShfUnary ||
                         candidate.format == Format::ShfBinary;
    if (shifterFormat && (word >> 8 & 3) == 3)
      continue;
    found = &candidate;
  }
  return found;
}

bool equalsIgnoringCase(std::string_view left, std::string_view right) {
  if (left.size() != right.size())
    return false;
  for (size_t i = 0; i < left.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(left[i])) !=
        std::tolower(static_cast<unsigned char>(right[i])))
      return false;
  return true;
}

const InstructionRow *findMnemonic(std::string_view mnemonic) {
  if (equalsIgnoringCase(mnemonic, "halt"))
    return &row(Op::CtxArb);
  if (equalsIgnoringCase(mnemonic, "crc_be") ||
      equalsIgnoringCase(mnemonic, "crc_le"))
    return &row(Op::Crc);
  for (const InstructionRow &candidate : instructionTable()) {
    if (equalsIgnoringCase(candidate.mnemonic, mnemonic))
      return &candidate;
    bool alias =
        candidate.format == Format::Branch || candidate.format == Format::Jump;
    if (alias && *candidate.variant &&
        equalsIgnoringCase(candidate.variant, mnemonic))
      return &candidate;
  }
  return nullptr;
}

const InstructionRow *findVariant(std::string_view mnemonic,
                                  std::string_view variant) {
  for (const InstructionRow &candidate : instructionTable())
    if (equalsIgnoringCase(candidate.mnemonic, mnemonic) &&
        equalsIgnoringCase(candidate.variant, variant))
      return &candidate;
  return nullptr;
}

//===-- Names of local CSRs and input states ------------------------------===//

namespace {
constexpr NamedNumber LocalCsrNames[] = {
#define KARAKAL_LOCAL_CSR(name, offset) {#name, offset},
#include "target-ixp/chip/LocalCsrs.def"
};

// Numbers as in the parameter field of br_inp_state. The Linux images prove 3
// and 5; the others are from the 2005 disassembler.
constexpr const char *InputStateNames[16] = {
    "nn_empty",          "nn_full",           "scr_ring0_status",
    "scr_ring1_status",  "scr_ring2_status",  "scr_ring3_status",
    "scr_ring4_status",  "scr_ring5_status",  "scr_ring6_status",
    "scr_ring7_status",  "scr_ring8_status",  "scr_ring9_status",
    "scr_ring10_status", "scr_ring11_status", "fci_not_empty",
    "fci_full"};
} // namespace

int findLocalCsr(std::string_view name) {
  for (const NamedNumber &csr : LocalCsrNames)
    if (equalsIgnoringCase(csr.name, name))
      return csr.number;
  return -1;
}

const char *localCsrName(unsigned byteOffset) {
  for (const NamedNumber &csr : LocalCsrNames)
    if (csr.number == byteOffset)
      return csr.name;
  return nullptr;
}

int findInputState(std::string_view name) {
  for (int number = 0; number < 16; ++number)
    if (equalsIgnoringCase(InputStateNames[number], name))
      return number;
  return -1;
}

const char *inputStateName(unsigned number) {
  return number < 16 ? InputStateNames[number] : nullptr;
}

} // namespace karakal::target
