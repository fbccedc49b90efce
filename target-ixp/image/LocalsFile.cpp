#include "target-ixp/image/LocalsFile.h"

#include "support/Assert.h"
#include "target-ixp/chip/MemoryMap.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <cstdio>

namespace karakal::target {

using nlohmann::json;

namespace {

struct PlaceName {
  ValuePart::Kind kind;
  const char *prefix;
  int base;
};

/// A prefix that begins with another one stands before it.
constexpr PlaceName placeNames[] = {{ValuePart::Kind::GprA, "a", 10},
                                    {ValuePart::Kind::GprB, "b", 10},
                                    {ValuePart::Kind::DXfer, "$$", 10},
                                    {ValuePart::Kind::SXfer, "$", 10},
                                    {ValuePart::Kind::Stack, "stack", 10},
                                    {ValuePart::Kind::Constant, "0x", 16}};
/// A context has so many registers of each kind.
constexpr uint32_t registersMax = 16;
constexpr uint32_t stackWordsMax = LocalMemoryWords / ContextCount;

std::optional<ValuePart> parsePart(const std::string &text) {
  for (const PlaceName &name : placeNames) {
    std::string prefix = name.prefix;
    if (text.compare(0, prefix.size(), prefix) != 0)
      continue;
    ValuePart part;
    part.kind = name.kind;
    const char *end = text.data() + text.size();
    auto [rest, error] = std::from_chars(text.data() + prefix.size(), end,
                                         part.value, name.base);
    bool isStack = name.kind == ValuePart::Kind::Stack;
    if (isStack && rest != end && *rest == '/')
      rest = std::from_chars(rest + 1, end, part.stackWords).ptr;
    bool isConstant = name.kind == ValuePart::Kind::Constant;
    uint32_t valueEnd = isStack ? part.stackWords : registersMax;
    if (error != std::errc() || rest != end ||
        part.stackWords > stackWordsMax ||
        (!isConstant && part.value >= valueEnd))
      return std::nullopt;
    return part;
  }
  return std::nullopt;
}

std::optional<std::vector<ValuePart>> parsePlace(const std::string &text) {
  std::vector<ValuePart> parts;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(':', begin), text.size());
    std::optional<ValuePart> part = parsePart(text.substr(begin, end - begin));
    if (!part)
      return std::nullopt;
    parts.push_back(*part);
    begin = end + 1;
  }
  return parts;
}

/// The 32-bit parts of a value of a Baker type: "bool", or "u" or "s" and 1 to
/// 128 bits. 0 for another text.
size_t partsOf(const std::string &type) {
  if (type == "bool")
    return 1;
  uint32_t bits = 0;
  const char *end = type.data() + type.size();
  if (type.empty() || (type[0] != 'u' && type[0] != 's') ||
      std::from_chars(type.data() + 1, end, bits).ptr != end || bits > 128)
    return 0;
  return (bits + 31) / 32;
}

/// Reads one variable. json::exception: a key is missing or has another type.
bool readVariable(const json &object, Locals &locals) {
  Variable variable;
  variable.name = object.at("name").get<std::string>();
  variable.type = object.at("type").get<std::string>();
  variable.declared = {object.at("file").get<std::string>(),
                       object.at("line").get<uint32_t>()};
  variable.lastLine = object.at("last_line").get<uint32_t>();
  for (const json &place : object.at("places")) {
    auto parts = parsePlace(place.at(2).get<std::string>());
    if (!parts || parts->size() != partsOf(variable.type))
      return false;
    locals.ranges.push_back({uint32_t(locals.variables.size()),
                             place.at(0).get<uint32_t>(),
                             place.at(1).get<uint32_t>(), *parts});
  }
  locals.variables.push_back(variable);
  return true;
}

} // namespace

std::string printPlace(const std::vector<ValuePart> &parts) {
  std::string text;
  for (const ValuePart &part : parts) {
    const PlaceName *found = nullptr;
    for (const PlaceName &name : placeNames)
      if (name.kind == part.kind)
        found = &name;
    KARAKAL_ASSERT(found, "a value lies in a register or is a constant");
    char number[16];
    std::snprintf(number, sizeof number, found->base == 16 ? "%x" : "%u",
                  part.value);
    text += (text.empty() ? "" : ":") + std::string(found->prefix) + number;
    if (part.kind == ValuePart::Kind::Stack)
      text += "/" + std::to_string(part.stackWords);
  }
  return text;
}

std::string printLocals(const Locals &locals) {
  json list = json::array();
  for (const Variable &variable : locals.variables)
    list.push_back({{"name", variable.name},
                    {"type", variable.type},
                    {"file", variable.declared.file},
                    {"line", variable.declared.line},
                    {"last_line", variable.lastLine},
                    {"places", json::array()}});
  for (const VariableRange &range : locals.ranges)
    list.at(range.variable)["places"].push_back(
        {range.begin, range.end, printPlace(range.parts)});
  return list.dump();
}

std::optional<Locals> parseLocals(const std::string &text) {
  Locals locals;
  try {
    for (const json &object : json::parse(text))
      if (!readVariable(object, locals))
        return std::nullopt;
  } catch (const json::exception &) {
    return std::nullopt;
  }
  return locals;
}

} // namespace karakal::target
