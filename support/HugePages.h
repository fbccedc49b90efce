// Pages of 2 MB, with which the host translates fewer addresses.
//
// The host may refuse them; nothing depends on it.

#ifndef KARAKAL_SUPPORT_HUGEPAGES_H
#define KARAKAL_SUPPORT_HUGEPAGES_H

#include <cstddef>

namespace karakal {

/// Asks for huge pages for `bytes` from `start` on that are not written yet.
/// Returns whether the host has such pages.
bool adviseHugePages(void *start, size_t bytes);

/// Asks for them for the data of the executable or the library that has
/// `inside`. Call it before the data are written.
void adviseHugePagesForData(const void *inside);

/// Asks for huge pages for what is written already: pages of the usual size are
/// joined.
void joinPages(void *start, size_t bytes);

/// The same for the heap of this process, as large as it is now.
void joinHeapPages();

} // namespace karakal

#endif // KARAKAL_SUPPORT_HUGEPAGES_H
