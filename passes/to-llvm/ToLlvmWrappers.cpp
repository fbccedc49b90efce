// Wrappers through which the simulator and the host call control and init
// functions.
//
// A wrapper of a control function takes one pointer to the arguments, 64-bit
// words that are sign- or zero-extended by their types.
//
//   func.func @route_add(%prefix: i32, %length: i8) -> i32   // control
//
//   llvm.func @control.route_add(%arguments: !llvm.ptr) -> i32 {
//     %0 = load i64 of arguments[0]; %prefix = trunc %0 : i64 to i32
//     %1 = load i64 of arguments[1]; %length = trunc %1 : i64 to i8
//     %2 = func.call @route_add(%prefix, %length)
//     return %2
//   }
//
// A control function without a result returns 0.

#include "ir/dialect/Attributes.h"
#include "passes/Passes.h"
#include "passes/to-llvm/ToLlvmPatterns.h"
#include "support/Assert.h"

using namespace mlir;

namespace karakal::passes {

namespace {

/// Whether the result of `function` was declared as signed.
bool isResultSigned(func::FuncOp function) {
  auto type = function.getResultAttrOfType<StringAttr>(0, ir::typeAttrName);
  return !type || type.getValue().starts_with("s") || type.getValue() == "int";
}

/// Returns `value` as i32.
Value toI32(OpBuilder &builder, Location loc, Value value, bool isSigned) {
  Type i32 = builder.getI32Type();
  unsigned width = value.getType().getIntOrFloatBitWidth();
  KARAKAL_ASSERT(width <= 64, "a control function returns at most 64 bits");
  if (width == 32)
    return value;
  if (width > 32)
    return builder.create<LLVM::TruncOp>(loc, i32, value);
  if (isSigned)
    return builder.create<LLVM::SExtOp>(loc, i32, value);
  return builder.create<LLVM::ZExtOp>(loc, i32, value);
}

void addControlWrapper(OpBuilder &builder, func::FuncOp function) {
  Location loc = function.getLoc();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto wrapper = builder.create<LLVM::LLVMFuncOp>(
      loc, ("control." + function.getSymName()).str(),
      LLVM::LLVMFunctionType::get(i32, pointer));
  OpBuilder body(builder.getContext());
  Block *block = wrapper.addEntryBlock(body);
  body.setInsertionPointToStart(block);
  SmallVector<Value> arguments;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    Value pointerToArgument =
        body.create<LLVM::GEPOp>(loc, pointer, i64, block->getArgument(0),
                                 ArrayRef<LLVM::GEPArg>{int32_t(index)});
    Value value = body.create<LLVM::LoadOp>(loc, i64, pointerToArgument);
    if (type != i64)
      value = body.create<LLVM::TruncOp>(loc, type, value);
    arguments.push_back(value);
  }
  auto call = body.create<func::CallOp>(loc, function, arguments);
  Value result =
      call.getNumResults()
          ? toI32(body, loc, call.getResult(0), isResultSigned(function))
          : body.create<LLVM::ConstantOp>(loc, i32, 0);
  body.create<LLVM::ReturnOp>(loc, result);
}

void addInitWrapper(OpBuilder &builder, func::FuncOp function) {
  KARAKAL_ASSERT(function.getNumArguments() == 0 &&
                     function.getNumResults() == 0,
                 "an init function has no arguments and no result");
  Location loc = function.getLoc();
  auto nothing = LLVM::LLVMVoidType::get(builder.getContext());
  auto wrapper = builder.create<LLVM::LLVMFuncOp>(
      loc, ("init." + function.getSymName()).str(),
      LLVM::LLVMFunctionType::get(nothing, {}));
  OpBuilder body(builder.getContext());
  body.setInsertionPointToStart(wrapper.addEntryBlock(body));
  body.create<func::CallOp>(loc, function, ValueRange());
  body.create<LLVM::ReturnOp>(loc, ValueRange());
}

} // namespace

void addWrappers(ModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (ir::kindOf(function) == ir::FunctionKind::Control)
      addControlWrapper(builder, function);
    else if (ir::kindOf(function) == ir::FunctionKind::Init)
      addInitWrapper(builder, function);
  }
}

} // namespace karakal::passes
