// A Baker program that was compiled ahead of time and linked as a shared
// object.

#include "tests/bench/x86/dpdk/BakerProgram.h"
#include "host/standalone/ControlCalls.h"
#include "host/standalone/RunTable.h"
#include "support/Assert.h"
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

namespace karakal::bench {

namespace {

class Baker final : public Forwarder {
public:
  Baker(const x86::ProgramTable &program, uint32_t subBatch)
      : program(program), subBatch(subBatch) {}

  void begin() override { program.useSubBatch(subBatch); }

  uint32_t batch(const Frame *in, uint32_t count, Frame *out) override {
    return program.batch(in, count, out);
  }

private:
  const x86::ProgramTable &program;
  uint32_t subBatch;
};

/// Asks for huge pages for the data of the object that has `inside`.
int adviseData(dl_phdr_info *info, size_t, void *inside) {
  constexpr uintptr_t page = 4096;
  uintptr_t wanted = reinterpret_cast<uintptr_t>(inside);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + part.p_vaddr,
              end = start + part.p_memsz;
    if (part.p_type != PT_LOAD || wanted < start || wanted >= end)
      continue;
    start = (start + page - 1) & ~(page - 1);
    // Where the system has none, pages stay as they are.
    madvise(reinterpret_cast<void *>(start), end - start, MADV_HUGEPAGE);
    return 1;
  }
  return 0;
}

} // namespace

Result<const x86::ProgramTable *>
loadProgram(const std::string &path, const Calls &calls, bool usesHugePages) {
  void *library = dlopen(path.c_str(), RTLD_NOW);
  if (!library)
    return makeError("E-bench-002", std::string("cannot load: ") + dlerror());
  auto *program = static_cast<const x86::ProgramTable *>(
      dlsym(library, x86::ProgramTable::Symbol));
  if (!program || program->size != sizeof(x86::ProgramTable))
    return makeError("E-bench-002",
                     path + " is not a program of this version of bakerc");
  if (usesHugePages)
    dl_iterate_phdr(adviseData, program->state);
  program->init();
  host::ControlCalls due(host::signaturesOf(*program), {}, false);
  if (Status bound = due.bind(calls); !bound)
    return bound.error();
  auto call = [&](size_t index,
                  const std::vector<uint64_t> &arguments) -> Result<uint32_t> {
    uint32_t returned = program->controls[index].call(arguments.data());
    program->drain();
    return returned;
  };
  if (Status made = due.makeDue(host::ControlCalls::AtStart, call); !made)
    return made.error();
  return program;
}

std::unique_ptr<Forwarder> makeBaker(const x86::ProgramTable &program,
                                     uint32_t subBatch) {
  KARAKAL_ASSERT(subBatch >= 1, "a stage has packets");
  return std::make_unique<Baker>(program, subBatch);
}

} // namespace karakal::bench
