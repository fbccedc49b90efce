// Types and constants of Baker.
//
// Types are interned: equal types are one object, so comparing types means
// comparing pointers. A constant is held in 64 bits, sign- or zero-extended
// from the width of its type. evaluateBinary defines Baker's arithmetic; the
// compiler folds constants with it and nothing else.

#ifndef KARAKAL_BAKER_LANG_TREE_TYPES_H
#define KARAKAL_BAKER_LANG_TREE_TYPES_H

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>

namespace karakal::lang {

struct ProtocolDecl;
struct StructDecl;

enum class TypeKind {
  Error, ///< type of an erroneous expression; converts to every type
  Void,
  Bool,
  Integer,
  Struct,
  Array,
  Packet,       ///< handle of a packet of one protocol
  Metadata,     ///< `ph->metadata`
  PortMetadata, ///< `ph->metadata.rx`, `ph->metadata.tx`
  Module,       ///< name of a module, before a dot
  Lock,         ///< taken by critical sections
  Pointer,      ///< to a scalar or struct in global data
  Queue,        ///< of packets of one protocol
};

struct Type {
  TypeKind kind = TypeKind::Error;
  unsigned width = 0;    ///< Integer: 1 to 64 bits, unsigned ones to 128
  bool isSigned = false; ///< Integer
  const StructDecl *structDecl = nullptr; ///< Struct
  const Type *element = nullptr;          ///< Array; Pointer: the pointee
  uint64_t elementCount = 0; ///< Array; Queue: packets, 0 where a type begins
  const ProtocolDecl *protocol = nullptr; ///< Packet, Queue
  /// Struct, Packet, Queue: name of the struct or protocol
  std::string declName;

  /// The type `uWIDTH`, outside any table.
  static Type unsignedInteger(unsigned width);

  bool is(TypeKind other) const { return kind == other; }
  bool isError() const { return kind == TypeKind::Error; }
  bool isInteger() const { return kind == TypeKind::Integer; }
  bool isScalar() const { return isInteger() || kind == TypeKind::Bool; }
  bool isPacket() const { return kind == TypeKind::Packet; }
  bool isPointer() const { return kind == TypeKind::Pointer; }
  bool isAggregate() const {
    return kind == TypeKind::Struct || kind == TypeKind::Array;
  }
  /// Wider than 64 bits: not allowed in values of tables,
  /// multiplication or division, and two parts in memory (lower/LowerWide.cpp).
  bool isWide() const { return width > 64; }
  /// Bits of a scalar.
  unsigned bits() const { return kind == TypeKind::Bool ? 1 : width; }
  /// The type as written in a program.
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
  /// `u32`, the type of sizes and indices.
  const Type *word() const { return word_; }
  const Type *integer(unsigned width, bool isSigned);
  /// `name` is the name of `decl`.
  const Type *structType(const StructDecl *decl, const std::string &name);
  const Type *array(const Type *element, uint64_t elementCount);
  /// `name` is the name of `protocol`.
  const Type *packet(const ProtocolDecl *protocol, const std::string &name);
  const Type *pointer(const Type *element);
  /// A queue of at most `packetCount` packets of the type `packet`.
  const Type *queue(const Type *packet, uint64_t packetCount);

  /// The type in which a scalar operand is computed: `int` if it is narrower.
  const Type *promoted(const Type *type);
  /// The type in which two scalar operands are computed together.
  const Type *common(const Type *left, const Type *right);
  /// The type of an integer literal.
  const Type *literal(uint64_t value);
  /// The type of an integer literal after a minus sign.
  const Type *negativeLiteral(uint64_t value);

private:
  using Key = std::tuple<TypeKind, unsigned, bool, const void *, uint64_t>;
  const Type *intern(const Type &type);

  std::deque<Type> types;
  std::map<Key, const Type *> interned;
  const Type *error_, *void_, *bool_, *metadata_, *portMetadata_, *module_,
      *lock_, *word_;
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
inline bool isDivision(BinaryOp op) {
  return op == BinaryOp::Divide || op == BinaryOp::Remainder;
}
const char *spelling(BinaryOp op);

/// Truncates `bits` to the width of the scalar `type` and extends the result
/// according to the type's sign.
uint64_t canonical(uint64_t bits, const Type *type);

/// Converts a constant of one scalar type to another scalar type.
uint64_t convertConstant(uint64_t bits, const Type *from, const Type *to);

/// The value of `left op right`. Both operands have type `type`, but the right
/// operand of a shift has type `amountType`. Comparisons and logical operators
/// give 0 or 1. Division by zero gives all ones and the dividend as remainder;
/// a shift by the width or more gives 0, or copies of the sign.
uint64_t evaluateBinary(BinaryOp op, uint64_t left, uint64_t right,
                        const Type *type, const Type *amountType);

/// A constant as written in a program, with a sign if its type is signed.
std::string constantText(uint64_t bits, const Type *type);

/// True if converting the constant `bits` from type `from` to type `to` keeps
/// its value, or at least its bit pattern.
bool constantFits(uint64_t bits, const Type *from, const Type *to);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_TYPES_H
