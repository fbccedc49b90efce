// A strict interpreter of words for tests: branches, contexts and memories.

#include "TinyEngine.h"

#include "target-ixp/table/CountOverride.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>

namespace karakal::tests {

using target::Op;

//===-- Branches ----------------------------------------------------------===//

bool TinyEngine::condition(const Instruction &i) {
  if (!flags) {
    fail("condition codes are not known");
    return false;
  }
  auto known = [&](std::optional<bool> flag) {
    if (!flag)
      fail("carry or overflow is not known");
    return flag.value_or(false);
  };
  switch (i.op) {
  case Op::Beq:
    return flags->z;
  case Op::Bne:
    return !flags->z;
  case Op::Bmi:
    return flags->n;
  case Op::Bpl:
    return !flags->n;
  case Op::Bcs:
    return known(flags->c);
  case Op::Bcc:
    return !known(flags->c);
  case Op::Bge:
    return flags->n == known(flags->v);
  case Op::Blt:
    return flags->n != known(flags->v);
  case Op::Ble:
    return flags->z || flags->n != known(flags->v);
  case Op::Bgt:
    return !flags->z && flags->n == known(flags->v);
  default:
    fail("branch not expected");
    return false;
  }
}

void TinyEngine::branch(const Instruction &i, uint32_t target) {
  if (slotsLeft)
    fail("branch in a delay slot");
  if (i.defer == 0) {
    pc = target;
    return;
  }
  goTo = target;
  // The current word does not count.
  slotsLeft = i.defer;
}

bool TinyEngine::stepBranch(const Instruction &i) {
  if (!target::row(i.op).isBranch())
    return false;
  bool taken;
  uint32_t to = i.target;
  switch (i.op) {
  case Op::Br:
    taken = true;
    break;
  case Op::Jump:
    taken = true;
    to += read(i.a);
    break;
  case Op::BrBset:
  case Op::BrBclr:
    taken = (read(i.a) >> i.parameter & 1) == (i.op == Op::BrBset);
    break;
  case Op::BrByte:
  case Op::BrNotByte:
    taken = ((read(i.a) >> 8 * i.parameter & 0xff) == i.immediate) ==
            (i.op == Op::BrByte);
    break;
  case Op::BrInpState:
  case Op::BrNotInpState:
    taken = inputStates[i.parameter] == (i.op == Op::BrInpState);
    break;
  default:
    taken = condition(i);
    break;
  }
  if (taken)
    branch(i, to);
  return true;
}

//===-- Contexts, CSRs ----------------------------------------------------===//

void TinyEngine::swapAfter(unsigned slots) {
  if (slotsLeft || swapIn)
    fail("swap in a delay slot");
  if (slots == 0)
    swapped();
  else
    swapIn = slots + 1; // this word counts, too
}

/// Completes the commands whose signals the swap waits for.
void TinyEngine::swapped() {
  std::vector<Pending> rest;
  uint32_t raised = 1;
  for (const Pending &pending : inFlight) {
    unsigned signals = target::row(pending.command.op).signals;
    uint32_t mask = (signals == 2 ? 3u : 1u) << pending.command.signal;
    if ((swapMask & mask) != mask) {
      rest.push_back(pending);
      continue;
    }
    complete(pending);
    raised |= mask;
  }
  if (swapMask & ~raised)
    fail("waits for a signal that does not come");
  inFlight = rest;
  flags.reset();
  previousA.reset();
  previousResult.reset();
  multiplyStep = countStep = 0;
}

uint32_t TinyEngine::csr(unsigned offset) {
  if (offset == target::Csr_ACTIVE_CTX_STS)
    return contextStatus;
  return csrs[offset];
}

void TinyEngine::writeCsr(unsigned offset, uint32_t value) {
  csrs[offset] = value;
  for (unsigned p = 0; p < 2; ++p)
    if (offset ==
        (p ? target::Csr_ACTIVE_LM_ADDR_1 : target::Csr_ACTIVE_LM_ADDR_0)) {
      nextPointer[p] = value & 0xffc;
      pointerAge[p] = 0;
    }
}

bool TinyEngine::stepContext(const Instruction &i) {
  switch (i.op) {
  case Op::CsrRead:
    csrValue = csr(i.csr);
    return true;
  case Op::CsrWrite:
    writeCsr(i.csr, read(i.a));
    return true;
  case Op::CtxArb: {
    if (i.breakpoint || (i.any && !i.signalMask)) {
      isOver = true;
      if (!inFlight.empty())
        fail("ends with commands in flight");
      return true;
    }
    if (i.any || i.keepMask || i.hasTarget)
      fail("ctx_arb form not expected");
    swapMask = i.signalMask;
    swapAfter(i.defer);
    return true;
  }
  default:
    return false;
  }
}

//===-- Commands ----------------------------------------------------------===//

std::map<uint32_t, uint32_t> &TinyEngine::memory(Op op) {
  unsigned number = unsigned(op);
  if (number >= unsigned(Op::DramRead))
    return dram;
  return number >= unsigned(Op::ScratchRead) ? scratch : sram;
}

void TinyEngine::complete(const Pending &pending) {
  const Instruction &i = pending.command;
  const target::InstructionRow &row = target::row(i.op);
  bool isD = i.xfer.kind == Operand::Kind::DXfer;
  auto &in = isD ? dIn : sIn;
  auto &out = isD ? dOut : sOut;
  unsigned words = i.count * row.unitBytes / 4;
  uint32_t word = pending.address / 4;
  auto &store = memory(i.op);
  if (pending.address % row.unitBytes && i.op != Op::SramDequeue &&
      i.op != Op::SramEnqueue)
    fail("address is not aligned");
  if (i.xfer.value + words > 16 && row.xfer != target::XferUse::No)
    fail("run of transfer registers leaves the context");
  for (unsigned k = 0; k < words && problem.empty(); ++k) {
    unsigned reg = i.xfer.value + k;
    switch (i.op) {
    case Op::SramRead:
    case Op::ScratchRead:
    case Op::DramRead:
      in[reg] = store[word + k];
      break;
    case Op::SramWrite:
    case Op::ScratchWrite:
    case Op::DramWrite:
      store[word + k] = out[reg];
      break;
    case Op::SramAdd:
    case Op::ScratchAdd:
      store[word] += out[reg];
      break;
    case Op::SramIncr:
    case Op::ScratchIncr:
      store[word] += 1;
      break;
    case Op::ScratchGet: {
      auto &ring = rings[word & 15];
      in[reg] = ring.empty() ? 0 : ring.front();
      if (!ring.empty())
        ring.pop_front();
      break;
    }
    case Op::ScratchPut:
      rings[word & 15].push_back(out[reg]);
      break;
    case Op::SramDequeue: {
      auto &queue = queues[pending.address >> 24];
      in[reg] = queue.empty() ? 0 : queue.front();
      if (!queue.empty())
        queue.pop_front();
      break;
    }
    case Op::SramEnqueue:
      queues[pending.address >> 24].push_back(pending.address & 0xffffff);
      break;
    default:
      fail("command not expected");
    }
  }
}

/// The count, which the word before an indirect reference may state.
unsigned TinyEngine::countOf(const Instruction &command) {
  if (!command.indirectRef)
    return std::max(1u, unsigned(command.count));
  if (constantStep + 1 != steps || !(constant & target::OverridesCount)) {
    fail("no count before an indirect reference");
    return 1;
  }
  return (constant >> target::CountOverrideShift & 15) + 1;
}

void TinyEngine::stepCommand(const Instruction &i) {
  const target::InstructionRow &row = target::row(i.op);
  Pending pending{i, read(i.a) + read(i.b)};
  pending.command.count = uint8_t(countOf(i));
  if (row.xfer == target::XferUse::In) {
    auto &in = i.xfer.kind == Operand::Kind::DXfer ? dIn : sIn;
    unsigned words = pending.command.count * row.unitBytes / 4;
    for (unsigned k = 0; k < words && i.xfer.value + k < 16; ++k)
      in[i.xfer.value + k].reset();
  }
  if (row.signals == 0) {
    complete(pending);
    return;
  }
  auto maskOf = [](const Instruction &command) {
    return (target::row(command.op).signals == 2 ? 3u : 1u) << command.signal;
  };
  if (i.signal == 0)
    fail("command without a signal");
  for (const Pending &other : inFlight)
    if (maskOf(other.command) & maskOf(i))
      fail("signal of a command in flight used again");
  inFlight.push_back(pending);
  if (i.ctxSwap) {
    swapMask = uint16_t(1u << i.signal);
    swapAfter(i.defer);
  }
}

} // namespace karakal::tests
