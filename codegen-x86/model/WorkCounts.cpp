// Counts what packets take of a processor while they run.

#include "codegen-x86/model/WorkCounts.h"
#include "codegen-x86/model/Machine.h"
#include "support/Assert.h"
#include <algorithm>

namespace karakal::x86 {

void WorkCounts::Accesses::add(const ReuseDistances::Access &access) {
  if (access.distance == ReuseDistances::Never)
    first += access.weight;
  else
    again.add(double(access.distance), access.weight);
}

DistanceHistogram WorkCounts::Accesses::perPacket(uint64_t packets,
                                                  uint64_t lines) const {
  KARAKAL_ASSERT(packets != 0, "packets ran");
  DistanceHistogram all = again;
  if (first != 0)
    all.add(double(lines), first);
  all.scale(1.0 / double(packets));
  return all;
}

void WorkCounts::begin(Schedule schedule) {
  current = uint32_t(schedule);
  isActive = isCounted = true;
}

void WorkCounts::warmUp() {
  isActive = true;
  isCounted = false;
}

/// The accesses of a packet that need not wait for each other take as long as
/// the farthest one.
void WorkCounts::endChain() {
  if (Counts *now = counts(); now && farthest)
    now->chain.add(*farthest);
  farthest.reset();
}

void WorkCounts::endPackets(uint32_t count) {
  endChain();
  if (Counts *now = counts())
    now->packets += count;
}

void WorkCounts::block(uint32_t instructions) {
  if (isActive && isCounted)
    bySchedule[current].instructions += instructions;
}

void WorkCounts::branch(uint32_t site, bool taken) {
  if (!isActive)
    return;
  bool wrong = predictor.mispredicts(site, taken);
  if (Counts *now = counts())
    now->mispredictions += wrong;
}

void WorkCounts::access(AccessKind kind, uint64_t address, uint32_t object) {
  if (!isActive)
    return;
  Counts *now = counts();
  if (now && kind == AccessKind::Prefetch)
    ++now->cuts;
  auto found = distances.access(address / LineBytes);
  if (!now || !found)
    return;
  now->lines.add(*found);
  if (current == uint32_t(Schedule::OneByOne))
    objects[object].add(*found);
  switch (kind) {
  case AccessKind::Prefetch:
    return now->prefetched.add(*found);
  case AccessKind::Dependent:
    return now->chain.add(*found);
  case AccessKind::Free:
    // In a stage no other access of the packet is under way.
    if (current == uint32_t(Schedule::Staged))
      now->chain.add(*found);
    else if (!farthest || farthest->distance < found->distance)
      farthest = found;
  }
}

uint64_t WorkCounts::packets(Schedule schedule) const {
  return bySchedule[uint32_t(schedule)].packets;
}

Work WorkCounts::work(Schedule schedule) const {
  const Counts &from = bySchedule[uint32_t(schedule)];
  KARAKAL_ASSERT(from.packets != 0, "packets ran");
  double packets = double(from.packets);
  Work work;
  work.instructions = double(from.instructions) / packets;
  work.mispredictions = double(from.mispredictions) / packets;
  work.cuts = double(from.cuts) / packets;
  work.lines = from.lines.perPacket(from.packets, lineCount());
  work.chain = from.chain.perPacket(from.packets, lineCount());
  work.prefetched = from.prefetched.perPacket(from.packets, lineCount());
  return work;
}

std::map<uint32_t, DistanceHistogram> WorkCounts::byObject() const {
  std::map<uint32_t, DistanceHistogram> found;
  for (const auto &[object, accesses] : objects)
    found[object] =
        accesses.perPacket(packets(Schedule::OneByOne), lineCount());
  return found;
}

} // namespace karakal::x86
