// Loads, stores and references of global data.

#include "ir/dialect/Layout.h"
#include "ir/interp/InterpreterState.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using llvm::APInt;

namespace karakal::ir {

uint32_t *Interpreter::globalWord(uint64_t index) {
  if (index < result.globals.size())
    return &result.globals[index];
  trap(Event::outsideGlobals);
  return nullptr;
}

bool Interpreter::executeGlobal(Operation &op, Values &values) {
  auto at = [](uint64_t word) { return APInt(64, word); };
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](GlobalRefOp ref) {
        values[ref.getRef()] = at(globalStart[ref.getGlobal()]);
        return true;
      })
      .Case([&](ElementOp element) {
        auto type = cast<ArrayType>(
            cast<RefType>(element.getArray().getType()).getPointee());
        values[element.getRef()] =
            at(values[element.getArray()].getZExtValue() +
               values[element.getIndex()].getZExtValue() *
                   elementWordStride(type));
        return true;
      })
      .Case([&](FieldOp field) {
        auto type = cast<StructType>(
            cast<RefType>(field.getRecord().getType()).getPointee());
        values[field.getRef()] =
            at(values[field.getRecord()].getZExtValue() +
               fieldWordOffset(type, *type.fieldIndex(field.getField())));
        return true;
      })
      .Case([&](LoadOp load) {
        uint64_t index = values[load.getRef()].getZExtValue();
        unsigned width = load.getValue().getType().getIntOrFloatBitWidth();
        uint64_t value = 0;
        for (unsigned i = 0; i < (width > 32 ? 2 : 1); ++i)
          if (uint32_t *word = globalWord(index + i))
            value = value << 32 | *word;
        values[load.getValue()] = APInt(64, value).trunc(width);
        return true;
      })
      .Case([&](StoreOp store) {
        uint64_t index = values[store.getRef()].getZExtValue();
        uint64_t value = values[store.getValue()].getZExtValue();
        if (store.getValue().getType().getIntOrFloatBitWidth() > 32)
          if (uint32_t *word = globalWord(index++))
            *word = uint32_t(value >> 32);
        if (uint32_t *word = globalWord(index))
          *word = uint32_t(value);
        return true;
      })
      .Case([&](LoadWordsOp load) {
        uint64_t index = values[load.getRef()].getZExtValue() + load.getAt();
        for (Value result : load.getWords())
          if (uint32_t *word = globalWord(index++))
            values[result] = APInt(32, *word);
        return true;
      })
      .Case([&](StoreWordsOp store) {
        uint64_t index = values[store.getRef()].getZExtValue() + store.getAt();
        for (Value value : store.getWords())
          if (uint32_t *word = globalWord(index++))
            *word = uint32_t(values[value].getZExtValue());
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace karakal::ir
