// What look-ups write in the entries of a table, and how readers of entries
// learn it from the table's function `own.entry_word`.

#ifndef KARAKAL_SUPPORT_ENTRYCOUNTERS_H
#define KARAKAL_SUPPORT_ENTRYCOUNTERS_H

#include <cstdint>
#include <string_view>

namespace karakal {

/// The counters that entries may have, each of 63 bits: look-ups that found the
/// entry, and the bytes that they were told.
inline constexpr const char *packetsCounter = "packets";
inline constexpr const char *bytesCounter = "bytes";
/// The words that look-ups write are mutable fields of the record which
/// programs cannot name: `packets.low`, `packets.high`, `idle.mark`.
inline constexpr const char *counterLow = ".low";
inline constexpr const char *counterHigh = ".high";
inline constexpr const char *idleMark = "idle.mark";

/// Whether look-ups write the field of this name.
inline bool isHiddenField(std::string_view name) {
  return name.find('.') != std::string_view::npos;
}

/// The word of an entry whose bits say which words follow the arguments of
/// `add`: two of packets, two of bytes, one of idle.
inline constexpr uint32_t CountersWord = 0x10000;
inline constexpr uint32_t HasPackets = 1, HasBytes = 2, HasIdle = 4;
/// The last word of an entry is smaller if it was added before others; entries
/// come in any order.
inline constexpr uint32_t HasAge = 32;

} // namespace karakal

#endif // KARAKAL_SUPPORT_ENTRYCOUNTERS_H
