// Huge pages for the tables of a program that was compiled ahead of time.

#ifndef KARAKAL_HOST_STANDALONE_HUGEPAGES_H
#define KARAKAL_HOST_STANDALONE_HUGEPAGES_H

namespace karakal::host {

/// Asks the system for huge pages for the data of the executable or the library
/// that has `inside`. Call it before the data are written; where the system has
/// no such pages, nothing changes.
void adviseHugePages(const void *inside);

} // namespace karakal::host

#endif // KARAKAL_HOST_STANDALONE_HUGEPAGES_H
