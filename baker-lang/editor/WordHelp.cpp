#include "baker-lang/editor/WordHelp.h"

#include <map>

namespace karakal::lang {

const WordHelp *helpFor(std::string_view word) {
  static const std::map<std::string_view, WordHelp> words = {
#define WORD(name, form, meaning) {#name, {form, meaning}},
#include "baker-lang/editor/WordHelp.def"
  };
  auto entry = words.find(word);
  return entry == words.end() ? nullptr : &entry->second;
}

std::string describeScalarType(const std::string &word) {
  bool isSized = word.size() > 1 && (word[0] == 'u' || word[0] == 's') &&
                 word.find_first_not_of("0123456789", 1) == std::string::npos;
  if (!isSized)
    return "";
  std::string sign = word[0] == 's' ? "a signed" : "an unsigned";
  return word + "\n" + sign + " integer of " + word.substr(1) + " bits";
}

} // namespace karakal::lang
