// A timeline of the run for a viewer.

#include "sim-ixp/observe/Timeline.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/CommandCodes.h"

#include <cinttypes>
#include <set>
#include <zlib.h>

namespace karakal::sim {
namespace {

// Processes of the trace besides the engines.
constexpr unsigned unitsProcess = 100;
constexpr unsigned packetsProcess = 101;

/// By Timeline::Counter.
const char *const counterNames[] = {"sram0", "sram1",   "sram2",
                                    "sram3", "scratch", "dram",
                                    "cap",   "hash",    "msf"};

void writeName(gzFile out, unsigned process, const std::string &name) {
  gzprintf(out,
           "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\","
           "\"args\":{\"name\":\"%s\"}},\n",
           process, name.c_str());
}

} // namespace

Timeline::Counter Timeline::counterOf(const Command &command) {
  switch (target::unitOf(command.op)) {
  case target::FunctionalUnit::Sram:
    return static_cast<Counter>(Sram0 +
                                (command.address >> target::SramChannelShift));
  case target::FunctionalUnit::Scratch:
    return Scratch;
  case target::FunctionalUnit::Dram:
    return Dram;
  case target::FunctionalUnit::Cap:
  case target::FunctionalUnit::Pci:
    return Cap;
  case target::FunctionalUnit::Hash:
    return Hash;
  case target::FunctionalUnit::Msf:
    return Msf;
  case target::FunctionalUnit::None:
    return None;
  }
  KARAKAL_UNREACHABLE("a unit without a counter");
}

const char *Timeline::nameOf(uint32_t counter) {
  KARAKAL_ASSERT(counter < counterCount, "no such counter");
  return counterNames[counter];
}

bool Timeline::admitEvent() {
  if (recorded < eventCountMax) {
    ++recorded;
    return true;
  }
  ++dropped;
  return false;
}

void Timeline::addSegment(uint32_t engine, uint32_t context, uint64_t begin,
                          uint64_t end) {
  addSpan(engine, context, begin, end, noPc);
}

void Timeline::addWait(uint32_t engine, uint32_t context, const Wait &wait) {
  addSpan(engine, context, wait.begin, wait.end, wait.pc);
}

void Timeline::addSpan(uint32_t engine, uint32_t context, uint64_t begin,
                       uint64_t end, uint32_t pc) {
  KARAKAL_ASSERT(begin <= end, "a span ends before it begins");
  if (end >= windowBegin && begin < windowEnd && admitEvent())
    spans.push_back({begin, static_cast<uint32_t>(end - begin),
                     static_cast<uint16_t>(pc), static_cast<uint8_t>(engine),
                     static_cast<uint8_t>(context)});
}

void Timeline::onCommand(uint64_t cycle, const Command &command, bool isEnd) {
  Counter unit = counterOf(command);
  if (unit == None)
    return;
  KARAKAL_ASSERT(!isEnd || inFlight[unit] > 0,
                 "a command ends at a unit that it did not go to");
  if (levels.empty() && isInWindow(cycle)) // as the window begins
    for (uint8_t i = 0; i < counterCount; ++i)
      if (inFlight[i] != 0 && admitEvent())
        levels.push_back({windowBegin, inFlight[i], i});
  inFlight[unit] += isEnd ? -1 : 1;
  if (isInWindow(cycle) && admitEvent())
    levels.push_back({cycle, inFlight[unit], unit});
}

void Timeline::addPacket(uint64_t cycle, uint64_t number, PacketStep step,
                         uint32_t ringOrPort) {
  if (isInWindow(cycle) && admitEvent())
    steps.push_back({cycle, number, step, static_cast<uint8_t>(ringOrPort)});
}

void Timeline::writeSpans(gzFile out, double microsecond,
                          const Names &names) const {
  for (const Span &span : spans)
    gzprintf(out,
             "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\","
             "\"ts\":%.4f,\"dur\":%.4f},\n",
             span.engine, span.context,
             span.pc == noPc ? "run" : names.wait(span.engine, span.pc).c_str(),
             static_cast<double>(span.begin) / microsecond,
             span.cycles / microsecond);
}

void Timeline::writeLevels(gzFile out, double microsecond) const {
  for (const Level &level : levels)
    gzprintf(out,
             "{\"ph\":\"C\",\"pid\":%u,\"name\":\"%s\",\"ts\":%.4f,"
             "\"args\":{\"commands\":%u}},\n",
             unitsProcess, counterNames[level.unit],
             static_cast<double>(level.cycle) / microsecond, level.commands);
}

void Timeline::writeSteps(gzFile out, double microsecond) const {
  std::set<uint64_t> begun;
  for (const Step &step : steps) {
    auto write = [&](const char *phase, const std::string &name) {
      gzprintf(out,
               "{\"ph\":\"%s\",\"cat\":\"packet\",\"pid\":%u,\"tid\":0,"
               "\"id\":%" PRIu64 ",\"name\":\"%s\",\"ts\":%.4f},\n",
               phase, packetsProcess, step.number, name.c_str(),
               static_cast<double>(step.cycle) / microsecond);
    };
    std::string packet = "packet " + std::to_string(step.number);
    std::string ringOrPort = std::to_string(step.ringOrPort);
    bool isInside = begun.count(step.number) != 0;
    switch (step.step) {
    case PacketStep::Put:
      if (begun.insert(step.number).second)
        write("b", packet);
      write("n", "put into ring " + ringOrPort);
      break;
    case PacketStep::Get:
      if (windowBegin != 0 && begun.insert(step.number).second)
        write("b", packet); // it was put before the window
      if (begun.count(step.number) != 0)
        write("n", "got from ring " + ringOrPort);
      break;
    case PacketStep::Refused:
      if (isInside)
        write("n", "dropped: no such port");
      break;
    case PacketStep::Sent:
      if (isInside)
        write("n", "sent on port " + ringOrPort);
      [[fallthrough]];
    case PacketStep::Freed:
      if (begun.erase(step.number) != 0)
        write("e", packet);
      break;
    }
  }
}

Status Timeline::write(const std::string &path, uint64_t clockHz,
                       const Names &names) const {
  bool isCompressed =
      path.size() > 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
  // "T" writes as it is.
  gzFile out = gzopen(path.c_str(), isCompressed ? "wb" : "wbT");
  if (!out)
    return makeFileError("E-sim-ixp-040", path, "cannot be written");
  double microsecond = static_cast<double>(clockHz) / 1e6;
  gzprintf(out,
           "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"left_out\":"
           "%" PRIu64 "},\"traceEvents\":[\n",
           dropped);
  for (unsigned i = 0; i < names.roles.size(); ++i)
    writeName(out, i, "engine " + std::to_string(i) + " " + names.roles[i]);
  writeName(out, unitsProcess, "units: commands in flight");
  writeName(out, packetsProcess, "packets");
  writeSpans(out, microsecond, names);
  writeLevels(out, microsecond);
  writeSteps(out, microsecond);
  gzprintf(out, "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_sort_index\","
                "\"args\":{\"sort_index\":0}}\n]}\n");
  int error = Z_OK;
  gzerror(out, &error);
  if (gzclose(out) != Z_OK || error != Z_OK)
    return makeFileError("E-sim-ixp-040", path, "cannot be written");
  return success();
}

} // namespace karakal::sim
