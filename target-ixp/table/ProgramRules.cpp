#include "target-ixp/table/ProgramRules.h"

#include "target-ixp/table/CountOverride.h"
#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>
#include <optional>

namespace karakal::target {

namespace {

bool swaps(const Instruction &i) { return i.op == Op::CtxArb || i.ctxSwap; }

/// Whether the instruction is a branch or a swap.
bool isBranchOrSwap(const Instruction &i) {
  return row(i.op).isBranch() || swaps(i);
}

/// Whether execution never continues after the instruction and its delay slots.
bool neverFallsThrough(const Instruction &i) {
  bool stops = i.op == Op::CtxArb &&
               (i.hasTarget || i.breakpoint || (i.any && !i.signalMask));
  return i.op == Op::Br || i.op == Op::Jump || stops;
}

/// Whether the next instruction can use the result as an override or a sign.
bool leavesResult(const Instruction &i) {
  Format format = row(i.op).format;
  return (format >= Format::AluUnary && format <= Format::ImmedWord) ||
         format == Format::MulLast;
}

bool isCam(Op op) {
  return op == Op::CamClear || op == Op::CamLookup || op == Op::CamWrite ||
         op == Op::CamWriteState || op == Op::CamReadTag ||
         op == Op::CamReadState;
}

bool isConditional(const Instruction &i) {
  Format format = row(i.op).format;
  return (format == Format::Branch && i.op != Op::Br) ||
         format == Format::BranchOn || format == Format::BranchBit ||
         format == Format::BranchByte;
}

/// Whether the instruction reads the condition codes.
bool readsFlags(const Instruction &i) {
  return (row(i.op).format == Format::Branch && i.op != Op::Br) ||
         i.op == Op::AluAddCarry || i.op == Op::AluSubCarry;
}

bool writesFlags(const Instruction &i) {
  return row(i.op).setsConditionCodes || i.loadCc;
}

/// Whether an indirect shift can take its count from the a operand.
bool leavesOperandA(const Instruction &i) {
  switch (row(i.op).format) {
  case Format::AluUnary:
  case Format::ShfUnary:
    // "--" and the register a0 are the same word unless b is in bank A.
    return !i.a.isNone() || !i.b.isBankA();
  case Format::AluBinary:
  case Format::CamLookup:
  case Format::CamWrite:
  case Format::ShfBinary:
  case Format::DblShf:
  case Format::ByteAlignA:
  case Format::MulStep:
    return true;
  default:
    return false;
  }
}

class Checker {
public:
  explicit Checker(const std::vector<uint64_t> &words) {
    for (uint64_t word : words) {
      Result<Instruction> instruction = decode(word);
      program.push_back(instruction ? std::optional<Instruction>(*instruction)
                                    : std::nullopt);
    }
  }

  std::vector<RuleBreach> run() {
    for (address = 0; address < program.size(); ++address) {
      if (!program[address])
        continue;
      checkSlots(*program[address]);
      checkTarget(*program[address]);
      checkNeighbours(*program[address]);
      checkDistances(*program[address]);
      checkOverride(*program[address]);
    }
    checkFlags();
    checkEnd();
    std::sort(breaches.begin(), breaches.end(),
              [](const RuleBreach &l, const RuleBreach &r) {
                return l.address < r.address;
              });
    return std::move(breaches);
  }

private:
  DecodedProgram program;
  std::vector<RuleBreach> breaches;
  uint32_t address = 0;
  std::vector<bool> flagsLost; ///< before the word, on some path
  std::vector<uint32_t> lostWork;

  void breach(const char *id, const std::string &message) {
    breaches.push_back({address, id, message});
  }
  const Instruction *at(uint32_t where) const {
    return where < program.size() && program[where] ? &*program[where]
                                                    : nullptr;
  }
  const Instruction *before() const {
    return address ? at(address - 1) : nullptr;
  }

  void checkSlots(const Instruction &i) {
    for (uint32_t slot = 1; slot <= i.defer; ++slot) {
      if (address + slot >= program.size())
        breach("E-target-ixp-130",
               "its delay slots are after the end of the program");
      else if (const Instruction *inside = at(address + slot))
        if (isBranchOrSwap(*inside))
          breach("E-target-ixp-130", "its delay slot " + std::to_string(slot) +
                                         " holds a branch or a context swap");
    }
  }

  void checkTarget(const Instruction &i) {
    bool leads = (row(i.op).isBranch() && i.op != Op::Jump) || i.hasTarget;
    if (leads && i.target >= program.size())
      breach("E-target-ixp-133", "it branches to word " +
                                     std::to_string(i.target) +
                                     ", after the end of the program");
  }

  void checkNeighbours(const Instruction &i) {
    if (i.op == Op::CsrRead) {
      const Instruction *next = at(address + 1);
      if (!next || (next->op != Op::Immed && next->op != Op::Nop))
        breach("E-target-ixp-131",
               "local_csr_rd must be followed by immed[dest, 0]");
    }
    const Instruction *previous = before();
    bool yields = previous && leavesResult(*previous);
    if (i.indirectRef && !yields)
      breach("E-target-ixp-132",
             "indirect_ref takes its override from the instruction before it, "
             "which has no result");
    bool indirect = i.shift.kind == Shift::Kind::LeftIndirect ||
                    i.shift.kind == Shift::Kind::RightIndirect;
    if (indirect && !(previous && leavesOperandA(*previous)))
      breach("E-target-ixp-132",
             "an indirect shift takes its count from the a operand of the "
             "instruction before it, which has none");
    if (i.op == Op::Asr && !yields)
      breach("E-target-ixp-132",
             "asr takes the sign from the result of the instruction before "
             "it, which has no result");
    if (previous && isCam(i.op) && isConditional(*previous))
      breach("E-target-ixp-134",
             "a CAM instruction directly after a conditional branch takes "
             "effect even if the branch is taken; insert a nop");
  }

