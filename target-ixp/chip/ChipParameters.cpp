#include "target-ixp/chip/ChipParameters.h"
#include "support/NearestName.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace karakal::target {

#define KARAKAL_CHIP_PARAMETER(member, name, value, least, most, unit, source, \
                               meaning)                                        \
  static_assert(least <= value && value <= most,                               \
                name " has a default within its range");
#include "target-ixp/chip/ChipParameters.def"

const std::vector<ChipParameterRow> &chipParameterTable() {
  static const std::vector<ChipParameterRow> table = {
#define KARAKAL_CHIP_PARAMETER(member, name, value, least, most, unit, source, \
                               meaning)                                        \
  {name, &ChipParameters::member, value, least, most, unit, source, meaning},
#include "target-ixp/chip/ChipParameters.def"
  };
  return table;
}

const ChipParameterRow *findChipParameter(std::string_view name) {
  for (const ChipParameterRow &candidate : chipParameterTable())
    if (name == candidate.name)
      return &candidate;
  return nullptr;
}

/// The advice for an unknown name.
static std::string remedyFor(const std::string &name) {
  std::vector<std::string> names;
  for (const ChipParameterRow &row : chipParameterTable())
    names.push_back(row.name);
  std::string nearest = nearestName(name, names);
  return (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") +
         "'ixpsim --describe' lists all of them";
}

/// The allowed values in words: "between 1 and 8 contexts", "0 or 1".
static std::string rangeOf(const ChipParameterRow &row) {
  if (row.least == 0 && row.most == 1)
    return "0 or 1";
  return "between " + std::to_string(row.least) + " and " +
         std::to_string(row.most) + " " + row.unit;
}

Status setParameter(ChipParameters &parameters, std::string_view assignment) {
  size_t equals = assignment.find('=');
  std::string text(assignment);
  if (equals == std::string_view::npos || equals == 0)
    return makeError("E-target-ixp-090", "'" + text +
                                             "' is not of the form "
                                             "name=value, e.g. "
                                             "sram.latency=150");
  std::string name = text.substr(0, equals);
  std::string value = text.substr(equals + 1);
  const ChipParameterRow *found = findChipParameter(name);
  if (!found)
    return makeError("E-target-ixp-091", "the chip has no parameter '" + name +
                                             "'; " + remedyFor(name));
  bool hexadecimal = value.rfind("0x", 0) == 0;
  std::string digits = hexadecimal ? value.substr(2) : value;
  const char *allowed = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
  if (digits.empty() || digits.size() > 15 ||
      digits.find_first_not_of(allowed) != std::string::npos)
    return makeError("E-target-ixp-090", "'" + value + "' for '" + name +
                                             "' is not a whole number");
  uint64_t number =
      std::strtoull(digits.c_str(), nullptr, hexadecimal ? 16 : 10);
  if (number < found->least || number > found->most)
    return makeError("E-target-ixp-092", "'" + name + "' must be " +
                                             rangeOf(*found) + ", not " +
                                             value);
  parameters.*(found->member) = number;
  return success();
}

const std::vector<ChipConfiguration> &chipConfigurations() {
  static const std::vector<ChipConfiguration> all = {
#define KARAKAL_CHIP_CONFIGURATION(name, settings, meaning)                    \
  {name, settings, meaning},
#include "target-ixp/chip/ChipConfigurations.def"
  };
  return all;
}

namespace {

/// Applies all settings of a text in which # begins a comment.
Status setAll(ChipParameters &parameters, std::istream &text) {
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    for (std::string word; words >> word;)
      if (Status status = setParameter(parameters, word); !status)
        return status;
  }
  return success();
}

/// Obeys the settings of a named configuration. False: there is none.
bool setNamed(ChipParameters &parameters, std::string_view name) {
  for (const ChipConfiguration &known : chipConfigurations()) {
    if (name != known.name)
      continue;
    std::istringstream settings(known.settings);
    Status status = setAll(parameters, settings);
    KARAKAL_ASSERT(bool(status), "the settings of a configuration are valid");
    return true;
  }
  return false;
}

Error noConfiguration(const std::string &name,
                      const std::string &alternative = "") {
  std::string names;
  for (const ChipConfiguration &known : chipConfigurations())
    names += std::string(names.empty() ? "" : ", ") + known.name;
  return makeError("E-target-ixp-093", "'" + name +
                                           "' is not a configuration (" +
                                           names + ")" + alternative);
}

} // namespace

Status setConfiguration(ChipParameters &parameters,
                        const std::string &nameOrFile) {
  if (setNamed(parameters, nameOrFile))
    return success();
  std::ifstream file(nameOrFile);
  if (!file || file.peek() == std::ifstream::traits_type::eof())
    return noConfiguration(nameOrFile, " nor a readable file of settings");
  return setAll(parameters, file);
}

Result<ChipParameters> parseChip(std::string_view description) {
  std::istringstream words{std::string(description)};
  std::string name;
  words >> name;
  ChipParameters chip;
  if (!setNamed(chip, name))
    return noConfiguration(name);
  if (Status status = setAll(chip, words); !status)
    return status.error();
  return chip;
}

std::string describeParameters(const ChipParameters &parameters) {
  std::string text;
  for (const ChipParameterRow &row : chipParameterTable()) {
    uint64_t value = parameters.*(row.member);
    std::string line =
        std::string("  ") + row.name + "=" + std::to_string(value);
    line.resize(line.size() < 36 ? 36 : line.size() + 1, ' ');
    std::string source = row.source == std::string_view("F")   ? "calibrated"
                         : row.source == std::string_view("M") ? "assumed"
                                                               : row.source;
    if (value != row.defaultValue)
      source += ", default " + std::to_string(row.defaultValue);
    text += line + row.unit + ": " + row.meaning + " [" + source + "]\n";
  }
  text +=
      "  sources: R Linux drivers for the chip, H IXP2800 Hardware Reference "
      "Manual, B Intel\n  product text, C computed from the others, K "
      "Karakal's choice of board or software\n";
  return text;
}

} // namespace karakal::target
