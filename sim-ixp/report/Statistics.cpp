// The results of a run.
//
// See Statistics.h for the idea.

#include "sim-ixp/report/Statistics.h"
#include "sim-ixp/report/Bottleneck.h"
#include "sim-ixp/run/Simulation.h"
#include "target-ixp/chip/MemoryMap.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <set>

namespace karakal::sim {
namespace {

using nlohmann::json;

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// Measured cycles up to the last movement of a packet. The quiet end of a run
/// only proves that no packet follows and is not part of a rate.
uint64_t activeCycles(Simulation &run) {
  uint64_t from = run.measureBegin().cycle;
  uint64_t to = std::clamp(run.accounting().lastProgressCycle(), from,
                           run.measureEnd().cycle);
  return to - from;
}

json packetsOf(Simulation &run) {
  const PacketCounters &all = run.measureEnd().packets;
  const ReceiveStatistics &receive = run.msf().receiveStatistics();
  return {
      {"arrived", receive.framesArrived},
      {"received", all.received},
      {"forwarded", all.forwarded},
      {"dropped", all.dropped},
      {"consumed", all.consumed},
      {"waiting", all.received - all.forwarded - all.dropped - all.consumed},
      {"to_xscale", all.toXScale},
      {"copied", all.copied},
      {"transmitted", all.transmitted},
      {"rx_overflow", receive.framesLost},
      {"rx_errors", run.scratchWord(target::RxErrorsCounter)},
      {"oversize", run.scratchWord(target::RxOversizeCounter)},
      {"reordered", run.reorderedCount()}};
}

json dropsOf(Simulation &run) {
  json drops = json::object();
  uint32_t reason = 0;
  for (const json &name : run.image().manifest["drop_reasons"])
    drops[name.get<std::string>()] = run.dropCounter(reason++);
  return drops;
}

json rateOf(Simulation &run) {
  const Snapshot &first = run.measureBegin(), &last = run.measureEnd();
  double seconds = ratio(activeCycles(run), run.chip().parameters().meClockHz);
  PacketCounters window = last.packets - first.packets;
  double offered = run.options().offeredGbps;
  const target::ChipParameters &params = run.chip().parameters();
  uint64_t gapBits = params.portsGapBytes * 8;
  bool isOpenLoop = offered > 0 || run.options().keepsTimes;
  if (offered <= 0)
    offered = ratio(last.arrivedBits - first.arrivedBits, seconds * 1e9);
  return {{"open_loop", isOpenLoop},
          {"offered_gbps", offered},
          {"forwarded_gbps", ratio(window.transmittedBits, seconds * 1e9)},
          {"forwarded_mpps", ratio(window.transmitted, seconds * 1e6)},
          {"port_utilization",
           ratio(window.transmittedBits + window.transmitted * gapBits,
                 seconds * static_cast<double>(params.portsRateBps *
                                               params.portsCount))}};
}

json perPacketOf(Simulation &run) {
  const Snapshot &first = run.measureBegin(), &last = run.measureEnd();
  PacketCounters window = last.packets - first.packets;
  uint64_t instructions = 0;
  for (uint32_t i = 0; i < run.chip().engineCount(); ++i)
    if (run.engines()[i].role == EngineRole::App)
      instructions +=
          last.engines[i].issueCycles - first.engines[i].issueCycles;
  double packets = window.taken;
  return {{"packets", window.taken},
          {"instructions", ratio(instructions, packets)},
          {"packet",
           {{"scratch", ratio(window.packetScratch, packets)},
            {"sram", ratio(window.packetSram, packets)},
            {"dram", ratio(window.packetDram, packets)}}},
          {"application",
           {{"scratch", ratio(window.appScratch, packets)},
            {"sram", ratio(window.appSram, packets)}}},
          {"other",
           {{"hash", ratio(window.hash, packets)},
            {"cap", ratio(window.cap, packets)},
            {"msf", ratio(window.msf, packets)}}},
          {"empty_polls", window.emptyPolls}};
}

json latencyOf(Simulation &run) {
  const Histogram &latencies = run.latencies();
  auto at = [&](double part) {
    return latencies.at(
        static_cast<uint64_t>(part * static_cast<double>(latencies.count())));
  };
  return {{"p50", at(0.50)}, {"p99", at(0.99)}, {"max", latencies.maximum()}};
}

json cachesOf(Simulation &run) {
  const CacheMonitor &caches = run.caches();
  json globals = json::array();
  for (const GlobalUses &uses : caches.globals())
    globals.push_back({{"global", uses.global},
                       {"check_interval", uses.interval},
                       {"reads", uses.reads},
                       {"home_reads", uses.homeReads},
                       {"stale_reads", uses.staleReads},
                       {"stale_packets", uses.stalePackets}});
  json lookups = json::array();
  for (const LookupUses &uses : caches.lookups())
    lookups.push_back({{"lookup", uses.lookup},
                       {"check_interval", uses.interval},
                       {"hits", uses.hits},
                       {"stale_hits", uses.staleHits},
                       {"stale_packets", uses.stalePackets}});
  double packets = run.measureEnd().packets.taken;
  uint64_t exchanges = 0;
  for (uint32_t i = 0; i < run.chip().engineCount(); ++i)
    exchanges += run.chip().engine(i).coreLoadCount();
  return {{"globals", globals},
          {"lookups", lookups},
          {"exchanges", exchanges},
          {"version_checks", caches.versionCheckCount()},
          {"stale_packets", caches.stalePacketCount()},
          {"stale_rate", ratio(caches.stalePacketCount(), packets)}};
}

json powerOf(Simulation &run) {
  uint64_t stops = 0, starts = 0, off = 0;
  for (uint32_t i = 0; i < run.chip().engineCount(); ++i) {
    EngineRest rest = run.chip().engine(i).restAt(run.measureEnd().cycle);
    stops += rest.stops;
    starts += rest.starts;
    off += rest.cycles;
  }
  return {{"policy", "power"},
          {"stops", stops},
          {"starts", starts},
          {"engine_off_cycles", off}};
}

json xscaleOf(Simulation &run) {
  XScaleStatistics core = run.core()->statistics();
  uint64_t cycles = run.measureEnd().cycle - run.startCycle();
  return {{"jobs", core.jobs},
          {"instructions", core.instructions},
          {"utilization", ratio(core.busyCycles, cycles)},
          {"fetch_misses", core.times.fetchMisses},
          {"data_misses", core.times.dataMisses},
          {"mispredicted", core.times.mispredicted},
          {"accesses", core.times.accesses}};
}

json unitsOf(Simulation &run) {
  const Snapshot &first = run.measureBegin(), &last = run.measureEnd();
  double cycles = last.cycle - first.cycle;
  json units = {{"sram", json::array()}};
  for (size_t i = 0; i < run.unitNames().size(); ++i) {
    const std::string &name = run.unitNames()[i];
    double part = ratio(last.busyCycles[i] - first.busyCycles[i], cycles);
    if (name == "sram.read")
      units["sram"].push_back(
          {{"read_utilization", part}, {"utilization", part}});
    else if (name == "sram.write") {
      json &channel = units["sram"].back();
      channel["write_utilization"] = part;
      channel["utilization"] =
          std::max(part, channel["utilization"].get<double>());
    } else if (name == "dram.bank")
      units["dram"]["bank_utilization"].push_back(part);
    else if (name.rfind("bus.", 0) == 0)
      units["bus"][name.substr(4) + "_utilization"].push_back(part);
    else if (name == "msf.receive")
      units["msf"]["receive_utilization"] = part;
    else if (name == "msf.transmit")
      units["msf"]["transmit_utilization"] = part;
    else
      units[name]["utilization"] = part;
  }
  return units;
}

json enginesOf(Simulation &run) {
  const Snapshot &first = run.measureBegin(), &last = run.measureEnd();
  json engines = json::array();
  for (uint32_t i = 0; i < run.chip().engineCount(); ++i) {
    const EnginePlan &plan = run.engines()[i];
    const EngineCounters &a = first.engines[i], &b = last.engines[i];
    uint64_t cycles = last.cycle - first.cycle;
    uint64_t issue = b.issueCycles - a.issueCycles;
    bool isIdle = plan.role == EngineRole::Idle;
    engines.push_back(
        {{"id", i},
         {"role", roleName(plan.role)},
         {"aggregate", plan.aggregate},
         {"microcode", plan.microcode},
         {"cycles", cycles},
         {"instructions", issue},
         {"issue_cycles", issue},
         {"aborted_cycles", b.abortedCycles - a.abortedCycles},
         {"stall_cycles", b.stallCycles - a.stallCycles},
         {"idle_cycles", isIdle ? cycles : b.idleCycles - a.idleCycles},
         {"swaps", b.swaps - a.swaps},
         {"iteration_cycles_max", b.iterationCyclesMax},
         {"lock_wait_cycles", b.lockWaitCycles - a.lockWaitCycles},
         {"commands", b.commands - a.commands}});
  }
  return engines;
}

/// How much of their time contexts wait for locks, and where.
json locksOf(Simulation &run, const json &engines) {
  double waited = 0, all = 0;
  std::set<std::string> places;
  for (const json &engine : engines) {
    uint32_t i = engine["id"];
    const EnginePlan &plan = run.engines()[i];
    if (plan.role != EngineRole::App)
      continue;
    waited += engine["lock_wait_cycles"].get<double>();
    all +=
        engine["cycles"].get<double>() * __builtin_popcount(plan.contextMask);
    const MicroProgram &program = *run.chip().engine(i).loaded();
    for (const MicroProgram::LockFunction &function : program.lockFunctions)
      for (uint32_t call : function.calls)
        if (call < program.locations.size() && !program.locations[call].empty())
          places.insert(program.locations[call]);
  }
  return {{"wait_share", ratio(waited, all)}, {"places", places}};
}

void append(std::string &text, const char *format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  text += line;
}

void describePackets(std::string &text, const json &stats) {
  const json &packets = stats["packets"];
  auto count = [&](const char *name) {
    return packets[name].get<unsigned long long>();
  };
  append(text,
         "packets   %llu received, %llu forwarded, %llu dropped, "
         "%llu consumed\n",
         count("received"), count("forwarded"), count("dropped"),
         count("consumed"));
  for (const auto &[name, number] : stats["drops"].items())
    if (number != 0)
      append(text, "  dropped %-24s %llu\n", name.c_str(),
             number.get<unsigned long long>());
  for (const char *name : {"waiting", "to_xscale", "copied", "rx_overflow",
                           "rx_errors", "oversize", "reordered"})
    if (count(name) != 0)
      append(text, "  %-32s %llu\n", name, count(name));
}

void describeEngines(std::string &text, const json &stats) {
  text += "engine    role  aggregate         issue  abort  stall   idle\n";
  for (const json &engine : stats["microengines"]) {
    if (engine["role"] == "idle")
      continue;
    double cycles = engine["cycles"];
    auto part = [&](const char *name) {
      return 100 * ratio(engine[name].get<double>(), cycles);
    };
    append(text, "%6u    %-5s %-16s %5.1f%% %5.1f%% %5.1f%% %5.1f%%\n",
           engine["id"].get<unsigned>(),
           engine["role"].get<std::string>().c_str(),
           engine["aggregate"].get<std::string>().c_str(), part("issue_cycles"),
           part("aborted_cycles"), part("stall_cycles"), part("idle_cycles"));
  }
}

/// The time that contexts spend waiting for locks, if there are any.
void describeLocks(std::string &text, const json &locks) {
  if (locks["places"].empty())
    return;
  append(text, "locks     %.1f%% of the contexts' time is spent waiting at ",
         100 * locks["wait_share"].get<double>());
  for (size_t i = 0; i < locks["places"].size(); ++i)
    text += (i ? ", " : "") + locks["places"][i].get<std::string>();
  text += "\n";
}

} // namespace

json hazardsOf(Simulation &run) {
  static const char *const names[] = {"early_read",         "early_rewrite",
                                      "local_memory_delay", "unaligned",
                                      "crc_delay",          "runaway_context"};
  json hazards = json::array();
  for (const Hazard &hazard : run.accounting().hazards())
    hazards.push_back({{"kind", names[static_cast<unsigned>(hazard.kind)]},
                       {"engine", hazard.engine},
                       {"cycle", hazard.cycle},
                       {"text", hazard.text}});
  return hazards;
}

/// Calls, their functions' results, and timers.
json controlOf(Simulation &run) {
  json values = json::array();
  for (const traces::ControlValue &value : run.control().values()) {
    json each = {{"line", value.line}, {"call", value.call}};
    if (value.entries)
      each["entries"] = *value.entries;
    else
      each["value"] = value.value;
    values.push_back(std::move(each));
  }
  json timers = json::array();
  for (const traces::TimerCounts &timer : run.control().timerCounts())
    timers.push_back({{"name", timer.name},
                      {"interval_us", timer.intervalUs},
                      {"calls", timer.calls},
                      {"late", timer.late},
                      {"missed", timer.missed}});
  return {{"calls", run.control().callCount()},
          {"not_reached", run.control().waitingCount()},
          {"values", std::move(values)},
          {"timers", std::move(timers)}};
}

json collectStatistics(Simulation &run) {
  uint64_t clock = run.chip().parameters().meClockHz;
  uint64_t cycles = run.measureEnd().cycle - run.startCycle();
  json stats = {{"schema", 1},
                {"cycles", cycles},
                {"clock_hz", clock},
                {"seconds", ratio(cycles, clock)},
                {"setup_cycles", run.startCycle()},
                {"measured",
                 {{"warmup_packets", run.options().warmup},
                  {"cycles", run.measureEnd().cycle - run.measureBegin().cycle},
                  {"active_cycles", activeCycles(run)}}},
                {"packets", packetsOf(run)},
                {"drops", dropsOf(run)},
                {"rate", rateOf(run)},
                {"per_packet", perPacketOf(run)},
                {"latency_cycles", latencyOf(run)},
                {"units", unitsOf(run)},
                {"xscale", xscaleOf(run)},
                {"caches", cachesOf(run)},
                {"control", controlOf(run)},
                {"hazards", hazardsOf(run)},
                {"microengines", enginesOf(run)}};
  if (run.savesPower())
    stats["power"] = powerOf(run);
  stats["locks"] = locksOf(run, stats["microengines"]);
  stats["bottleneck"] = findBottleneck(stats);
  return stats;
}

std::string describeStatistics(Simulation &run, const json &stats) {
  std::string text;
  describePackets(text, stats);
  for (const traces::ControlValue &value : run.control().values())
    text += (value.entries ? "" : "value     ") + traces::valueText(value);
  const json &rate = stats["rate"];
  append(text, "rate      %.3f Gbps, %.3f Mpps forwarded (%.3f Gbps offered)\n",
         rate["forwarded_gbps"].get<double>(),
         rate["forwarded_mpps"].get<double>(),
         rate["offered_gbps"].get<double>());
  const json &each = stats["per_packet"];
  append(text,
         "packet    %.1f instructions; packet data: %.2f scratch, %.2f SRAM, "
         "%.2f DRAM;\n          application data: %.2f scratch, %.2f SRAM\n",
         each["instructions"].get<double>(),
         each["packet"]["scratch"].get<double>(),
         each["packet"]["sram"].get<double>(),
         each["packet"]["dram"].get<double>(),
         each["application"]["scratch"].get<double>(),
         each["application"]["sram"].get<double>());
  const json &latency = stats["latency_cycles"];
  append(text, "latency   %llu cycles median, %llu p99, %llu maximum\n",
         latency["p50"].get<unsigned long long>(),
         latency["p99"].get<unsigned long long>(),
         latency["max"].get<unsigned long long>());
  const json &units = stats["units"];
  text += "busy      ";
  append(text, "scratch %.0f%%",
         100 * units["scratch"]["utilization"].get<double>());
  for (size_t i = 0; i < units["sram"].size(); ++i)
    append(text, ", SRAM %zu %.0f%%", i,
           100 * units["sram"][i]["utilization"].get<double>());
  append(text, ", DRAM %.0f%%\n",
         100 * units["dram"]["utilization"].get<double>());
  describeEngines(text, stats);
  describeLocks(text, stats["locks"]);
  const json &bottleneck = stats["bottleneck"];
  text += "limit     " + bottleneck["unit"].get<std::string>();
  append(text, " at %.0f%%: ", 100 * bottleneck["utilization"].get<double>());
  text += bottleneck["reason"].get<std::string>() +
          "\n          what helps: " + bottleneck["advice"].get<std::string>() +
          "\n";
  double host = run.measureEnd().hostSeconds - run.measureBegin().hostSeconds;
  append(text, "time      %.3f ms of chip time, %llu cycles; %.2f M cycles/s\n",
         1000 * stats["seconds"].get<double>(),
         stats["cycles"].get<unsigned long long>(),
         ratio(stats["measured"]["cycles"].get<double>(), host * 1e6));
  return text;
}

} // namespace karakal::sim
