// The built-in operations of Baker.

#ifndef KARAKAL_BAKER_LANG_TREE_PRIMITIVES_H
#define KARAKAL_BAKER_LANG_TREE_PRIMITIVES_H

#include <string>
#include <vector>

namespace karakal::lang {

/// In groups: packets, then the resizing operations among them, then services
/// of the chip. isService and isResize depend on this order.
enum class Primitive {
  None,
  Decap,
  Encap,
  Extend,
  Shorten,
  AddTail,
  RemoveTail,
  Create,
  Copy,
  Drop,
  Length,
  ChannelPut,
  AtomicAdd,
  Hash48,
  Hash64,
  Hash128,
  Timestamp,
  Random,
  Trace,
  DropCount,
  Refusal,
  AtomicOr,
  AtomicAnd,
  AtomicSwap,
};

/// The primitive called `name`, or None.
Primitive primitiveNamed(const std::string &name);

/// The names of all primitives, in the order of the enumeration.
const std::vector<std::string> &primitiveNames();

/// True for services of the chip that do not involve a packet.
inline bool isService(Primitive primitive) {
  return primitive >= Primitive::AtomicAdd;
}

/// True if the operation changes the size of a packet and its handle keeps it.
inline bool isResize(Primitive primitive) {
  return primitive >= Primitive::Extend && primitive <= Primitive::RemoveTail;
}

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_PRIMITIVES_H
