// The page that `ixpsim --html` writes.

#include "sim-ixp/report/RunPage.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace karakal::sim {
namespace {

using nlohmann::json;

// Generated from sim-ixp/report/page/.
#include "sim-ixp/report/RunPageFiles.inc"

/// Packets of each kind that the page lists.
constexpr size_t listedPacketsMax = 50;

/// Shares of a window are one character each, 0 to this.
constexpr std::string_view shares =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

char shareOf(uint64_t part, uint64_t whole) {
  KARAKAL_ASSERT(whole != 0, "a window has cycles");
  uint64_t index =
      (std::min(part, whole) * (shares.size() - 1) + whole / 2) / whole;
  return shares[index];
}

/// For each engine that is used, a text with contexts times states characters
/// for each window.
json describeContexts(const RunSamples &samples, uint32_t engineCount) {
  json engines = json::array();
  for (uint32_t engine = 0; engine < engineCount; ++engine) {
    std::string text;
    for (size_t window = 0; window < samples.totals().size(); ++window)
      for (uint32_t context = 0; context < RunSamples::contextCount; ++context)
        for (uint32_t state = 0; state < activityCount; ++state)
          text += shareOf(samples.cyclesIn(window, engine, context,
                                           static_cast<Activity>(state)),
                          samples.windowCycles());
    engines.push_back(std::move(text));
  }
  return engines;
}

/// Differences of totals that are the sum of the units of one name, by window,
/// in thousandths of the window.
json differences(const RunSamples &samples, const std::vector<size_t> &indices,
                 std::vector<uint64_t> RunSamples::Totals::*what) {
  json list = json::array();
  const RunSamples::Totals *before = nullptr;
  for (const RunSamples::Totals &totals : samples.totals()) {
    uint64_t cycles =
        totals.cycle - (before ? before->cycle : samples.beginCycle());
    uint64_t most = 0;
    for (size_t index : indices)
      most = std::max(most, (totals.*what)[index] -
                                (before ? (before->*what)[index] : 0));
    list.push_back(most * 1000 / std::max<uint64_t>(cycles, 1));
    before = &totals;
  }
  return list;
}

/// Busy share of each unit by window; a unit with several servers has that of
/// its busiest.
json describeUnits(const RunSamples &samples, Simulation &run) {
  const std::vector<std::string> &names = run.unitNames();
  std::map<std::string, std::vector<size_t>> indices;
  uint32_t reads = 0, writes = 0;
  std::map<std::string, uint32_t> buses;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name = names[i];
    if (name == "sram.read")
      name = "sram" + std::to_string(reads++);
    else if (name == "sram.write")
      name = "sram" + std::to_string(writes++);
    else if (name == "dram.bank")
      name = "dram";
    else if (name.rfind("bus.", 0) == 0)
      name += std::to_string(buses[name]++);
    indices[name].push_back(i);
  }
  json units = json::object();
  for (const auto &[name, of] : indices)
    units[name] = {
        {"busy", differences(samples, of, &RunSamples::Totals::busyCycles)}};
  for (uint32_t i = 0; i < Timeline::counterCount; ++i)
    if (auto found = units.find(Timeline::nameOf(i)); found != units.end())
      (*found)["commands"] =
          differences(samples, {i}, &RunSamples::Totals::commandCycles);
  return units;
}

json describeRings(const RunSamples &samples, Simulation &run) {
  json rings = json::array();
  for (const json &ring : run.image().manifest["rings"]) {
    uint32_t number = ring["number"];
    json words = json::array();
    bool isUsed = number < 2;
    for (const RunSamples::Totals &totals : samples.totals()) {
      words.push_back(totals.ringWords[number]);
      isUsed |= totals.ringWords[number] != 0;
    }
    if (isUsed)
      rings.push_back({{"name", ring["name"]},
                       {"size", run.chip().scratch().ringWords(number)},
                       {"words", std::move(words)}});
  }
  return rings;
}

json describePackets(const RunSamples &samples) {
  json packets;
  for (const char *key : {"received", "forwarded", "dropped"})
    packets[key] = json::array();
  for (const RunSamples::Totals &totals : samples.totals()) {
    packets["received"].push_back(totals.received);
    packets["forwarded"].push_back(totals.forwarded);
    packets["dropped"].push_back(totals.dropped + totals.consumed);
  }
  return packets;
}

/// The slowest packets, and the first that were not forwarded.
json listPackets(const RunSamples &samples) {
  const std::vector<PacketRow> &rows = samples.packets();
  std::vector<size_t> slowest, others;
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].fate == PacketFate::Forwarded)
      slowest.push_back(i);
    else if (rows[i].received != 0 && others.size() < listedPacketsMax)
      others.push_back(i);
  size_t count = std::min(slowest.size(), listedPacketsMax);
  std::partial_sort(slowest.begin(), slowest.begin() + count, slowest.end(),
                    [&](size_t a, size_t b) {
                      return rows[a].latency != rows[b].latency
                                 ? rows[a].latency > rows[b].latency
                                 : a < b;
                    });
  slowest.resize(count);
  slowest.insert(slowest.end(), others.begin(), others.end());
  json list = json::array();
  for (size_t i : slowest) {
    const PacketRow &row = rows[i];
    auto since = [&](uint64_t cycle) {
      return cycle == 0 ? json() : json(cycle - samples.beginCycle());
    };
    list.push_back({{"number", i},
                    {"received", since(row.received)},
                    {"taken", since(row.taken)},
                    {"left", since(row.left)},
                    {"latency", row.latency},
                    {"port", row.port},
                    {"fate", fateName(row.fate)}});
  }
  return list;
}

/// Puts `text` in the place of `mark`, which the page has once.
void fill(std::string &page, const std::string &mark, const std::string &text) {
  size_t at = page.find(mark);
  KARAKAL_ASSERT(at != std::string::npos, "the page lacks a mark");
  page.replace(at, mark.size(), text);
}

} // namespace

json describeRun(const std::string &command, const json &stats,
                 Simulation &run) {
  const RunSamples *samples = run.samples();
  KARAKAL_ASSERT(samples, "the run was not sampled");
  json description = {
      {"schema", 1},
      {"command", command},
      {"program", run.image().manifest["program"]},
      {"level", run.image().manifest["level"]},
      {"stats", stats},
      {"window_cycles", samples->windowCycles()},
      {"contexts", describeContexts(*samples, run.chip().engineCount())},
      {"units", describeUnits(*samples, run)},
      {"rings", describeRings(*samples, run)},
      {"packets", describePackets(*samples)},
      {"listed_packets", listPackets(*samples)},
  };
  return description;
}

std::string makeRunPage(const std::string &command, const json &stats,
                        Simulation &run) {
  std::string data = describeRun(command, stats, run)
                         .dump(-1, ' ', false, json::error_handler_t::replace);
  // The data must not end its element.
  for (size_t at = 0; (at = data.find('<', at)) != std::string::npos;)
    data.replace(at, 1, "\\u003c");
  std::string page = pageHtml;
  fill(page, "/*STYLE*/", pageStyle);
  fill(page, "/*SCRIPT*/", pageScript);
  fill(page, "/*DATA*/", data);
  return page;
}

} // namespace karakal::sim
