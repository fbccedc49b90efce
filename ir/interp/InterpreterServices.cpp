// Locks, counters, hashes, timestamps and random numbers.
//
// The interpreter processes one packet at a time, so every lock is free.
// Timestamps and random numbers come from a counter, so that a run is
// repeatable.

#include "ir/dialect/Batches.h"
#include "ir/dialect/Services.h"
#include "ir/dialect/Target.h"
#include "ir/interp/InterpreterState.h"
#include "support/Assert.h"
#include "target-ixp/table/HashFunction.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using llvm::APInt;

namespace karakal::ir {

static uint32_t wordAfter(AtomicOp atomic, uint32_t old, uint32_t value) {
  switch (atomic.getKind()) {
  case arith::AtomicRMWKind::addi:
    return old + value;
  case arith::AtomicRMWKind::ori:
    return old | value;
  case arith::AtomicRMWKind::andi:
    return old & value;
  case arith::AtomicRMWKind::assign:
    return value;
  default:
    KARAKAL_UNREACHABLE("the verifier allows no other atomic operation");
  }
}

bool Interpreter::executeService(Operation &op, Values &values) {
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case<LockOp, UnlockOp, TraceOp, LoopEntryOp, LoopIterationOp,
            ChannelMarkOp, CutOp, VariableOp>([](auto) { return true; })
      .Case([&](AtomicOp atomic) {
        uint32_t old = 0;
        if (uint32_t *word =
                globalWord(values[atomic.getRef()].getZExtValue())) {
          old = *word;
          *word = wordAfter(atomic, old,
                            uint32_t(values[atomic.getValue()].getZExtValue()));
        }
        values[atomic.getOld()] = APInt(32, old);
        return true;
      })
      .Case([&](HashOp hash) {
        APInt key = values[hash.getKey()];
        unsigned width = key.getBitWidth();
        APInt wide = key.zext(128);
        target::HashKey result =
            target::hashKey({wide.extractBitsAsZExtValue(64, 0),
                             wide.extractBitsAsZExtValue(64, 64)},
                            width, hashMultiplierOf(&op));
        values[hash.getHash()] =
            APInt(128, {result.low, result.high}).trunc(width);
        return true;
      })
      .Case<TimestampOp, RandomOp>([&](auto sample) {
        values[sample->getResult(0)] = APInt(32, ++sampleCount * 0x9e3779b9);
        return true;
      })
      .Case([&](DropCountOp ask) {
        values[ask.getCount()] =
            APInt(32, llvm::count_if(result.events, [&](const Event &event) {
                    return event.kind == Event::Drop &&
                           event.where == ask.getReason();
                  }));
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace karakal::ir
