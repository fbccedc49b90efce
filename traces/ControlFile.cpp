// Calls of control functions.
//
// A line is read by a cursor that never looks past its end; the first thing
// that does not fit is reported with line and column. How an argument is
// written is kept, so that `-1` is refused for an unsigned parameter and
// `0xffffffffffffffff` for a signed one, though both are the same 64 bits.

#include "traces/ControlFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

using namespace karakal;
using namespace karakal::traces;

namespace {

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// The value of a digit of any base up to 16, or 16.
unsigned digitValue(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return 16;
}

/// All of `text` as a number of the base, at most `max`.
std::optional<uint64_t> number(const std::string &text, unsigned base,
                               uint64_t max) {
  uint64_t value = 0;
  if (text.empty())
    return std::nullopt;
  for (char c : text) {
    const unsigned digit = digitValue(c);
    if (digit >= base || value > (max - digit) / base)
      return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

/// `count` numbers of one byte each between separators, first most significant.
std::optional<uint64_t> bytesBetween(const std::string &text, char separator,
                                     unsigned base, unsigned count) {
  uint64_t value = 0;
  std::size_t begin = 0;
  for (unsigned index = 0; index < count; ++index) {
    const std::size_t found = text.find(separator, begin);
    const bool last = index + 1 == count;
    if ((found == std::string::npos) != last)
      return std::nullopt;
    const std::string part = text.substr(begin, found - begin);
    const std::optional<uint64_t> byte = number(part, base, 255);
    if (!byte || part.size() > (base == 16 ? 2 : 3))
      return std::nullopt;
    value = value << 8 | *byte;
    begin = found + 1;
  }
  return value;
}

struct Argument {
  int64_t value;
  ControlCall::Form form;
};

std::optional<Argument> argument(const std::string &text) {
  if (text.find(':') != std::string::npos) {
    if (auto mac = bytesBetween(text, ':', 16, 6))
      return Argument{static_cast<int64_t>(*mac), ControlCall::Mac};
    return std::nullopt;
  }
  if (text.find('.') != std::string::npos) {
    if (auto address = bytesBetween(text, '.', 10, 4))
      return Argument{static_cast<int64_t>(*address), ControlCall::Ipv4};
    return std::nullopt;
  }
  const bool negative = text[0] == '-';
  std::string digits = text.substr(negative);
  const bool hex = digits.rfind("0x", 0) == 0 || digits.rfind("0X", 0) == 0;
  if (hex)
    digits = digits.substr(2);
  const uint64_t max = negative ? uint64_t(1) << 63 : UINT64_MAX;
  const std::optional<uint64_t> value = number(digits, hex ? 16 : 10, max);
  if (!value)
    return std::nullopt;
  const bool below = negative && *value != 0;
  return Argument{static_cast<int64_t>(below ? 0 - *value : *value),
                  below ? ControlCall::Negative : ControlCall::Plain};
}

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
    return error("E-traces-021",
                 "expected " + what +
                     (at < text.size()
                          ? " before '" + text.substr(at, 20) + "'"
                          : std::string(" before the end of the line")));
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

  const std::string &text;
  const std::string &file;
  const uint32_t line;
  std::size_t at = 0;
};

std::string LineParser::name() {
  skipSpace();
  const std::size_t begin = at;
  while (at < text.size() && isLetter(text[at])) {
    while (at < text.size() && (isLetter(text[at]) || isDigit(text[at])))
      ++at;
    if (at + 1 < text.size() && text[at] == '.' && isLetter(text[at + 1]))
      ++at;
  }
  return text.substr(begin, at - begin);
}

std::string LineParser::value() {
  skipSpace();
  const std::size_t begin = at;
  while (at < text.size() && (isLetter(text[at]) || isDigit(text[at]) ||
                              std::strchr("-.:", text[at])))
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
  const std::optional<uint64_t> when = number(value(), 10, INT64_MAX);
  if (!when) {
    at = valueBegin;
    return expected("a decimal number");
  }
  call.when = *when;
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
    const std::optional<Argument> parsed = argument(word);
    if (!parsed) {
      at = begin;
      return error("E-traces-022",
                   "'" + word +
                       "' is no number of at most 64 bits, no IPv4 address "
                       "and no MAC address");
    }
    call.args.push_back(parsed->value);
    call.forms.push_back(parsed->form);
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
  if (std::optional<Error> wrong = arguments(call))
    return *wrong;
  call.text = text.substr(begin, at - begin);
  skipSpace();
  if (at != text.size())
    return expected("the end of the line");
  return std::optional<ControlCall>(std::move(call));
}

struct IntegerType {
  bool isSigned;
  unsigned bits;
};

IntegerType typeOf(const std::string &name) {
  if (name == "int")
    return {true, 32};
  if (name == "unsigned")
    return {false, 32};
  if (name == "bool")
    return {false, 1};
  KARAKAL_ASSERT(name.size() >= 2 && (name[0] == 'u' || name[0] == 's'),
                 "a control parameter is of an integer type, not " + name);
  const std::optional<uint64_t> bits = number(name.substr(1), 10, 64);
  KARAKAL_ASSERT(bits && *bits >= 1,
                 "a control parameter has 1 to 64 bits, not " + name);
  return {name[0] == 's', static_cast<unsigned>(*bits)};
}

bool fits(int64_t value, ControlCall::Form form, IntegerType type) {
  const auto bits = static_cast<uint64_t>(value);
  if (form == ControlCall::Negative)
    return type.isSigned && value >= INT64_MIN >> (64 - type.bits);
  const unsigned magnitudeBits = type.isSigned ? type.bits - 1 : type.bits;
  return magnitudeBits == 64 || bits >> magnitudeBits == 0;
}

std::string plural(std::size_t count, const std::string &noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// `route_add(prefix: u32, length: u8)`
std::string describe(const ControlSignature &signature) {
  std::string text = signature.name + "(";
  for (std::size_t index = 0; index < signature.params.size(); ++index)
    text += (index ? ", " : "") + signature.params[index].name + ": " +
            signature.params[index].type;
  return text + ")";
}

Error unknownFunction(const ControlCall &call,
                      const std::vector<ControlSignature> &signatures) {
  std::string known;
  for (const ControlSignature &signature : signatures)
    known += (known.empty() ? "" : ", ") + signature.name;
  return makeFileError(
      "E-traces-023", call.file,
      "the program has no control function '" + call.name + "'" +
          (known.empty() ? "; it has none at all" : "; it has " + known),
      call.line);
}

} // namespace

bool karakal::traces::givesValue(const ControlSignature &signature) {
  return signature.returns != "void" && signature.returns != "int" &&
         signature.returns != "s32";
}

ControlValue karakal::traces::valueOf(const ControlSignature &signature,
                                      const std::string &call, uint32_t line,
                                      uint32_t bits) {
  // Functions extend what they return to 32 bits.
  const bool isSigned = typeOf(signature.returns).isSigned;
  return {call, line, isSigned ? int64_t{int32_t(bits)} : int64_t{bits}};
}

Result<std::vector<ControlCall>>
karakal::traces::parseControl(const std::string &text,
                              const std::string &file) {
  std::vector<ControlCall> calls;
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
      calls.push_back(std::move(**call));
  }
  return std::move(calls);
}

Result<std::vector<ControlCall>>
karakal::traces::readControlFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  // An empty file sets the fail bit of `text`, which is no error here.
  if (!file || (file.peek() != EOF && !(text << file.rdbuf())) || file.bad())
    return makeFileError("E-traces-020", path,
                         std::string("the control file cannot be read: ") +
                             std::strerror(errno));
  return parseControl(text.str(), path);
}

