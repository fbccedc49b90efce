// The estimated cost of an operation on a microengine.
//
// The figures for packet operations count the instructions on the common path
// of the primitives in runtime/packet.ll. The figures for arithmetic follow
// the instruction set: one instruction per 32-bit word, a multiplication by
// steps, a division by a call (runtime/divide.ll).

#include "ir/analysis/OperationCost.h"
#include "ir/dialect/Batches.h"
#include "ir/dialect/Services.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace karakal::ir {

/// Returns the size of an integer in 32-bit words. A packet or reference is one
/// word.
static uint32_t wordsOf(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() > 32 ? 2 : 1;
}

static uint32_t resultWords(Operation *op) {
  return op->getNumResults() ? wordsOf(op->getResult(0).getType()) : 1;
}

static uint32_t operandWords(Operation *op) {
  return op->getNumOperands() ? wordsOf(op->getOperand(0).getType()) : 1;
}

static OperationCost instructions(uint32_t count) {
  return {count, 0, 0, 0, 0};
}

static OperationCost costOfPacketOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, OperationCost>(op)
      .Case([](PacketReadOp) { return OperationCost{26, 0, 1, 1, 0}; })
      .Case([](PacketWriteOp) { return OperationCost{46, 0, 1, 2, 0}; })
      .Case<PacketDecapOp, PacketEncapOp, PacketRemoveTailOp>(
          [](auto) { return OperationCost{10, 0, 2, 0, 0}; })
      .Case<PacketLengthOp, PacketHeadroomOp>(
          [](auto) { return OperationCost{5, 0, 1, 0, 0}; })
      .Case([](PacketAddTailOp) { return OperationCost{80, 0, 2, 3, 0}; })
      .Case([](PacketCreateOp) { return OperationCost{100, 0, 4, 3, 0}; })
      .Case([](PacketCopyOp) { return OperationCost{400, 0, 20, 64, 0}; })
      .Case([](PacketDropOp) { return OperationCost{14, 1, 1, 0, 0}; })
      .Case([](PacketKeepOp) { return OperationCost{16, 1, 2, 0, 0}; })
      .Case([](MetaReadOp) { return OperationCost{5, 0, 1, 0, 0}; })
      .Case([](MetaWriteOp) { return OperationCost{7, 0, 1, 0, 0}; })
      .Case([](ChannelPutOp) { return OperationCost{10, 1, 0, 0, 0}; })
      .Default([](Operation *) { return OperationCost{1, 0, 0, 0, 0}; });
}

static OperationCost costOfGlobalOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, OperationCost>(op)
      .Case([](LoadOp load) {
        return OperationCost{2 + resultWords(load), 0, 0, 0, 1};
      })
      .Case([](StoreOp store) {
        return OperationCost{2 + operandWords(store), 0, 0, 0, 1};
      })
      .Case([](ElementOp) { return instructions(2); })
      .Default([](Operation *) { return instructions(0); });
}

static OperationCost costOfArithmetic(Operation *op) {
  return llvm::TypeSwitch<Operation *, OperationCost>(op)
      .Case([](arith::ConstantOp) { return instructions(0); })
      .Case([](arith::MulIOp mul) {
        return instructions(resultWords(mul) == 1 ? 6 : 30);
      })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp>(
          [](auto op) {
            return instructions(resultWords(op) == 1 ? 150 : 500);
          })
      .Case<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(
          [](auto op) { return instructions(resultWords(op) == 1 ? 2 : 8); })
      .Case([](arith::CmpIOp compare) {
        return instructions(operandWords(compare));
      })
      .Case<arith::ExtUIOp, arith::TruncIOp>(
          [](auto) { return instructions(0); })
      .Default([](Operation *op) { return instructions(resultWords(op)); });
}

static OperationCost costOfService(Operation *op) {
  return llvm::TypeSwitch<Operation *, OperationCost>(op)
      .Case([](LockOp) { return OperationCost{12, 1, 0, 0, 0}; })
      .Case([](UnlockOp) { return OperationCost{6, 1, 0, 0, 0}; })
      .Case([](AtomicOp) { return OperationCost{3, 0, 1, 0, 0}; })
      .Case([](HashOp) { return OperationCost{8, 1, 0, 0, 0}; })
      .Case([](TimestampOp) { return instructions(4); })
      .Case([](RandomOp) { return instructions(14); })
      .Case([](DropCountOp) { return OperationCost{2, 1, 0, 0, 0}; })
      .Default([](Operation *) { return instructions(0); });
}

OperationCost costOf(Operation *op) {
  if (isa<LockOp, UnlockOp, AtomicOp, HashOp, TimestampOp, RandomOp, TraceOp,
          DropCountOp, LoopEntryOp, LoopIterationOp, ChannelMarkOp, VariableOp>(
          op))
    return costOfService(op);
  if (isa<PacketReadOp, PacketWriteOp, PacketDecapOp, PacketEncapOp,
          PacketAddTailOp, PacketRemoveTailOp, PacketHeadroomOp, PacketCreateOp,
          PacketLengthOp, PacketCopyOp, PacketDropOp, PacketKeepOp, MetaReadOp,
          MetaWriteOp, ChannelPutOp>(op))
    return costOfPacketOp(op);
  if (isa<LoadOp, StoreOp, ElementOp, FieldOp, GlobalRefOp>(op))
    return costOfGlobalOp(op);
  return llvm::TypeSwitch<Operation *, OperationCost>(op)
      .Case<cf::BranchOp>([](auto) { return instructions(1); })
      // The second instruction stands for slots that a taken branch can lose.
      .Case<cf::CondBranchOp>([](auto) { return instructions(2); })
      .Case([](cf::SwitchOp branch) {
        return instructions(2 * branch->getNumSuccessors());
      })
      .Case<func::CallOp>(
          [](auto call) { return instructions(3 + call->getNumOperands()); })
      .Case<func::ReturnOp>([](auto) { return instructions(2); })
      .Default([](Operation *op) { return costOfArithmetic(op); });
}

} // namespace karakal::ir
