// The files that `ixpsim --record` writes.

#include "sim-ixp/report/RunRecord.h"

#include <fstream>
#include <map>
#include <utility>

namespace karakal::sim {
namespace {

/// Cycles from the start; empty for what did not happen.
std::string since(uint64_t begin, uint64_t cycle) {
  KARAKAL_ASSERT(cycle == 0 || cycle >= begin, "before the engines started");
  return cycle == 0 ? std::string() : std::to_string(cycle - begin);
}

void writePackets(std::ostream &out, const RunSamples &samples) {
  uint64_t begin = samples.beginCycle();
  out << "number,fate,received,taken,left,latency,port\n";
  for (size_t i = 0; i < samples.packets().size(); ++i) {
    const PacketRow &row = samples.packets()[i];
    if (row.received == 0)
      continue;
    bool isForwarded = row.fate == PacketFate::Forwarded;
    out << i << ',' << fateName(row.fate) << ',' << since(begin, row.received)
        << ',' << since(begin, row.taken) << ',' << since(begin, row.left)
        << ',' << (isForwarded ? std::to_string(row.latency) : "") << ','
        << (isForwarded ? std::to_string(row.port) : "") << '\n';
  }
}

void writeCalls(std::ostream &out, Simulation &run) {
  uint64_t begin = run.samples()->beginCycle();
  out << "line,begin,end,call\n";
  for (const TimedCall &call : run.control().timedCalls())
    out << call.line << ',' << since(begin, call.begin) << ','
        << since(begin, call.end) << ",\"" << call.text << "\"\n";
}

void writeSpans(std::ostream &out, Simulation &run) {
  static const char *const names[] = {"run",  "ready", "scratch",
                                      "sram", "dram",  "other"};
  const RunSamples &samples = *run.samples();
  std::map<std::pair<uint32_t, uint32_t>, std::string> waits;
  out << "engine,context,begin,cycles,state,pc,wait\n";
  for (const ContextSpan &span : samples.spans()) {
    out << unsigned(span.engine) << ',' << unsigned(span.context) << ','
        << (span.begin < samples.beginCycle()
                ? 0
                : span.begin - samples.beginCycle())
        << ',' << span.cycles << ',' << names[static_cast<uint32_t>(span.state)]
        << ',';
    if (span.state != Activity::Run) {
      auto [wait, isNew] = waits.try_emplace({span.engine, span.pc});
      if (isNew)
        wait->second = run.waitName(span.engine, span.pc);
      out << span.pc << ',' << wait->second;
    } else {
      out << ',';
    }
    out << '\n';
  }
}

} // namespace

Status writeRecord(const std::string &path, Simulation &run) {
  KARAKAL_ASSERT(run.samples(), "the run was not sampled");
  for (const char *ending : {".packets.csv", ".calls.csv", ".spans.csv"}) {
    std::string name = path + ending;
    std::ofstream file(name, std::ios::binary);
    if (ending == std::string(".packets.csv"))
      writePackets(file, *run.samples());
    else if (ending == std::string(".calls.csv"))
      writeCalls(file, run);
    else
      writeSpans(file, run);
    file.close();
    if (!file)
      return makeFileError("E-sim-ixp-040", name, "cannot be written");
  }
  return success();
}

} // namespace karakal::sim
