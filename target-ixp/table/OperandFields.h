// Encodes and decodes the operand fields of a word.
//
// There are two widths. The unrestricted field (10 bits) takes every operand.
// The restricted field (8 bits) takes no absolute GPRs, next-neighbour
// registers or post-modified local memory, and only offsets 0 to 7. Neither
// holds the bank of a GPR: the port implies it.

#ifndef KARAKAL_TARGET_IXP_TABLE_OPERANDFIELDS_H
#define KARAKAL_TARGET_IXP_TABLE_OPERANDFIELDS_H

#include "support/Error.h"
#include "target-ixp/table/Instruction.h"

#include <optional>

namespace karakal::target {

enum class Bank : uint8_t { A, B };
enum class Role : uint8_t { Source, Destination };

/// Values of a source field without an operand.
constexpr unsigned WideFillerA = 0x000; ///< proved on the Linux images
constexpr unsigned WideFillerB = 0x300; ///< likewise; also immediate 0
constexpr unsigned NarrowFillerA = 0x00;
constexpr unsigned NarrowFillerB = 0x20;
/// Value of a destination field without an operand.
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
/// Returns nothing if the value of the field is unassigned.
std::optional<Operand> decodeWide(unsigned field, Bank bank, Role role);
std::optional<Operand> decodeNarrow(unsigned field, unsigned immediateHigh,
                                    Bank bank, Role role);

/// Checks that one instruction can read both sources: at most one each of
/// A-GPR, B-GPR, immediate, transfer register, local memory, neighbour. Errors:
/// E-target-ixp-003 (same bank), 004 (same class).
Status checkSources(const Operand &a, const Operand &b);
/// Checks that a pointer is not post-modified in two ways at once. Error:
/// E-target-ixp-015.
Status checkPostModify(const Operand &dest, const Operand &a, const Operand &b);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_OPERANDFIELDS_H
