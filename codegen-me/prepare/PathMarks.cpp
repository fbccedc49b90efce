// Carries the classes of paths to the words.
//
// See PathMarks.h.

#include "codegen-me/prepare/PathMarks.h"

#include "codegen-me/target/IxpInstrInfo.h"
#include "target-ixp/chip/PathMarks.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <optional>

using namespace llvm;

namespace karakal::codegen {

/// The attributes of the probes, an operand of their machine instructions;
/// those of loops have none.
constexpr unsigned PathProbeAttributes = 1, ProbeAttributes = 3;

/// The mark that a call states; nothing if its number is not constant.
static std::optional<target::PathMark> markOf(const CallInst &call) {
  using Kind = target::PathMark::Kind;
  StringRef name = call.getCalledFunction()->getName();
  if (name == target::intrinsic::PathRefresh)
    return target::PathMark{Kind::Refresh, 0};
  auto *number = dyn_cast<ConstantInt>(call.getArgOperand(0));
  if (!number)
    return std::nullopt;
  return target::PathMark{name == target::intrinsic::PathDrop ? Kind::Drop
                                                              : Kind::Channel,
                          uint32_t(number->getZExtValue())};
}

void markPaths(Function &function) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee ||
        !callee->getName().starts_with(target::intrinsic::PathPrefix))
      continue;
    // At the start of the block the probe keeps no loads apart. A mark of
    // merged paths is none.
    IRBuilder<> builder(&*call->getParent()->getFirstInsertionPt());
    if (std::optional<target::PathMark> mark = markOf(*call))
      builder.CreateIntrinsic(Intrinsic::pseudoprobe, {},
                              {builder.getInt64(uint64_t(mark->kind)),
                               builder.getInt64(mark->number),
                               builder.getInt32(PathProbeAttributes),
                               builder.getInt64(-1)});
    call->eraseFromParent();
  }
}

bool isPathMark(const MachineInstr &instr) {
  if (instr.getOpcode() == Ixp::PATHMARK)
    return true;
  return instr.isPseudoProbe() &&
         instr.getOperand(ProbeAttributes).getImm() == PathProbeAttributes;
}

} // namespace karakal::codegen
