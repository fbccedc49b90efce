// Types and constants of Baker.
//
// Types are interned: equal types are one object, so that comparing types is
// comparing pointers. Constants are 64 bits, sign- or zero-extended from the
// width of their type; all arithmetic that the compiler does on behalf of the
// program goes through `evaluate…`, which is the language's definition of it.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_TYPES_H
#define KARAKAL_BAKER_LANG_SYNTAX_TYPES_H

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>

namespace karakal::lang {

struct ProtocolDecl;
struct StructDecl;

enum class TypeKind {
  Error, ///< of an expression that is in error; fits everywhere
  Void,
  Bool,
  Integer,
  Struct,
  Array,
  Packet,       ///< handle of a packet of one protocol
  Metadata,     ///< `ph->metadata`
  PortMetadata, ///< `ph->metadata.rx`, `ph->metadata.tx`
  Module,       ///< name of a module, before a dot
  Lock,         ///< of critical sections
  Pointer,      ///< to a place in global data
};

struct Type {
  TypeKind kind = TypeKind::Error;
  unsigned width = 0;    ///< Integer: 1 to 64 bits, unsigned ones to 128
  bool isSigned = false; ///< Integer
  const StructDecl *record = nullptr;
  const Type *element = nullptr; ///< of an Array; what a Pointer leads to
  uint64_t size = 0;             ///< Array: elements
  const ProtocolDecl *protocol = nullptr;

  bool is(TypeKind other) const { return kind == other; }
  bool isError() const { return kind == TypeKind::Error; }
  bool isInteger() const { return kind == TypeKind::Integer; }
  bool isScalar() const { return isInteger() || kind == TypeKind::Bool; }
  bool isPacket() const { return kind == TypeKind::Packet; }
  bool isPointer() const { return kind == TypeKind::Pointer; }
  bool isAggregate() const {
    return kind == TypeKind::Struct || kind == TypeKind::Array;
  }
  /// Too large for constants, memory, multiplication and division.
  bool isWide() const { return width > 64; }
  /// Bits of a scalar.
  unsigned bits() const { return kind == TypeKind::Bool ? 1 : width; }
  /// As written in a program.
  std::string str() const;
};

/// Owns all types of a program.
class TypeTable {
public:
  TypeTable();

  const Type *error() const { return error_; }
  const Type *voidType() const { return void_; }
  const Type *boolType() const { return bool_; }
  const Type *intType() { return integer(32, true); }
  const Type *metadata() const { return metadata_; }
  const Type *portMetadata() const { return portMetadata_; }
  const Type *module() const { return module_; }
  const Type *lock() const { return lock_; }
  const Type *integer(unsigned width, bool isSigned);
  const Type *record(const StructDecl *decl);
  const Type *array(const Type *element, uint64_t size);
  const Type *packet(const ProtocolDecl *protocol);
  const Type *pointer(const Type *element);

  /// The type in which a scalar operand computes: `int` for what is narrower.
  const Type *promoted(const Type *type);
  /// The type in which two scalar operands compute together.
  const Type *common(const Type *left, const Type *right);
  /// The type of an integer literal.
  const Type *literal(uint64_t value);

private:
  using Key = std::tuple<TypeKind, unsigned, bool, const void *, uint64_t>;
  const Type *intern(const Type &type);

  std::deque<Type> types;
  std::map<Key, const Type *> interned;
  const Type *error_, *void_, *bool_, *metadata_, *portMetadata_, *module_,
      *lock_;
};

enum class BinaryOp {
  Multiply,
  Divide,
  Remainder,
  Add,
  Subtract,
  ShiftLeft,
  ShiftRight,
  Less,
  Greater,
  LessEqual,
  GreaterEqual,
  Equal,
  NotEqual,
  And,
  Xor,
  Or,
  LogicalAnd,
  LogicalOr,
};

inline bool isComparison(BinaryOp op) {
  return op >= BinaryOp::Less && op <= BinaryOp::NotEqual;
}
inline bool isLogical(BinaryOp op) {
  return op == BinaryOp::LogicalAnd || op == BinaryOp::LogicalOr;
}
inline bool isShift(BinaryOp op) {
  return op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight;
}
const char *spelling(BinaryOp op);

/// `bits` cut to the width of `type` and extended again by its sign.
uint64_t canonical(uint64_t bits, const Type *type);

/// A constant of one scalar type as a constant of another.
uint64_t convertConstant(uint64_t bits, const Type *from, const Type *to);

/// The value of `left op right`, both of type `type` (for shifts, `right` is
/// an amount of type `amountType`). Comparisons and logical operations give
/// 0 or 1. Division by zero gives all ones and the dividend as remainder,
/// shifts by the width or more give 0 (or copies of the sign).
uint64_t evaluateBinary(BinaryOp op, uint64_t left, uint64_t right,
                        const Type *type, const Type *amountType);

/// A constant as written: with a sign if its type has one.
std::string constantText(uint64_t bits, const Type *type);

/// True if the number that `bits` of type `from` stands for is kept, or kept
/// as bit pattern, by conversion to `to`.
bool constantFits(uint64_t bits, const Type *from, const Type *to);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_TYPES_H
