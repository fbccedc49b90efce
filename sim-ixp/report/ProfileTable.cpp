// The profile as text.
//
// See ProfileTable.h for the idea.

#include "sim-ixp/report/ProfileTable.h"
#include "sim-ixp/report/CycleProfile.h"
#include "sim-ixp/run/Simulation.h"

#include <algorithm>
#include <cstdio>

namespace karakal::sim {
namespace {

using nlohmann::json;

/// Source lines of a microcode that are shown.
constexpr size_t linesShown = 20;
/// An instruction below this share of the cycles is not shown.
constexpr double shareShown = 0.0005;

uint64_t numberIn(const json &row, const char *key) {
  return row[key].get<uint64_t>();
}

uint64_t cyclesOf(const json &row) {
  return numberIn(row, "issued") + numberIn(row, "aborted") +
         numberIn(row, "stalled");
}

double meanWait(const json &row) {
  uint64_t waits = numberIn(row, "waits");
  return waits ? static_cast<double>(numberIn(row, "waited")) /
                     static_cast<double>(waits)
               : 0;
}

/// The columns before the last.
std::string columnsOf(const json &row, double all) {
  char text[64];
  std::snprintf(text, sizeof text, "%7.2f%% %9llu ",
                100 * static_cast<double>(cyclesOf(row)) / all,
                static_cast<unsigned long long>(numberIn(row, "issued")));
  std::string columns = text;
  if (numberIn(row, "waits") == 0)
    return columns + std::string(9, ' ');
  std::snprintf(text, sizeof text, "%8.1f ", meanWait(row));
  return columns + text;
}

void addLine(std::string &text, const json &line, const json &code, double all,
             const SourceText &sources) {
  const std::string location = line["location"];
  const std::string &source = sources.textOf(location);
  text += columnsOf(line, all) + (location.empty() ? "?" : location) +
          (source.empty() ? "" : "  " + source) + "\n";
  for (const json &row : code["instructions"]) {
    double share = static_cast<double>(cyclesOf(row)) / all;
    if (row["location"] == location && share >= shareShown)
      text += columnsOf(row, all) + "    " +
              std::to_string(numberIn(row, "pc")) + "  " +
              row["text"].get<std::string>() + "\n";
  }
}

/// Where the contexts of a microcode wait for locks.
void addLocks(std::string &text, const json &code, const SourceText &sources) {
  for (const json &lock : code["locks"]) {
    const std::string location = lock["location"];
    const std::string &source = sources.textOf(location);
    char line[96];
    std::snprintf(line, sizeof line,
                  "  waits for a lock: %llu cycles in %llu waits at ",
                  static_cast<unsigned long long>(numberIn(lock, "waited")),
                  static_cast<unsigned long long>(numberIn(lock, "waits")));
    text += line + location + (source.empty() ? "" : "  " + source) + "\n";
  }
}

void addCode(std::string &text, const std::string &name, const json &code,
             const SourceText &sources) {
  uint64_t all = 0;
  for (const json &line : code["lines"])
    all += cyclesOf(line);
  if (all == 0)
    return;
  text += "\n" + code["role"].get<std::string>() + " " + name + ", engines";
  for (const json &engine : code["engines"])
    text += " " + std::to_string(engine.get<unsigned>());
  text += ": " + std::to_string(all) + " busy cycles\n" +
          "  cycles    issued     wait location or instruction\n";
  size_t shown = std::min(code["lines"].size(), linesShown);
  for (size_t i = 0; i < shown; ++i)
    addLine(text, code["lines"][i], code, static_cast<double>(all), sources);
  if (shown < code["lines"].size())
    text += "  and " + std::to_string(code["lines"].size() - shown) +
            " more source lines (--profile=FILE has all)\n";
  addLocks(text, code, sources);
}

} // namespace

std::string describeProfile(Simulation &run) {
  const json profile = collectProfile(run);
  std::string text;
  for (const char *role : {"app", "rx", "tx"})
    for (const auto &[name, code] : profile["microcode"].items())
      if (code["role"] == role)
        addCode(text, name, code, run.sources());
  return text;
}

} // namespace karakal::sim
