// The functions of a batch's stages, in the LLVM dialect.

#include "codegen-x86/batch/StageFunctions.h"
#include "codegen-x86/BatchMemory.h"
#include "ir/dialect/Batches.h"
#include "support/Assert.h"

using namespace mlir;

namespace karakal::x86 {

StageFunctions::StageFunctions(ModuleOp module, LLVM::LLVMFuncOp batch,
                               std::vector<Cut> cuts,
                               const std::vector<Value> &values)
    : module(module), batch(batch), cuts(std::move(cuts)), values(values),
      loc(batch.getLoc()) {
  Builder builder(module.getContext());
  i8 = builder.getI8Type();
  i32 = builder.getI32Type();
  pointer = LLVM::LLVMPointerType::get(module.getContext());
}

static std::string dataName(const std::string &rest) {
  return BatchMemory::DataPrefix + rest;
}

static std::string nameOf(unsigned stage) {
  return stage == LastStage ? "last" : std::to_string(stage);
}

void StageFunctions::make() {
  std::set<unsigned> stages = {0};
  for (const Cut &cut : cuts)
    stages.insert(cut.stage);
  for (unsigned stage : stages)
    functions[stage] = makeStage(stage);
  makeRun();
}

//===----------------------------------------------------------------------===//
// Memory and calls
//===----------------------------------------------------------------------===//

/// Returns the address of a global of zeros, which it adds if there is none.
Value StageFunctions::global(OpBuilder &builder, const std::string &name,
                             Type type) {
  LLVM::GlobalOp &found = globals[name];
  if (!found) {
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    found =
        top.create<LLVM::GlobalOp>(loc, type, /*isConstant=*/false,
                                   LLVM::Linkage::Internal, name, Attribute());
    top.createBlock(&found.getInitializerRegion());
    top.create<LLVM::ReturnOp>(loc, top.create<LLVM::ZeroOp>(loc, type));
  }
  return builder.create<LLVM::AddressOfOp>(loc, found);
}

Value StageFunctions::element(OpBuilder &builder, Value array, Type type,
                              Value slot) {
  Value wide = builder.create<LLVM::ZExtOp>(loc, builder.getI64Type(), slot);
  return builder.create<LLVM::GEPOp>(loc, pointer, type, array,
                                     ArrayRef<LLVM::GEPArg>{wide});
}

Value StageFunctions::liveElement(OpBuilder &builder, unsigned number,
                                  Value slot) {
  Type type = values[number].getType();
  Value array = global(builder, dataName("live" + std::to_string(number)),
                       LLVM::LLVMArrayType::get(type, BatchMemory::SlotCount));
  return element(builder, array, type, slot);
}

Type StageFunctions::waitingType() {
  Type word = IntegerType::get(module.getContext(), 64);
  return LLVM::LLVMArrayType::get(word, BatchMemory::SlotCount / 64);
}

Value StageFunctions::waiting(OpBuilder &builder, unsigned stage) {
  return global(builder, dataName("waiting." + nameOf(stage)), waitingType());
}

Value StageFunctions::call(OpBuilder &builder, StringRef name, Type result,
                           ValueRange operands) {
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    Type type = result ? result : LLVM::LLVMVoidType::get(module.getContext());
    OpBuilder end = OpBuilder::atBlockEnd(module.getBody());
    callee = end.create<LLVM::LLVMFuncOp>(
        loc, name,
        LLVM::LLVMFunctionType::get(type,
                                    llvm::to_vector(TypeRange(operands))));
  }
  auto made = builder.create<LLVM::CallOp>(loc, callee, operands);
  return result ? made.getResult() : Value();
}

Value StageFunctions::functionAddress(OpBuilder &builder, unsigned stage) {
  return builder.create<LLVM::AddressOfOp>(loc, functions.at(stage));
}

//===----------------------------------------------------------------------===//
// A stage
//===----------------------------------------------------------------------===//