  /// Checks that the registers of a burst are those that the count states.
  /// max_8 announces an override; an override alone reaches more than 8.
  void checkOverride(const Instruction &i) {
    const InstructionRow &r = row(i.op);
    if (r.xfer == XferUse::No || !r.countMax)
      return;
    std::optional<unsigned> count = overriddenCount(program, address);
    if (!count || *count <= i.count)
      return;
    constexpr unsigned XferPerContext = 16;
    unsigned end = i.xfer.value + *count * r.unitBytes / 4;
    std::string number = std::to_string(*count);
    if (i.count < r.countMax)
      breach("E-target-ixp-138",
             "indirect_ref makes the count " + number +
                 ", but the command "
                 "states " +
                 std::to_string(i.count) +
                 ", so the other registers of the burst are unprotected; "
                 "state max_8");
    else if (end > XferPerContext)
      breach("E-target-ixp-138",
             "indirect_ref makes the count " + number +
                 ", so the burst reaches beyond the last register of the "
                 "context");
  }

  /// Checks that no path leads from a swap to an instruction that reads the
  /// condition codes, unless another writes them in between. A return from a
  /// subroutine and a jump through a table end the search.
  void checkFlags() {
    for (address = 0; address < program.size(); ++address) {
      const Instruction *i = at(address);
      if (!i || !swaps(*i))
        continue;
      if (i->hasTarget)
        loseFlags(i->target);
      else if (!neverFallsThrough(*i))
        loseFlags(address + i->defer + 1);
    }
    while (!lostWork.empty()) {
      address = lostWork.back();
      lostWork.pop_back();
      followLostFlags();
    }
  }

  void loseFlags(uint32_t where) {
    flagsLost.resize(program.size(), false);
    if (where >= program.size() || flagsLost[where])
      return;
    flagsLost[where] = true;
    lostWork.push_back(where);
  }

  /// Follows the word at `address` and its delay slots. The condition codes are
  /// lost before it.
  void followLostFlags() {
    const Instruction *first = at(address);
    if (!first)
      return;
    uint32_t next = address + first->defer + 1;
    for (uint32_t where = address; where < next; ++where) {
      const Instruction *i = at(where);
      if (!i)
        return;
      if (readsFlags(*i))
        reportLostFlags(where);
      if (writesFlags(*i))
        return;
    }
    if (swaps(*first))
      return; // checkFlags started there
    if (row(first->op).isBranch() && first->op != Op::Jump)
      loseFlags(first->target);
    if (!neverFallsThrough(*first))
      loseFlags(next);
  }

  void reportLostFlags(uint32_t where) {
    uint32_t here = address;
    address = where;
    bool isKnown = std::any_of(
        breaches.begin(), breaches.end(), [&](const RuleBreach &other) {
          return other.address == where && other.id == "E-target-ixp-137";
        });
    if (!isKnown)
      breach("E-target-ixp-137",
             "a context swap before it has destroyed the condition codes");
    address = here;
  }

  /// Checks distances within straight-line code; a branch ends the search.
  void checkDistances(const Instruction &i) {
    uint32_t slots = 0;
    const char *id = "E-target-ixp-136";
    bool pointer[2] = {false, false};
    if (i.op == Op::CsrWrite) {
      pointer[0] = i.csr == Csr_ACTIVE_LM_ADDR_0 ||
                   i.csr == Csr_ACTIVE_LM_ADDR_0_BYTE_INDEX;
      pointer[1] = i.csr == Csr_ACTIVE_LM_ADDR_1 ||
                   i.csr == Csr_ACTIVE_LM_ADDR_1_BYTE_INDEX;
      slots = pointer[0] || pointer[1] ? LmAddrSlots : 0;
    } else if (i.op == Op::CamLookup && (i.loadLm0 || i.loadLm1)) {
      pointer[0] = i.loadLm0;
      pointer[1] = i.loadLm1;
      slots = CamLmAddrSlots;
    } else if (i.op == Op::Crc) {
      slots = CrcToCsrSlots;
      id = "E-target-ixp-135";
    }
    for (uint32_t distance = 1; distance <= slots; ++distance) {
      const Instruction *next = at(address + distance);
      if (!next || isBranchOrSwap(*next))
        return;
      if (i.op == Op::Crc) {
        if ((next->op == Op::Crc && distance <= CrcToCrcSlots) ||
            (next->op == Op::CsrRead && next->csr == Csr_CRC_REMAINDER)) {
          breach(id, "the crc's remainder is not ready " +
                         std::to_string(distance) + " words later");
          return;
        }
        continue;
      }
      for (const Operand *operand : {&next->dest, &next->a, &next->b}) {
        bool uses =
            (pointer[0] && operand->kind == Operand::Kind::LocalMemory0) ||
            (pointer[1] && operand->kind == Operand::Kind::LocalMemory1);
        if (!uses)
          continue;
        breach(id, "the new local-memory address is used " +
                       std::to_string(distance) + " words later, but " +
                       std::to_string(slots) +
                       " words are required in between");
        return;
      }
    }
  }

  void checkEnd() {
    if (program.empty())
      return;
    uint32_t last = static_cast<uint32_t>(program.size()) - 1;
    for (uint32_t back = 0; back <= 3 && back <= last; ++back) {
      const Instruction *i = at(last - back);
      if (i && neverFallsThrough(*i) && i->defer == back)
        return;
    }
    address = last;
    breach("E-target-ixp-133", "execution runs past the end of the program");
  }
};

} // namespace

std::vector<RuleBreach> checkProgram(const std::vector<uint64_t> &words) {
  return Checker(words).run();
}

} // namespace karakal::target
