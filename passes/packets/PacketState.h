// The state of packets that baker-phr holds in values.

#ifndef KARAKAL_PASSES_PACKETS_PACKETSTATE_H
#define KARAKAL_PASSES_PACKETS_PACKETSTATE_H

#include "ir/dialect/Baker.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <memory>
#include <vector>

namespace karakal::passes {

/// Emits arithmetic on words, with constant folding.
class Words {
public:
  Words(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::Value constant(uint32_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value subtract(mlir::Value a, mlir::Value b);
  mlir::Value maskWith(mlir::Value value, uint32_t mask);
  mlir::Value bitOr(mlir::Value a, mlir::Value b);
  mlir::Value left(mlir::Value value, uint32_t amount);
  mlir::Value right(mlir::Value value, uint32_t amount);
  /// Returns `high:low` as i64; or the high word of a wide integer.
  mlir::Value join(mlir::Value high, mlir::Value low);
  mlir::Value high(mlir::Value wide);
  /// Truncates or zero-extends `value` to `type`.
  mlir::Value resize(mlir::Value value, mlir::Type type);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// The state of a packet under one of its SSA values.
struct PacketState {
  mlir::Value head, length, rxPort;
  /// If packets have tickets: head << 16 | length | ticket, as a message to Tx
  /// has it. It follows the head and the length by one addition each time.
  mlir::Value place;
  /// The stack slots of the transmit port and of the metadata words in use. All
  /// values of a packet share them until the packet passes a block argument.
  std::vector<mlir::Value> slots;
  /// Bit i: whether word i of the descriptor may be out of date in memory.
  uint32_t changedWords = 0;
};

/// The states of all packets of a function.
class PacketStates {
public:
  /// Finds which words of descriptors the function uses, changes and passes on.
  /// The function is the input of baker-phr.
  explicit PacketStates(mlir::func::FuncOp entry);
  /// Makes both functions use the words that either uses: the one passes the
  /// words of packets to the other.
  void shareWords(PacketStates &other);

  PacketState &of(mlir::Value packet);
  /// Makes a state with its own slots for `packet`, which replaces `original`.
  PacketState &make(mlir::OpBuilder &builder, mlir::Value packet,
                    mlir::Value original);
  /// Makes the state of `view`, which replaces `after`, the result of an
  /// operation on `before`.
  PacketState &moveTo(mlir::Value before, mlir::Value after, mlir::Value view);
  /// Makes `view` share the state of `packet`.
  void alias(mlir::Value packet, mlir::Value view);
  /// Replaces the uses of `packet` by a view with its head at `head`.
  void replaceByView(mlir::OpBuilder &builder, mlir::Value packet,
                     mlir::Value head);

  mlir::Value readSlot(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value slot);
  void writeSlot(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slot,
                 mlir::Value value);
  /// Returns the current value of word `word` of the packet's descriptor.
  mlir::Value readWord(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value packet, uint32_t word);
  void writeWord(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value packet, uint32_t word, mlir::Value value);
  /// The descriptor word of metadata field `field`.
  uint32_t wordOf(mlir::Operation *op, llvm::StringRef field) const;

  /// The words that a state consists of: head and length, ports, metadata in
  /// use.
  size_t wordCount() const { return 2 + metadataWords.size(); }
  llvm::SmallVector<mlir::Value>
  wordsOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value packet);
  /// Fills the state of a packet from these words.
  void fill(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value packet,
            llvm::ArrayRef<mlir::Value> words);
  /// Fills the state of a packet from its descriptor.
  void readDescriptor(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value packet);
  /// Writes the changed words.
  void writeDescriptor(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value packet);
  /// Emits a trap for fewer than `bytes` free bytes before `head`.
  void checkHeadroom(mlir::OpBuilder &builder, mlir::Operation *encap,
                     mlir::Value head, mlir::Value bytes);
  /// Whether packets have tickets.
  bool hasTickets() const { return hasTicket; }
  /// Whether the sequence number of this packet may be read.
  bool isSequenceSeen(mlir::Value packet) const {
    return sequenceSeen.contains(packet);
  }

  /// Fills head, length and place from the second word of a message of Rx.
  void fillFromRx(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value packet, mlir::Value second);
  /// Turns all slots into values.
  void promote();

private:
  void findWords();
  void findChanges();
  void findSequence();
  mlir::Value slotOf(PacketState &state, uint32_t word);

  mlir::func::FuncOp entry;
  std::vector<std::unique_ptr<PacketState>> states;
  llvm::DenseMap<mlir::Value, PacketState *> byName;
  bool hasTicket = false;
  /// Whether packets may come with all words out of date in memory.
  bool isMemoryOld = false;
  /// Descriptor words of metadata in use, ascending.
  std::vector<uint32_t> metadataWords;
  /// The words changed, by the first SSA value of each packet.
  llvm::DenseMap<mlir::Value, uint32_t> changed;
  llvm::DenseSet<mlir::Value> sequenceSeen;
};

} // namespace karakal::passes

#endif // KARAKAL_PASSES_PACKETS_PACKETSTATE_H
