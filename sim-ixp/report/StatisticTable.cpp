// The definition of each statistic.

#include "sim-ixp/report/StatisticTable.h"

#include <algorithm>

namespace karakal::sim {
namespace {

/// Removes the part up to the next dot from `key` and returns it.
std::string_view takePart(std::string_view &key) {
  size_t dot = key.find('.');
  std::string_view part = key.substr(0, dot);
  key = dot == std::string_view::npos ? "" : key.substr(dot + 1);
  return part;
}

bool isAnyName(std::string_view part) {
  return part.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") ==
         std::string_view::npos;
}

bool matches(std::string_view pattern, std::string_view key) {
  while (!pattern.empty() && !key.empty()) {
    std::string_view wanted = takePart(pattern), part = takePart(key);
    if (wanted != part && !isAnyName(wanted))
      return false;
  }
  return pattern.empty() && key.empty();
}

} // namespace

const std::vector<StatisticRow> &statisticTable() {
  static const std::vector<StatisticRow> table = {
#define KARAKAL_STATISTIC(key, unit, meaning) {key, unit, meaning},
#include "sim-ixp/report/Statistics.def"
  };
  return table;
}

const StatisticRow *findStatistic(std::string_view key) {
  for (const StatisticRow &row : statisticTable())
    if (matches(row.key, key))
      return &row;
  return nullptr;
}

std::string describeStatisticTable() {
  constexpr size_t column = 36;
  std::string text;
  for (const StatisticRow &row : statisticTable()) {
    std::string line = std::string("  ") + row.key;
    line.resize(std::max(column, line.size() + 1), ' ');
    text += line + row.unit + ": " + row.meaning + "\n";
  }
  return text;
}

} // namespace karakal::sim
