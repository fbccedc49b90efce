// The engines' side of delayed-update caches.
//
// The contexts of an engine change only at memory commands and at swaps, so
// what stands between two of those is atomic for the engine: taking the lock,
// and storing a burst that has arrived. What is not: between the burst and its
// arrival a flag may be raised; then the version read before it is older than
// the flag, and the next look fills the copies again.
//
// Requires: the entry `me_main`, which falls from its first block into its
// loop. Ensures: no load of a cached global but in `@karakal.refresh`. Cost:
// linear.

#include "ir/analysis/Explain.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/ProfileAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "swcache/Caches.h"
#include "swcache/EmitCacheCode.h"
#include "swcache/MakeLines.h"
#include "swcache/Passes.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RuntimeNames.h"

using namespace mlir;

namespace karakal::swcache {

#define GEN_PASS_DEF_MAKECACHES
#include "swcache/Passes.h.inc"

namespace {

constexpr StringLiteral refreshName = "karakal.refresh";
class MakeCaches : public impl::MakeCachesBase<MakeCaches> {
public:
  using MakeCachesBase::MakeCachesBase;

private:
  void runOnOperation() override;

  void redirectLoads();
  bool redirect(Operation *load, ir::GlobalOp home);
  void clearCam(Code &code);
  void addRefresh();
  LogicalResult addLooks(func::FuncOp entry);
  Block *addFirstFill(func::FuncOp entry, Block *loop, Value count);
  void addLook(Block *loop, Value count);

  Code codeAt(Block *block) {
    return Code(OpBuilder::atBlockEnd(block), getOperation().getLoc());
  }

