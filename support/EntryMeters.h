// The meters that entries of a table may have, and how readers of entries learn
// their rates from the table's function `own.entry_word`.

#ifndef KARAKAL_SUPPORT_ENTRYMETERS_H
#define KARAKAL_SUPPORT_ENTRYMETERS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace karakal {

/// The kinds of meters: RFC 2697 and RFC 2698.
inline constexpr const char *singleRateMeter = "single_rate";
inline constexpr const char *twoRateMeter = "two_rate";

/// The arguments of `set_meter` after the key, of 32 bits each; null if there
/// is no meter of this kind.
inline const std::vector<std::string> *meterRates(std::string_view kind) {
  static const std::vector<std::string> single = {"rate", "burst",
                                                  "excess_burst"};
  static const std::vector<std::string> two = {"rate", "burst", "peak_rate",
                                               "peak_burst"};
  return kind == singleRateMeter ? &single
         : kind == twoRateMeter  ? &two
                                 : nullptr;
}

/// A table with a meter of this kind has a mutable field `single_rate.meter` or
/// `two_rate.meter`, which programs cannot name: 1 if the rates are set, else
/// 0.
inline constexpr const char *meterSuffix = ".meter";

/// Bits of the word CountersWord (support/EntryCounters.h). The rates of an
/// entry follow its other words; all are 0 if they are not set.
inline constexpr uint32_t HasSingleRate = 8, HasTwoRates = 16;

} // namespace karakal

#endif // KARAKAL_SUPPORT_ENTRYMETERS_H
