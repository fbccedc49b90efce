// The parameters of the modelled chip.
//
// Clocks, latencies, widths and depths, all of which can be set.
// ChipParameters.def has their defaults, units and sources. A value that no
// document gives is tagged M there; sweep it, do not trust it. The simulator,
// the throughput model and `--set=name=value` read this table.
//
//   ChipParameters chip;
//   chip.sramLatency            -> 90
//   setParameter(chip, "sram.latency=150")

#ifndef KARAKAL_TARGET_IXP_CHIP_CHIPPARAMETERS_H
#define KARAKAL_TARGET_IXP_CHIP_CHIPPARAMETERS_H

#include "support/Error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace karakal::target {

/// The parameters of one modelled chip. "cycles" are microengine cycles.
struct ChipParameters {
#define KARAKAL_CHIP_PARAMETER(member, name, value, least, most, unit, source, \
                               meaning)                                        \
  uint64_t member = value;
#include "target-ixp/chip/ChipParameters.def"
};

/// One row of the table, for `--set`, `--help` and the documents.
struct ChipParameterRow {
  const char *name; ///< "sram.latency"
  uint64_t ChipParameters::*member;
  uint64_t defaultValue;
  uint64_t least; ///< smallest value allowed
  uint64_t most;  ///< largest value allowed
  const char *unit;
  const char *source; ///< tag, as explained in ChipParameters.def
  const char *meaning;
};

/// All rows, in the order of the table.
const std::vector<ChipParameterRow> &chipParameterTable();
/// The row of a name, or null.
const ChipParameterRow *findChipParameter(std::string_view name);
/// Applies "name=value" (decimal or 0x hexadecimal). Errors: E-target-ixp-090
/// (not of that form), 091 (no such name), 092 (out of range).
Status setParameter(ChipParameters &parameters, std::string_view assignment);
/// A named configuration: the settings that differ from the defaults.
struct ChipConfiguration {
  const char *name;
  const char *settings; ///< "name=value name=value"
  const char *meaning;
};

/// All of ChipConfigurations.def.
const std::vector<ChipConfiguration> &chipConfigurations();
/// Applies the settings of a named configuration, or of a file of `name=value`
/// words in which # begins a comment. Errors: those of setParameter,
/// E-target-ixp-093 (neither a name nor a file that can be read).
Status setConfiguration(ChipParameters &parameters,
                        const std::string &nameOrFile);
/// The chip that a program is compiled for: the name of a configuration, then
/// settings, separated by blanks, e.g. "ixp2800 sram.size=8388608". Errors:
/// those of setParameter, E-target-ixp-093 (no such configuration).
Result<ChipParameters> parseChip(std::string_view description);
/// Prints `parameters`, one row per line, for `--describe`. The sources F and M
/// are spelled out as calibrated and assumed.
std::string describeParameters(const ChipParameters &parameters = {});

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_CHIPPARAMETERS_H
