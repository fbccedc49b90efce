// Operands to fields of a word and back.
//
// Two widths of operand field exist. The unrestricted one (10 bits) takes
// every operand; the restricted one (8 bits) lacks absolute GPRs, next
// neighbours and post-modified local memory, and limits offsets to 0..7.
// In both, the bank of a GPR is not in the field: it follows from the port.

#ifndef KARAKAL_TARGET_IXP_TABLE_OPERANDFIELDS_H
#define KARAKAL_TARGET_IXP_TABLE_OPERANDFIELDS_H

#include "support/Error.h"
#include "target-ixp/table/Instruction.h"

#include <optional>

namespace karakal::target {

enum class Bank : uint8_t { A, B };
enum class Role : uint8_t { Source, Destination };

/// Fillers of a source field without operand.
constexpr unsigned WideFillerA = 0x000; ///< proved on the Linux images
constexpr unsigned WideFillerB = 0x300; ///< likewise; also immediate 0
constexpr unsigned NarrowFillerA = 0x00;
constexpr unsigned NarrowFillerB = 0x20;
/// Field of "no destination".
constexpr unsigned WideNone = 0x300;
constexpr unsigned NarrowNone = 0x20;

/// A restricted field: 8 bits, and bit 7 of an immediate, which the format
/// stores elsewhere (or not at all).
struct NarrowField {
  unsigned bits = 0;
  unsigned immediateHigh = 0;
};

/// Errors: E-target-ixp-001 (a number out of range), 002 (an operand that the
/// field cannot hold).
Result<unsigned> encodeWide(const Operand &operand, Role role);
/// `immediateMax`: 255 where the format stores bit 7, else 127.
Result<NarrowField> encodeNarrow(const Operand &operand, Role role,
                                 unsigned immediateMax);
/// Nothing, if the field's value is unassigned.
std::optional<Operand> decodeWide(unsigned field, Bank bank, Role role);
std::optional<Operand> decodeNarrow(unsigned field, unsigned immediateHigh,
                                    Bank bank, Role role);

/// Checks that two sources can travel together: at most one of each of A-GPR,
/// B-GPR, immediate, transfer register, local memory, neighbour. Errors:
/// E-target-ixp-003 (same bank), 004 (same class).
Status checkSources(const Operand &a, const Operand &b);
/// Checks that a pointer is not post-modified in two ways at once. Error:
/// E-target-ixp-015.
Status checkPostModify(const Operand &dest, const Operand &a, const Operand &b);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_OPERANDFIELDS_H
