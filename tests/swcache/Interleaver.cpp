#include "tests/swcache/Interleaver.h"

#include "ir/analysis/References.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "support/Assert.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/PathMarks.h"

#include <deque>
#include <set>

using namespace mlir;

namespace karakal::swcache {

namespace {

/// A word of a global.
struct Address {
  std::string global;
  uint64_t word = 0;
};

class Explorer {
public:
  Explorer(ModuleOp module, const ModelSetting &setting)
      : module(module), setting(setting) {
    module.walk([&](Operation *op) {
      number[op] = uint32_t(operations.size());
      operations.push_back(op);
      for (Value result : op->getResults())
        add(result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            add(argument);
    });
  }

  ModelResult run();

private:
  using Context = ModelState::Context;

  void add(Value value) { numberOf.try_emplace(value, numberOf.size()); }
  uint32_t &valueIn(Context &context, Value value) {
    return context.values[numberOf.lookup(value)];
  }

  ModelState start();
  Address addressOf(Context &context, Value ref);
  bool isLocal(Value ref);
  /// Whether a context swaps at `op`: a memory command or a swap.
  bool isBoundary(Operation *op);
  void transfer(ModelState &state, unsigned index, Operation *op);
  /// Runs context `index` to its next boundary or its end.
  void advance(ModelState &state, unsigned index);
  void executeCam(ModelState &state, unsigned index, func::CallOp call);
  void performWrite(ModelState &state, unsigned index);
  bool executeControlFlow(Context &context, Operation *op);
  bool executeCall(ModelState &state, unsigned index, func::CallOp call);
  bool executeArith(Context &context, Operation *op);
  bool execute(ModelState &state, unsigned index, Operation *op);
  void jump(Context &context, Block *to, ValueRange operands);
  void next(Context &context, Operation *op) {
    context.calls.back() = number.lookup(op->getNextNode());
  }
  std::vector<ModelState> successors(const ModelState &state);
  unsigned engineOf(unsigned context) const {
    return context / setting.contextsPerEngine;
  }

  ModuleOp module;
  const ModelSetting &setting;
  DenseMap<Operation *, uint32_t> number;
  std::vector<Operation *> operations;
  DenseMap<Value, uint32_t> numberOf;
  std::string violation;
};

ModelState Explorer::start() {
  ModelState state;
  state.local.resize(setting.engines);
  for (auto global : module.getOps<ir::GlobalOp>()) {
    std::vector<uint32_t> words = ir::initialWords(global);
    if (ir::placementOf(global)->memory != target::Memory::Local)
      state.home[global.getSymName().str()] = words;
    else
      for (auto &local : state.local)
        local[global.getSymName().str()] = words;
  }
  auto entry = module.lookupSymbol<func::FuncOp>("me_main");
  Context context;
  context.values.resize(numberOf.size());
  context.calls = {number.lookup(&entry.getBody().front().front())};
  state.contexts.assign(setting.engines * setting.contextsPerEngine, context);
  for (unsigned i = 0; i < state.contexts.size(); ++i)
    advance(state, i);
  return state;
}

Address Explorer::addressOf(Context &context, Value ref) {
  Operation *op = ref.getDefiningOp();
  if (auto root = dyn_cast<ir::GlobalRefOp>(op))
    return {root.getGlobal().str(), 0};
  if (auto field = dyn_cast<ir::FieldOp>(op)) {
    auto record = cast<ir::StructType>(ir::pointeeOf(field.getRecord()));
    Address address = addressOf(context, field.getRecord());
    address.word +=
        ir::fieldWordOffset(record, *record.fieldIndex(field.getField()));
    return address;
  }
  auto element = cast<ir::ElementOp>(op);
  Address address = addressOf(context, element.getArray());
  address.word += valueIn(context, element.getIndex()) *
                  ir::elementWordStride(
                      cast<ir::ArrayType>(ir::pointeeOf(element.getArray())));
  return address;
}

bool Explorer::isLocal(Value ref) {
  return ir::placementOf(ir::globalOf(ref))->memory == target::Memory::Local;
}

bool Explorer::isBoundary(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return call.getCallee() == "__ixp_swap";
  if (auto load = dyn_cast<ir::LoadOp>(op))
    return !isLocal(load.getRef());
  if (auto load = dyn_cast<ir::LoadWordsOp>(op))
    return !isLocal(load.getRef());
  return false;
}

constexpr StringLiteral raiseName = "__ixp_sram_incr";

/// Executes a load or store. A store to a global outside local memory only
/// begins; `performWrite` completes it.
void Explorer::transfer(ModelState &state, unsigned index, Operation *op) {
  Context &context = state.contexts[index];
  bool isStore = isa<ir::StoreOp, ir::StoreWordsOp>(op);
  Value ref = isStore ? op->getOperands().back() : op->getOperand(0);
  Address address = addressOf(context, ref);
  auto at = op->getAttrOfType<IntegerAttr>("at");
  uint64_t first = address.word + (at ? at.getInt() : 0);
  if (isStore && !isLocal(ref)) {
    ModelState::Write write{address.global, first, {}};
    for (unsigned i = 0; i + 1 < op->getNumOperands(); ++i)
      write.values.push_back(valueIn(context, op->getOperand(i)));
    context.writes.push_back(write);
    return;
  }
  auto &words = isLocal(ref) ? state.local[engineOf(index)].at(address.global)
                             : state.home.at(address.global);
  if (isStore)
    for (unsigned i = 0; i + 1 < op->getNumOperands(); ++i)
      words.at(first + i) = valueIn(context, op->getOperand(i));
  else
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      valueIn(context, op->getResult(i)) = words.at(first + i);
}

void Explorer::jump(Context &context, Block *to, ValueRange operands) {
  std::vector<uint32_t> values;
  for (Value operand : operands)
    values.push_back(valueIn(context, operand));
  for (auto [argument, value] : llvm::zip(to->getArguments(), values))
    valueIn(context, argument) = value;
  context.calls.back() = number.lookup(&to->front());
}

/// Executes a CAM instruction. The CAM of an engine is a list of entry, tag and
/// state with the most recently used entry last. Of entries with the same tag
/// the first one hits, which the chip allows.
void Explorer::executeCam(ModelState &state, unsigned index,
                          func::CallOp call) {
  Context &context = state.contexts[index];
  std::vector<uint32_t> &cam = state.local[engineOf(index)][camName];
  auto in = [&](unsigned i) { return valueIn(context, call.getOperand(i)); };
  if (cam.empty() || call.getCallee() == "__ixp_cam_clear") {
    cam.clear();
    for (uint32_t entry = 0; entry < target::CamEntries; ++entry)
      cam.insert(cam.end(), {entry, 0, 0});
  }
  if (call.getCallee() == "__ixp_cam_clear")
    return;
  bool isLookup = call.getCallee() == "__ixp_cam_lookup";
  size_t at = 0;
  while (at < cam.size() &&
         (isLookup ? cam[at + 1] != in(0) : cam[at] != in(0)))
    at += 3;
  bool isFound = at < cam.size();
  if (isLookup)
    valueIn(context, call.getResult(0)) =
        isFound ? cam[at + 2] << 8 | target::CamHit |
                      cam[at] << target::CamEntryShift
                : cam[0] << target::CamEntryShift;
  else
    std::tie(cam[at + 1], cam[at + 2]) = std::pair(in(1), in(2));
  if (isFound)
    std::rotate(cam.begin() + at, cam.begin() + at + 3, cam.end());
}

/// Executes a branch or a return; false if `op` is neither.
bool Explorer::executeControlFlow(Context &context, Operation *op) {
  if (auto branch = dyn_cast<cf::BranchOp>(op)) {
    jump(context, branch.getDest(), branch.getDestOperands());
  } else if (auto branch = dyn_cast<cf::CondBranchOp>(op)) {
    if (valueIn(context, branch.getCondition()))
      jump(context, branch.getTrueDest(), branch.getTrueDestOperands());
    else
      jump(context, branch.getFalseDest(), branch.getFalseDestOperands());
  } else if (isa<func::ReturnOp>(op)) {
    context.calls.pop_back();
    KARAKAL_ASSERT(!context.calls.empty(), "the entry never returns");
    Operation *call = operations[context.calls.back()]->getPrevNode();
    for (auto [result, value] :
         llvm::zip(call->getResults(), op->getOperands()))
      valueIn(context, result) = valueIn(context, value);
  } else {
    return false;
  }
  return true;
}

/// Executes a call; false if the context has ended.
bool Explorer::executeCall(ModelState &state, unsigned index,
                           func::CallOp call) {
  Context &context = state.contexts[index];
  StringRef name = call.getCallee();
  next(context, call);
  if (name == "use") {
    std::vector<uint32_t> words;
    for (Value operand : call.getOperands())
      words.push_back(valueIn(context, operand));
    std::string wrong = setting.atUse(state, engineOf(index), words);
    if (violation.empty())
      violation = wrong;
    return ++context.uses < setting.usesMax;
  }
  if (name == "__ixp_swap" || name == "__ixp_barrier" ||
      name == target::intrinsic::PathRefresh)
    return true;
  if (name == raiseName) {
    context.writes.push_back({});
    return true;
  }
  if (name.starts_with("__ixp_cam_")) {
    executeCam(state, index, call);
    return true;
  }
  auto callee = module.lookupSymbol<func::FuncOp>(name);
  for (auto [argument, value] :
       llvm::zip(callee.getArguments(), call.getOperands()))
    valueIn(context, argument) = valueIn(context, value);
  context.calls.push_back(number.lookup(&callee.getBody().front().front()));
  return true;
}

/// Executes arithmetic and the accesses of the check count, which is kept under
/// its pointer; false if `op` is neither.
bool Explorer::executeArith(Context &context, Operation *op) {
  auto in = [&](unsigned i) -> uint32_t & {
    return valueIn(context, op->getOperand(i));
  };
  auto out = [&]() -> uint32_t & { return valueIn(context, op->getResult(0)); };
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    out() = uint32_t(cast<IntegerAttr>(constant.getValue()).getInt());
  else if (isa<arith::AddIOp>(op))
    out() = in(0) + in(1);
  else if (isa<arith::SubIOp>(op))
    out() = in(0) - in(1);
  else if (isa<arith::XOrIOp>(op))
    out() = in(0) ^ in(1);
  else if (isa<arith::AndIOp>(op))
    out() = in(0) & in(1);
  else if (isa<arith::ShRUIOp>(op))
    out() = in(0) >> in(1);
  else if (isa<arith::OrIOp>(op))
    out() = in(0) | in(1);
  else if (auto compare = dyn_cast<arith::CmpIOp>(op))
    out() = compare.getPredicate() == arith::CmpIPredicate::eq ? in(0) == in(1)
            : compare.getPredicate() == arith::CmpIPredicate::ne
                ? in(0) != in(1)
                : in(0) < in(1);
  else if (isa<LLVM::StoreOp>(op))
    in(1) = in(0);
  else if (isa<LLVM::LoadOp>(op))
    out() = in(0);
  else
    return false;
  return true;
}

/// Executes `op`; false if the context has ended.
bool Explorer::execute(ModelState &state, unsigned index, Operation *op) {
  Context &context = state.contexts[index];
  if (executeControlFlow(context, op))
    return true;
  if (auto call = dyn_cast<func::CallOp>(op))
    return executeCall(state, index, call);
  if (isa<ir::LoadOp, ir::LoadWordsOp, ir::StoreOp, ir::StoreWordsOp>(op))
    transfer(state, index, op);
  else if (!executeArith(context, op))
    KARAKAL_ASSERT(
        (isa<ir::GlobalRefOp, ir::ElementOp, ir::FieldOp, LLVM::AllocaOp>(op)),
        "the model knows the operation");
  next(context, op);
  return true;
}

void Explorer::advance(ModelState &state, unsigned index) {
  Context &context = state.contexts[index];
  while (!context.calls.empty()) {
    Operation *op = operations[context.calls.back()];
    if (isBoundary(op))
      return;
    if (!execute(state, index, op)) {
      // The values of an ended context do not matter.
      context.calls.clear();
      std::fill(context.values.begin(), context.values.end(), 0);
    }
  }
}

/// Completes the oldest pending write of context `index`.
void Explorer::performWrite(ModelState &state, unsigned index) {
  std::vector<ModelState::Write> &writes = state.contexts[index].writes;
  const ModelState::Write write = writes.front();
  writes.erase(writes.begin());
  if (!write.global.empty()) {
    llvm::copy(write.values, state.home.at(write.global).begin() + write.word);
    return;
  }
  for (auto &[name, words] : state.home)
    if (StringRef(name).starts_with("karakal.version."))
      ++words[0];
}

std::vector<ModelState> Explorer::successors(const ModelState &state) {
  std::vector<ModelState> list;
  if (state.writerStep < setting.writer.size()) {
    ModelState after = state;
    setting.writer[after.writerStep++](after);
    list.push_back(std::move(after));
  }
  for (unsigned i = 0; i < state.contexts.size(); ++i) {
    const bool writes = !state.contexts[i].writes.empty();
    if (writes) {
      ModelState after = state;
      performWrite(after, i);
      list.push_back(std::move(after));
    }
    if (state.contexts[i].calls.empty())
      continue;
    ModelState after = state;
    Context &context = after.contexts[i];
    Operation *op = operations[context.calls.back()];
    if (writes && !context.isPerformed && !isa<func::CallOp>(op))
      continue; // a read waits for the writes before it
    if (!context.isPerformed) {
      if (!isa<func::CallOp>(op))
        transfer(after, i, op);
      context.isPerformed = true;
    } else {
      context.isPerformed = false;
      next(context, op);
      advance(after, i);
    }
    list.push_back(std::move(after));
  }
  return list;
}

ModelResult Explorer::run() {
  ModelResult result;
  std::map<ModelState, uint32_t> seen;
  std::vector<std::vector<uint32_t>> before; // by state
  std::deque<std::map<ModelState, uint32_t>::iterator> open;
  std::vector<uint32_t> ends;
  auto visit = [&](ModelState state) {
    auto [at, isNew] = seen.try_emplace(std::move(state), before.size());
    if (isNew) {
      before.emplace_back();
      open.push_back(at);
    }
    return at->second;
  };
  visit(start());
  while (!open.empty() && violation.empty()) {
    auto at = open.front();
    open.pop_front();
    violation = setting.invariant(at->first);
    std::vector<ModelState> after = successors(at->first);
    if (after.empty())
      ends.push_back(at->second);
    for (ModelState &state : after)
      before[visit(std::move(state))].push_back(at->second);
  }
  result.states = seen.size();
  result.ends = ends.size();
  result.violation = violation;
  // Find the states that lead to an end, backwards.
  std::vector<bool> canEnd(before.size());
  while (!ends.empty()) {
    uint32_t state = ends.back();
    ends.pop_back();
    if (canEnd[state])
      continue;
    canEnd[state] = true;
    ends.insert(ends.end(), before[state].begin(), before[state].end());
  }
  result.stuck = std::count(canEnd.begin(), canEnd.end(), false);
  return result;
}

} // namespace

ModelResult explore(ModuleOp module, const ModelSetting &setting) {
  return Explorer(module, setting).run();
}

} // namespace karakal::swcache
