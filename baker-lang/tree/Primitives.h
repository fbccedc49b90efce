// The built-in operations of Baker.

#ifndef KARAKAL_BAKER_LANG_TREE_PRIMITIVES_H
#define KARAKAL_BAKER_LANG_TREE_PRIMITIVES_H

#include <string>
#include <vector>

namespace karakal::lang {

/// In groups: packets, then the resizing operations among them, then services
/// of the chip, then operations in mid-packet and between packets, then those
/// of queues. isService, isResize and isOfQueue depend on this order.
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
  Insert,
  Remove,
  CopyHeader,
  QueuePut,
  QueueTake,
  QueueLength,
  QueueNextBytes,
};

/// The most bytes before an insertion or removal in mid-packet, which move.
inline constexpr unsigned movedBytesMax = 64;

/// The primitive called `name`, or None.
Primitive primitiveNamed(const std::string &name);

/// The names of all primitives, in the order of the enumeration.
const std::vector<std::string> &primitiveNames();

/// True for services of the chip that do not involve a packet.
inline bool isService(Primitive primitive) {
  return primitive >= Primitive::AtomicAdd &&
         primitive <= Primitive::AtomicSwap;
}

/// True for operations on a queue of packets.
inline bool isOfQueue(Primitive primitive) {
  return primitive >= Primitive::QueuePut;
}

/// True if the operation inserts or removes bytes after some that stay.
inline bool isInMidPacket(Primitive primitive) {
  return primitive == Primitive::Insert || primitive == Primitive::Remove;
}

/// True if the operation changes the size of a packet and its handle keeps it.
inline bool isResize(Primitive primitive) {
  return (primitive >= Primitive::Extend &&
          primitive <= Primitive::RemoveTail) ||
         isInMidPacket(primitive);
}

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_PRIMITIVES_H
