// The engines' code of delayed-update caches.
//
// The contexts of an engine swap only at memory commands and at swap
// instructions, so code between two of those is atomic within the engine: for
// example taking the lock, or storing a burst after it has arrived. A version
// can be raised between the command of a burst and its arrival. Then the
// version that the refresh read before is older, and the next version check
// makes a new refresh.
//
// Requires: the entry `me_main`, whose first block jumps to its loop. Ensures:
// only `@karakal.refresh` and misses load cached globals. Cost: linear.

#include "ir/analysis/Explain.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/ProfileAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "support/Assert.h"
#include "swcache/CacheLineLoads.h"
#include "swcache/Caches.h"
#include "swcache/EmitCacheCode.h"
#include "swcache/Passes.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/PathMarks.h"
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
  void clearCam(CacheCode &code);
  void addRefresh();
  LogicalResult addVersionChecks(func::FuncOp entry);
  Block *addFirstFill(func::FuncOp entry, Block *loop, Value count);
  void addVersionCheck(Block *loop, Value count);
  void forgetCopiesAtEnd(func::FuncOp entry);

  CacheCode codeAt(Block *block) {
    return CacheCode(OpBuilder::atBlockEnd(block), getOperation().getLoc());
  }

  std::vector<GlobalCopy> caches;
  std::vector<ArrayCache> arrayCaches;
  std::vector<VersionWord> versions;
  ir::GlobalOp lock;
  ir::GlobalOp generation; ///< null without look-up and array caches
};

/// Returns the entry of the global `home` in a list, or null.
template <typename Entry>
const Entry *find(const std::vector<Entry> &entries, ir::GlobalOp home) {
  auto found = llvm::find_if(
      entries, [&](const Entry &entry) { return entry.home == home; });
  return found == entries.end() ? nullptr : &*found;
}

/// Returns `ref` with `copy` in place of its global.
Value withCopyAsRoot(OpBuilder &builder, Value ref, ir::GlobalOp copy) {
  return rebase(builder, ref, rootOf(ref),
                CacheCode(builder, ref.getLoc()).ref(copy));
}

/// Makes `load` read the copy if the copy holds its element, and the global
/// otherwise. The copy holds the first N elements of the array:
///
///   before; %in = %i < N; cond_br %in, ^copy, ^home
///   ^copy: load of the copy; br ^rest      ^home: load; br ^rest
void loadCopyOrHome(Operation *load, ir::ElementOp element, ir::GlobalOp copy) {
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
  fast->setOperand(0, withCopyAsRoot(builder, load->getOperand(0), copy));
  builder.setInsertionPointToEnd(inCopy);
  builder.create<cf::BranchOp>(loc, rest, fast->getResults());

  CacheCode code(OpBuilder::atBlockEnd(before), loc);
  // Assume that packets read all elements of the profile's extent equally
  // often.
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

/// Makes one load of a cached global read the copy or the cache lines. Returns
/// false if the load stays as it is.
bool MakeCaches::redirect(Operation *load, ir::GlobalOp home) {
  Value ref = load->getOperand(0);
  ir::ElementOp element = outermostElement(ref);
  if (const ArrayCache *cache = find(arrayCaches, home))
    return element && loadFromCacheLine(load, element, *cache, generation);
  const GlobalCopy *cache = find(caches, home);
  if (!cache)
    return false;
  ir::GlobalOp copy = cache->copy;
  KARAKAL_ASSERT(ir::wordCount(copy.getType()) <= ir::wordCount(home.getType()),
                 "a copy is no larger than its global");
  if (copy.getType() == home.getType()) {
    OpBuilder builder(load);
    load->setOperand(0, withCopyAsRoot(builder, ref, copy));
    return true;
  }
  if (element)
    loadCopyOrHome(load, element, copy);
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
        home && find(arrayCaches, home))
      sinkToUse(op);
  for (Operation *op : loads) {
    ir::GlobalOp home = ir::globalOf(op->getOperand(0));
    if (!home || !redirect(op, home))
      continue;
    ir::explain(op, "make-caches")
        << "load of @" << home.getSymName() << " reads the engine's copy";
  }
}

/// Emits code that invalidates all CAM entries and gives them different tags,
/// as the CAM requires.
void MakeCaches::clearCam(CacheCode &code) {
  declareIntrinsic(getOperation(), target::intrinsic::CamClear);
  declareIntrinsic(getOperation(), target::intrinsic::CamWrite, 3, 0);
  code.call(target::intrinsic::CamClear);
  for (uint32_t entry = 0; entry < target::CamEntries; ++entry)
    code.builder.create<func::CallOp>(
        code.loc, target::intrinsic::CamWrite, TypeRange(),
        ValueRange{code.word(entry), code.word(entry), code.word(0)});
}

