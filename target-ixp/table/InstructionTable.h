// The table of instructions.
//
// InstructionTable.def as an array. Each row names the format of its word. The
// format determines the fields of the word and its fixed bits. A word belongs
// to a row if (word & mask) == bits.

#ifndef KARAKAL_TARGET_IXP_TABLE_INSTRUCTIONTABLE_H
#define KARAKAL_TARGET_IXP_TABLE_INSTRUCTIONTABLE_H

#include "target-ixp/chip/LocalCsrs.h"
#include "target-ixp/table/Instruction.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace karakal::target {

enum class Format : uint8_t {
#define KARAKAL_FORMAT(name, group, mask, text) name,
#include "target-ixp/table/Formats.def"
};

/// Direction of a command's transfer registers.
enum class XferUse : uint8_t { No, In, Out, InOut };

/// How a command names what it addresses.
enum class AddressForm : uint8_t { Sum, CapRegister, FastData, FastAlu, Key };

/// One row. Its texts have static storage.
struct InstructionRow {
  Op op;
  const char *mnemonic;
  const char *variant;
  Format format;
  uint64_t bits; ///< value of the fixed bits
  uint64_t mask; ///< which bits are fixed
  bool setsConditionCodes;
  uint8_t slots;    ///< words in the pipeline after a taken branch or a swap
  uint8_t maxDefer; ///< how many of them may be delay slots
  XferUse xfer;
  uint8_t countMax;  ///< 0: no count operand
  uint8_t unitBytes; ///< bytes moved per count
  uint8_t signals;   ///< signals raised: 0, 1, or 2 (even and next odd)
  AddressForm address;
  const char *semantics;
  const char *source;

  bool isCommand() const { return format == Format::Command; }
  bool isBranch() const {
    return format >= Format::Branch && format <= Format::Jump;
  }
};

/// All rows, in the order of Op.
const std::array<InstructionRow, OpCount> &instructionTable();
/// The row of one operation.
const InstructionRow &row(Op op);
/// The row whose fixed bits `word` has, or null.
const InstructionRow *findRow(uint64_t word);
/// The first row with this mnemonic or alias (bhs, blo, rtn, halt, crc_be,
/// crc_le) in any case, or null.
const InstructionRow *findMnemonic(std::string_view mnemonic);
/// The row with this mnemonic and variant (any case), or null.
const InstructionRow *findVariant(std::string_view mnemonic,
                                  std::string_view variant);
/// Fixed bits of a format.
uint64_t formatMask(Format format);
/// An instruction of the format in microcode.
const char *formatText(Format format);

/// A local CSR or an input state: number and name.
struct NamedNumber {
  const char *name;
  uint16_t number;
};

/// The byte offset of a local CSR by name (any case), or -1.
int findLocalCsr(std::string_view name);
/// Name of a local CSR, or null.
const char *localCsrName(unsigned byteOffset);
/// The number 0..15 of an input state by name (any case), or -1.
int findInputState(std::string_view name);
/// Name of an input state 0..15.
const char *inputStateName(unsigned number);
/// Whether two texts are equal except for case.
bool equalsIgnoringCase(std::string_view left, std::string_view right);

/// Words required between a change and the first instruction that sees it.
/// Sources, tagged as in InstructionReference.cpp: LM_ADDR I,S,H; NN H; CSR H.
constexpr unsigned LmAddrSlots = 3;
constexpr unsigned TIndexSlots = 3;
constexpr unsigned ByteIndexSlots = 3;
constexpr unsigned CamLmAddrSlots = 3;
constexpr unsigned NeighbourIndexSlots = 3;
constexpr unsigned NeighbourSelfSlots = 5;
constexpr unsigned OtherCsrSlots = 4;
constexpr unsigned CrcToCsrSlots = 5;
constexpr unsigned CrcToCrcSlots = 1;

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_INSTRUCTIONTABLE_H