  std::vector<Cache> caches;
  std::vector<Lines> allLines;
  std::vector<Version> versions;
  ir::GlobalOp lock;
  ir::GlobalOp generation; ///< null if neither results nor elements are kept
};

/// What is cached of `home`, in a list; or null.
template <typename Entry>
const Entry *find(const std::vector<Entry> &entries, ir::GlobalOp home) {
  auto found = llvm::find_if(
      entries, [&](const Entry &entry) { return entry.home == home; });
  return found == entries.end() ? nullptr : &*found;
}

/// The reference `ref` with `copy` in place of its global.
Value onCopy(OpBuilder &builder, Value ref, ir::GlobalOp copy) {
  return rebase(builder, ref, rootOf(ref),
                Code(builder, ref.getLoc()).ref(copy));
}

/// Makes `load` read the copy of the array's first elements, if its element is
/// one of them:
///
///   before; %in = %i < N; cond_br %in, ^copy, ^home
///   ^copy: load of the copy; br ^rest      ^home: load; br ^rest
void loadEither(Operation *load, ir::ElementOp element, ir::GlobalOp copy) {
  Location loc = load->getLoc();
  Block *before = load->getBlock();
  Block *rest = before->splitBlock(load->getNextNode());
  OpBuilder builder(load->getContext());
  Block *inCopy = builder.createBlock(rest);
  Block *atHome = builder.createBlock(rest);
  for (Value result : load->getResults())
    result.replaceAllUsesWith(rest->addArgument(result.getType(), loc));
  auto size = cast<ir::ArrayType>(copy.getType()).getSize();

  load->moveBefore(atHome, atHome->end());
  builder.setInsertionPointToEnd(atHome);
  builder.create<cf::BranchOp>(loc, rest, load->getResults());
  builder.setInsertionPointToEnd(inCopy);
  Operation *fast = builder.clone(*load);
  builder.setInsertionPoint(fast);
  fast->setOperand(0, onCopy(builder, load->getOperand(0), copy));
  builder.setInsertionPointToEnd(inCopy);
  builder.create<cf::BranchOp>(loc, rest, fast->getResults());

  Code code(OpBuilder::atBlockEnd(before), loc);
  // What the profile's packets read beyond the copy is taken to be read alike.
  ir::GlobalOp home = ir::globalOf(element.getRef());
  std::optional<ir::GlobalProfile> profile = ir::profileOf(home);
  uint64_t words =
      size * ir::elementWordStride(cast<ir::ArrayType>(copy.getType()));
  uint64_t more =
      profile && profile->extent > words ? profile->extent - words : 1;
  code.branchIf(code.compare(arith::CmpIPredicate::ult, element.getIndex(),
                             code.word(int64_t(size))),
                inCopy, atHome, {int64_t(words), int64_t(more)});
}

/// Makes one load of a cached global read the copy, or the lines; false if it
/// stays as it is.
bool MakeCaches::redirect(Operation *load, ir::GlobalOp home) {
  Value ref = load->getOperand(0);
  ir::ElementOp element = outermostElement(ref);
  if (const Lines *kept = find(allLines, home)) {
    return element && loadFromLine(load, element, *kept, generation);
  }
  const Cache *cache = find(caches, home);
  if (!cache)
    return false;
  ir::GlobalOp copy = cache->copy;
  if (copy.getType() == home.getType()) {
    OpBuilder builder(load);
    load->setOperand(0, onCopy(builder, ref, copy));
    return true;
  }
  if (element)
    loadEither(load, element, copy);
  return bool(element);
}

void MakeCaches::redirectLoads() {
  SmallVector<Operation *> loads;
  getOperation().walk([&](Operation *op) {
    if (isa<ir::LoadOp, ir::LoadWordsOp>(op))
      loads.push_back(op);
  });
  for (Operation *op : loads)
    if (ir::GlobalOp home = ir::globalOf(op->getOperand(0));
        home && find(allLines, home))
      sinkToUse(op);
  for (Operation *op : loads) {
    ir::GlobalOp home = ir::globalOf(op->getOperand(0));
    if (!home || !redirect(op, home))
      continue;
    ++loadCount;
    ir::explain(op, "make-caches")
        << "load of @" << home.getSymName() << " reads the engine's copy";
  }
}

/// No entry has a result; their tags differ, as the CAM demands.
void MakeCaches::clearCam(Code &code) {
  declareIntrinsic(getOperation(), target::intrinsic::CamClear);
  declareIntrinsic(getOperation(), target::intrinsic::CamWrite, 3, 0);
  code.call(target::intrinsic::CamClear);
  for (uint32_t entry = 0; entry < target::CamEntries; ++entry)
    code.builder.create<func::CallOp>(
        code.loc, target::intrinsic::CamWrite, TypeRange(),
        ValueRange{code.word(entry), code.word(entry), code.word(0)});
}

/// Fills all copies; the caller holds the lock.
void MakeCaches::addRefresh() {
  ModuleOp module = getOperation();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto function = builder.create<func::FuncOp>(module.getLoc(), refreshName,
                                               builder.getFunctionType({}, {}));
  function.setPrivate();
  Code code = codeAt(function.addEntryBlock());
  SmallVector<Value> seen;
  for (const Version &version : versions)
    seen.push_back(code.load(version.word));
  code.barrier();
  for (const Cache &cache : caches)
    code.copy(code.ref(cache.home), code.ref(cache.copy));
  if (generation) {
    code.store(code.builder.create<arith::AddIOp>(
                   code.loc, code.load(generation), code.word(1)),
               generation);
    if (asksCam(module))
      clearCam(code);
  }
  for (const Lines &kept : allLines)
    if (kept.isDirect)
      forgetLines(code, kept);
  for (auto [version, value] : llvm::zip(versions, seen))
    code.store(value, version.seen);
  code.builder.create<func::ReturnOp>(module.getLoc());
}

/// Before `loop`, waits until the copies have been filled once. Returns the
/// block that goes on to the loop.
Block *MakeCaches::addFirstFill(func::FuncOp entry, Block *loop, Value count) {
  OpBuilder builder(entry.getContext());
  Block *start = builder.createBlock(loop);
  Block *notReady = builder.createBlock(loop);
  Block *fill = builder.createBlock(loop);
  Block *wait = builder.createBlock(loop);
  Block *ready = builder.createBlock(loop);
  Code code = codeAt(start);
  code.branchIf(code.isZero(code.load(versions.front().seen)), notReady, ready,
                seldom);
  code = codeAt(notReady);
  code.branchIf(code.isZero(code.load(lock)), fill, wait);
  code = codeAt(fill);
  code.store(code.word(1), lock);
  code.call(refreshName);
  code.store(code.word(0), lock);
  code.branch(start);
  code = codeAt(wait);
  code.call(target::intrinsic::Swap);
  code.branch(start);
  return start;
}

/// At the top of `loop`, a look at the versions on every i-th pass.
void MakeCaches::addLook(Block *loop, Value count) {
  Block *rest = loop->splitBlock(loop->begin());
  OpBuilder builder(loop->getParent()->getContext());
  Block *look = builder.createBlock(rest);
  Block *changed = builder.createBlock(rest);
  Block *refresh = builder.createBlock(rest);
  Block *busy = builder.createBlock(rest);
  int64_t interval = int64_t(contextInterval(getOperation()));

  Code code = codeAt(loop);
  auto set = [&](Value value) {
    code.builder.create<LLVM::StoreOp>(code.loc, value, count);
  };
  Value left = code.builder.create<LLVM::LoadOp>(
      code.loc, code.builder.getI32Type(), count);
  left = code.builder.create<arith::SubIOp>(code.loc, left, code.word(1));
  set(left);
  code.branchIf(code.isZero(left), look, rest, {1, interval});

  code = codeAt(look);
  set(code.word(interval));
  Value differs;
  for (const Version &version : versions) {
    Value now = code.load(version.word);
    Value bits = code.builder.create<arith::XOrIOp>(code.loc, now,
                                                    code.load(version.seen));
    differs =
        differs
            ? Value(code.builder.create<arith::OrIOp>(code.loc, differs, bits))
            : bits;
  }
  code.branchIf(code.isZero(differs), rest, changed, {seldom[1], seldom[0]});

  code = codeAt(changed);
  code.branchIf(code.isZero(code.load(lock)), refresh, busy);

  code = codeAt(refresh);
  code.store(code.word(1), lock);
  code.call(refreshName);
  code.store(code.word(0), lock);
  code.branch(rest);

  // Another context fills the copies, maybe with what was there before this
  // version: look again at the next packet.
  code = codeAt(busy);
  set(code.word(1));
  code.branch(rest);
}

LogicalResult MakeCaches::addLooks(func::FuncOp entry) {
  Block &first = entry.getBody().front();
  auto jump = dyn_cast<cf::BranchOp>(first.getTerminator());
  if (!jump)
    return entry.emitError()
           << "baker-make-caches: @" << target::runtime::EngineEntry
           << " does not fall from its first block into its loop";
  Block *loop = jump.getDest();
  SmallVector<Value> operands(jump.getDestOperands());
  bool isWritten = contextInterval(getOperation()) != 0;

  Value count;
  OpBuilder builder(jump);
  Location loc = entry.getLoc();
  if (isWritten) {
    Code code(builder, loc);
    auto pointer = LLVM::LLVMPointerType::get(entry.getContext());
    count = builder.create<LLVM::AllocaOp>(loc, pointer, builder.getI32Type(),
                                           code.word(1));
    builder.create<LLVM::StoreOp>(
        loc, code.word(int64_t(contextInterval(getOperation()))), count);
  }
  Block *start = addFirstFill(entry, loop, count);
  Block *ready = loop->getPrevNode();
  builder.setInsertionPointToEnd(ready);
  builder.create<cf::BranchOp>(loc, loop, operands);
  builder.setInsertionPoint(jump);
  builder.create<cf::BranchOp>(loc, start);
  jump.erase();
  if (isWritten)
    addLook(loop, count);
  return success();
}

void MakeCaches::runOnOperation() {
  ModuleOp module = getOperation();
  caches = cachesOf(module);
  allLines = linesOf(module);
  versions = versionsOf(module);
  lock = module.lookupSymbol<ir::GlobalOp>(lockName);
  auto entry = module.lookupSymbol<func::FuncOp>(target::runtime::EngineEntry);
  generation = module.lookupSymbol<ir::GlobalOp>(generationName);
  if (!lock || !entry)
    return;
  redirectLoads();
  declareIntrinsic(getOperation(), target::intrinsic::Swap);
  addRefresh();
  if (failed(addLooks(entry)))
    signalPassFailure();
}

} // namespace

} // namespace karakal::swcache
