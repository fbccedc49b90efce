// Interning of types, the arithmetic conversions, and constant arithmetic.

#include "baker-lang/tree/Types.h"

#include "support/Error.h"

#include <iterator>

namespace karakal::lang {

std::string Type::str() const {
  switch (kind) {
  case TypeKind::Error:
    return "(error)";
  case TypeKind::Void:
    return "void";
  case TypeKind::Bool:
    return "bool";
  case TypeKind::Integer:
    return (isSigned ? "s" : "u") + std::to_string(width);
  case TypeKind::Struct:
    return declName;
  case TypeKind::Array: {
    // The outermost size comes first: u8[2][3] is two arrays of three.
    std::string sizes;
    const Type *inner = this;
    for (; inner->is(TypeKind::Array); inner = inner->element)
      sizes += "[" + std::to_string(inner->elementCount) + "]";
    return inner->str() + sizes;
  }
  case TypeKind::Packet:
    return declName + "_pkt *";
  case TypeKind::Metadata:
    return "metadata";
  case TypeKind::PortMetadata:
    return "metadata of a port";
  case TypeKind::Module:
    return "module";
  case TypeKind::Lock:
    return "lock";
  case TypeKind::Pointer:
    return element->str() + " *";
  case TypeKind::Queue:
    return declName + "_queue";
  }
  KARAKAL_UNREACHABLE("type kind");
}

TypeTable::TypeTable() {
  auto make = [&](TypeKind kind) {
    Type type;
    type.kind = kind;
    return intern(type);
  };
  error_ = make(TypeKind::Error);
  void_ = make(TypeKind::Void);
  bool_ = make(TypeKind::Bool);
  metadata_ = make(TypeKind::Metadata);
  portMetadata_ = make(TypeKind::PortMetadata);
  module_ = make(TypeKind::Module);
  lock_ = make(TypeKind::Lock);
  word_ = integer(32, false);
}

const Type *TypeTable::intern(const Type &type) {
  const void *part = type.structDecl
                         ? static_cast<const void *>(type.structDecl)
                     : type.element ? static_cast<const void *>(type.element)
                                    : type.protocol;
  Key key{type.kind, type.width, type.isSigned, part, type.elementCount};
  const Type *&entry = interned[key];
  if (!entry) {
    types.push_back(type);
    entry = &types.back();
  }
  return entry;
}

Type Type::unsignedInteger(unsigned width) {
  KARAKAL_ASSERT(width >= 1 && width <= 128, "width of an integer type");
  Type type;
  type.kind = TypeKind::Integer;
  type.width = width;
  return type;
}

const Type *TypeTable::integer(unsigned width, bool isSigned) {
  KARAKAL_ASSERT(!isSigned || width <= 64, "signed integers have 64 bits");
  Type type = Type::unsignedInteger(width);
  type.isSigned = isSigned;
  return intern(type);
}

const Type *TypeTable::structType(const StructDecl *decl,
                                  const std::string &name) {
  KARAKAL_ASSERT(decl, "a struct type without its declaration");
  Type type;
  type.kind = TypeKind::Struct;
  type.structDecl = decl;
  type.declName = name;
  return intern(type);
}

const Type *TypeTable::array(const Type *element, uint64_t elementCount) {
  KARAKAL_ASSERT(element && elementCount > 0, "an array without elements");
  Type type;
  type.kind = TypeKind::Array;
  type.element = element;
  type.elementCount = elementCount;
  return intern(type);
}

const Type *TypeTable::packet(const ProtocolDecl *protocol,
                              const std::string &name) {
  KARAKAL_ASSERT(protocol, "a packet type without its protocol");
  Type type;
  type.kind = TypeKind::Packet;
  type.protocol = protocol;
  type.declName = name;
  return intern(type);
}

const Type *TypeTable::pointer(const Type *element) {
  Type type;
  type.kind = TypeKind::Pointer;
  type.element = element;
  return intern(type);
}

const Type *TypeTable::queue(const Type *packet, uint64_t packetCount) {
  KARAKAL_ASSERT(packet->isPacket(), "a queue holds packets");
  Type type = *packet;
  type.kind = TypeKind::Queue;
  type.elementCount = packetCount;
  return intern(type);
}

const Type *TypeTable::promoted(const Type *type) {
  if (type->isScalar() && type->bits() < 32)
    return intType();
  return type;
}

const Type *TypeTable::common(const Type *left, const Type *right) {
  KARAKAL_ASSERT(left->isScalar() && right->isScalar(),
                 "only scalars have a common type");
  left = promoted(left);
  right = promoted(right);
  if (left->width != right->width)
    return left->width > right->width ? left : right;
  return left->isSigned ? right : left;
}

const Type *TypeTable::literal(uint64_t value) {
  if (value <= INT32_MAX)
    return intType();
  if (value <= UINT32_MAX)
    return integer(32, false);
  return integer(64, value > uint64_t(INT64_MAX) ? false : true);
}

const Type *TypeTable::negativeLiteral(uint64_t value) {
  constexpr uint64_t mostOfInt = uint64_t(1) << 31;
  constexpr uint64_t mostOfS64 = uint64_t(1) << 63;
  if (value <= mostOfInt)
    return intType();
  return value <= mostOfS64 ? integer(64, true) : literal(value);
}

const char *spelling(BinaryOp op) {
  static const char *const spellings[] = {
      "*",  "/",  "%",  "+",  "-", "<<", ">>", "<",  ">",
      "<=", ">=", "==", "!=", "&", "^",  "|",  "&&", "||"};
  static_assert(std::size(spellings) == unsigned(BinaryOp::LogicalOr) + 1,
                "one spelling for each operator");
  return spellings[unsigned(op)];
}

uint64_t canonical(uint64_t bits, const Type *type) {
  KARAKAL_ASSERT(type->isScalar(), "only scalars have constants");
  unsigned width = type->bits();
  if (width >= 64)
    return bits;
  uint64_t mask = (uint64_t(1) << width) - 1;
  bits &= mask;
  if (type->isSigned && (bits >> (width - 1)) != 0)
    bits |= ~mask;
  return bits;
}

uint64_t convertConstant(uint64_t bits, const Type *from, const Type *to) {
  if (to->is(TypeKind::Bool))
    return bits != 0;
  return canonical(bits, to);
}

static uint64_t evaluateShift(BinaryOp op, uint64_t left, uint64_t amount,
                              const Type *type) {
  bool isOver = amount >= type->bits();
  if (op == BinaryOp::ShiftLeft)
    return isOver ? 0 : canonical(left << amount, type);
  if (type->isSigned)
    return uint64_t(int64_t(left) >> (isOver ? 63 : amount));
  return isOver ? 0 : left >> amount;
}

static uint64_t evaluateDivision(bool wantsQuotient, uint64_t left,
                                 uint64_t right, const Type *type) {
  if (right == 0)
    return wantsQuotient ? canonical(~uint64_t(0), type) : left;
  if (!type->isSigned)
    return wantsQuotient ? left / right : left % right;
  // The smallest number divided by -1 is itself, with remainder 0.
  if (int64_t(right) == -1)
    return wantsQuotient ? canonical(0 - left, type) : 0;
  return uint64_t(wantsQuotient ? int64_t(left) / int64_t(right)
                                : int64_t(left) % int64_t(right));
}

static bool evaluateComparison(BinaryOp op, uint64_t left, uint64_t right,
                               bool isSigned) {
  bool less = isSigned ? int64_t(left) < int64_t(right) : left < right;
  switch (op) {
  case BinaryOp::Less:
    return less;
  case BinaryOp::Greater:
    return !less && left != right;
  case BinaryOp::LessEqual:
    return less || left == right;
  case BinaryOp::GreaterEqual:
    return !less;
  case BinaryOp::Equal:
    return left == right;
  default:
    return left != right;
  }
}

uint64_t evaluateBinary(BinaryOp op, uint64_t left, uint64_t right,
                        const Type *type, const Type *amountType) {
  switch (op) {
  case BinaryOp::Multiply:
    return canonical(left * right, type);
  case BinaryOp::Divide:
  case BinaryOp::Remainder:
    return evaluateDivision(op == BinaryOp::Divide, left, right, type);
  case BinaryOp::Add:
    return canonical(left + right, type);
  case BinaryOp::Subtract:
    return canonical(left - right, type);
  case BinaryOp::ShiftLeft:
  case BinaryOp::ShiftRight:
    // The amount is read as unsigned in its own width.
    if (amountType->bits() < 64)
      right &= (uint64_t(1) << amountType->bits()) - 1;
    return evaluateShift(op, left, right, type);
  case BinaryOp::And:
    return left & right;
  case BinaryOp::Xor:
    return left ^ right;
  case BinaryOp::Or:
    return left | right;
  case BinaryOp::LogicalAnd:
    return left && right;
  case BinaryOp::LogicalOr:
    return left || right;
  default:
    return evaluateComparison(op, left, right, type->isSigned);
  }
}

std::string constantText(uint64_t bits, const Type *type) {
  if (type->is(TypeKind::Bool))
    return bits ? "true" : "false";
  return type->isSigned ? std::to_string(int64_t(bits)) : std::to_string(bits);
}

bool constantFits(uint64_t bits, const Type *from, const Type *to) {
  if (to->is(TypeKind::Bool) || to->bits() >= 64)
    return true;
  if (from->isSigned && int64_t(bits) < 0)
    return int64_t(bits) >= -(int64_t(1) << (to->bits() - 1));
  return bits < (uint64_t(1) << to->bits());
}

} // namespace karakal::lang