/// Finds the blocks of the batch's function that packets reach in a stage, and
/// the values that are live at the cuts where it begins or ends.
StageFunctions::Part StageFunctions::partOf(unsigned stage) {
  Part part;
  std::map<Block *, const Cut *> ends;
  SmallVector<Block *> open;
  if (stage == 0)
    open.push_back(&batch.getBody().front());
  for (const Cut &cut : cuts) {
    if (stage != LastStage)
      ends[cut.call->getBlock()] = &cut;
    if (cut.stage == stage) {
      open.push_back(cut.next);
      part.live.insert(cut.live.begin(), cut.live.end());
    }
  }
  while (!open.empty()) {
    Block *block = open.pop_back_val();
    if (!part.blocks.insert(block).second)
      continue;
    auto end = ends.find(block);
    if (end == ends.end()) {
      llvm::append_range(open, block->getSuccessors());
      continue;
    }
    part.ends.push_back(end->second);
    part.live.insert(end->second->live.begin(), end->second->live.end());
  }
  return part;
}

/// Copies blocks of the batch's function to the end of `copy`. A value of
/// another block stays the operand that it was.
void StageFunctions::copyBlocks(Copy &copy, const Part &part) {
  for (Block &block : batch.getBody()) {
    if (!part.blocks.count(&block))
      continue;
    auto *made = new Block();
    copy.function.getBody().push_back(made);
    copy.map.map(&block, made);
    for (BlockArgument argument : block.getArguments())
      copy.map.map(argument,
                   made->addArgument(argument.getType(), argument.getLoc()));
  }
  // Operands may come from blocks that are copied later.
  auto withoutOperands = Operation::CloneOptions::all().cloneOperands(false);
  SmallVector<std::pair<Operation *, Operation *>> copied;
  for (Block &block : batch.getBody())
    if (part.blocks.count(&block))
      for (Operation &op : block) {
        copied.emplace_back(&op, op.clone(copy.map, withoutOperands));
        copy.map.lookup(&block)->push_back(copied.back().second);
      }
  for (auto [op, made] : copied) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(copy.map.lookupOrDefault(operand));
    made->setOperands(operands);
  }
}

LLVM::LLVMFuncOp StageFunctions::makeStage(unsigned stage) {
  OpBuilder end = OpBuilder::atBlockEnd(module.getBody());
  SmallVector<Type> operands = {i32};
  if (stage == 0)
    operands.push_back(i32);
  Type result = LLVM::LLVMVoidType::get(module.getContext());
  Copy copy;
  copy.stage = stage;
  copy.function = end.create<LLVM::LLVMFuncOp>(
      loc, "karakal.batch.stage." + nameOf(stage),
      LLVM::LLVMFunctionType::get(result, operands), LLVM::Linkage::Internal);
  auto *entry = new Block();
  copy.function.getBody().push_back(entry);
  entry->addArguments(operands, SmallVector<Location>(operands.size(), loc));
  const Part part = partOf(stage);
  copyBlocks(copy, part);
  OpBuilder builder = OpBuilder::atBlockEnd(entry);
  Value one =
      builder.create<LLVM::ConstantOp>(loc, builder.getI32IntegerAttr(1));
  for (unsigned number : part.live)
    copy.slots[number] = builder.create<LLVM::AllocaOp>(
        loc, pointer, values[number].getType(), one);
  useSlots(copy);
  for (const Cut *cut : part.ends)
    leave(copy, *cut);
  if (stage == 0)
    builder.create<LLVM::BrOp>(loc, ValueRange{entry->getArgument(1)},
                               copy.map.lookup(&batch.getBody().front()));
  else
    enter(copy, builder);
  // A cut is no code itself; in the last stage it is no end either.
  copy.function.walk([](LLVM::CallOp call) {
    if (call.getCallee() == ir::cutFunctionName ||
        call.getCallee() == ir::cutLastFunctionName)
      call.erase();
  });
  return copy.function;
}

