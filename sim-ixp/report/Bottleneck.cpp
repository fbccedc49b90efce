// What limits a run.
//
// See Bottleneck.h for the idea.

#include "sim-ixp/report/Bottleneck.h"

#include <algorithm>
#include <string>
#include <vector>

namespace karakal::sim {
namespace {

using nlohmann::json;

/// At this utilization a server is saturated: the queues in front of it grow
/// without bound.
constexpr double full = 0.90;

/// From this utilization on a command waits at least twice as long as its
/// service time (a queue with random arrivals and equal service times).
constexpr double crowded = 0.80;

/// From this share of the contexts' time on, waiting for locks is the limit,
/// whatever else is busy with it: contexts that poll a lock keep engines and
/// memories busy.
constexpr double contended = 0.25;

/// From this share of their cycles on, engines stall because a unit holds their
/// commands back, however busy they look.
constexpr double heldBack = 0.25;

struct Candidate {
  std::string unit;
  double utilization;
  std::string advice;
};

/// The buses between the engines and the units.
std::vector<Candidate> busesOf(const json &buses) {
  const json &command = buses["command_utilization"];
  std::vector<Candidate> found;
  for (size_t cluster = 0; cluster < command.size(); ++cluster)
    found.push_back({"command bus of cluster " + std::to_string(cluster),
                     command[cluster],
                     "fewer commands a packet, or engines of the other cluster "
                     "(--mapping)"});
  auto addData = [&](const std::string &bus, const json &parts,
                     const char *advice) {
    for (size_t cluster = 0; cluster < command.size(); ++cluster)
      found.push_back({"S " + bus + " of cluster " + std::to_string(cluster),
                       parts[cluster], advice});
    found.push_back({"D " + bus, parts.back(), advice});
  };
  addData("pull bus", buses["pull_utilization"],
          "fewer words written a packet");
  addData("push bus", buses["push_utilization"], "fewer words read a packet");
  return found;
}

std::vector<Candidate> unitsOf(const json &units) {
  std::vector<Candidate> found = {
      {"scratch", units["scratch"]["utilization"],
       "fewer ring messages and scratch accesses a packet, or wider ones"},
      {"DRAM bus", units["dram"]["utilization"],
       "fewer or narrower DRAM accesses a packet (levels pac and phr)"},
      {"hash unit", units["hash"]["utilization"], "fewer hashes a packet"},
      {"media bus, receive", units["msf"]["receive_utilization"],
       "nothing in the program: the ports' bus is full"},
      {"media bus, transmit", units["msf"]["transmit_utilization"],
       "nothing in the program: the ports' bus is full"}};
  for (size_t i = 0; i < units["sram"].size(); ++i)
    found.push_back(
        {"SRAM channel " + std::to_string(i), units["sram"][i]["utilization"],
         "fewer SRAM accesses a packet (levels phr and swc), or tables in the "
         "other channel"});
  const json &banks = units["dram"]["bank_utilization"];
  for (size_t i = 0; i < banks.size(); ++i)
    found.push_back({"DRAM bank " + std::to_string(i), banks[i],
                     "fewer DRAM accesses a packet (levels pac and phr), or "
                     "addresses that spread over the banks"});
  for (Candidate &bus : busesOf(units["bus"]))
    found.push_back(std::move(bus));
  return found;
}

/// The fraction of the cycles of a role's engines that `key` counts.
double partOf(const json &engines, const std::string &role, const char *key) {
  double part = 0, all = 0;
  for (const json &engine : engines)
    if (engine["role"] == role) {
      all += engine["cycles"].get<double>();
      part += engine[key].get<double>();
    }
  return all > 0 ? part / all : 0;
}

/// The fraction of their cycles in which a role's engines issue, abort or
/// stall; 0 without engines.
double busyPart(const json &engines, const std::string &role) {
  return partOf(engines, role, "cycles") - partOf(engines, role, "idle_cycles");
}

json result(const Candidate &candidate, const char *reason) {
  return {{"unit", candidate.unit},
          {"utilization", candidate.utilization},
          {"reason", reason},
          {"advice", candidate.advice}};
}

} // namespace

json findBottleneck(const json &stats) {
  // Without an offered rate the ports deliver as much as the chip accepts.
  bool isFed = !stats["rate"]["open_loop"].get<bool>() ||
               stats["packets"]["rx_overflow"] != 0 ||
               stats["rate"]["offered_gbps"].get<double>() >
                   1.02 * stats["rate"]["forwarded_gbps"].get<double>();
  if (stats.contains("locks") && isFed &&
      stats["locks"]["wait_share"].get<double>() >= contended) {
    std::string places;
    for (const json &place : stats["locks"]["places"])
      places += (places.empty() ? "" : ", ") + place.get<std::string>();
    return result({"locks", stats["locks"]["wait_share"],
                   "shorter critical sections, a lock for each part of the "
                   "data, or atomic_add; locks are taken at " +
                       places},
                  "contexts wait for a lock");
  }
  std::vector<Candidate> units = unitsOf(stats["units"]);
  units.push_back({"ports", stats["rate"]["port_utilization"],
                   "nothing in the program: the wires are full"});
  auto first = std::max_element(units.begin(), units.end(),
                                [](const Candidate &a, const Candidate &b) {
                                  return a.utilization < b.utilization;
                                });
  if (first->utilization >= full)
    return result(*first, "it is full");
  const json &engines = stats["microengines"];
  if (isFed && partOf(engines, "app", "stall_cycles") >= heldBack)
    return result(*first, "engines stall until it takes their commands");
  Candidate app{"program's engines", busyPart(engines, "app"),
                "fewer instructions a packet, or more engines (--mes)"};
  if (app.utilization >= full)
    return result(app, "they are busy");
  Candidate tx{"transmit engine", busyPart(engines, "tx"),
               "larger frames: it spends its cycles on each mpacket"};
  if (tx.utilization >= full)
    return result(tx, "it is busy");
  if (isFed && first->utilization >= crowded)
    return result(*first, "it is nearly full: contexts wait in front of it");
  if (!isFed)
    return result({"offered load", first->utilization,
                   "a higher --rate: the chip forwards what it is offered"},
                  "nothing is full");
  return result({"latency", app.utilization,
                 "more contexts or engines, commands that overlap, or fewer "
                 "accesses one after the other; fullest unit: " +
                     first->unit},
                "contexts wait while no unit is full");
}

} // namespace karakal::sim