/// Whether a call by `name` means `function`: by its full name, or without a
/// dot by the last part of it.
static bool isMeant(const std::string &function, const std::string &name,
                    bool isQualified) {
  if (function.size() <= name.size() || isQualified)
    return function == name;
  size_t begin = function.size() - name.size();
  return function[begin - 1] == '.' &&
         function.compare(begin, name.size(), name) == 0;
}

Result<Resolved>
karakal::traces::bindCall(const ControlCall &call,
                          const std::vector<ControlSignature> &signatures) {
  const bool qualified = call.name.find('.') != std::string::npos;
  std::optional<std::size_t> found;
  for (std::size_t index = 0; index < signatures.size(); ++index) {
    const std::string &name = signatures[index].name;
    if (!isMeant(name, call.name, qualified))
      continue;
    if (found)
      return makeFileError("E-traces-023", call.file,
                           "'" + call.name + "' is both " +
                               signatures[*found].name + " and " + name +
                               "; write which",
                           call.line);
    found = index;
  }
  if (!found)
    return unknownFunction(call, signatures);

  const ControlSignature &signature = signatures[*found];
  if (call.args.size() != signature.params.size())
    return makeFileError("E-traces-024", call.file,
                         describe(signature) + " takes " +
                             plural(signature.params.size(), "argument") +
                             ", not " + std::to_string(call.args.size()),
                         call.line);
  Resolved resolved{*found, {}};
  for (std::size_t index = 0; index < call.args.size(); ++index) {
    const ControlSignature::Param &param = signature.params[index];
    if (!fits(call.args[index], call.forms[index], typeOf(param.type)))
      return makeFileError("E-traces-025", call.file,
                           "argument " + std::to_string(index + 1) +
                               " does not fit " + param.name + ": " +
                               param.type + " of " + describe(signature),
                           call.line);
    resolved.args.push_back(static_cast<uint64_t>(call.args[index]));
  }
  return std::move(resolved);
}
