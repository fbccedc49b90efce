// Initial values of globals.
//
// The pass emits one store for each scalar whose initial value is not zero. A
// chain of element and field operations leads to the scalar from its global.
// The XScale core runs the function before packets flow.
//
// Requires: nothing. Ensures: `@karakal.globals` exists if and only if some
// initial value is not zero. Cost: linear in the initializers.

#include "ir/dialect/Attributes.h"
#include "passes/Passes.h"
#include "support/Assert.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_INITGLOBALS
#include "passes/Passes.h.inc"

namespace {

/// Stores the initial values of one global, in order.
class Storer {
public:
  Storer(OpBuilder &builder, Location loc, ArrayRef<int64_t> values)
      : builder(builder), loc(loc), values(values) {}

  /// Stores the scalars of an object of `type`. `path` makes the reference to
  /// it and is called only for values that are not zero.
  void store(Type type, llvm::function_ref<Value()> path);

private:
  Value constant(Type type, int64_t value) {
    unsigned width = type.getIntOrFloatBitWidth();
    return builder.create<arith::ConstantOp>(
        loc, IntegerAttr::get(type, APInt(width, uint64_t(value))));
  }

  OpBuilder &builder;
  Location loc;
  ArrayRef<int64_t> values;
};

void Storer::store(Type type, llvm::function_ref<Value()> path) {
  if (auto array = dyn_cast<ir::ArrayType>(type)) {
    for (uint64_t i = 0; i < array.getSize(); ++i)
      store(array.getElementType(), [&]() -> Value {
        Value index = constant(builder.getI32Type(), int64_t(i));
        return builder.create<ir::ElementOp>(loc, path(), index);
      });
    return;
  }
  if (auto record = dyn_cast<ir::StructType>(type)) {
    for (auto [name, fieldType] :
         llvm::zip(record.getFieldNames(), record.getFieldTypes()))
      store(fieldType, [&, field = name]() -> Value {
        return builder.create<ir::FieldOp>(loc, path(), field);
      });
    return;
  }
  KARAKAL_ASSERT(!values.empty(), "a value for each scalar of the global");
  int64_t value = values.front();
  values = values.drop_front();
  if (value == 0)
    return;
  Value ref = path();
  builder.create<ir::StoreOp>(loc, constant(type, value), ref);
}

class InitGlobals : public impl::InitGlobalsBase<InitGlobals> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto function = builder.create<func::FuncOp>(
        module.getLoc(), globalsInitName, builder.getFunctionType({}, {}));
    ir::setKind(function, ir::FunctionKind::Init);
    builder.setInsertionPointToStart(function.addEntryBlock());
    for (auto global : module.getOps<ir::GlobalOp>()) {
      auto init = global.getInit();
      if (!init)
        continue;
      Location loc = global.getLoc();
      Storer storer(builder, loc, *init);
      storer.store(global.getType(), [&]() -> Value {
        return builder.create<ir::GlobalRefOp>(
            loc, ir::RefType::get(&getContext(), global.getType()),
            global.getSymName());
      });
    }
    builder.create<func::ReturnOp>(module.getLoc());
    if (llvm::hasSingleElement(function.getBody().front()))
      function.erase();
  }
};

} // namespace

} // namespace karakal::passes
