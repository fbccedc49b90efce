// Pages of 2 MB for memory that is already written.

#include "support/HugePages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace karakal;

namespace {

constexpr size_t hugeBytes = size_t{2} << 20;

/// Whether this host has huge pages for those who ask.
bool hasHugePages() {
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void *probe = mmap(nullptr, page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  bool isAdvised = madvise(probe, page, MADV_HUGEPAGE) == 0;
  munmap(probe, page);
  return isAdvised;
}

/// Whether huge pages were asked for the mapping that has `address`.
bool isAdvised(const void *address) {
  uintptr_t wanted = reinterpret_cast<uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool isInside = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long start = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &start, &end) == 2)
      isInside = start <= wanted && wanted < end;
    else if (isInside && line.rfind("VmFlags:", 0) == 0)
      return line.find(" hg") != std::string::npos;
  }
  return false;
}

TEST(HugePages, JoinedPagesKeepWhatIsWritten) {
  // A whole huge page lies inside, wherever it starts.
  void *pages = mmap(nullptr, 2 * hugeBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  auto *words = static_cast<uint32_t *>(pages);
  for (uint32_t i = 0; i < 2 * hugeBytes / 4; ++i)
    words[i] = i * 2654435761u;
  EXPECT_FALSE(isAdvised(pages));
  joinPages(pages, 2 * hugeBytes);
  for (uint32_t i = 0; i < 2 * hugeBytes / 4; ++i)
    ASSERT_EQ(words[i], i * 2654435761u) << "word " << i;
  EXPECT_EQ(isAdvised(pages), hasHugePages());
  munmap(pages, 2 * hugeBytes);
}

TEST(HugePages, AnAddressInsideAPageBeginsWithTheNext) {
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto *pages =
      static_cast<uint8_t *>(mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(static_cast<void *>(pages), MAP_FAILED);
  EXPECT_EQ(adviseHugePages(pages + 1, 3 * page), hasHugePages());
  EXPECT_FALSE(isAdvised(pages));
  EXPECT_EQ(isAdvised(pages + page), hasHugePages());
  EXPECT_FALSE(adviseHugePages(pages + 1, 1)) << "no page begins there";
  munmap(pages, 4 * page);
}

TEST(HugePages, TheDataOfThisProgramAreAskedForThem) {
  static uint8_t data[hugeBytes];
  EXPECT_FALSE(isAdvised(data + hugeBytes / 2));
  adviseHugePagesForData(data);
  EXPECT_EQ(isAdvised(data + hugeBytes / 2), hasHugePages());
}

TEST(HugePages, TheHeapKeepsWhatIsWritten) {
  // Small blocks, because large ones are no part of the heap.
  std::vector<std::unique_ptr<std::vector<uint32_t>>> blocks;
  for (uint32_t i = 0; i < 2 * hugeBytes / 4096; ++i)
    blocks.push_back(std::make_unique<std::vector<uint32_t>>(1000, i));
  joinHeapPages();
  for (uint32_t i = 0; i < blocks.size(); ++i)
    ASSERT_EQ(*blocks[i], std::vector<uint32_t>(1000, i));
  EXPECT_EQ(isAdvised(blocks.front()->data()), hasHugePages());
}

} // namespace
