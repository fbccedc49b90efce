// The profile's text form.
//
// One item on each line, words separated by spaces. docs/profile.md has the
// grammar.

#include "host/profile/FunctionalProfile.h"
#include <algorithm>
#include <sstream>

namespace karakal::host {

static constexpr const char *magic = "karakal-profile";
static constexpr uint32_t version = 2;

template <typename Numbers>
static void writeNumbers(std::ostream &out, const char *what,
                         const Numbers &numbers) {
  out << what;
  for (uint64_t number : numbers)
    out << ' ' << number;
  out << '\n';
}

std::string profileText(const Profile &profile) {
  std::ostringstream out;
  out << magic << ' ' << version << "\nprogram " << profile.program
      << "\ntraces " << profile.traces << "\nreceived " << profile.received
      << '\n';
  for (const FunctionCounts &function : profile.functions) {
    out << "function " << function.name << ' ' << std::hex << function.shape
        << std::dec << '\n';
    writeNumbers(out, "  blocks", function.blocks);
    writeNumbers(out, "  updates", function.updates);
    for (const std::vector<uint64_t> &branch : function.branches)
      writeNumbers(out, "  branch", branch);
    if (function.lookupHits.back() != 0)
      writeNumbers(out, "  lookup_hits", function.lookupHits);
  }
  for (const GlobalCounts &global : profile.globals) {
    out << "global " << global.name << ' ' << std::hex << global.shape
        << std::dec << '\n';
    writeNumbers(out, "  hits", global.hits);
    out << "  extent " << global.extent << '\n';
  }
  return out.str();
}

namespace {

/// Reads the text line by line.
class Parser {
public:
  Parser(const std::string &text, const std::string &path)
      : lines(text), path(path) {}

  Result<Profile> parse();

private:
  bool nextLine();
  bool parseLine();
  bool parseNamed(std::string &name, uint64_t &shape);
  bool parseNumbers(std::vector<uint64_t> &numbers);
  bool parseNumber(uint64_t &number) {
    std::vector<uint64_t> numbers;
    return parseNumbers(numbers) && numbers.size() == 1 &&
           (number = numbers[0], true);
  }
  template <size_t N> bool parseHits(std::array<uint64_t, N> &to);
  Error wrong(const std::string &what) {
    return makeFileError("E-host-009", path, what, number);
  }

  std::istringstream lines, words;
  const std::string &path;
  uint32_t number = 0;
  std::string key;
  Profile profile;
};

} // namespace

/// Reads the next line that is not empty. Returns false at the end.
bool Parser::nextLine() {
  std::string line;
  while (std::getline(lines, line)) {
    ++number;
    words = std::istringstream(line);
    if (words >> key)
      return true;
  }
  return false;
}

bool Parser::parseNumbers(std::vector<uint64_t> &numbers) {
  std::string word;
  while (words >> word) {
    if (word.size() > 19 ||
        word.find_first_not_of("0123456789") != std::string::npos)
      return false;
    numbers.push_back(std::stoull(word));
  }
  return true;
}

bool Parser::parseNamed(std::string &name, uint64_t &shape) {
  std::string more;
  return bool(words >> name >> std::hex >> shape) && !(words >> more);
}

template <size_t N> bool Parser::parseHits(std::array<uint64_t, N> &to) {
  std::vector<uint64_t> hits;
  if (!parseNumbers(hits))
    return false;
  if (hits.size() != to.size() || !std::is_sorted(hits.begin(), hits.end()))
    return false;
  std::copy(hits.begin(), hits.end(), to.begin());
  return true;
}

bool Parser::parseLine() {
  if (key == "program")
    return bool(words >> profile.program);
  if (key == "traces")
    return parseNumber(profile.traces);
  if (key == "received")
    return parseNumber(profile.received);
  if (key == "function") {
    FunctionCounts &made = profile.functions.emplace_back();
    return parseNamed(made.name, made.shape);
  }
  if (key == "global") {
    GlobalCounts &made = profile.globals.emplace_back();
    return parseNamed(made.name, made.shape);
  }
  if (key == "hits")
    return !profile.globals.empty() && parseHits(profile.globals.back().hits);
  if (key == "extent")
    return !profile.globals.empty() &&
           parseNumber(profile.globals.back().extent);
  if (profile.functions.empty())
    return false;
  FunctionCounts &function = profile.functions.back();
  if (key == "blocks")
    return parseNumbers(function.blocks);
  if (key == "updates")
    return parseNumbers(function.updates);
  if (key == "lookup_hits")
    return parseHits(function.lookupHits);
  return key == "branch" && parseNumbers(function.branches.emplace_back());
}

Result<Profile> Parser::parse() {
  uint64_t found = 0;
  if (!nextLine() || key != magic || !parseNumber(found))
    return wrong("not a profile: the first line must be '" +
                 std::string(magic) + " " + std::to_string(version) + "'");
  if (found != version)
    return wrong("the profile has version " + std::to_string(found) +
                 ", this compiler reads " + std::to_string(version));
  while (nextLine())
    if (!parseLine())
      return wrong("the line '" + key +
                   " ...' does not follow docs/profile.md");
  return std::move(profile);
}

Result<Profile> parseProfile(const std::string &text, const std::string &path) {
  return Parser(text, path).parse();
}

} // namespace karakal::host
