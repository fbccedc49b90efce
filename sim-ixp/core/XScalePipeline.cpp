// The time that the XScale's instructions take.
//
// See XScalePipeline.h for the idea.

#include "sim-ixp/core/XScalePipeline.h"

#include <utility>

namespace karakal::sim {

XScalePipeline::XScalePipeline(const XScalePrivate &cached,
                               double cyclesPerClock, Transfer transfer)
    : cached(cached), clockCycles(cyclesPerClock),
      transfer(std::move(transfer)),
      instructionCache(cached.base, cached.bytes),
      dataCache(cached.base, cached.bytes) {}

void XScalePipeline::start(double cycle) {
  time = std::max(time, cycle);
  readyAt.fill(time);
  current = ArmInstruction();
  fetchedLine = ~0u;
}

void XScalePipeline::finish() {
  time = std::max({time, loads.last(), stores.last()});
}

/// The branch issued last went to `pc`.
void XScalePipeline::resolveBranch(uint32_t pc) {
  Branch &entry = branches[currentPc / 4 % branches.size()];
  bool isTaken = pc != currentPc + 4;
  bool isKnown = entry.pc == currentPc;
  bool isPredictedTaken = isKnown && entry.history >= 2;
  if (isTaken != isPredictedTaken) {
    time += ArmMispredictCycles * clockCycles;
    ++counters.mispredicted;
  }
  // A branch enters the buffer when it is taken for the first time.
  if (!isKnown) {
    if (isTaken)
      entry = {currentPc, 2};
  } else if (isTaken) {
    entry.history = static_cast<uint8_t>(std::min(entry.history + 1, 3));
  } else if (entry.history > 0) {
    --entry.history;
  }
}

/// A line that must be written back leaves by the write buffer.
void XScalePipeline::replace(const XScaleCache::Miss &miss) {
  if (miss.writtenBack)
    stores.add(transfer(*miss.writtenBack, XScaleCache::lineBytes, true,
                        stores.enter(time)));
}

void XScalePipeline::fetch(uint32_t pc) {
  uint32_t line = pc / XScaleCache::lineBytes;
  if (line == fetchedLine)
    return;
  fetchedLine = line;
  if (!isPrivate(pc))
    return;
  if (instructionCache.access(pc, false)) {
    ++counters.fetchMisses;
    time = transfer(line * XScaleCache::lineBytes, XScaleCache::lineBytes,
                    false, time);
  }
}

void XScalePipeline::issue(uint32_t pc, uint32_t word) {
  if (current.isPredicted)
    resolveBranch(pc);
  fetch(pc);
  current = decodeArm(word);
  currentPc = pc;
  for (uint32_t sources = current.sources; sources != 0; sources &= sources - 1)
    time = std::max(time, readyAt[__builtin_ctz(sources)]);
  double ready = time + current.result * clockCycles;
  for (uint32_t results = current.results; results != 0; results &= results - 1)
    readyAt[__builtin_ctz(results)] = ready;
  time += current.issue * clockCycles;
}

void XScalePipeline::access(uint32_t address, uint32_t bytes, bool isWrite) {
  if (isPrivate(address)) {
    auto miss = dataCache.access(address, isWrite);
    if (!miss)
      return;
    ++counters.dataMisses;
    replace(*miss);
    // A store that misses brings in its line, too.
    load(address / XScaleCache::lineBytes * XScaleCache::lineBytes,
         XScaleCache::lineBytes);
    return;
  }
  ++counters.accesses;
  if (isWrite)
    store(address, bytes);
  else
    load(address, bytes);
}

void XScalePipeline::load(uint32_t address, uint32_t bytes) {
  time = loads.enter(time);
  double end = transfer(address, bytes, false, time);
  loads.add(end);
  for (uint32_t results = current.results; results != 0; results &= results - 1)
    readyAt[__builtin_ctz(results)] =
        std::max(readyAt[__builtin_ctz(results)], end);
}

void XScalePipeline::store(uint32_t address, uint32_t bytes) {
  time = stores.enter(time);
  stores.add(transfer(address, bytes, true, time));
}

void XScalePipeline::accessDevice(uint32_t address, bool isWrite) {
  ++counters.accesses;
  time = std::max(time, stores.last());
  time = transfer(address, 4, isWrite, time);
}

} // namespace karakal::sim
