// The part of a mapping that the user fixes.

#include "aggregation/formation/MappingFile.h"
#include <algorithm>
#include <charconv>
#include <sstream>

namespace karakal::agg {

/// Whether the name can be part of a section name of the image.
static bool isName(const std::string &text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '_' || c == '-' || c == '.';
         });
}

/// Parses a number from 1 to `most`; 0 if it is something else.
static unsigned numberUpTo(const std::string &text, unsigned most) {
  unsigned number = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end && number <= most ? number : 0;
}

/// Parses the rest of the line after an aggregate's name; the chip has
/// `enginesMax` engines for it. Returns an error message, or an empty string.
static std::string parseWishes(std::istringstream &words, unsigned enginesMax,
                               MappedAggregate &made) {
  std::string wish;
  for (bool isFirst = true; words >> wish; isFirst = false) {
    if (wish.rfind("contexts=", 0) == 0) {
      made.contexts = numberUpTo(wish.substr(9), 8);
      if (made.contexts == 0)
        return "an engine has 1 to 8 contexts";
    } else if (wish == "ring=sram" || wish == "ring=scratch") {
      made.takesSramRing = wish == "ring=sram";
    } else if (wish.find('=') != std::string::npos) {
      return "'" + wish +
             "' is neither 'contexts=N' nor 'ring=scratch' nor "
             "'ring=sram'";
    } else {
      if (!isFirst)
        return "'" + wish + "' is in the place of 'contexts=N' or 'ring=KIND'";
      made.engines = numberUpTo(wish, enginesMax);
      if (made.engines == 0)
        return "an aggregate has 1 to " + std::to_string(enginesMax) +
               " engines, not '" + wish + "'";
    }
  }
  return "";
}

/// Parses `aggregate NAME [ENGINES] [contexts=N] [ring=KIND]` after its first
/// word. Returns an error message, or an empty string.
static std::string parseAggregate(std::istringstream &words,
                                  unsigned enginesMax, Mapping &mapping) {
  MappedAggregate made;
  if (!(words >> made.name) || !isName(made.name))
    return "an aggregate needs a name of letters, digits, '_', '-' and '.'";
  if (made.name == "rx" || made.name == "tx")
    return "'" + made.name + "' is the name of the runtime's microcode";
  for (const MappedAggregate &other : mapping.aggregates)
    if (other.name == made.name)
      return "there are two aggregates '" + made.name + "'";
  if (std::string wrong = parseWishes(words, enginesMax, made); !wrong.empty())
    return wrong;
  mapping.aggregates.push_back(std::move(made));
  return "";
}

Result<Mapping> parseMapping(const std::string &text, const std::string &path,
                             unsigned enginesMax) {
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
      wrong = parseAggregate(words, enginesMax, mapping);
      if (wrong.empty())
        ppfs = &mapping.aggregates.back().ppfs;
    } else if (words >> more) {
      wrong = "a PPF needs a line of its own";
    } else if (word == "xscale") {
      ppfs = &mapping.xscale;
    } else if (!ppfs) {
      wrong = "a PPF must follow 'aggregate NAME' or 'xscale'";
    } else {
      ppfs->push_back(word);
    }
    if (!wrong.empty())
      return makeFileError("E-aggregation-001", path, wrong, number);
  }
  return mapping;
}

} // namespace karakal::agg
