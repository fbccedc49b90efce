// The written arguments of a call: each fills one parameter or several.

#include "traces/CallGroups.h"

namespace karakal::traces {

IntegerType typeOf(const std::string &name) {
  if (name == "int")
    return {true, 32};
  if (name == "unsigned")
    return {false, 32};
  if (name == "bool")
    return {false, 1};
  KARAKAL_ASSERT(name.size() >= 2 && (name[0] == 'u' || name[0] == 's'),
                 "a control parameter is of an integer type, not " + name);
  const std::optional<uint64_t> bits = parseNumber(name.substr(1), 10, 64);
  KARAKAL_ASSERT(bits && *bits >= 1,
                 "a control parameter has 1 to 64 bits, not " + name);
  return {name[0] == 's', static_cast<unsigned>(*bits)};
}

std::vector<Group> groupsOf(const ControlSignature &signature) {
  std::vector<Group> groups;
  for (std::size_t index = 0; index < signature.params.size(); ++index) {
    const std::string &full = signature.params[index].name;
    const std::string name = full.substr(0, full.find('.'));
    const std::string part = full.substr(name.size());
    if (groups.empty() || groups.back().name != name)
      groups.push_back({name});
    Group &group = groups.back();
    auto has = [&](const char *text) {
      return part.find(text) != std::string::npos;
    };
    ControlCall::Suffix suffix = has(".length") ? ControlCall::Prefix
                                 : has(".mask") ? ControlCall::Mask
                                 : has(".last") ? ControlCall::Range
                                                : ControlCall::None;
    const bool isValue = suffix == ControlCall::None;
    if (!isValue)
      group.suffix = suffix;
    int &slot = has(".high") ? (isValue ? group.high : group.suffixHigh)
                             : (isValue ? group.low : group.suffixLow);
    KARAKAL_ASSERT(slot < 0, "a parameter is declared once: " + full);
    slot = static_cast<int>(index);
  }
  for (const Group &group : groups)
    KARAKAL_ASSERT(group.low >= 0,
                   "a parameter without its value: " + group.name);
  return groups;
}

} // namespace karakal::traces
