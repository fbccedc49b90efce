// What the switch has counted.

#include "switch/Statistics.h"
#include <cstdio>
#include <nlohmann/json.hpp>

namespace karakal::sw {

namespace {

struct PacketField {
  const char *name;
  const char *meaning;
  uint64_t x86::LiveCounts::*value;
  bool isGauge = false; ///< it may fall
};
const PacketField packetFields[] = {
    {"received", "frames that the program took", &x86::LiveCounts::received},
    {"forwarded", "of those, sent", &x86::LiveCounts::forwarded},
    {"dropped", "of those, dropped", &x86::LiveCounts::dropped},
    {"consumed", "of those, ended by a cold PPF", &x86::LiveCounts::consumed},
    {"lost_in_faults", "of those, ended by a fault",
     &x86::LiveCounts::lostInFaults},
    {"waiting", "of those, in queues of the program", &x86::LiveCounts::waiting,
     /*isGauge=*/true},
    {"transmitted", "frames that the program sent, with copies",
     &x86::LiveCounts::transmitted},
    {"copied", "packets made by copy and create", &x86::LiveCounts::copied},
    {"oversize", "frames too long for the program", &x86::LiveCounts::oversize},
    {"no_buffer", "frames not taken, as no buffer was free",
     &x86::LiveCounts::noBuffer},
    {"faults", "illegal actions of the program", &x86::LiveCounts::faults},
};

struct PortField {
  const char *name;
  const char *meaning;
  uint64_t PortCounts::*value;
};
const PortField portFields[] = {
    {"received", "frames received", &PortCounts::received},
    {"received_bytes", "bytes received", &PortCounts::receivedBytes},
    {"sent", "frames sent", &PortCounts::sent},
    {"sent_bytes", "bytes sent", &PortCounts::sentBytes},
    {"damaged", "frames received cut short or too long", &PortCounts::damaged},
    {"missed", "frames that no core took in time", &PortCounts::missed},
    {"full", "frames not sent, as the port had no room", &PortCounts::full},
    {"no_link", "frames not sent, as there was no link", &PortCounts::noLink},
    {"no_buffer", "frames that found no free buffer", &PortCounts::noBuffer},
    {"send_errors", "frames not sent for another reason",
     &PortCounts::sendErrors},
    {"downs", "times that the port went away", &PortCounts::downs},
};

double secondsOf(uint64_t nanoseconds) { return double(nanoseconds) / 1e9; }

/// A line of a table: text, number, and its rate if there is one.
void row(std::string &text, const std::string &name, uint64_t value,
         const uint64_t *before, double seconds) {
  char line[160];
  if (before && seconds > 0)
    std::snprintf(line, sizeof line, "  %-32s %15llu %15.1f/s\n", name.c_str(),
                  static_cast<unsigned long long>(value),
                  double(value - *before) / seconds);
  else
    std::snprintf(line, sizeof line, "  %-32s %15llu\n", name.c_str(),
                  static_cast<unsigned long long>(value));
  text += line;
}

/// A label's value: backslash, quotation mark and line end are escaped.
std::string quoted(const std::string &value) {
  std::string text = "\"";
  for (char c : value) {
    if (c == '\\' || c == '"')
      text += '\\';
    text += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return text + "\"";
}

void metric(std::string &text, const std::string &name, const char *kind,
            const char *meaning) {
  text += "# HELP bakersw_" + name + " " + meaning + "\n# TYPE bakersw_" +
          name + " " + kind + "\n";
}

void sample(std::string &text, const std::string &name,
            const std::string &labels, uint64_t value) {
  text += "bakersw_" + name + (labels.empty() ? "" : "{" + labels + "}") + " " +
          std::to_string(value) + "\n";
}

struct BuildField {
  const char *name;
  const char *meaning;
  uint64_t x86::SpecializeReport::*value;
};
const BuildField buildFields[] = {
    {"builds", "builds of specialized code", &x86::SpecializeReport::builds},
    {"used", "of those, used", &x86::SpecializeReport::used},
    {"out_of_date", "of those, out of date when done",
     &x86::SpecializeReport::outOfDate},
    {"failed", "of those, failed", &x86::SpecializeReport::failed},
    {"undone", "times that a call ended its use",
     &x86::SpecializeReport::undone},
    {"specialized_bursts", "bursts that ran specialized code",
     &x86::SpecializeReport::specializedBursts},
    {"own_bursts", "bursts that ran the program's own",
     &x86::SpecializeReport::ownBursts},
    {"observed_bursts", "bursts whose traffic was observed",
     &x86::SpecializeReport::observedBursts},
    {"traffic_builds", "builds that other traffic asked for",
     &x86::SpecializeReport::trafficBuilds},
};

void specializationTable(std::string &text, const x86::SpecializeReport &now,
                         const x86::SpecializeReport *before, double seconds) {
  text += std::string("specialized code (") +
          (now.isInForce ? "in use" : "not in use") + ")\n";
  for (const BuildField &field : buildFields)
    row(text, field.meaning, now.*field.value,
        before ? &(before->*field.value) : nullptr, seconds);
  char line[160];
  std::snprintf(line, sizeof line,
                "  %.1f %% of bursts; a build %.1f ms, from a change to its "
                "code %.1f ms (median), %.1f ms (99 %%)\n",
                100 * now.specializedShare(), now.buildMs.quantile(0.5),
                now.delayMs.quantile(0.5), now.delayMs.quantile(0.99));
  text += line;
  if (!now.failure.empty())
    text += "  no code: " + now.failure + "\n";
}

nlohmann::ordered_json specializationJson(const x86::SpecializeReport &now) {
  nlohmann::ordered_json json = {{"in_use", now.isInForce}};
  for (const BuildField &field : buildFields)
    json[field.name] = now.*field.value;
  json["specialized_share"] = now.specializedShare();
  json["build_ms_p50"] = now.buildMs.quantile(0.5);
  json["change_to_specialized_ms_p50"] = now.delayMs.quantile(0.5);
  json["change_to_specialized_ms_p99"] = now.delayMs.quantile(0.99);
  json["failure"] = now.failure;
  return json;
}

void specializationPrometheus(std::string &text,
                              const x86::SpecializeReport &now) {
  for (const BuildField &field : buildFields) {
    std::string name = std::string("specialization_") + field.name + "_total";
    metric(text, name, "counter", field.meaning);
    sample(text, name, "", now.*field.value);
  }
  metric(text, "specialization_in_use", "gauge",
         "1 if bursts can run specialized code");
  sample(text, "specialization_in_use", "", now.isInForce);
}

} // namespace

std::string statisticsTable(const Snapshot &now, const Snapshot *before) {
  KARAKAL_ASSERT(!before || before->ports.size() == now.ports.size(),
                 "two moments of one switch");
  double seconds =
      before ? secondsOf(now.nanoseconds - before->nanoseconds) : 0;
  char title[64];
  std::snprintf(title, sizeof title, ": %.1f s, %zu %s\n",
                secondsOf(now.nanoseconds), now.cores.size(),
                now.cores.size() == 1 ? "core" : "cores");
  std::string text = now.program + title;
  for (size_t i = 0; i < now.ports.size(); ++i) {
    const Snapshot::PortState &port = now.ports[i];
    text += "port " + std::to_string(i) + " (" + port.description + ")" +
            (port.up ? "\n" : ": down\n");
    for (const PortField &field : portFields) {
      uint64_t value = port.counts.*field.value;
      bool isUsual = &field - portFields < 4;
      if (value != 0 || isUsual)
        row(text, field.meaning, value,
            before ? &(before->ports[i].counts.*field.value) : nullptr,
            seconds);
    }
  }
  text += "packets\n";
  Snapshot::CoreState sum = now.total();
  Snapshot::CoreState old = before ? before->total() : Snapshot::CoreState();
  for (const PacketField &field : packetFields)
    if (uint64_t value = sum.packets.*field.value)
      row(text, field.meaning, value,
          before && !field.isGauge ? &(old.packets.*field.value) : nullptr,
          seconds);
  if (sum.own.noPort != 0)
    row(text, "sent to a port that is not there", sum.own.noPort, nullptr, 0);
  bool anyDrop = false;
  for (size_t i = 0; i < now.drops.size(); ++i) {
    if (now.drops[i].second == 0)
      continue;
    text += anyDrop ? "" : "drops\n";
    anyDrop = true;
    row(text, now.drops[i].first, now.drops[i].second,
        before ? &before->drops[i].second : nullptr, seconds);
  }
  if (now.isSpecialized)
    specializationTable(text, now.specialization,
                        before ? &before->specialization : nullptr, seconds);
  if (!now.lastFault.empty())
    text += "last fault: " + now.lastFault + "\n";
  return text;
}

std::string statisticsJson(const Snapshot &now) {
  using Json = nlohmann::ordered_json;
  auto coreJson = [](const Snapshot::CoreState &core) {
    Json json;
    for (const PacketField &field : packetFields)
      json[field.name] = core.packets.*field.value;
    json["no_port"] = core.own.noPort;
    json["handed"] = core.own.handed;
    json["bursts"] = core.own.bursts;
    json["waits"] = core.own.waits;
    return json;
  };
  Json json;
  json["schema"] = 1;
  json["program"] = now.program;
  json["seconds"] = secondsOf(now.nanoseconds);
  json["packets"] = coreJson(now.total());
  json["drops"] = Json::object();
  for (const auto &[reason, count] : now.drops)
    json["drops"][reason] = count;
  json["ports"] = Json::array();
  for (const Snapshot::PortState &port : now.ports) {
    Json one = {{"name", port.description}, {"up", port.up}};
    for (const PortField &field : portFields)
      one[field.name] = port.counts.*field.value;
    json["ports"].push_back(one);
  }
  json["cores"] = Json::array();
  for (const Snapshot::CoreState &core : now.cores)
    json["cores"].push_back(coreJson(core));
  json["control"] = {{"calls", now.calls},
                     {"refused", now.callsRefused},
                     {"stops", now.stops},
                     {"clients_dropped", now.clientsDropped},
                     {"timers", Json::array()}};
  for (const traces::TimerCounts &timer : now.timers)
    json["control"]["timers"].push_back({{"name", timer.name},
                                         {"interval_us", timer.intervalUs},
                                         {"calls", timer.calls},
                                         {"missed", timer.missed}});
  if (now.isSpecialized)
    json["specialization"] = specializationJson(now.specialization);
  json["last_fault"] = now.lastFault;
  return json.dump() + "\n";
}

std::string statisticsPrometheus(const Snapshot &now) {
  std::string text;
  for (const PortField &field : portFields) {
    std::string name = std::string("port_") + field.name + "_total";
    metric(text, name, "counter", field.meaning);
    for (size_t i = 0; i < now.ports.size(); ++i)
      sample(text, name,
             "port=\"" + std::to_string(i) +
                 "\",name=" + quoted(now.ports[i].description),
             now.ports[i].counts.*field.value);
  }
  metric(text, "port_up", "gauge", "1 if the port works");
  for (size_t i = 0; i < now.ports.size(); ++i)
    sample(text, "port_up",
           "port=\"" + std::to_string(i) +
               "\",name=" + quoted(now.ports[i].description),
           now.ports[i].up);
  for (const PacketField &field : packetFields) {
    std::string name =
        std::string("packets_") + field.name + (field.isGauge ? "" : "_total");
    metric(text, name, field.isGauge ? "gauge" : "counter", field.meaning);
    for (size_t i = 0; i < now.cores.size(); ++i)
      sample(text, name, "core=\"" + std::to_string(i) + "\"",
             now.cores[i].packets.*field.value);
  }
  metric(text, "no_port_total", "counter",
         "frames sent to a port that is not there");
  sample(text, "no_port_total", "", now.total().own.noPort);
  metric(text, "drops_total", "counter", "frames by drop reason");
  for (const auto &[reason, count] : now.drops)
    sample(text, "drops_total", "reason=" + quoted(reason), count);
  metric(text, "control_calls_total", "counter", "control calls");
  sample(text, "control_calls_total", "", now.calls);
  metric(text, "control_refused_total", "counter", "control calls refused");
  sample(text, "control_refused_total", "", now.callsRefused);
  metric(text, "timer_calls_total", "counter", "calls of a timer");
  for (const traces::TimerCounts &timer : now.timers)
    sample(text, "timer_calls_total", "timer=" + quoted(timer.name),
           timer.calls);
  metric(text, "timer_missed_total", "counter",
         "times that a timer was due again before its call");
  for (const traces::TimerCounts &timer : now.timers)
    sample(text, "timer_missed_total", "timer=" + quoted(timer.name),
           timer.missed);
  metric(text, "control_stops_total", "counter",
         "times that the cores stood still for control");
  sample(text, "control_stops_total", "", now.stops);
  metric(text, "control_clients_dropped_total", "counter",
         "control clients that were too many or did not read");
  sample(text, "control_clients_dropped_total", "", now.clientsDropped);
  if (now.isSpecialized)
    specializationPrometheus(text, now.specialization);
  metric(text, "uptime_seconds", "gauge", "seconds since the start");
  sample(text, "uptime_seconds", "", now.nanoseconds / 1'000'000'000);
  return text;
}

std::string explanationText(const x86::Assumptions &made, bool isInForce) {
  std::string text;
  if (made.assumptions.empty() && made.left.empty())
    return "nothing has been assumed; the program's own code runs\n";
  if (!isInForce)
    text = "the program's own code runs now; the code before assumed:\n";
  for (const auto &[symbol, sentence] : x86::explain(made))
    text += sentence + "\n";
  return text;
}

std::string explanationJson(const x86::Assumptions &made, bool isInForce) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", 1}, {"in_use", isInForce}};
  json["assumptions"] = Json::array();
  for (const x86::Assumption &one : made.assumptions)
    json["assumptions"].push_back(
        {{"name", one.name},
         {"what", one.what},
         {"saved_instructions", one.savedInstructions},
         {"undone_by", one.undoneBy}});
  json["left_alone"] = Json::array();
  for (const auto &[name, reason] : made.left)
    json["left_alone"].push_back({{"name", name}, {"reason", reason}});
  json["branches_by_traffic"] = made.weighedBranches;
  return json.dump() + "\n";
}

} // namespace karakal::sw
