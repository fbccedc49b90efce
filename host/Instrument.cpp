// Counters for the functional profile.

#include "host/Instrument.h"
#include "ir/analysis/Lookups.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/ProfileAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "target-ixp/chip/RuntimeNames.h"

namespace karakal::host {

using namespace mlir;
using func::FuncOp;

std::vector<CounterSite> counterSites(ModuleOp baker) {
  std::vector<CounterSite> sites;
  for (FuncOp function : baker.getOps<FuncOp>())
    for (Block &block : function.getBody()) {
      sites.push_back({function, &block, CounterSite::wholeBlock});
      Operation *last = block.getTerminator();
      if (isa<cf::CondBranchOp>(last))
        sites.push_back({function, &block, 0});
      else if (isa<cf::SwitchOp>(last))
        for (unsigned i = 0; i < last->getNumSuccessors(); ++i)
          sites.push_back({function, &block, int(i)});
    }
  return sites;
}

namespace {

class Instrumenter {
public:
  explicit Instrumenter(ModuleOp module) : module(module) {}

  size_t run();

private:
  void addCounter(const CounterSite &site, uint32_t number);
  void countEdge(Operation *branch, unsigned successor, uint32_t number);
  void observe(ir::LoadOp load);
  void observe(FuncOp lookup, uint32_t number);
  Value lineOf(OpBuilder &builder, ArrayRef<Operation *> path);
  void call(OpBuilder &builder, Location loc, StringRef name, Value first,
            Value second);
  Value constant(OpBuilder &builder, Location loc, uint64_t value) {
    return builder.create<arith::ConstantOp>(
        loc, builder.getI32IntegerAttr(int32_t(value)));
  }

