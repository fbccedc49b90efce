// The tables of an image as P4Runtime's `p4info`.
//
//   tables {
//     preamble { id: 33554433 name: "m.routes" alias: "routes" }
//     match_fields { id: 1 name: "dst" bitwidth: 32 match_type: LPM }
//     action_refs { id: 16777217 }
//     size: 10000
//   }

#include "sim-ixp/report/P4Info.h"

#include "support/Assert.h"
#include "support/EntryMeters.h"

#include <cctype>
#include <cstdint>

namespace karakal::sim {

using nlohmann::json;

namespace {

/// The first byte of an object's id tells its kind (P4Runtime 1.3,
/// section 6.3).
constexpr uint32_t actionIds = 0x01u << 24, tableIds = 0x02u << 24,
                   directCounterIds = 0x13u << 24, directMeterIds = 0x15u << 24;

std::string quoted(const std::string &text) { return json(text).dump(); }

std::string matchType(const std::string &match) {
  std::string type;
  for (char c : match)
    type += char(std::toupper(c));
  KARAKAL_ASSERT(type == "EXACT" || type == "LPM" || type == "TERNARY" ||
                     type == "RANGE",
                 "a field of a key is matched in one of four ways");
  return type;
}

/// `u16` has 16 bits.
unsigned bitsOf(const std::string &type) {
  if (type == "bool")
    return 1;
  if (type == "int" || type == "unsigned")
    return 32;
  return unsigned(std::stoul(type.substr(1)));
}

/// The last part of a name if no other table has it, else the whole name.
std::string aliasOf(const std::string &name, const json &tables) {
  auto last = [](const std::string &of) {
    return of.substr(of.rfind('.') + 1);
  };
  unsigned count = 0;
  for (const json &table : tables)
    count += last(table["name"]) == last(name);
  return count == 1 ? last(name) : name;
}

std::string preamble(uint32_t id, const std::string &name,
                     const std::string &alias) {
  return "  preamble {\n    id: " + std::to_string(id) +
         "\n    name: " + quoted(name) + "\n    alias: " + quoted(alias) + "\n";
}

std::string tableText(const json &table, uint32_t number,
                      const std::string &alias) {
  std::string text =
      "tables {\n" + preamble(tableIds | number, table["name"], alias);
  for (const json &field : table["value"])
    if (field["mutable"])
      text += "    annotations: " +
              quoted("@mutable(" + field["name"].get<std::string>() + ", " +
                     field["type"].get<std::string>() + ")") +
              "\n";
  text += "  }\n";
  uint32_t id = 0;
  for (const json &field : table["key"])
    text += "  match_fields {\n    id: " + std::to_string(++id) +
            "\n    name: " + quoted(field["name"]) +
            "\n    bitwidth: " + std::to_string(field["bits"].get<unsigned>()) +
            "\n    match_type: " + matchType(field["match"]) + "\n  }\n";
  return text +
         "  action_refs {\n    id: " + std::to_string(actionIds | number) +
         "\n  }\n" +
         (table.contains("counters")
              ? "  direct_resource_ids: " +
                    std::to_string(directCounterIds | number) + "\n"
              : "") +
         (table.contains("meter")
              ? "  direct_resource_ids: " +
                    std::to_string(directMeterIds | number) + "\n"
              : "") +
         "  size: " + std::to_string(table["limit"].get<uint64_t>()) +
         (table.contains("idle") ? "\n  idle_timeout_behavior: NOTIFY_CONTROL"
                                 : "") +
         "\n}\n";
}

/// What the entries of a table have of their own: a message of p4info and its
/// specification.
struct Direct {
  const char *message;
  uint32_t ids;
  std::string name; ///< after the table's
  std::string spec;
};

std::string directText(const json &table, uint32_t number,
                       const std::string &alias, const Direct &direct) {
  return std::string(direct.message) + " {\n" +
         preamble(direct.ids | number,
                  table["name"].get<std::string>() + direct.name,
                  alias + direct.name) +
         "  }\n  spec {\n" + direct.spec +
         "  }\n  direct_table_id: " + std::to_string(tableIds | number) +
         "\n}\n";
}

/// The counter of the entries of a table.
std::string counterText(const json &table, uint32_t number,
                        const std::string &alias) {
  if (!table.contains("counters"))
    return "";
  const auto names = table["counters"].get<std::vector<std::string>>();
  std::string unit = names.size() == 2          ? "BOTH"
                     : names.front() == "bytes" ? "BYTES"
                                                : "PACKETS";
  return directText(table, number, alias,
                    {"direct_counters", directCounterIds, ".counters",
                     "    unit: " + unit + "\n"});
}

/// The meter of the entries of a table.
std::string meterText(const json &table, uint32_t number,
                      const std::string &alias) {
  if (!table.contains("meter"))
    return "";
  std::string type = table["meter"] == singleRateMeter
                         ? "SINGLE_RATE_THREE_COLOR"
                         : "TWO_RATE_THREE_COLOR";
  return directText(table, number, alias,
                    {"direct_meters", directMeterIds, ".meter",
                     "    unit: BYTES\n    type: " + type + "\n"});
}

std::string actionText(const json &table, uint32_t number,
                       const std::string &alias) {
  std::string text =
      "actions {\n" +
      preamble(actionIds | number, table["name"].get<std::string>() + ".set",
               alias + ".set") +
      "  }\n";
  uint32_t id = 0;
  for (const json &field : table["value"])
    if (!field["mutable"])
      text += "  params {\n    id: " + std::to_string(++id) +
              "\n    name: " + quoted(field["name"]) +
              "\n    bitwidth: " + std::to_string(bitsOf(field["type"])) +
              "\n  }\n";
  return text + "}\n";
}

} // namespace

std::string p4Info(const json &manifest) {
  std::string text = "pkg_info {\n  name: " + quoted(manifest["program"]) +
                     "\n  arch: \"karakal\"\n}\n";
  const json tables = manifest.value("tables", json::array());
  uint32_t number = 0;
  std::string actions, counters, meters;
  for (const json &table : tables) {
    std::string alias = aliasOf(table["name"], tables);
    text += tableText(table, ++number, alias);
    actions += actionText(table, number, alias);
    counters += counterText(table, number, alias);
    meters += meterText(table, number, alias);
  }
  return text + actions + counters + meters;
}

} // namespace karakal::sim
