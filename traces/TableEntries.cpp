// The entries of declared tables as calls of `add`.

#include "traces/TableEntries.h"

#include "support/EntryCounters.h"
#include "support/EntryMeters.h"
#include "support/Error.h"
#include "traces/CallGroups.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdio>

namespace karakal::traces {

namespace {

constexpr unsigned ipv4Bits = 32, macBits = 48;

std::string lastPart(const std::string &name) {
  return name.substr(name.rfind('.') + 1);
}

/// The table of one of its functions.
std::string tableOf(const std::string &function) {
  return function.substr(0, function.rfind('.'));
}

std::size_t indexOf(const std::vector<ControlSignature> &signatures,
                    const std::string &name) {
  for (std::size_t i = 0; i < signatures.size(); ++i)
    if (signatures[i].name == name)
      return i;
  KARAKAL_UNREACHABLE("a table has the function " + name);
}

std::string ipv6Text(uint64_t high, uint64_t low) {
  std::array<uint8_t, 16> bytes;
  for (unsigned i = 0; i < 8; ++i) {
    bytes[i] = uint8_t(high >> (56 - 8 * i));
    bytes[8 + i] = uint8_t(low >> (56 - 8 * i));
  }
  char text[INET6_ADDRSTRLEN];
  inet_ntop(AF_INET6, bytes.data(), text, sizeof text);
  return text;
}

std::string bytesText(uint64_t value, unsigned count, const char *form,
                      char separator) {
  std::string text;
  for (unsigned i = count; i-- > 0;) {
    char byte[4];
    std::snprintf(byte, sizeof byte, form, unsigned(value >> 8 * i & 0xff));
    text += (text.empty() ? "" : std::string(1, separator)) + byte;
  }
  return text;
}

/// Writes the parts of a number: those that look like addresses as such.
class ArgumentText {
public:
  ArgumentText(const ControlSignature &add, const Group &group,
               const std::vector<uint64_t> &args)
      : add(add), group(group), args(args),
        bits(typeOf(add.params[group.low].type).bits +
             (group.high < 0 ? 0 : typeOf(add.params[group.high].type).bits)) {}

  std::string str() const {
    std::string value = number(group.high, group.low);
    switch (group.suffix) {
    case ControlCall::Prefix:
      return value + "/" + std::to_string(args[group.suffixLow]);
    case ControlCall::Mask:
      if (isAll(group.suffixHigh, group.suffixLow, false))
        return "any";
      if (isAll(group.suffixHigh, group.suffixLow, true))
        return value;
      return value + " & " + number(group.suffixHigh, group.suffixLow);
    case ControlCall::Range:
      if (isAll(group.high, group.low, false) &&
          isAll(group.suffixHigh, group.suffixLow, true))
        return "any";
      if (args[group.low] == args[group.suffixLow])
        return value;
      return value + ".." + number(group.suffixHigh, group.suffixLow);
    default:
      return value;
    }
  }

private:
  /// Whether a number has only ones, or only zeros.
  bool isAll(int high, int low, bool ones) const {
    auto is = [&](int parameter) {
      unsigned width = typeOf(add.params[parameter].type).bits;
      return args[parameter] == (ones ? ~uint64_t(0) >> (64 - width) : 0);
    };
    return is(low) && (high < 0 || is(high));
  }
  std::string number(int high, int low) const {
    if (bits > 64)
      return ipv6Text(args[high], args[low]);
    IntegerType type = typeOf(add.params[low].type);
    if (type.isSigned)
      return std::to_string(int64_t(args[low]));
    bool isAddress = group.suffix == ControlCall::Prefix ||
                     group.suffix == ControlCall::Mask;
    if (isAddress && bits == ipv4Bits)
      return bytesText(args[low], 4, "%u", '.');
    if (bits == macBits)
      return bytesText(args[low], 6, "%02x", ':');
    return std::to_string(args[low]);
  }

