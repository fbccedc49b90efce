// Calls of a look-up that ask the CAM first.
//
// Requires: what baker-plan-caches decided; calls that are not inlined yet.
// Ensures: no call of a kept look-up but in `@karakal.kept.NAME`. Cost: linear.

#include "ir/analysis/Explain.h"
#include "swcache/Caches.h"
#include "swcache/EmitCacheCode.h"
#include "swcache/Passes.h"
#include "target-ixp/chip/MemoryMap.h"

using namespace mlir;

namespace karakal::swcache {

#define GEN_PASS_DEF_MAKEANSWERS
#include "swcache/Passes.h.inc"

namespace {

class MakeAnswers : public impl::MakeAnswersBase<MakeAnswers> {
public:
  using MakeAnswersBase::MakeAnswersBase;

private:
  void runOnOperation() override;
  func::FuncOp makeKept(func::FuncOp lookup, ir::GlobalOp answers);
};

/// `value` as an integer of `type`; neither has more than 32 bits.
Value resized(Code &code, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from == to)
    return value;
  if (from < to)
    return code.builder.create<arith::ExtUIOp>(code.loc, type, value);
  return code.builder.create<arith::TruncIOp>(code.loc, type, value);
}

func::FuncOp MakeAnswers::makeKept(func::FuncOp lookup, ir::GlobalOp answers) {
  OpBuilder atEnd = OpBuilder::atBlockEnd(getOperation().getBody());
  Location loc = lookup.getLoc();
  auto kept = atEnd.create<func::FuncOp>(
      loc, (keptPrefix + lookup.getSymName()).str(), lookup.getFunctionType());
  kept.setPrivate();
  Block *ask = kept.addEntryBlock();
  Region *body = &kept.getBody();
  auto addBlock = [&] {
    return OpBuilder(atEnd).createBlock(body, body->end());
  };
  Block *hit = addBlock(), *miss = addBlock(), *keep = addBlock(),
        *done = addBlock();
  auto generation = getOperation().lookupSymbol<ir::GlobalOp>(generationName);
  auto at = [&](Block *block) {
    return Code(OpBuilder::atBlockEnd(block), loc);
  };
  Type resultType = lookup.getFunctionType().getResult(0);

  Code code = at(ask);
  Value key = resized(code, kept.getArgument(0), code.builder.getI32Type());
  if (std::optional<uint32_t> tag = ir::numberOf(lookup, tagAttrName))
    key = code.builder.create<arith::OrIOp>(loc, key, code.word(*tag));
  Value said = code.askCam(key);
  SmallVector<int64_t> counts;
  auto profile = ir::profileOf(lookup);
  auto answered = ir::lookupHitsOf(lookup);
  if (profile && answered) {
    auto hits =
        int64_t((*answered)[llvm::find(ir::localitySizes, target::CamEntries) -
                            ir::localitySizes.begin()]);
    counts = {hits, int64_t(profile->packets) - hits};
  }
  code.branchIf(code.isKept(said), hit, miss, counts);

  code = at(hit);
  Value answer = code.builder.create<ir::LoadOp>(
      loc, code.element(answers, code.entryOf(said)));
  code.builder.create<func::ReturnOp>(loc, resized(code, answer, resultType));

  code = at(miss);
  Value before = code.load(generation);
  code.barrier();
  Value found =
      code.builder.create<func::CallOp>(loc, lookup, kept.getArguments())
          .getResult(0);
  code.barrier();
  Value now = code.load(generation);
  code.branchIf(code.compare(arith::CmpIPredicate::eq, before, now), keep, done,
                {seldom[1], seldom[0]});

  code = at(keep);
  Value entry = code.entryOf(code.askCam(key));
  code.builder.create<ir::StoreOp>(
      loc, resized(code, found, code.builder.getI32Type()),
      code.element(answers, entry));
  code.keepInCam(entry, key);
  code.branch(done);

  code = at(done);
  code.builder.create<func::ReturnOp>(loc, found);
  return kept;
}

void MakeAnswers::runOnOperation() {
  SmallVector<func::FuncOp> lookups;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (function->hasAttr(answersAttrName))
      lookups.push_back(function);
  for (func::FuncOp lookup : lookups) {
    SmallVector<func::CallOp> calls;
    getOperation().walk([&](func::CallOp call) {
      if (call.getCallee() == lookup.getSymName())
        calls.push_back(call);
    });
    auto name = lookup->getAttrOfType<FlatSymbolRefAttr>(answersAttrName);
    auto answers = getOperation().lookupSymbol<ir::GlobalOp>(name.getValue());
    func::FuncOp kept = makeKept(lookup, answers);
    for (func::CallOp call : calls) {
      call.setCallee(kept.getSymName());
      ++callCount;
      ir::explain(call, "make-answers")
          << "call of @" << lookup.getSymName() << " asks the CAM first";
    }
  }
}

} // namespace

} // namespace karakal::swcache
