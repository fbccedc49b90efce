// What look-ups write in the entries of a table, and how the table's function
// `own.entry_word` tells it to the readers of entries.

#ifndef KARAKAL_SUPPORT_TABLETELLS_H
#define KARAKAL_SUPPORT_TABLETELLS_H

#include <cstdint>

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

/// The word of an entry whose bits say which words follow the arguments of
/// `add`: two of packets, two of bytes, one of idle.
inline constexpr uint32_t ToldWord = 0x10000;
inline constexpr uint32_t TellsPackets = 1, TellsBytes = 2, TellsIdle = 4;

} // namespace karakal

#endif // KARAKAL_SUPPORT_TABLETELLS_H