  const ControlSignature &add;
  const Group &group;
  const std::vector<uint64_t> &args;
  unsigned bits;
};

} // namespace

std::string valueText(const ControlValue &value) {
  if (!value.entries)
    return value.call + " = " + std::to_string(value.value) + "\n";
  std::string text = "# " + value.call + "\n";
  for (const std::string &entry : *value.entries)
    text += entry + "\n";
  return text;
}

bool readsEntries(const ControlSignature &signature) {
  std::string name = lastPart(signature.name);
  return signature.tableLimit != 0 && (name == "read" || name == "dump");
}

bool isForReaders(const ControlSignature &signature) {
  std::string name = lastPart(signature.name);
  return lastPart(tableOf(signature.name)) == "own" &&
         (name == "next_entry" || name == "entry_word");
}

std::string callText(const ControlSignature &add, std::size_t keyCount,
                     const std::vector<uint64_t> &args) {
  KARAKAL_ASSERT(args.size() == add.params.size(), "a value a parameter");
  std::string text = add.name + "(";
  for (const Group &group : groupsOf(add)) {
    text += text.back() == '(' ? "" : ", ";
    if (std::size_t(group.low) >= keyCount || group.name == "priority")
      text += group.name + ": ";
    text += ArgumentText(add, group, args).str();
  }
  return text + ")";
}

TableReader::TableReader(const std::vector<ControlSignature> &signatures,
                         std::size_t function) {
  KARAKAL_ASSERT(readsEntries(signatures[function]), "reads a table");
  std::string table = tableOf(signatures[function].name);
  readsAll = lastPart(signatures[function].name) == "dump";
  add = &signatures[indexOf(signatures, table + ".add")];
  for (const ControlSignature &signature : signatures)
    if (signature.name == table + ".set_meter")
      setMeter = &signature;
  keyCount = signatures[indexOf(signatures, table + ".remove")].params.size();
  nextEntry = indexOf(signatures, table + ".own.next_entry");
  entryWord = indexOf(signatures, table + ".own.entry_word");
  for (const ControlSignature::Param &param : add->params) {
    wordCount += typeOf(param.type).bits > 32 ? 2 : 1;
    hasPriority |= param.name == "priority";
  }
}

Resolved TableReader::wordCall(std::size_t word) const {
  return {entryWord, {word}};
}

std::optional<Resolved> TableReader::entryCall() {
  if (!readsAll)
    return std::nullopt;
  at = At::Entry;
  return Resolved{nextEntry, {}};
}

std::optional<Resolved> TableReader::next(uint32_t returned) {
  if (at == At::Begin && readsAll)
    return entryCall();
  if (at == At::Entry && returned == 0)
    return std::nullopt;
  if (!hasAsked) {
    hasAsked = true;
    at = At::Counters;
    return wordCall(CountersWord);
  }
  if (at == At::Counters) {
    counters = uint8_t(returned);
    wordCount += (counters & HasPackets ? 2 : 0) +
                 (counters & HasBytes ? 2 : 0) + (counters & HasIdle ? 1 : 0) +
                 rateCount() + (counters & HasAge ? 1 : 0);
  }
  if (at == At::Word)
    words.push_back(returned);
  at = At::Word;
  if (words.size() < wordCount)
    return wordCall(words.size());
  keep();
  return entryCall();
}

std::size_t TableReader::rateCount() const {
  const char *kind = counters & HasSingleRate ? singleRateMeter
                     : counters & HasTwoRates ? twoRateMeter
                                              : "";
  const std::vector<std::string> *rates = meterRates(kind);
  KARAKAL_ASSERT(!rates || setMeter, "a table with a meter sets its rates");
  return rates ? rates->size() : 0;
}

void TableReader::keep() {
  Entry &entry = entries.emplace_back();
  std::size_t next = 0;
  for (const ControlSignature::Param &param : add->params) {
    IntegerType type = typeOf(param.type);
    uint64_t value = words[next++];
    if (type.bits > 32)
      value = value << 32 | words[next++];
    if (type.isSigned && type.bits < 64)
      value = uint64_t(int64_t(value << (64 - type.bits)) >> (64 - type.bits));
    entry.args.push_back(value);
  }
  for (uint32_t counter : {HasPackets, HasBytes, HasIdle}) {
    if ((counters & counter) == 0)
      continue;
    uint64_t value = words[next++];
    if (counter != HasIdle)
      value = value << 32 | words[next++];
    entry.counters.push_back(value);
  }
  auto rates = words.begin() + std::ptrdiff_t(next);
  entry.rates.assign(rates, rates + std::ptrdiff_t(rateCount()));
  if (counters & HasAge)
    entry.age = words.back();
  words.clear();
}

std::string TableReader::commentOf(const std::vector<uint64_t> &values) const {
  std::string text;
  std::size_t next = 0;
  auto add = [&](const std::string &what) {
    text += (text.empty() ? "  # " : ", ") + what;
  };
  if (counters & HasPackets)
    add("packets: " + std::to_string(values[next++]));
  if (counters & HasBytes)
    add("bytes: " + std::to_string(values[next++]));
  if ((counters & HasIdle) && values[next] != 0)
    add("idle");
  return text;
}

std::vector<std::vector<uint64_t>> TableReader::arguments() const {
  std::vector<std::vector<uint64_t>> all;
  for (const Entry &entry : entries)
    all.push_back(entry.args);
  return all;
}

std::vector<std::string> TableReader::lines() const {
  std::vector<Entry> sorted = entries;
  if (!hasPriority)
    std::sort(sorted.begin(), sorted.end(),
              [](const Entry &a, const Entry &b) { return a.args < b.args; });
  else if (counters & HasAge)
    std::sort(sorted.begin(), sorted.end(),
              [this](const Entry &a, const Entry &b) {
                uint64_t first = a.args[keyCount - 1];
                uint64_t second = b.args[keyCount - 1];
                return first != second ? first > second : a.age < b.age;
              });
  std::vector<std::string> text;
  for (const Entry &entry : sorted) {
    text.push_back(callText(*add, keyCount, entry.args) +
                   commentOf(entry.counters));
    if (std::all_of(entry.rates.begin(), entry.rates.end(),
                    [](uint64_t rate) { return rate == 0; }))
      continue;
    std::vector<uint64_t> args(entry.args.begin(),
                               entry.args.begin() + std::ptrdiff_t(keyCount));
    args.insert(args.end(), entry.rates.begin(), entry.rates.end());
    text.push_back(callText(*setMeter, keyCount, args));
  }
  return text;
}

} // namespace karakal::traces