/// Adds the function that fills all copies and clears all other caches. Its
/// caller holds the lock.
void MakeCaches::addRefresh() {
  ModuleOp module = getOperation();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto function = builder.create<func::FuncOp>(module.getLoc(), refreshName,
                                               builder.getFunctionType({}, {}));
  function.setPrivate();
  CacheCode code = codeAt(function.addEntryBlock());
  SmallVector<Value> seen;
  for (const VersionWord &version : versions)
    seen.push_back(code.load(version.word));
  code.barrier();
  for (const GlobalCopy &cache : caches)
    code.copy(code.ref(cache.home), code.ref(cache.copy));
  if (generation) {
    code.store(code.builder.create<arith::AddIOp>(
                   code.loc, code.load(generation), code.word(1)),
               generation);
    if (usesCam(module))
      clearCam(code);
  }
  for (const ArrayCache &cache : arrayCaches)
    if (cache.isDirectMapped)
      clearCacheLines(code, cache);
  for (auto [version, value] : llvm::zip(versions, seen))
    code.store(value, version.seen);
  code.builder.create<func::ReturnOp>(module.getLoc());
}

/// Emits code before `loop` that waits until the copies have been filled once.
/// Returns its first block; its last one is the block before `loop`.
Block *MakeCaches::addFirstFill(func::FuncOp entry, Block *loop, Value count) {
  OpBuilder builder(entry.getContext());
  Block *start = builder.createBlock(loop);
  Block *notReady = builder.createBlock(loop);
  Block *fill = builder.createBlock(loop);
  Block *wait = builder.createBlock(loop);
  Block *ready = builder.createBlock(loop);
  CacheCode code = codeAt(start);
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

/// Emits a version check at the top of `loop`, on every i-th iteration.
void MakeCaches::addVersionCheck(Block *loop, Value count) {
  Block *rest = loop->splitBlock(loop->begin());
  OpBuilder builder(loop->getParent()->getContext());
  Block *check = builder.createBlock(rest);
  Block *changed = builder.createBlock(rest);
  Block *refresh = builder.createBlock(rest);
  Block *busy = builder.createBlock(rest);
  int64_t interval = int64_t(contextInterval(getOperation()));

  CacheCode code = codeAt(loop);
  auto set = [&](Value value) {
    code.builder.create<LLVM::StoreOp>(code.loc, value, count);
  };
  Value left = code.builder.create<LLVM::LoadOp>(
      code.loc, code.builder.getI32Type(), count);
  left = code.builder.create<arith::SubIOp>(code.loc, left, code.word(1));
  set(left);
  code.branchIf(code.isZero(left), check, rest, {1, interval});

  code = codeAt(check);
  set(code.word(interval));
  Value differs;
  for (const VersionWord &version : versions) {
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
  declareIntrinsic(getOperation(), target::intrinsic::PathRefresh);
  code.call(target::intrinsic::PathRefresh);
  code.store(code.word(1), lock);
  code.call(refreshName);
  code.store(code.word(0), lock);
  code.branch(rest);

  // Another context is filling the copies, perhaps with data older than this
  // version. Check again at the next packet.
  code = codeAt(busy);
  set(code.word(1));
  code.branch(rest);
}

/// A context that ends lets the engine fill its copies again when it starts the
/// next time: meanwhile the core may have loaded code without caches.
void MakeCaches::forgetCopiesAtEnd(func::FuncOp entry) {
  entry.walk([&](func::ReturnOp end) {
    CacheCode code(OpBuilder(end), end.getLoc());
    code.store(code.word(0), versions.front().seen);
  });
}

LogicalResult MakeCaches::addVersionChecks(func::FuncOp entry) {
  Block &first = entry.getBody().front();
  auto jump = dyn_cast<cf::BranchOp>(first.getTerminator());
  if (!jump)
    return entry.emitError()
           << "baker-make-caches: @" << target::runtime::EngineEntry
           << " does not jump from its first block to its loop";
  Block *loop = jump.getDest();
  SmallVector<Value> operands(jump.getDestOperands());
  bool isWritten = contextInterval(getOperation()) != 0;

  Value count;
  OpBuilder builder(jump);
  Location loc = entry.getLoc();
  if (isWritten) {
    CacheCode code(builder, loc);
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
    addVersionCheck(loop, count);
  forgetCopiesAtEnd(entry);
  return success();
}

void MakeCaches::runOnOperation() {
  ModuleOp module = getOperation();
  caches = globalCopiesOf(module);
  arrayCaches = arrayCachesOf(module);
  versions = versionWordsOf(module);
  lock = module.lookupSymbol<ir::GlobalOp>(lockName);
  auto entry = module.lookupSymbol<func::FuncOp>(target::runtime::EngineEntry);
  generation = module.lookupSymbol<ir::GlobalOp>(generationName);
  if (!lock || !entry)
    return;
  KARAKAL_ASSERT(!versions.empty(), "cached globals have a version word");
  KARAKAL_ASSERT(generation ||
                     (arrayCaches.empty() && lookupCachesOf(module).empty()),
                 "look-up and array caches have a generation");
  KARAKAL_ASSERT(!module.lookupSymbol(refreshName), "the pass runs once");
  redirectLoads();
  declareIntrinsic(getOperation(), target::intrinsic::Swap);
  addRefresh();
  if (failed(addVersionChecks(entry)))
    signalPassFailure();
}

} // namespace

} // namespace karakal::swcache
