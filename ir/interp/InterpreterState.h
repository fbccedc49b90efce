// The interpreter's state and the operations on it.

#ifndef KARAKAL_IR_INTERP_INTERPRETERSTATE_H
#define KARAKAL_IR_INTERP_INTERPRETERSTATE_H

#include "ir/dialect/Baker.h"
#include "ir/interp/InterpreterMachine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <deque>
#include <utility>

namespace karakal::ir {

/// The SSA values of a function in execution. A reference is the index of a
/// word of global data. A packet is its handle, with the head in the upper bits
/// if the value has a head of its own.
using Values = llvm::DenseMap<mlir::Value, llvm::APInt>;

constexpr unsigned headShift = 32;
constexpr uint64_t hasHead = uint64_t(1) << 63;

inline uint32_t handleOf(const llvm::APInt &packet) {
  return uint32_t(packet.getZExtValue());
}

inline llvm::APInt packetWithHead(uint32_t handle, uint32_t head) {
  return llvm::APInt(64,
                     hasHead | uint64_t(head & 0xffff) << headShift | handle);
}

/// A module in execution. Each `execute…` returns whether it supports the
/// operation.
class Interpreter {
public:
  Interpreter(mlir::ModuleOp module, const Stimulus &stimulus);
  RunResult run();
  RunResult runControl(llvm::ArrayRef<ControlCall> calls);

private:
  /// Resets what one packet or control call leaves to the next.
  void resetContext();
  /// Runs the program on a packet; false if it does not read the packet's ring.
  bool takePacket(const Arrival &arrival);
  llvm::SmallVector<llvm::APInt>
  callFunction(mlir::func::FuncOp function,
               llvm::ArrayRef<llvm::APInt> arguments);
  llvm::SmallVector<llvm::APInt>
  callRuntime(llvm::StringRef name, llvm::ArrayRef<llvm::APInt> arguments,
              unsigned resultCount);
  void deliver(llvm::StringRef channel, uint32_t handle);
  /// Puts a message on a ring. It stays there if the engine reads the ring, and
  /// leaves the program otherwise.
  void putMessage(uint32_t ring, const std::vector<uint32_t> &message);

  void execute(mlir::Operation &op, Values &values);
  bool executeArith(mlir::Operation &op, Values &values);
  bool executeAccess(mlir::Operation &op, Values &values);
  bool executeFraming(mlir::Operation &op, Values &values);
  bool executePacket(mlir::Operation &op, Values &values);
  bool executeMessage(mlir::Operation &op, Values &values);
  bool executeMetadata(mlir::Operation &op, Values &values);
  bool executeGlobal(mlir::Operation &op, Values &values);
  bool executeService(mlir::Operation &op, Values &values);
  mlir::Block *branch(mlir::Operation &terminator, Values &values);
  void enter(mlir::Block *block, llvm::ArrayRef<llvm::APInt> arguments,
             Values &values);

  /// Returns the packet of a handle. Traps and returns null if it has ended.
  PacketCell *packetOf(mlir::Value handle, Values &values);
  /// Returns the bit of the buffer that is `bits` after the head of `value`.
  int64_t positionOf(const PacketCell &packet, mlir::Value value,
                     Values &values, int64_t bits);
  /// Moves the head of packet `from` by `bytes` and makes `to` its new value.
  void moveHead(Values &values, mlir::Value from, mlir::Value to,
                int64_t bytes);
  /// Moves the tail of packet `from` by `bytes` and makes `to` its new value.
  void moveTail(Values &values, mlir::Value from, mlir::Value to,
                int64_t bytes);
  /// Clears `bytes` bytes of the buffer from byte `at`.
  void clearBytes(PacketCell &packet, int64_t at, int64_t bytes);
  /// Returns the handle of a new buffer with `bytes` zeros after the headroom.
  uint32_t allocateCleared(int64_t bytes);

  /// Records that the program stops because of a fault of its own.
  void trap(const llvm::Twine &why);
  /// Records that the interpreter cannot complete the run.
  void giveUp(const llvm::Twine &why);
  /// Counts an operation or branch, and gives up after stepsMax of them.
  void countStep();
  void addEvent(Event event) {
    event.input = result.packetCount;
    result.events.push_back(std::move(event));
  }
  /// Returns the descriptor word at which a metadata field begins.
  uint32_t metadataWord(mlir::Operation *op, llvm::StringRef field);
  /// Returns a word of global data. Traps and returns null if there is none.
  uint32_t *globalWord(uint64_t index);

  bool isStopped() const {
    return hasTrapped || isIdle || !result.unknown.empty();
  }

  mlir::ModuleOp module;
  Stimulus stimulus;
  Machine machine;
  mlir::SymbolTable symbols;
  RunResult result;
  /// Rings that the engine's program reads.
  llvm::DenseSet<uint32_t> ringsRead;
  llvm::DenseMap<llvm::StringRef, uint64_t> globalStart;
  llvm::DenseSet<mlir::Block *> reached;
  std::deque<std::pair<mlir::func::FuncOp, uint32_t>> deliveries;
  uint32_t sampleCount = 0; ///< timestamps and random numbers so far
  uint64_t stepsMax, stepCount = 0;
  unsigned depth = 0;
  /// The program has trapped; or it swapped with no message on any ring.
  bool hasTrapped = false, isIdle = false;
};

} // namespace karakal::ir

#endif // KARAKAL_IR_INTERP_INTERPRETERSTATE_H