/// Keeps the values that are live at cuts in stack slots.
void StageFunctions::useSlots(Copy &copy) {
  for (auto [number, slot] : copy.slots) {
    Value original = values[number];
    Value value = copy.map.lookupOrDefault(original);
    bool isCopied = value != original;
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
      Operation *user = use.getOwner();
      bool isAtHome = isCopied && user->getBlock() == value.getParentBlock();
      if (isAtHome || user->getParentOp() != copy.function)
        continue;
      OpBuilder builder(user);
      use.set(builder.create<LLVM::LoadOp>(loc, value.getType(), slot));
    }
    if (!isCopied)
      continue;
    OpBuilder builder = OpBuilder::atBlockBegin(value.getParentBlock());
    if (Operation *op = value.getDefiningOp())
      builder.setInsertionPointAfter(op);
    builder.create<LLVM::StoreOp>(loc, value, slot);
  }
}

/// Restores the live values of the cuts of this stage and goes on after the
/// one where the packet waited.
void StageFunctions::enter(Copy &copy, OpBuilder &builder) {
  Value slot = copy.function.getArgument(0);
  SmallVector<int32_t> labels;
  SmallVector<Block *> blocks;
  for (auto [label, cut] : llvm::enumerate(cuts)) {
    if (cut.stage != copy.stage)
      continue;
    auto *block = new Block();
    copy.function.getBody().push_back(block);
    OpBuilder inner = OpBuilder::atBlockEnd(block);
    for (unsigned number : cut.live) {
      Value value = inner.create<LLVM::LoadOp>(
          loc, values[number].getType(), liveElement(inner, number, slot));
      inner.create<LLVM::StoreOp>(loc, value, copy.slots.at(number));
    }
    inner.create<LLVM::BrOp>(loc, copy.map.lookup(cut.next));
    labels.push_back(int32_t(label));
    blocks.push_back(block);
  }
  KARAKAL_ASSERT(!blocks.empty(), "a stage begins at a cut");
  if (blocks.size() == 1) {
    builder.create<LLVM::BrOp>(loc, blocks.front());
    return;
  }
  Type i16 = builder.getI16Type();
  Value array = global(builder, "karakal.batch.label",
                       LLVM::LLVMArrayType::get(i16, BatchMemory::SlotCount));
  Value label = builder.create<LLVM::LoadOp>(
      loc, i16, element(builder, array, i16, slot));
  label = builder.create<LLVM::ZExtOp>(loc, i32, label);
  SmallVector<ValueRange> noOperands(blocks.size() - 1);
  builder.create<LLVM::SwitchOp>(loc, label, blocks.front(), ValueRange(),
                                 ArrayRef(labels).drop_front(),
                                 ArrayRef(blocks).drop_front(), noOperands);
}

/// Ends the stage of a copy at `cut`.
void StageFunctions::leave(Copy &copy, const Cut &cut) {
  Operation *call = copy.map.lookup(cut.call);
  OpBuilder builder(call);
  leadsTo[copy.stage].insert(cut.stage);
  Value slot = copy.function.getArgument(0);
  for (unsigned number : cut.live) {
    Value value = builder.create<LLVM::LoadOp>(loc, values[number].getType(),
                                               copy.slots.at(number));
    builder.create<LLVM::StoreOp>(loc, value,
                                  liveElement(builder, number, slot));
  }
  size_t label = &cut - cuts.data();
  bool isOnly = llvm::count_if(cuts, [&](const Cut &other) {
                  return other.stage == cut.stage;
                }) == 1;
  if (!isOnly) {
    Type i16 = builder.getI16Type();
    Value array = global(builder, "karakal.batch.label",
                         LLVM::LLVMArrayType::get(i16, BatchMemory::SlotCount));
    Value number = builder.create<LLVM::ConstantOp>(
        loc, builder.getI16IntegerAttr(int16_t(label)));
    builder.create<LLVM::StoreOp>(loc, number,
                                  element(builder, array, i16, slot));
  }
  this->call(builder, "karakal_x86_wait", {},
             {waiting(builder, cut.stage), slot});
  Operation *branch = call->getBlock()->getTerminator();
  builder.setInsertionPoint(branch);
  builder.create<LLVM::ReturnOp>(loc, ValueRange());
  branch->erase();
}

