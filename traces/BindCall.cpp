// Checks calls of control functions against the functions of a program.

#include "support/NearestName.h"
#include "support/Refusal.h"
#include "traces/CallGroups.h"
#include "traces/TableEntries.h"

#include <iterator>
#include <optional>

using namespace karakal;
using namespace karakal::traces;

namespace {

bool fits(int64_t value, ControlLiteral::Form form, IntegerType type) {
  const auto bits = static_cast<uint64_t>(value);
  if (form == ControlLiteral::Negative)
    return type.isSigned && value >= INT64_MIN >> (64 - type.bits);
  if (form == ControlLiteral::Bool)
    return !type.isSigned && type.bits == 1;
  const unsigned magnitudeBits = type.isSigned ? type.bits - 1 : type.bits;
  return magnitudeBits == 64 || bits >> magnitudeBits == 0;
}

std::string plural(std::size_t count, const std::string &noun) {
  const bool isEntry = noun == "entry" && count != 1;
  return std::to_string(count) + " " +
         (isEntry ? "entries" : noun + (count == 1 ? "" : "s"));
}

/// `u32`, or `u128` of two parameters.
std::string typeText(const ControlSignature &signature, const Group &group) {
  if (group.high < 0)
    return signature.params[group.low].type;
  return "u" +
         std::to_string(64 + typeOf(signature.params[group.high].type).bits);
}

/// `route_add(prefix: u32, length: u8)`, `routes.add(dst: u32 / length)`
std::string describe(const ControlSignature &signature) {
  static const char *const suffixes[] = {"", " / length", " & mask",
                                         " .. last"};
  std::string text = signature.name + "(";
  for (const Group &group : groupsOf(signature))
    text += (text.back() == '(' ? "" : ", ") + group.name + ": " +
            typeText(signature, group) + suffixes[group.suffix];
  return text + ")";
}

/// Names the function that is spelled most alike, or all if none is.
Error unknownFunction(const ControlCall &call,
                      const std::vector<ControlSignature> &signatures) {
  std::string known;
  std::vector<std::string> names;
  for (const ControlSignature &signature : signatures) {
    if (isForReaders(signature))
      continue;
    known += (known.empty() ? "" : ", ") + signature.name;
    names.push_back(signature.name);
    // Without its module, as calls may name it.
    names.push_back(signature.name.substr(signature.name.rfind('.') + 1));
  }
  std::string nearest = nearestName(call.name, names);
  std::string hint = known.empty()     ? "; it has none at all"
                     : nearest.empty() ? "; it has " + known
                                       : "; did you mean '" + nearest + "'?";
  return makeFileError("E-traces-023", call.file,
                       "the program has no control function '" + call.name +
                           "'" + hint,
                       call.line);
}

class Binder {
public:
  Binder(const ControlCall &call, const ControlSignature &signature,
         std::size_t function)
      : call(call), signature(signature), groups(groupsOf(signature)) {
    resolved.function = function;
    resolved.args.assign(signature.params.size(), 0);
  }
  Result<Resolved> run();

private:
  Error error(const char *id, const std::string &message) const {
    return makeFileError(id, call.file, message, call.line);
  }
  std::optional<Error> assign();
  std::optional<Error> fill(const Group &group, std::size_t argument);
  std::optional<Error> fillSuffix(const Group &group, std::size_t argument);
  void fillWildcard(const Group &group);
  /// All ones of a parameter.
  uint64_t ones(int parameter) const {
    return ~uint64_t(0) >> (64 - typeOf(signature.params[parameter].type).bits);
  }
  bool fitsParts(int high, int low, uint64_t highBits, int64_t lowBits,
                 ControlLiteral::Form form) const;
  Error misfit(const Group &group, std::size_t argument) const {
    return error("E-traces-025", "argument " + std::to_string(argument + 1) +
                                     " does not fit " + group.name + ": " +
                                     typeText(signature, group) + " of " +
                                     describe(signature));
  }

