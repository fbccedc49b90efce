// Big-endian storage of one memory.
//
// See Memory.h for the idea.

#include "sim-ixp/memory/Memory.h"
#include "support/Error.h"
#include "support/HugePages.h"

#include <sys/mman.h>

namespace karakal::sim {

Memory::Memory(uint32_t size) : byteCount(size), mask(size - 1) {
  KARAKAL_ASSERT(size >= 4096 && (size & (size - 1)) == 0,
                 "a memory's size is a power of two of at least a page");
  // Anonymous pages are zero and cost nothing until touched.
  void *pages = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  KARAKAL_ASSERT(pages != MAP_FAILED, "no address space for a memory");
  adviseHugePages(pages, size); // accesses spread over tables and buffers
  bytes = static_cast<uint8_t *>(pages);
}

Memory::~Memory() { munmap(bytes, byteCount); }

} // namespace karakal::sim
