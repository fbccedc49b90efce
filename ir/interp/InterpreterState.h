// What the interpreter's parts share.

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

/// Integers; references as the index of a global's word; packets as their
/// handle, with the head above it where the value has one of its own.
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

/// A module in execution. Each `execute…` returns whether it knows the
/// operation.
class Interpreter {
public:
  Interpreter(mlir::ModuleOp module, const Stimulus &stimulus);
  RunResult run();
  RunResult runControl(llvm::ArrayRef<ControlCall> calls);

private:
  void begin();
  bool takePacket(const Arrival &arrival);
  llvm::SmallVector<llvm::APInt>
  callFunction(mlir::func::FuncOp function,
               llvm::ArrayRef<llvm::APInt> arguments);
  llvm::SmallVector<llvm::APInt>
  callRuntime(llvm::StringRef name, llvm::ArrayRef<llvm::APInt> arguments,
              unsigned resultCount);
  void deliver(llvm::StringRef channel, uint32_t handle);
  void putMessage(uint32_t ring, const std::vector<uint32_t> &message);

  void execute(mlir::Operation &op, Values &values);
  bool executeArith(mlir::Operation &op, Values &values);
  bool executeAccess(mlir::Operation &op, Values &values);
  bool executePacket(mlir::Operation &op, Values &values);
  bool executeMessage(mlir::Operation &op, Values &values);
  bool executeMetadata(mlir::Operation &op, Values &values);
  bool executeGlobal(mlir::Operation &op, Values &values);
  bool executeService(mlir::Operation &op, Values &values);
  mlir::Block *branch(mlir::Operation &terminator, Values &values);
  void enter(mlir::Block *block, llvm::ArrayRef<llvm::APInt> arguments,
             Values &values);

  PacketCell *packetOf(mlir::Value handle, Values &values);
  /// The bit of the buffer that lies `bits` behind the head of `value`.
  int64_t positionOf(const PacketCell &packet, mlir::Value value,
                     Values &values, int64_t bits);
  void trap(const llvm::Twine &why);
  void giveUp(const llvm::Twine &why);
  void addEvent(Event event) {
    event.input = result.packetCount;
    result.events.push_back(std::move(event));
  }
  /// Word of user metadata that a field begins with.
  uint32_t metadataWord(mlir::Operation *op, llvm::StringRef field);
  uint32_t *globalWord(uint64_t index);

  bool isStopped() const {
    return hasTrapped || isIdle || !result.unknown.empty();
  }

  mlir::ModuleOp module;
  Stimulus stimulus;
  Machine machine;
  mlir::SymbolTable symbols;
  RunResult result;
  /// Rings that the engine's program takes messages from.
  llvm::DenseSet<uint32_t> ownRings;
  llvm::DenseMap<llvm::StringRef, uint64_t> globalStart;
  llvm::DenseSet<mlir::Block *> reached;
  std::deque<std::pair<mlir::func::FuncOp, uint32_t>> deliveries;
  uint32_t asked = 0; ///< questions for time and chance
  uint64_t stepsMax, stepCount = 0;
  unsigned depth = 0;
  /// The context waits for ever, or found nothing to do.
  bool hasTrapped = false, isIdle = false;
};

} // namespace karakal::ir

#endif // KARAKAL_IR_INTERP_INTERPRETERSTATE_H