  const ControlCall &call;
  const ControlSignature &signature;
  std::vector<Group> groups;
  /// The argument of each group; -1: none.
  std::vector<int> argumentOf;
  Resolved resolved;
};

/// Finds the argument of each group: by its name, else by its place.
std::optional<Error> Binder::assign() {
  argumentOf.assign(groups.size(), -1);
  bool wasNamed = false;
  for (std::size_t index = 0; index < call.args.size(); ++index) {
    const std::string &name = call.details[index].name;
    std::size_t group = index;
    if (!name.empty()) {
      wasNamed = true;
      group = 0;
      while (group < groups.size() && groups[group].name != name)
        ++group;
      if (group == groups.size())
        return error("E-traces-026",
                     describe(signature) + " has no argument '" + name + "'");
    } else if (wasNamed) {
      return error("E-traces-026", "argument " + std::to_string(index + 1) +
                                       " has no name, but follows one that "
                                       "has");
    }
    if (group >= groups.size())
      return error("E-traces-024", describe(signature) + " takes " +
                                       plural(groups.size(), "argument") +
                                       ", not " +
                                       std::to_string(call.args.size()));
    if (argumentOf[group] >= 0)
      return error("E-traces-026",
                   "'" + groups[group].name + "' is given twice");
    argumentOf[group] = static_cast<int>(index);
  }
  return std::nullopt;
}

bool Binder::fitsParts(int high, int low, uint64_t highBits, int64_t lowBits,
                       ControlLiteral::Form form) const {
  const IntegerType type = typeOf(signature.params[low].type);
  if (high < 0)
    return highBits == 0 && form != ControlLiteral::Ipv6 &&
           fits(lowBits, form, type);
  return form != ControlLiteral::Negative && form != ControlLiteral::Bool &&
         highBits <= ones(high);
}

std::optional<Error> Binder::fillSuffix(const Group &group,
                                        std::size_t argument) {
  const ControlCall::Detail &detail = call.details[argument];
  if (detail.suffix == ControlCall::None) {
    // A whole address, or one value.
    if (group.suffix == ControlCall::Range) {
      resolved.args[group.suffixLow] = resolved.args[group.low];
      if (group.high >= 0)
        resolved.args[group.suffixHigh] = resolved.args[group.high];
    } else if (group.suffix == ControlCall::Mask) {
      resolved.args[group.suffixLow] = ones(group.suffixLow);
      if (group.high >= 0)
        resolved.args[group.suffixHigh] = ones(group.suffixHigh);
    } else if (group.suffix == ControlCall::Prefix) {
      resolved.args[group.suffixLow] =
          typeOf(signature.params[group.low].type).bits +
          (group.high < 0 ? 0 : typeOf(signature.params[group.high].type).bits);
    }
    return std::nullopt;
  }
  if (detail.suffix != group.suffix)
    return error("E-traces-027",
                 "argument " + std::to_string(argument + 1) + " is no " +
                     (group.suffix == ControlCall::Prefix  ? "prefix"
                      : group.suffix == ControlCall::Mask  ? "value & mask"
                      : group.suffix == ControlCall::Range ? "range"
                                                           : "single value") +
                     ", as '" + group.name + "' of " + describe(signature) +
                     " needs");
  if (!fitsParts(group.suffixHigh, group.suffixLow, detail.suffixHigh,
                 static_cast<int64_t>(detail.suffixLow), ControlLiteral::Plain))
    return misfit(group, argument);
  resolved.args[group.suffixLow] = detail.suffixLow;
  if (group.suffixHigh >= 0)
    resolved.args[group.suffixHigh] = detail.suffixHigh;
  return std::nullopt;
}

/// What matches every key: a prefix or mask of no bits, or the whole range.
void Binder::fillWildcard(const Group &group) {
  if (group.suffix != ControlCall::Range)
    return;
  resolved.args[group.suffixLow] = ones(group.suffixLow);
  if (group.suffixHigh >= 0)
    resolved.args[group.suffixHigh] = ones(group.suffixHigh);
}

std::optional<Error> Binder::fill(const Group &group, std::size_t argument) {
  const ControlCall::Detail &detail = call.details[argument];
  if (detail.suffix == ControlCall::Any && group.suffix != ControlCall::None) {
    fillWildcard(group);
    return std::nullopt;
  }
  const int64_t low = call.args[argument];
  if (detail.suffix == ControlCall::Any ||
      !fitsParts(group.high, group.low, detail.high, low, call.forms[argument]))
    return misfit(group, argument);
  resolved.args[group.low] = static_cast<uint64_t>(low);
  if (group.high >= 0)
    resolved.args[group.high] = detail.high;
  return fillSuffix(group, argument);
}

Result<Resolved> Binder::run() {
  if (std::optional<Error> wrong = assign())
    return *wrong;
  for (std::size_t index = 0; index < groups.size(); ++index) {
    const Group &group = groups[index];
    const bool mayMiss =
        group.suffix == ControlCall::Mask || group.suffix == ControlCall::Range;
    if (argumentOf[index] >= 0) {
      if (auto wrong = fill(group, std::size_t(argumentOf[index])))
        return *wrong;
    } else if (mayMiss) {
      fillWildcard(group);
    } else {
      const std::string why =
          group.name == "priority" && signature.tableLimit != 0
              ? "; of the entries that match, the one with the highest "
                "priority wins"
              : "";
      return error("E-traces-024", signature.tableLimit != 0
                                       ? describe(signature) + " needs '" +
                                             group.name + "'" + why
                                       : describe(signature) + " takes " +
                                             plural(groups.size(), "argument") +
                                             ", not " +
                                             std::to_string(call.args.size()));
    }
  }
  return std::move(resolved);
}

} // namespace

