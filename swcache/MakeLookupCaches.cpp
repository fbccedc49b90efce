// Calls of cached look-up functions look up the CAM first.
//
// Requires: the plan of baker-plan-caches; calls are not inlined yet. Ensures:
// only `@karakal.cached.NAME` calls the cached look-up function @NAME. Cost:
// linear.

#include "ir/analysis/Explain.h"
#include "support/Assert.h"
#include "swcache/Caches.h"
#include "swcache/EmitCacheCode.h"
#include "swcache/Passes.h"
#include "target-ixp/chip/MemoryMap.h"

using namespace mlir;

namespace karakal::swcache {

#define GEN_PASS_DEF_MAKELOOKUPCACHES
#include "swcache/Passes.h.inc"

namespace {

class MakeLookupCaches : public impl::MakeLookupCachesBase<MakeLookupCaches> {
public:
  using MakeLookupCachesBase::MakeLookupCachesBase;

private:
  void runOnOperation() override;
  func::FuncOp makeCachedFunction(func::FuncOp lookup, ir::GlobalOp results);
};

/// Returns `value` as an integer of `type`. Neither has more than 32 bits.
Value resized(CacheCode &code, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  KARAKAL_ASSERT(from <= 32 && to <= 32, "keys and results fit a word");
  if (from == to)
    return value;
  if (from < to)
    return code.builder.create<arith::ExtUIOp>(code.loc, type, value);
  return code.builder.create<arith::TruncIOp>(code.loc, type, value);
}

/// Returns the hits and misses of the cached calls in the profile, or nothing
/// without a profile.
SmallVector<int64_t> hitsAndMisses(func::FuncOp lookup) {
  auto profile = ir::profileOf(lookup);
  auto hitsBySize = ir::lookupHitsOf(lookup);
  if (!profile || !hitsBySize)
    return {};
  const auto *size = llvm::find(ir::localitySizes, target::CamEntries);
  auto hits = int64_t((*hitsBySize)[size - ir::localitySizes.begin()]);
  return {hits, int64_t(profile->packets) - hits};
}

func::FuncOp MakeLookupCaches::makeCachedFunction(func::FuncOp lookup,
                                                  ir::GlobalOp results) {
  KARAKAL_ASSERT(results && cast<ir::ArrayType>(results.getType()).getSize() ==
                                target::CamEntries,
                 "a look-up cache has a result for each CAM entry");
  KARAKAL_ASSERT(lookup.getNumArguments() == 1 && lookup.getNumResults() == 1,
                 "a look-up function takes a key and returns a result");
  OpBuilder atEnd = OpBuilder::atBlockEnd(getOperation().getBody());
  Location loc = lookup.getLoc();
  auto cached = atEnd.create<func::FuncOp>(
      loc, (cachedLookupPrefix + lookup.getSymName()).str(),
      lookup.getFunctionType());
  cached.setPrivate();
  Block *probe = cached.addEntryBlock();
  Region *body = &cached.getBody();
  auto addBlock = [&] {
    return OpBuilder(atEnd).createBlock(body, body->end());
  };
  Block *hit = addBlock(), *miss = addBlock(), *fill = addBlock(),
        *done = addBlock();
  auto generation = getOperation().lookupSymbol<ir::GlobalOp>(generationName);
  KARAKAL_ASSERT(generation, "the plan has a generation for look-up caches");
  auto at = [&](Block *block) {
    return CacheCode(OpBuilder::atBlockEnd(block), loc);
  };
  Type resultType = lookup.getFunctionType().getResult(0);

  CacheCode code = at(probe);
  Value key = resized(code, cached.getArgument(0), code.builder.getI32Type());
  if (std::optional<uint32_t> tag = ir::numberOf(lookup, tagAttrName))
    key = code.builder.create<arith::OrIOp>(loc, key, code.word(*tag));
  Value camResult = code.lookUpCam(key);
  code.branchIf(code.isHit(camResult), hit, miss, hitsAndMisses(lookup));

  code = at(hit);
  Value result = code.builder.create<ir::LoadOp>(
      loc, code.element(results, code.entryOf(camResult)));
  code.builder.create<func::ReturnOp>(loc, resized(code, result, resultType));

  code = at(miss);
  Value before = code.load(generation);
  code.barrier();
  Value found =
      code.builder.create<func::CallOp>(loc, lookup, cached.getArguments())
          .getResult(0);
  code.barrier();
  Value now = code.load(generation);
  code.branchIf(code.compare(arith::CmpIPredicate::eq, before, now), fill, done,
                {seldom[1], seldom[0]});

  code = at(fill);
  Value entry = code.entryOf(code.lookUpCam(key));
  code.builder.create<ir::StoreOp>(
      loc, resized(code, found, code.builder.getI32Type()),
      code.element(results, entry));
  code.writeCam(entry, key);
  code.branch(done);

  code = at(done);
  code.builder.create<func::ReturnOp>(loc, found);
  return cached;
}

void MakeLookupCaches::runOnOperation() {
  SmallVector<func::FuncOp> lookups;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (function->hasAttr(resultsAttrName))
      lookups.push_back(function);
  for (func::FuncOp lookup : lookups) {
    SmallVector<func::CallOp> calls;
    getOperation().walk([&](func::CallOp call) {
      if (call.getCallee() == lookup.getSymName())
        calls.push_back(call);
    });
    auto name = lookup->getAttrOfType<FlatSymbolRefAttr>(resultsAttrName);
    auto results = getOperation().lookupSymbol<ir::GlobalOp>(name.getValue());
    func::FuncOp cached = makeCachedFunction(lookup, results);
    for (func::CallOp call : calls) {
      call.setCallee(cached.getSymName());
      ir::explain(call, "make-lookup-caches")
          << "call of @" << lookup.getSymName() << " looks up the CAM first";
    }
  }
}

} // namespace

} // namespace karakal::swcache
