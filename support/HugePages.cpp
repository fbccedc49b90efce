// Pages of 2 MB.

#include "support/HugePages.h"
#include "support/Assert.h"
#include <cstdint>
#include <fstream>
#include <link.h>
#include <string>
#include <sys/mman.h>

namespace karakal {

namespace {

constexpr uintptr_t pageBytes = 4096;
/// MADV_COLLAPSE, which the C library of Debian 12 does not name. An older
/// system has no such call, and joins pages itself when it has time.
constexpr int joinNow = 25;

bool advise(uintptr_t start, uintptr_t end, int advice) {
  start = (start + pageBytes - 1) & ~(pageBytes - 1);
  return start < end &&
         madvise(reinterpret_cast<void *>(start), end - start, advice) == 0;
}

/// Advises the loaded segment that has the address `inside`, if it is one of
/// these; 1 ends the search.
int adviseSegment(dl_phdr_info *info, size_t, void *inside) {
  uintptr_t wanted = reinterpret_cast<uintptr_t>(inside);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + part.p_vaddr,
              end = start + part.p_memsz;
    if (part.p_type != PT_LOAD || wanted < start || wanted >= end)
      continue;
    advise(start, end, MADV_HUGEPAGE);
    return 1;
  }
  return 0;
}

} // namespace

bool adviseHugePages(void *start, size_t bytes) {
  uintptr_t first = reinterpret_cast<uintptr_t>(start);
  return advise(first, first + bytes, MADV_HUGEPAGE);
}

void adviseHugePagesForData(const void *inside) {
  KARAKAL_ASSERT(inside, "a program has data");
  dl_iterate_phdr(adviseSegment, const_cast<void *>(inside));
}

void joinPages(void *start, size_t bytes) {
  uintptr_t first = reinterpret_cast<uintptr_t>(start);
  if (adviseHugePages(start, bytes))
    advise(first, first + bytes, joinNow);
}

void joinHeapPages() {
  // A line: 55d0c8a00000-55d0c9800000 rw-p 00000000 00:00 0  [heap]
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("[heap]") == std::string::npos)
      continue;
    uintptr_t start = std::stoull(line, nullptr, 16);
    uintptr_t end = std::stoull(line.substr(line.find('-') + 1), nullptr, 16);
    joinPages(reinterpret_cast<void *>(start), end - start);
  }
}

} // namespace karakal