  ModuleOp module;
};

} // namespace

void Instrumenter::call(OpBuilder &builder, Location loc, StringRef name,
                        Value first, Value second) {
  auto function = module.lookupSymbol<FuncOp>(name);
  if (!function) {
    auto outside = OpBuilder::atBlockBegin(module.getBody());
    Type i32 = outside.getI32Type();
    function = outside.create<FuncOp>(module.getLoc(), name,
                                      outside.getFunctionType({i32, i32}, {}));
    function.setPrivate();
  }
  builder.create<func::CallOp>(loc, function, ValueRange{first, second});
}

/// Puts a block with a counter on the edge from `branch` to `successor`.
void Instrumenter::countEdge(Operation *branch, unsigned successor,
                             uint32_t number) {
  auto edges = cast<BranchOpInterface>(branch);
  Block *target = branch->getSuccessor(successor);
  OpBuilder builder(branch->getContext());
  Location loc = branch->getLoc();
  Block *between = builder.createBlock(target);
  MutableOperandRange operands =
      edges.getSuccessorOperands(successor).getMutableForwardedOperands();
  SmallVector<Value> passed;
  for (OpOperand &operand : operands)
    passed.push_back(operand.get());
  call(builder, loc, target::runtime::ProfileAdd,
       constant(builder, loc, number), constant(builder, loc, 1));
  builder.create<cf::BranchOp>(loc, target, passed);
  operands.clear();
  branch->setSuccessor(between, successor);
}

void Instrumenter::addCounter(const CounterSite &site, uint32_t number) {
  Operation *last = site.block->getTerminator();
  if (site.successor == CounterSite::wholeBlock) {
    auto builder = OpBuilder::atBlockBegin(site.block);
    Location loc = last->getLoc();
    call(builder, loc, target::runtime::ProfileAdd,
         constant(builder, loc, number), constant(builder, loc, 1));
  } else if (auto branch = dyn_cast<cf::CondBranchOp>(last)) {
    OpBuilder builder(branch);
    Location loc = branch.getLoc();
    Value taken = builder.create<arith::ExtUIOp>(loc, builder.getI32Type(),
                                                 branch.getCondition());
    call(builder, loc, target::runtime::ProfileAdd,
         constant(builder, loc, number), taken);
  } else {
    countEdge(last, site.successor, number);
  }
}

static Type pointeeOf(Value ref) {
  return cast<ir::RefType>(ref.getType()).getPointee();
}

/// Returns the word offset to which the elements and fields of `path` lead,
/// outermost first.
Value Instrumenter::lineOf(OpBuilder &builder, ArrayRef<Operation *> path) {
  Location loc = builder.getInsertionPoint()->getLoc();
  Value offset = constant(builder, loc, 0);
  for (Operation *step : path) {
    Value more;
    if (auto element = dyn_cast<ir::ElementOp>(step)) {
      auto array = cast<ir::ArrayType>(pointeeOf(element.getArray()));
      more = builder.create<arith::MulIOp>(
          loc, element.getIndex(),
          constant(builder, loc, ir::elementWordStride(array)));
    } else if (auto field = dyn_cast<ir::FieldOp>(step)) {
      auto record = cast<ir::StructType>(pointeeOf(field.getRecord()));
      more = constant(
          builder, loc,
          ir::fieldWordOffset(record, *record.fieldIndex(field.getField())));
    } else {
      continue;
    }
    offset = builder.create<arith::AddIOp>(loc, offset, more);
  }
  return offset;
}

/// Emits a call that reports the cache line of a load, unless the global of its
/// reference is unknown in this function.
void Instrumenter::observe(ir::LoadOp load) {
  SmallVector<Operation *> path;
  for (Operation *op = load.getRef().getDefiningOp(); op;
       op = isa<ir::GlobalRefOp>(op) ? nullptr
                                     : op->getOperand(0).getDefiningOp())
    path.push_back(op);
  if (path.empty() || !isa<ir::GlobalRefOp>(path.back()))
    return;
  std::reverse(path.begin(), path.end());
  auto isLine = [](Operation *op) {
    return ir::wordCount(pointeeOf(op->getResult(0))) <=
           ir::localityEntryWordsMax;
  };
  size_t steps = llvm::find_if(path, isLine) - path.begin() + 1;
  uint32_t number = 0;
  StringRef name = cast<ir::GlobalRefOp>(path.front()).getGlobal();
  for (auto global : module.getOps<ir::GlobalOp>()) {
    if (global.getSymName() == name)
      break;
    ++number;
  }
  OpBuilder builder(load);
  Value line = lineOf(builder, ArrayRef(path).take_front(steps));
  call(builder, load.getLoc(), target::runtime::ProfileLoad,
       constant(builder, load.getLoc(), number), line);
}

/// Emits a call that reports the argument of a look-up.
void Instrumenter::observe(FuncOp lookup, uint32_t number) {
  auto builder = OpBuilder::atBlockBegin(&lookup.getBody().front());
  Value key = lookup.getArgument(0);
  if (key.getType() != builder.getI32Type())
    key = builder.create<arith::ExtUIOp>(lookup.getLoc(), builder.getI32Type(),
                                         key);
  call(builder, lookup.getLoc(), target::runtime::ProfileLoad,
       constant(builder, lookup.getLoc(), number), key);
}

static size_t globalCount(ModuleOp baker) {
  auto globals = baker.getOps<ir::GlobalOp>();
  return std::distance(globals.begin(), globals.end());
}

size_t cacheSiteCount(ModuleOp baker) {
  return globalCount(baker) + ir::lookupsOf(baker).size();
}

size_t Instrumenter::run() {
  std::vector<CounterSite> sites = counterSites(module);
  SmallVector<ir::LoadOp> loads;
  module.walk([&](ir::LoadOp load) { loads.push_back(load); });
  auto lookups = ir::lookupsOf(module);
  for (auto [i, lookup] : llvm::enumerate(lookups))
    observe(lookup, uint32_t(globalCount(module) + i));
  for (uint32_t i = 0; i < sites.size(); ++i)
    addCounter(sites[i], i);
  for (ir::LoadOp load : loads)
    observe(load);
  return sites.size();
}

size_t instrument(ModuleOp baker) { return Instrumenter(baker).run(); }

} // namespace karakal::host