//===----------------------------------------------------------------------===//
// The run over all stages
//===----------------------------------------------------------------------===//

/// Calls `first` to `last` in turn until none has packets that wait.
void StageFunctions::makeLoop(OpBuilder &builder, unsigned first, unsigned last,
                              Value start) {
  Region *body = builder.getBlock()->getParent();
  auto *loop = new Block(), *after = new Block();
  body->push_back(loop);
  body->push_back(after);
  builder.create<LLVM::BrOp>(loc, loop);
  builder.setInsertionPointToEnd(loop);
  for (unsigned stage = first; stage <= last; ++stage)
    call(builder, "karakal_x86_run_stage", {},
         {waiting(builder, stage), functionAddress(builder, stage), start});
  Value any;
  for (unsigned stage = first; stage <= last; ++stage) {
    Value one =
        call(builder, "karakal_x86_any_waits", i32, {waiting(builder, stage)});
    any = any ? builder.create<LLVM::OrOp>(loc, any, one) : one;
  }
  Value zero =
      builder.create<LLVM::ConstantOp>(loc, builder.getI32IntegerAttr(0));
  Value more =
      builder.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::ne, any, zero);
  builder.create<LLVM::CondBrOp>(loc, more, loop, after);
  builder.setInsertionPointToEnd(after);
}

/// Returns the last stage of the loop that begins at `first`, if one does.
std::optional<unsigned> StageFunctions::endOfLoop(unsigned first) {
  unsigned last = first;
  std::optional<unsigned> found, before;
  do {
    before = found;
    for (const auto &[from, stages] : leadsTo)
      for (unsigned to : stages)
        if (from >= first && to <= from && to <= last) {
          last = std::max(last, from);
          found = last;
        }
  } while (found != before);
  return found;
}

void StageFunctions::makeRun() {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Type result = LLVM::LLVMVoidType::get(module.getContext());
  auto run = builder.create<LLVM::LLVMFuncOp>(
      loc, BatchMemory::RunFunction,
      LLVM::LLVMFunctionType::get(result, {pointer, i32, i32}));
  Block *entry = run.addEntryBlock(builder);
  builder.setInsertionPointToEnd(entry);
  Value start = entry->getArgument(1);
  // A packet with a fault leaves others of its sub-batch behind.
  for (auto at = std::next(functions.begin()); at != functions.end(); ++at) {
    Value none = builder.create<LLVM::ZeroOp>(loc, waitingType());
    builder.create<LLVM::StoreOp>(loc, none, waiting(builder, at->first));
  }
  call(builder, "karakal_x86_start_batch", {},
       {entry->getArgument(0), start, entry->getArgument(2),
        functionAddress(builder, 0)});
  for (auto at = std::next(functions.begin()); at != functions.end(); ++at) {
    unsigned stage = at->first;
    if (stage == LastStage) {
      call(builder, "karakal_x86_run_last", {},
           {waiting(builder, stage), functionAddress(builder, stage), start});
      continue;
    }
    // A way back from a later stage makes a loop of all between.
    if (std::optional<unsigned> last = endOfLoop(stage)) {
      makeLoop(builder, stage, *last, start);
      std::advance(at, *last - stage);
    } else {
      call(builder, "karakal_x86_run_stage", {},
           {waiting(builder, stage), functionAddress(builder, stage), start});
    }
  }
  builder.create<LLVM::ReturnOp>(loc, ValueRange());
}

} // namespace karakal::x86
