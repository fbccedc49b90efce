#include "target-ixp/table/OperandFields.h"

#include "target-ixp/table/Printer.h"

namespace karakal::target {

using Kind = Operand::Kind;

namespace {

Error outOfRange(const Operand &operand, unsigned most) {
  return makeError("E-target-ixp-001", "'" + print(operand) +
                                           "' is out of range here: the "
                                           "largest number is " +
                                           std::to_string(most));
}

Error notRestricted(const Operand &operand, const char *what) {
  return makeError(
      "E-target-ixp-002",
      "'" + print(operand) + "' is " + what +
          ", which a restricted operand (alu_shf, ld_field, bit and byte "
          "branches, commands) cannot be; move it to a GPR first");
}

Error notA(const Operand &operand, Role role) {
  return makeError("E-target-ixp-005",
                   "'" + print(operand) + "' cannot be a " +
                       (role == Role::Source ? "source" : "destination"));
}

/// The offset of the encoding of a post-modified form from the plain one.
unsigned postOffset(PostModify post) {
  return post == PostModify::None ? 0 : post == PostModify::Increment ? 2 : 4;
}

/// Value ranges of the fields that hold base + number.
struct NumberedField {
  Kind kind;
  unsigned base;
  unsigned count;
};

constexpr NumberedField WideNumbered[] = {
    {Kind::GprA, 0x000, 32},         {Kind::GprB, 0x000, 32},
    {Kind::AbsoluteA, 0x080, 128},   {Kind::AbsoluteB, 0x080, 128},
    {Kind::SXfer, 0x180, 32},        {Kind::DXfer, 0x1c0, 32},
    {Kind::LocalMemory0, 0x200, 16}, {Kind::LocalMemory1, 0x220, 16},
    {Kind::Neighbour, 0x280, 32},    {Kind::Immediate, 0x300, 256}};

constexpr NumberedField NarrowNumbered[] = {
    {Kind::GprA, 0x00, 32},        {Kind::GprB, 0x00, 32},
    {Kind::LocalMemory0, 0x50, 8}, {Kind::LocalMemory1, 0x58, 8},
    {Kind::SXfer, 0x80, 32},       {Kind::DXfer, 0xc0, 32}};

/// Checks that the next-neighbour ring is written only with post-increment.
Status checkNeighbourIndex(const Operand &operand, Role role) {
  if (operand.post == PostModify::Decrement ||
      (role == Role::Destination && operand.post != PostModify::Increment))
    return makeError("E-target-ixp-005",
                     "the neighbour ring is written as *n$index++ and read "
                     "as *n$index or *n$index++");
  return success();
}

} // namespace

Result<unsigned> encodeWide(const Operand &operand, Role role) {
  switch (operand.kind) {
  case Kind::None:
    if (role == Role::Destination)
      return WideNone;
    return notA(operand, role);
  case Kind::Immediate:
    if (role == Role::Destination)
      return notA(operand, role);
    break;
  case Kind::SXferIndex:
    return 0x140 + postOffset(operand.post);
  case Kind::DXferIndex:
    return 0x100 + postOffset(operand.post);
  case Kind::NeighbourIndex:
    if (Status status = checkNeighbourIndex(operand, role); !status)
      return status.error();
    return operand.post == PostModify::Increment ? 0x243u : 0x241u;
  case Kind::LocalMemory0:
  case Kind::LocalMemory1:
    if (operand.post != PostModify::None) {
      if (operand.value)
        return makeError("E-target-ixp-001",
                         "a post-modified local-memory operand takes no "
                         "offset");
      unsigned base = operand.kind == Kind::LocalMemory0 ? 0x210 : 0x230;
      return base + (operand.post == PostModify::Decrement);
    }
    break;
  default:
    break;
  }
  for (const NumberedField &field : WideNumbered)
    if (field.kind == operand.kind) {
      if (operand.value >= field.count)
        return outOfRange(operand, field.count - 1);
      return field.base + operand.value;
    }
  return notA(operand, role);
}

Result<NarrowField> encodeNarrow(const Operand &operand, Role role,
                                 unsigned immediateMax) {
  switch (operand.kind) {
  case Kind::None:
    if (role == Role::Destination)
      return NarrowField{NarrowNone, 0};
    return notA(operand, role);
  case Kind::Immediate:
    if (role == Role::Destination)
      return notA(operand, role);
    if (operand.value > immediateMax)
      return outOfRange(operand, immediateMax);
    return NarrowField{0x20u | (operand.value & 0x1fu) |
                           (operand.value >> 5 & 3u) << 6,
                       operand.value >> 7 & 1u};
  case Kind::AbsoluteA:
  case Kind::AbsoluteB:
    return notRestricted(operand, "an absolute register");
  case Kind::Neighbour:
    return notRestricted(operand, "a next-neighbour register");
  case Kind::SXferIndex:
    return NarrowField{0x40 + postOffset(operand.post), 0};
  case Kind::DXferIndex:
    return NarrowField{0x48 + postOffset(operand.post), 0};
  case Kind::NeighbourIndex:
    if (Status status = checkNeighbourIndex(operand, role); !status)
      return status.error();
    return NarrowField{operand.post == PostModify::Increment ? 0x43u : 0x41u,
                       0};
  case Kind::LocalMemory0:
  case Kind::LocalMemory1:
    if (operand.post != PostModify::None)
      return notRestricted(operand, "post-modified local memory");
    break;
  default:
    break;
  }
  for (const NumberedField &field : NarrowNumbered)
    if (field.kind == operand.kind) {
      if (operand.value >= field.count)
        return outOfRange(operand, field.count - 1);
      return NarrowField{field.base + operand.value, 0};
    }
  return notA(operand, role);
}

namespace {

constexpr PostModify PostOfTwo[3] = {PostModify::None, PostModify::Increment,
                                     PostModify::Decrement};

bool isOtherBank(Kind kind, Bank bank) {
  bool isA = kind == Kind::GprA || kind == Kind::AbsoluteA;
  bool isB = kind == Kind::GprB || kind == Kind::AbsoluteB;
  return bank == Bank::A ? isB : isA;
}

template <size_t N>
std::optional<Operand> decodeNumbered(const NumberedField (&fields)[N],
                                      unsigned field, Bank bank) {
  for (const NumberedField &candidate : fields)
    if (field >= candidate.base && field < candidate.base + candidate.count &&
        !isOtherBank(candidate.kind, bank))
      return operandOf(candidate.kind, field - candidate.base);
  return std::nullopt;
}

} // namespace

std::optional<Operand> decodeWide(unsigned field, Bank bank, Role role) {
  KARAKAL_ASSERT(field >> 10 == 0, "a wide field has 10 bits");
  if (role == Role::Destination && field >= 0x300)
    return field == WideNone ? std::optional<Operand>(none()) : std::nullopt;
  switch (field) {
  case 0x100:
  case 0x102:
  case 0x104:
    return dXferIndex(PostOfTwo[(field - 0x100) / 2]);
  case 0x140:
  case 0x142:
  case 0x144:
    return sXferIndex(PostOfTwo[(field - 0x140) / 2]);
  case 0x210:
  case 0x211:
    return localMemory(0, 0, PostOfTwo[1 + field - 0x210]);
  case 0x230:
  case 0x231:
    return localMemory(1, 0, PostOfTwo[1 + field - 0x230]);
  case 0x241:
    if (role == Role::Destination)
      return std::nullopt;
    return neighbourIndex();
  case 0x243:
    return neighbourIndex(PostModify::Increment);
  default:
    return decodeNumbered(WideNumbered, field, bank);
  }
}

std::optional<Operand> decodeNarrow(unsigned field, unsigned immediateHigh,
                                    Bank bank, Role role) {
  KARAKAL_ASSERT(field >> 8 == 0 && immediateHigh <= 1,
                 "a narrow field has 8 bits, and bit 7 of an immediate");
  if (field & 0x20) {
    if (role == Role::Destination)
      return field == NarrowNone ? std::optional<Operand>(none())
                                 : std::nullopt;
    return imm((field & 0x1f) | (field >> 6 & 3) << 5 | immediateHigh << 7);
  }
  switch (field) {
  case 0x40:
  case 0x42:
  case 0x44:
    return sXferIndex(PostOfTwo[(field - 0x40) / 2]);
  case 0x48:
  case 0x4a:
  case 0x4c:
    return dXferIndex(PostOfTwo[(field - 0x48) / 2]);
  case 0x41:
    if (role == Role::Destination)
      return std::nullopt;
    return neighbourIndex();
  case 0x43:
    return neighbourIndex(PostModify::Increment);
  default:
    return decodeNumbered(NarrowNumbered, field, bank);
  }
}

//===-- Rules between operands --------------------------------------------===//

namespace {

enum class SourceClass { None, A, B, Immediate, Transfer, Memory, Neighbour };

SourceClass sourceClass(const Operand &operand) {
  switch (operand.kind) {
  case Kind::None:
    return SourceClass::None;
  case Kind::GprA:
  case Kind::AbsoluteA:
    return SourceClass::A;
  case Kind::GprB:
  case Kind::AbsoluteB:
    return SourceClass::B;
  case Kind::Immediate:
    return SourceClass::Immediate;
  case Kind::SXfer:
  case Kind::DXfer:
  case Kind::SXferIndex:
  case Kind::DXferIndex:
    return SourceClass::Transfer;
  case Kind::LocalMemory0:
  case Kind::LocalMemory1:
    return SourceClass::Memory;
  case Kind::Neighbour:
  case Kind::NeighbourIndex:
    return SourceClass::Neighbour;
  }
  KARAKAL_UNREACHABLE("operand without class");
}

} // namespace

Status checkSources(const Operand &a, const Operand &b) {
  SourceClass classA = sourceClass(a), classB = sourceClass(b);
  if (classA != classB || classA == SourceClass::None)
    return success();
  std::string both = "'" + print(a) + "' and '" + print(b) + "' ";
  if (classA == SourceClass::A || classA == SourceClass::B)
    return makeError("E-target-ixp-003",
                     both + "are both in bank " +
                         (classA == SourceClass::A ? "A" : "B") +
                         "; the two GPR sources of an instruction must be in "
                         "different banks");
  constexpr const char *Names[] = {"",
                                   "",
                                   "",
                                   "immediates",
                                   "transfer registers",
                                   "local memory",
                                   "next-neighbour registers"};
  return makeError("E-target-ixp-004",
                   both + "are both " + Names[static_cast<int>(classA)] +
                       "; an instruction can have at most one source of that "
                       "class");
}

Status checkPostModify(const Operand &dest, const Operand &a,
                       const Operand &b) {
  for (const Operand *source : {&a, &b}) {
    bool indexed = dest.isLocalMemory() || dest.kind == Kind::SXferIndex ||
                   dest.kind == Kind::DXferIndex;
    if (!indexed || source->kind != dest.kind)
      continue;
    if (source->post != PostModify::None && dest.post != PostModify::None &&
        source->post != dest.post)
      return makeError("E-target-ixp-015",
                       "'" + print(dest) + "' and '" + print(*source) +
                           "' change the same pointer in two ways");
  }
  return success();
}

} // namespace karakal::target
