// Local control and status registers.
//
// A write takes effect after the pipeline's delay; until then reads see the old
// value. A write that only the engine's own instructions can see waits in
// `pending`; one that others can see is an event of the chip. Writes of the
// core take effect at once.

#include "sim-ixp/engine/Microengine.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>

namespace karakal::sim {

using namespace target;

namespace {

/// Bit of CTX_ENABLES.
constexpr uint32_t fourContextMode = 1u << 31;
/// Field of CTX_ENABLES: with at most so many words the neighbour ring counts
/// as empty.
constexpr uint32_t ringEmptyBit = 18, ringEmptyMask = 3;
constexpr uint32_t tIndexMask = 0x1fc;
constexpr uint32_t ringMask = 127;
/// Event codes. A smaller code is the context whose future count has elapsed;
/// the others stand for the CSR that was written.
constexpr uint32_t csrEvent = Microengine::contextCount;

/// A context's future count and its signal.
bool isFuture(uint32_t csr) {
  switch (csr) {
  case Csr_ACTIVE_FUTURE_COUNT_SIGNAL:
  case Csr_INDIRECT_FUTURE_COUNT_SIGNAL:
  case Csr_ACTIVE_CTX_FUTURE_COUNT:
  case Csr_INDIRECT_CTX_FUTURE_COUNT:
    return true;
  default:
    return false;
  }
}

/// CSRs whose writes take effect in the order of the chip's events.
bool isWritable(uint32_t csr) {
  switch (csr) {
  case Csr_CSR_CTX_POINTER:
  case Csr_ACTIVE_CTX_SIG_EVENTS:
  case Csr_INDIRECT_CTX_SIG_EVENTS:
  case Csr_ACTIVE_CTX_WAKEUP_EVENTS:
  case Csr_INDIRECT_CTX_WAKEUP_EVENTS:
  case Csr_INDIRECT_CTX_STS:
    return true;
  default:
    return isFuture(csr);
  }
}

} // namespace

void Microengine::defer(uint32_t csr, uint32_t context, uint32_t value) {
  delay({time + chassis.parameters().meLmAddrSlots + 1,
         static_cast<uint16_t>(csr), static_cast<uint8_t>(context), value});
}

void Microengine::delay(const PendingWrite &write) {
  pending.add(write);
  refreshWatchedAlways();
}

void Microengine::deferNeighbour(uint32_t index, uint32_t value) {
  delay({time + chassis.parameters().meNeighbourSlots + 1,
         PendingWrite::ownNeighbour, static_cast<uint8_t>(index), value});
}

void Microengine::applyPending(const PendingWrite &write) {
  if (write.csr == PendingWrite::ownNeighbour) {
    regs[reg::neighbour + write.context] = write.value;
    return;
  }
  Context &context = arbiter.contexts[write.context];
  switch (write.csr) {
  case Csr_ACTIVE_LM_ADDR_0_BYTE_INDEX:
    csrs.byteIndex = write.value & 3;
    [[fallthrough]];
  case Csr_ACTIVE_LM_ADDR_0:
    setLocalAddress(context, 0, write.value);
    break;
  case Csr_ACTIVE_LM_ADDR_1_BYTE_INDEX:
    csrs.byteIndex = write.value & 3;
    [[fallthrough]];
  case Csr_ACTIVE_LM_ADDR_1:
    setLocalAddress(context, 1, write.value);
    break;
  case Csr_T_INDEX_BYTE_INDEX:
    csrs.byteIndex = write.value & 3;
    [[fallthrough]];
  case Csr_T_INDEX:
    csrs.tIndex = write.value & tIndexMask;
    break;
  case Csr_BYTE_INDEX:
    csrs.byteIndex = write.value & 3;
    break;
  case Csr_CTX_ENABLES:
    setEnables(write.value);
    break;
  case Csr_CC_ENABLE:
    setCcEnable(write.value);
    break;
  case Csr_CRC_REMAINDER:
    csrs.crcRemainder = write.value;
    break;
  case Csr_PSEUDO_RANDOM_NUMBER:
    csrs.pseudoRandom = write.value ? write.value : 1;
    break;
  case Csr_NN_PUT:
    csrs.nnPut = write.value & ringMask;
    break;
  case Csr_NN_GET:
    csrs.nnGet = write.value & ringMask;
    break;
  }
}

/// A pointer that becomes global has the value of context 0 [M].
void Microengine::setEnables(uint32_t value) {
  isFourContexts = value & fourContextMode;
  csrs.ctxEnables = value;
  for (uint32_t pointer = 0; pointer < 2; ++pointer)
    setLocalAddress(arbiter.contexts[0], pointer,
                    arbiter.contexts[0].localAddress(pointer));
}

void Microengine::setCcEnable(uint32_t value) {
  bool wereEnabled = csrs.areFlagsEnabled();
  csrs.ccEnable = value;
  if (wereEnabled && !csrs.areFlagsEnabled())
    latches.frozenFlags = latches.flags;
  else if (!wereEnabled)
    latches.flags = latches.frozenFlags;
}

void Microengine::applyDue() {
  pending.applyDue(time,
                   [&](const PendingWrite &write) { applyPending(write); });
  isStepping = std::any_of(
      pending.begin(), pending.end(),
      [](const PendingWrite &write) { return write.csr == Csr_CC_ENABLE; });
  bases = arbiter.running().bases;
  refreshWatchedAlways();
}

/// CSRs of the running context and of the one that CSR_CTX_POINTER names; 0 for
/// any other.
uint32_t Microengine::readContextCsr(uint32_t csr) const {
  const Context &active = arbiter.running();
  const Context &other = arbiter.contexts[csrs.ctxPointer & 7];
  switch (csr) {
  case Csr_ACTIVE_CTX_STS:
    return uint32_t{!isAsleep} << 31 | (pc & pcMask) << 8 |
           engineHardwareNumber(number, chassis.clusterEngines()) << 3 |
           arbiter.current;
  case Csr_INDIRECT_CTX_STS:
    return uint32_t{arbiter.readyMask >> (csrs.ctxPointer & 7) & 1u} << 31 |
           other.pc;
  case Csr_ACTIVE_CTX_SIG_EVENTS:
    return active.signals;
  case Csr_INDIRECT_CTX_SIG_EVENTS:
    return other.signals;
  case Csr_ACTIVE_CTX_WAKEUP_EVENTS:
    return active.wakeMask | uint32_t{active.any} << 16;
  case Csr_INDIRECT_CTX_WAKEUP_EVENTS:
    return other.wakeMask | uint32_t{other.any} << 16;
  case Csr_ACTIVE_LM_ADDR_0:
  case Csr_ACTIVE_LM_ADDR_0_BYTE_INDEX:
    return active.localAddress(0);
  case Csr_ACTIVE_LM_ADDR_1:
  case Csr_ACTIVE_LM_ADDR_1_BYTE_INDEX:
    return active.localAddress(1);
  case Csr_INDIRECT_LM_ADDR_0:
    return other.localAddress(0);
  case Csr_INDIRECT_LM_ADDR_1:
    return other.localAddress(1);
  case Csr_ACTIVE_CTX_FUTURE_COUNT:
    return active.futureCount;
  case Csr_INDIRECT_CTX_FUTURE_COUNT:
    return other.futureCount;
  case Csr_ACTIVE_FUTURE_COUNT_SIGNAL:
    return active.futureSignal;
  case Csr_INDIRECT_FUTURE_COUNT_SIGNAL:
    return other.futureSignal;
  default:
    return 0;
  }
}

uint32_t Microengine::readCsr(uint32_t csr) {
  commitPending();
  applyFutureCounts(scheduler.now() + 1);
  switch (csr) {
  case Csr_CTX_ENABLES:
    return csrs.ctxEnables;
  case Csr_CC_ENABLE:
    return csrs.ccEnable;
  case Csr_CSR_CTX_POINTER:
    return csrs.ctxPointer;
  case Csr_BYTE_INDEX:
    return csrs.byteIndex;
  case Csr_T_INDEX:
    return csrs.tIndex;
  case Csr_T_INDEX_BYTE_INDEX:
    return csrs.tIndex | csrs.byteIndex;
  case Csr_NN_PUT:
    return csrs.nnPut;
  case Csr_NN_GET:
    return csrs.nnGet;
  case Csr_TIMESTAMP_LOW:
    return static_cast<uint32_t>(timestampAt(time));
  case Csr_TIMESTAMP_HIGH:
    return static_cast<uint32_t>(timestampAt(time) >> 32);
  case Csr_PROFILE_COUNT:
    return static_cast<uint32_t>(time);
  case Csr_CRC_REMAINDER:
    return csrs.crcRemainder;
  case Csr_PSEUDO_RANDOM_NUMBER:
    return csrs.nextRandom();
  case Csr_CTX_ARB_CNTL:
    // The context that would be next if the engine were given up now.
    return arbiter.current |
           (arbiter.readyMask ? arbiter.next() : arbiter.current) << 4;
  case Csr_ALU_OUT:
    return latches.previousResult;
  default:
    return readContextCsr(csr);
  }
}

void Microengine::writeCsr(uint32_t csr, uint32_t value) {
  commitPending();
  switch (csr) {
  case Csr_ACTIVE_LM_ADDR_0:
  case Csr_ACTIVE_LM_ADDR_1:
  case Csr_ACTIVE_LM_ADDR_0_BYTE_INDEX:
  case Csr_ACTIVE_LM_ADDR_1_BYTE_INDEX:
  case Csr_T_INDEX:
  case Csr_BYTE_INDEX:
  case Csr_T_INDEX_BYTE_INDEX:
  case Csr_NN_PUT:
  case Csr_NN_GET:
    defer(csr, arbiter.current, value);
    return;
  case Csr_INDIRECT_LM_ADDR_0:
    defer(Csr_ACTIVE_LM_ADDR_0, csrs.ctxPointer & 7, value);
    return;
  case Csr_INDIRECT_LM_ADDR_1:
    defer(Csr_ACTIVE_LM_ADDR_1, csrs.ctxPointer & 7, value);
    return;
  case Csr_SAME_ME_SIGNAL:
  case Csr_NEXT_NEIGHBOR_SIGNAL:
  case Csr_PREV_NEIGHBOR_SIGNAL:
    writeSignalCsr(csr, value);
    return;
  case Csr_TIMESTAMP_LOW:
  case Csr_TIMESTAMP_HIGH:
    writeTimestamp(time, csr, value);
    return;
  case Csr_CTX_ENABLES:
    if (value & fourContextMode && arbiter.current % 2)
      fault("an odd context switches to four-context mode");
    else
      delay({time + chassis.parameters().meCsrSlots + 1, Csr_CTX_ENABLES, 0,
             value});
    return;
  case Csr_CC_ENABLE:
    isStepping = true;
    [[fallthrough]];
  case Csr_CRC_REMAINDER:
  case Csr_PSEUDO_RANDOM_NUMBER:
    delay({time + chassis.parameters().meCsrSlots + 1,
           static_cast<uint16_t>(csr), 0, value});
    return;
  case Csr_CTX_ARB_CNTL:
  case Csr_ALU_OUT:
  case Csr_PROFILE_COUNT:
    return; // read-only
  default:
    if (!isWritable(csr))
      return fault("local CSR " + std::to_string(csr) +
                   " cannot be written here");
    uint64_t cycle = time + chassis.parameters().meCsrSlots + 1;
    if (isFuture(csr))
      return writeFutureCount(cycle, contextOf(csr), csr, value);
    scheduler.schedule(cycle, this, csrEvent + csr,
                       uint64_t{contextOf(csr)} << 32 | value);
  }
}

/// As writeCsr for the core: a CSR without a delay of its own changes at once.
void Microengine::writeCsrNow(uint32_t csr, uint32_t value) {
  if (csr == Csr_CC_ENABLE || csr == Csr_CRC_REMAINDER ||
      csr == Csr_PSEUDO_RANDOM_NUMBER) {
    applyPending({time, static_cast<uint16_t>(csr), 0, value});
    refreshWatchedAlways();
  } else if (isFuture(csr))
    writeFutureCount(scheduler.now(), contextOf(csr), csr, value);
  else if (isWritable(csr))
    applyCsr(scheduler.now(), contextOf(csr), csr, value);
  else
    writeCsr(csr, value);
}

/// The context whose CSR an instruction names.
uint32_t Microengine::contextOf(uint32_t csr) const {
  switch (csr) {
  case Csr_INDIRECT_CTX_SIG_EVENTS:
  case Csr_INDIRECT_CTX_WAKEUP_EVENTS:
  case Csr_INDIRECT_FUTURE_COUNT_SIGNAL:
  case Csr_INDIRECT_CTX_FUTURE_COUNT:
  case Csr_INDIRECT_CTX_STS:
    return csrs.ctxPointer & 7;
  default:
    return arbiter.current;
  }
}

/// The write of a CSR takes effect at `cycle`.
void Microengine::applyCsr(uint64_t cycle, uint32_t index, uint32_t csr,
                           uint32_t value) {
  Context &context = arbiter.contexts[index];
  switch (csr) {
  case Csr_CSR_CTX_POINTER:
    csrs.ctxPointer = value & 7;
    return;
  case Csr_ACTIVE_CTX_SIG_EVENTS:
  case Csr_INDIRECT_CTX_SIG_EVENTS:
    context.signals = 0;
    raiseSignals(cycle, index, value);
    return;
  case Csr_ACTIVE_CTX_WAKEUP_EVENTS:
  case Csr_INDIRECT_CTX_WAKEUP_EVENTS:
    context.wakeMask = value & 0xffff;
    context.any = value >> 16 & 1;
    return;
  case Csr_INDIRECT_CTX_STS:
    context.pc = value & pcMask;
    return;
  }
}

/// Value: bit 7 = the next context of the engine, 6:3 signal, 2:0 context.
void Microengine::writeSignalCsr(uint32_t csr, uint32_t value) {
  uint32_t step = isFourContexts ? 2 : 1;
  uint32_t context =
      value & 0x80 ? (arbiter.current + step) % contextCount : value & 7;
  uint32_t mask = 1u << (value >> 3 & 15);
  uint64_t cycle = time + chassis.parameters().signalLatency;
  if (csr == Csr_SAME_ME_SIGNAL)
    chassis.raise(number, context, mask, cycle);
  else if (csr == Csr_NEXT_NEIGHBOR_SIGNAL && nextEngine)
    chassis.raise(nextEngine->number, context, mask, cycle);
  else if (csr == Csr_PREV_NEIGHBOR_SIGNAL && previousEngine)
    chassis.raise(previousEngine->number, context, mask, cycle);
}

/// Sets half of the timestamp, which counts on from there. Counts that are
/// being waited for keep their time.
void Microengine::writeTimestamp(uint64_t cycle, uint32_t csr, uint32_t value) {
  uint64_t now = timestampAt(cycle);
  uint64_t wanted = csr == Csr_TIMESTAMP_LOW
                        ? (now & ~uint64_t{0xffffffff}) | value
                        : (now & 0xffffffff) | uint64_t{value} << 32;
  csrs.timestampOffset += wanted - now;
}

/// A write of a context's future count, or of the signal that the context gets
/// when the low half of the timestamp equals the count, takes effect at
/// `cycle`. Nothing sees that before the count's event or a read of the CSR, so
/// the write is no event.
void Microengine::writeFutureCount(uint64_t cycle, uint32_t index, uint32_t csr,
                                   uint32_t value) {
  bool isCount = csr == Csr_ACTIVE_CTX_FUTURE_COUNT ||
                 csr == Csr_INDIRECT_CTX_FUTURE_COUNT;
  uint32_t serial = isCount ? ++futureSerials : 0;
  futureWrites.push_back(
      {cycle, serial, static_cast<uint16_t>(value & (isCount ? 0xffff : 15)),
       static_cast<uint8_t>(index)});
  if (!isCount)
    return;
  uint64_t wait = (value - timestampAt(cycle)) & 0xffff;
  if (wait == 0)
    wait = 0x10000;
  scheduler.schedule((cycle / TimestampTickCycles + wait) * TimestampTickCycles,
                     this, index, serial);
}

/// Applies the writes of future counts and their signals before cycle `end`.
void Microengine::applyFutureCounts(uint64_t end) {
  while (!futureWrites.empty() && futureWrites.front().cycle < end) {
    const FutureWrite &write = futureWrites.front();
    Context &context = arbiter.contexts[write.context];
    if (write.serial != 0) {
      context.futureCount = write.value;
      context.futureSerial = write.serial;
    } else {
      context.futureSignal = static_cast<uint8_t>(write.value);
    }
    futureWrites.pop_front();
  }
}

/// A write in the cycle in which a count ends comes too late for it.
void Microengine::onEvent(uint64_t cycle, uint32_t code, uint64_t argument) {
  if (code >= csrEvent)
    return applyCsr(cycle, static_cast<uint32_t>(argument >> 32),
                    code - csrEvent, static_cast<uint32_t>(argument));
  applyFutureCounts(cycle);
  Context &context = arbiter.contexts[code];
  if (context.futureSerial == argument && context.futureSignal != 0)
    raiseSignals(cycle, code, 1u << context.futureSignal);
}

/// Words in the neighbour ring that this engine reads.
uint32_t Microengine::neighbourLevel() {
  commitPending();
  const Microengine *writer = csrs.isOwnNeighbour() ? this : previousEngine;
  return writer ? (writer->csrs.nnPut - csrs.nnGet) & ringMask : 0;
}

bool Microengine::inputState(uint32_t state) {
  commitPending();
  if (state == 0)
    return neighbourLevel() <=
           (csrs.ctxEnables >> ringEmptyBit & ringEmptyMask);
  if (state == 1) {
    Microengine *reader = csrs.isOwnNeighbour() ? this : nextEngine;
    return reader && reader->neighbourLevel() >= ringMask;
  }
  if (state < 2 + StatusRingCount)
    return chassis.ringFlags() >> (state - 2) & 1;
  return false; // fci: no CSIX
}

} // namespace karakal::sim
