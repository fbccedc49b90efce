// Calls of control functions.
//
// A line is read by a cursor that never looks past its end; the first thing
// that does not fit is reported with line and column.

#include "traces/ControlFile.h"

#include "support/Text.h"
#include "traces/InputFile.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

using namespace karakal;
using namespace karakal::traces;

namespace {

class LineParser {
public:
  LineParser(const std::string &text, const std::string &file, uint32_t line)
      : text(text), file(file), line(line) {}

  /// The call of the line, nothing if the line is empty.
  Result<std::optional<ControlCall>> run();

private:
  Error error(const char *id, std::string message) const {
    Error result = makeFileError(id, file, std::move(message), line);
    result.column = at + 1;
    return result;
  }
  Error expected(const std::string &what) const {
    constexpr std::size_t quotedMax = 20;
    const std::string rest = text.substr(at);
    return error(
        "E-traces-021",
        "expected " + what + " before " +
            (rest.empty()
                 ? "the end of the line"
                 : "'" + rest.substr(0, characterStart(rest, quotedMax)) +
                       "'"));
  }
  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t'))
      ++at;
  }
  bool accept(char c) {
    skipSpace();
    if (at == text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  std::string name();
  std::string value();
  std::optional<Error> moment(ControlCall &call);
  std::optional<Error> arguments(ControlCall &call);
  std::optional<Error> add(ControlCall &call, std::string word,
                           std::size_t begin);
  std::optional<Error> suffix(const std::string &last, std::size_t begin,
                              ControlCall::Detail &detail);
  Result<ControlLiteral> literalAt(const std::string &text, std::size_t begin);

  const std::string &text;
  const std::string &file;
  const uint32_t line;
  std::size_t at = 0;
};

std::string LineParser::name() {
  skipSpace();
  const std::size_t begin = at;
  while (at < text.size() && isControlLetter(text[at])) {
    while (at < text.size() &&
           (isControlLetter(text[at]) || isControlDigit(text[at])))
      ++at;
    if (at + 1 < text.size() && text[at] == '.' &&
        isControlLetter(text[at + 1]))
      ++at;
  }
  return text.substr(begin, at - begin);
}

std::string LineParser::value() {
  skipSpace();
  const std::size_t begin = at;
  while (at < text.size() &&
         (isControlLetter(text[at]) || isControlDigit(text[at]) ||
          std::string_view("-.:").find(text[at]) != std::string_view::npos))
    ++at;
  return text.substr(begin, at - begin);
}

/// `@packet N`, `@cycle N` or `@end`, past the `@`.
std::optional<Error> LineParser::moment(ControlCall &call) {
  const std::size_t begin = at;
  const std::string unit = name();
  if (unit == "packet") {
    call.kind = ControlCall::AtPacket;
  } else if (unit == "cycle") {
    call.kind = ControlCall::AtCycle;
  } else if (unit == "end") {
    call.kind = ControlCall::AtEnd;
    return std::nullopt;
  } else {
    at = begin;
    return expected("'packet', 'cycle' or 'end'");
  }
  skipSpace();
  const std::size_t valueBegin = at;
  const std::optional<uint64_t> when = parseNumber(value(), 10, INT64_MAX);
  if (!when) {
    at = valueBegin;
    return expected("a decimal number");
  }
  call.when = *when;
  return std::nullopt;
}

/// The literal `text`, which begins at column `begin`.
Result<ControlLiteral> LineParser::literalAt(const std::string &text,
                                             std::size_t begin) {
  if (std::optional<ControlLiteral> literal = parseLiteral(text))
    return *literal;
  at = begin;
  return error(
      "E-traces-022",
      "'" + text +
          "' is no number of at most 64 bits, no IPv4 or IPv6 address, "
          "no MAC address, not 'true' and not 'false'");
}

/// The part of an argument after its value.
std::optional<Error> LineParser::suffix(const std::string &last,
                                        std::size_t begin,
                                        ControlCall::Detail &detail) {
  std::string text = last;
  if (!text.empty())
    detail.suffix = ControlCall::Range;
  else if (accept('/'))
    detail.suffix = ControlCall::Prefix;
  else if (accept('&'))
    detail.suffix = ControlCall::Mask;
  else
    return std::nullopt;
  if (text.empty()) {
    skipSpace();
    begin = at;
    text = value();
  }
  Result<ControlLiteral> literal = literalAt(text, begin);
  if (!literal)
    return literal.error();
  detail.suffixHigh = literal->high;
  detail.suffixLow = uint64_t(literal->low);
  return std::nullopt;
}

/// Adds the argument that begins with `word`.
std::optional<Error> LineParser::add(ControlCall &call, std::string word,
                                     std::size_t begin) {
  ControlCall::Detail detail;
  bool isName = word.size() > 1 && word.back() == ':' && isNameText(word);
  if (isName) {
    detail.name = word.substr(0, word.size() - 1);
    skipSpace();
    begin = at;
    word = value();
  }
  ControlLiteral literal;
  if (word == "any") {
    detail.suffix = ControlCall::Any;
  } else {
    const std::size_t dots = word.find("..");
    Result<ControlLiteral> read = literalAt(word.substr(0, dots), begin);
    if (!read)
      return read.error();
    literal = *read;
    std::string last = dots == std::string::npos ? "" : word.substr(dots + 2);
    if (dots != std::string::npos && last.empty())
      return expected("the end of the range");
    if (auto wrong = suffix(last, begin + dots + 2, detail))
      return wrong;
  }
  detail.high = literal.high;
  call.args.push_back(literal.low);
  call.forms.push_back(literal.form);
  call.details.push_back(detail);
  return std::nullopt;
}

std::optional<Error> LineParser::arguments(ControlCall &call) {
  if (!accept('('))
    return expected("'('");
  if (accept(')'))
    return std::nullopt;
  do {
    skipSpace();
    const std::size_t begin = at;
    const std::string word = value();
    if (word.empty())
      return expected("an argument");
    if (std::optional<Error> wrong = add(call, word, begin))
      return *wrong;
  } while (accept(','));
  if (!accept(')'))
    return expected("',' or ')'");
  return std::nullopt;
}

Result<std::optional<ControlCall>> LineParser::run() {
  skipSpace();
  if (at == text.size())
    return std::optional<ControlCall>();
  ControlCall call;
  call.file = file;
  call.line = line;
  if (accept('@'))
    if (std::optional<Error> wrong = moment(call))
      return *wrong;
  skipSpace();
  const std::size_t begin = at;
  call.name = name();
  if (call.name.empty())
    return expected("the name of a control function");
  skipSpace();
  if (at == text.size() && (call.name == "begin" || call.name == "commit")) {
    call.text = call.name;
    call.isBatch = true;
    return std::optional<ControlCall>(std::move(call));
  }
  if (std::optional<Error> wrong = arguments(call))
    return *wrong;
  call.text = text.substr(begin, at - begin);
  skipSpace();
  if (at != text.size())
    return expected("the end of the line");
  return std::optional<ControlCall>(std::move(call));
}

} // namespace

namespace {

/// Puts the calls between `begin` and `commit` into one.
class Batches {
public:
  Status add(ControlCall call) {
    if (call.isBatch && call.name == "begin") {
      if (open)
        return error(call, "a batch is open since line " +
                               std::to_string(open->line) +
                               "; end it with 'commit'");
      open = std::move(call);
    } else if (open && call.kind != ControlCall::Start) {
      return error(call, "a call of a batch has the time of its 'begin'; "
                         "leave out the '@'");
    } else if (call.isBatch) {
      if (!open)
        return error(call, "there is no 'begin' before this 'commit'");
      if (open->parts.empty())
        return error(call, "the batch has no calls");
      calls.push_back(std::move(*open));
      open.reset();
    } else if (open) {
      open->parts.push_back(std::move(call));
    } else {
      calls.push_back(std::move(call));
    }
    return success();
  }
  Result<std::vector<ControlCall>> all() {
    if (open)
      return error(*open, "the batch has no 'commit'");
    return std::move(calls);
  }

private:
  static Error error(const ControlCall &at, std::string message) {
    return makeFileError("E-traces-029", at.file, std::move(message), at.line);
  }
  std::optional<ControlCall> open;
  std::vector<ControlCall> calls;
};

} // namespace

Result<std::vector<ControlCall>>
karakal::traces::parseControl(const std::string &text,
                              const std::string &file) {
  Batches calls;
  std::istringstream lines(text);
  std::string line;
  for (uint32_t lineNumber = 1; std::getline(lines, line); ++lineNumber) {
    line.resize(std::min(line.find('#'), line.size()));
    if (!line.empty() && line.back() == '\r')
      line.pop_back();
    auto call = LineParser(line, file, lineNumber).run();
    if (!call)
      return call.error();
    if (*call)
      if (Status added = calls.add(std::move(**call)); !added)
        return added.error();
  }
  return calls.all();
}

Result<std::vector<ControlCall>>
karakal::traces::readControlFile(const std::string &path) {
  auto file = InputFile::open(path, "E-traces-020", "the control file");
  if (!file)
    return file.error();
  std::string text;
  if (Status status = (*file)->readRest(text); !status)
    return status.error();
  return parseControl(text, path);
}

std::vector<ControlCall>
karakal::traces::singleCalls(const std::vector<ControlCall> &calls) {
  std::vector<ControlCall> all;
  for (const ControlCall &call : calls) {
    if (!call.isBatch)
      all.push_back(call);
    for (const ControlCall &part : call.parts) {
      all.push_back(part);
      all.back().kind = call.kind;
      all.back().when = call.when;
    }
  }
  return all;
}
