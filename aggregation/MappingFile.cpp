//===- MappingFile.cpp - what the user fixes of a mapping -----------------===//

#include "aggregation/MappingFile.h"
#include <algorithm>
#include <sstream>

namespace karakal::agg {

/// Section names of the image are made of these.
static bool isName(const std::string &text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '_' || c == '-' || c == '.';
         });
}

/// Reads `aggregate NAME [ENGINES]` behind its first word; empty if right.
static std::string parseAggregate(std::istringstream &words, Mapping &mapping) {
  MappedAggregate made;
  std::string count, more;
  if (!(words >> made.name) || !isName(made.name))
    return "an aggregate needs a name of letters, digits, '_', '-' and '.'";
  if (made.name == "rx" || made.name == "tx")
    return "'" + made.name + "' is the name of the runtime's microcode";
  for (const MappedAggregate &other : mapping.aggregates)
    if (other.name == made.name)
      return "there are two aggregates '" + made.name + "'";
  if (words >> count) {
    if (count.size() != 1 || count[0] < '1' || count[0] > '6' || words >> more)
      return "behind the name stands the number of engines, 1 to 6";
    made.engines = unsigned(count[0] - '0');
  }
  mapping.aggregates.push_back(std::move(made));
  return "";
}

Result<Mapping> parseMapping(const std::string &text, const std::string &path) {
  Mapping mapping;
  std::vector<std::string> *ppfs = nullptr;
  std::istringstream lines(text);
  std::string line, word, more;
  for (uint32_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    if (!(words >> word))
      continue;
    std::string wrong;
    if (word == "aggregate") {
      wrong = parseAggregate(words, mapping);
      if (wrong.empty())
        ppfs = &mapping.aggregates.back().ppfs;
    } else if (words >> more) {
      wrong = "a PPF stands on a line of its own";
    } else if (word == "xscale") {
      ppfs = &mapping.xscale;
    } else if (!ppfs) {
      wrong = "a PPF stands below 'aggregate NAME' or 'xscale'";
    } else {
      ppfs->push_back(word);
    }
    if (!wrong.empty())
      return makeFileError("E-aggregation-001", path, wrong, number);
  }
  return mapping;
}

} // namespace karakal::agg
