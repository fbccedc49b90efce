// Locks, counters, hashes, time, chance.
//
// One packet is worked on at a time, so locks are free. Time and chance are
// counters: they give the same for the same questions in the same order.

#include "ir/dialect/Services.h"
#include "ir/interp/InterpreterState.h"
#include "target-ixp/table/HashFunction.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using llvm::APInt;

namespace karakal::ir {

bool Interpreter::executeService(Operation &op, Values &values) {
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case<LockOp, UnlockOp, TraceOp, LoopEntryOp, LoopRoundOp>(
          [](auto) { return true; })
      .Case([&](AtomicAddOp add) {
        if (uint32_t *word = globalWord(values[add.getRef()].getZExtValue()))
          *word += uint32_t(values[add.getValue()].getZExtValue());
        return true;
      })
      .Case([&](HashOp hash) {
        APInt key = values[hash.getKey()];
        unsigned width = key.getBitWidth();
        APInt wide = key.zext(128);
        target::HashKey result =
            target::hashKey({wide.extractBitsAsZExtValue(64, 0),
                             wide.extractBitsAsZExtValue(64, 64)},
                            width);
        values[hash.getHash()] =
            APInt(128, {result.low, result.high}).trunc(width);
        return true;
      })
      .Case<TimestampOp, RandomOp>([&](auto ask) {
        values[ask->getResult(0)] = APInt(32, ++asked * 0x9e3779b9);
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
