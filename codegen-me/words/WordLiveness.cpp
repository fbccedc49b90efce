// Registers that words read and write, and liveness.

#include "codegen-me/words/WordLiveness.h"

#include "support/Error.h"
#include "target-ixp/microcode/FlowGraph.h"

#include "target-ixp/table/InstructionTable.h"

namespace karakal::codegen {

using target::Format;
using target::Instruction;
using target::Operand;

GprSet gprBit(const Operand &operand) {
  KARAKAL_ASSERT(!operand.isGpr() || operand.value < 16,
                 "code uses the registers of its own context");
  if (operand.kind == Operand::Kind::GprA)
    return 1u << operand.value;
  if (operand.kind == Operand::Kind::GprB)
    return 1u << (16 + operand.value);
  return 0;
}

bool isPartial(const Instruction &i) {
  switch (target::row(i.op).format) {
  case Format::LdField:
    return i.op == target::Op::LdField;
  case Format::ImmedByte:
  case Format::ImmedWord:
    return true;
  default:
    return false;
  }
}

GprSet gprsRead(const Instruction &i) {
  return gprBit(i.a) | gprBit(i.b) | (isPartial(i) ? gprBit(i.dest) : 0);
}

GprSet gprsWritten(const Instruction &i) {
  return isPartial(i) ? 0 : gprBit(i.dest);
}

std::vector<GprSet> liveOut(const WordProgram &program) {
  auto successors = flowGraphOf(program).successorsThroughCalls();
  std::vector<std::vector<unsigned>> predecessors(successors.size());
  for (unsigned i = 0; i < successors.size(); ++i)
    for (unsigned next : successors[i])
      predecessors[next].push_back(i);
  std::vector<GprSet> out(successors.size(), 0);
  std::vector<unsigned> work;
  std::vector<bool> queued(successors.size(), true);
  for (unsigned i = 0; i < successors.size(); ++i)
    work.push_back(i);
  while (!work.empty()) {
    unsigned index = work.back();
    work.pop_back();
    queued[index] = false;
    GprSet live = out[index];
    const Item &item = program.items[index];
    if (item.kind == Item::Kind::Word)
      live =
          (live & ~gprsWritten(item.instruction)) | gprsRead(item.instruction);
    for (unsigned before : predecessors[index])
      if ((out[before] | live) != out[before]) {
        out[before] |= live;
        if (!queued[before]) {
          queued[before] = true;
          work.push_back(before);
        }
      }
  }
  return out;
}

} // namespace karakal::codegen
