// What baker-phr keeps of packets in values.

#ifndef KARAKAL_PASSES_PACKETS_PACKETSTATE_H
#define KARAKAL_PASSES_PACKETS_PACKETSTATE_H

#include "ir/dialect/Baker.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <memory>
#include <vector>

namespace karakal::passes {

/// Arithmetic on words, folded where it can be.
class Words {
public:
  Words(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::Value constant(uint32_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value subtract(mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value value, uint32_t mask);
  mlir::Value either(mlir::Value a, mlir::Value b);
  mlir::Value left(mlir::Value value, uint32_t amount);
  mlir::Value right(mlir::Value value, uint32_t amount);
  /// `high:low` as i64, and the high word of a wide integer.
  mlir::Value join(mlir::Value high, mlir::Value low);
  mlir::Value high(mlir::Value wide);
  /// `value` cut or extended with zeros to `type`.
  mlir::Value resize(mlir::Value value, mlir::Type type);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// What is known of one packet under one name.
struct PacketState {
  mlir::Value head, length, rxPort;
  /// Places of the transmit port and of the metadata words in use; every name
  /// of a packet has the same until it passes a block argument.
  std::vector<mlir::Value> slots;
  /// Bit i: word i of the descriptor may differ from what is known.
  uint32_t changedWords = 0;
};

/// The states of all packets of a function.
class PacketStates {
public:
  /// Finds which words of descriptors are used, changed and seen; the function
  /// is as baker-phr finds it.
  explicit PacketStates(mlir::func::FuncOp entry);

  PacketState &of(mlir::Value packet);
  /// A state with slots of its own for `packet`, called `original` before.
  PacketState &make(mlir::OpBuilder &builder, mlir::Value packet,
                    mlir::Value original);
  /// `after`, once the result of an operation on `before`, has become `view`.
  PacketState &moveTo(mlir::Value before, mlir::Value after, mlir::Value view);
  /// `view` is another name of `packet`.
  void alias(mlir::Value packet, mlir::Value view);
  /// Lets the uses of `packet` see it with its head at `head`.
  void replaceByView(mlir::OpBuilder &builder, mlir::Value packet,
                     mlir::Value head);

  mlir::Value readSlot(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value slot);
  void writeSlot(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slot,
                 mlir::Value value);
  /// Word `word` of the packet's descriptor as it would stand there.
  mlir::Value readWord(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value packet, uint32_t word);
  void writeWord(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value packet, uint32_t word, mlir::Value value);
  /// The descriptor word of metadata field `field`.
  uint32_t wordOf(mlir::Operation *op, llvm::StringRef field) const;

  /// Fills the state of a packet from its descriptor.
  void readDescriptor(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value packet);
  /// Writes the words that changed; returns the commands that it takes.
  unsigned writeDescriptor(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value packet);
  /// Stops the context where no room for `bytes` is left before `head`.
  void checkRoom(mlir::OpBuilder &builder, mlir::Operation *encap,
                 mlir::Value head, mlir::Value bytes);
  /// Whether the sequence number of this packet may be asked for.
  bool isSequenceSeen(mlir::Value packet) const {
    return sequenceSeen.contains(packet);
  }

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
  /// Descriptor words of metadata in use, ascending.
  std::vector<uint32_t> metadataWords;
  /// By the names that the packets have at first.
  llvm::DenseMap<mlir::Value, uint32_t> changed;
  llvm::DenseSet<mlir::Value> sequenceSeen;
};

} // namespace karakal::passes

#endif // KARAKAL_PASSES_PACKETS_PACKETSTATE_H