std::string karakal::traces::refusal(const ControlSignature &signature,
                                     const std::vector<std::string> &texts,
                                     int32_t status) {
  if (status >= FirstRefusal &&
      std::size_t(status - FirstRefusal) < texts.size())
    return texts[std::size_t(status - FirstRefusal)];
  // The order of the reasons in runtime/tables/header.template.
  static const char *const reasons[] = {
      "",
      "the table is full",
      "the table has an entry with this key",
      "the table has no such entry",
      "the address has bits beyond the length of its prefix",
      "the prefix is longer than the field",
      "the value has bits that its mask does not have",
      "the range ends before it begins",
      "the structure of the table has no space for this entry, though its "
      "limit "
      "is not reached; a higher limit gives it more",
      "one of the bursts must be larger than 0",
      "both bursts must be larger than 0",
      "the peak rate must not be below the committed rate",
      "the table's structure has 64 tuples of masks, and none has room for "
      "this entry"};
  const auto index = static_cast<std::size_t>(status);
  if (signature.tableLimit == 0 || index >= std::size(reasons))
    return "it returned " + std::to_string(status);
  std::string text = reasons[index];
  if (index == 1)
    text += ": its limit is " + plural(signature.tableLimit, "entry") +
            ", and this would be one more";
  return text;
}

bool karakal::traces::givesValue(const ControlSignature &signature) {
  return signature.returns != "void" && signature.returns != "int" &&
         signature.returns != "s32";
}

ControlValue karakal::traces::valueOf(const ControlSignature &signature,
                                      const std::string &call, uint32_t line,
                                      uint32_t bits) {
  // Functions extend what they return to 32 bits.
  const bool isSigned = typeOf(signature.returns).isSigned;
  return {call, line, isSigned ? int64_t{int32_t(bits)} : int64_t{bits}, {}};
}

bool karakal::traces::mayMean(const ControlCall &call,
                              const ControlSignature &signature) {
  const std::string &function = signature.name, &name = call.name;
  if (function.size() <= name.size())
    return function == name;
  size_t begin = function.size() - name.size();
  return function[begin - 1] == '.' &&
         function.compare(begin, name.size(), name) == 0;
}

Result<Resolved>
karakal::traces::bindCall(const ControlCall &call,
                          const std::vector<ControlSignature> &signatures) {
  std::optional<std::size_t> found;
  for (std::size_t index = 0; index < signatures.size(); ++index) {
    const std::string &name = signatures[index].name;
    if (!mayMean(call, signatures[index]) || isForReaders(signatures[index]))
      continue;
    if (name == call.name) {
      found = index;
      break;
    }
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

  return Binder(call, signatures[*found], *found).run();
}
