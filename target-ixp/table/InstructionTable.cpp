#include "target-ixp/table/InstructionTable.h"

#include "support/Error.h"

#include <cctype>

namespace karakal::target {

uint64_t formatMask(Format format) {
  constexpr uint64_t All = 0xffffffffffull;
  switch (format) {
  case Format::Fixed:
    return All;
  case Format::AluUnary:
  case Format::AluBinary:
  case Format::AluSource:
  case Format::AluMove:
  case Format::CamLookup:
  case Format::CamWrite:
  case Format::CamWriteState:
  case Format::Crc:
    return 0xef80000000ull; // 39:37, 35:31
  case Format::ShfUnary:
  case Format::ShfBinary:
    return 0xee00000000ull; // 39:37, 35:33; sc 3 belongs to dbl_shf
  case Format::Asr:
  case Format::DblShf:
  case Format::ByteAlign:
    return 0xee00000300ull; // and 9:8
  case Format::LdField:
    return 0xfa00f00000ull; // 39:35, 33, 23:20
  case Format::Immed:
  case Format::ImmedByte:
  case Format::ImmedWord:
    return format == Format::Immed ? 0xf970000000ull : 0xfff0000000ull;
  case Format::MulStep:
    return 0xffbff00000ull; // 39:31, 29:20
  case Format::MulLast:
    return 0xfffffffc00ull & ~0x800000ull; // no swap, 19:10 = 300
  case Format::Branch:
    return 0xf8000fffffull; // all but target and defer
  case Format::BranchOn:
    return 0xf8000c3fffull; // and parameter 17:14
  case Format::BranchBit:
    return 0xf8000c0300ull; // 39:35, 19, 18, 9:8
  case Format::BranchByte:
    return 0xf800080000ull; // 39:35, 19
  case Format::Jump:
    return 0xfff8000000ull; // 39:27
  case Format::CtxArb:
    return 0xf800000000ull; // 39:35
  case Format::CsrRead:
    return 0xfe003fffffull; // 39:33, 21, 20, both operands
  case Format::CsrWrite:
    return 0xfe00300000ull; // 39:33, 21, 20
  case Format::Command:
    return 0xbf000c0000ull; // 39, 37:32, token
  }
  KARAKAL_UNREACHABLE("format without mask");
}

const char *formatText(Format format) {
  static const char *const texts[] = {
#define KARAKAL_FORMAT(name, text) text,
      KARAKAL_FORMATS(KARAKAL_FORMAT)
#undef KARAKAL_FORMAT
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
    // A fixed word is more special than the format it falls into.
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
#include "target-ixp/table/LocalCsrs.def"
};

// Numbers as in the parameter field of br_inp_state; 3 and 5 are proved on the
// Linux images, the others are the 2005 disassembler's.
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
