#include "host/standalone/HugePages.h"
#include "support/Assert.h"
#include "support/HugePages.h"
#include <cstdint>
#include <link.h>

namespace karakal::host {

static int adviseData(dl_phdr_info *info, size_t, void *inside) {
  uintptr_t wanted = reinterpret_cast<uintptr_t>(inside);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + part.p_vaddr,
              end = start + part.p_memsz;
    if (part.p_type != PT_LOAD || wanted < start || wanted >= end)
      continue;
    karakal::adviseHugePages(reinterpret_cast<void *>(start), end - start);
    return 1;
  }
  return 0;
}

void adviseHugePages(const void *inside) {
  KARAKAL_ASSERT(inside, "a program has data");
  dl_iterate_phdr(adviseData, const_cast<void *>(inside));
}

} // namespace karakal::host
