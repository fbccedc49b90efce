// A Baker program that was compiled ahead of time and linked as a shared
// object.

#include "tests/bench/x86/dpdk/BakerProgram.h"
#include "host/standalone/ControlCalls.h"
#include "host/standalone/RunTable.h"
#include "support/Assert.h"
#include "support/HugePages.h"
#include <dlfcn.h>

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
    adviseHugePagesForData(program->state);
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
