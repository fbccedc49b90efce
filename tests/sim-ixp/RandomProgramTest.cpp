// No program breaks the simulator.
//
// Programs of random words that decode, from fixed seeds, run on all engines. A
// program may fault. The simulator must continue, account for every cycle, and
// do the same in a second run.

#include "../target-ixp/InstructionMaker.h"
#include "OneEngine.h"
#include "sim-ixp/engine/PrepareProgram.h"

#include <cstdlib>
#include <random>

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

namespace {

constexpr uint32_t programWords = 64;

/// Images of eight programs each: 40, or the number in KARAKAL_RANDOM_IMAGES.
uint64_t imageCount() {
  const char *asked = std::getenv("KARAKAL_RANDOM_IMAGES");
  return asked ? std::strtoull(asked, nullptr, 10) : 40;
}

std::vector<uint64_t> randomProgram(std::mt19937_64 &random) {
  std::vector<uint64_t> words;
  while (words.size() < programWords) {
    uint64_t word = random() & 0xffffffffff;
    if (random() % 2) // short branches keep the program running
      word = (word & ~(uint64_t{0x1fff} << 22)) | (random() % 64) << 22;
    if (decode(word))
      words.push_back(word);
  }
  return words;
}

class DoesItRun : public OneEngine {
protected:
  std::vector<uint64_t> runOnce(uint64_t seed) {
    std::mt19937_64 random(seed);
    chip = std::make_unique<Chip>(parameters, observer);
    for (uint32_t ring = 0; ring < 12; ++ring)
      chip->scratch().configureRing(ring, 0x400 * ring, 256, false);
    for (uint32_t engine = 0; engine < 8; ++engine) {
      chip->engine(engine).load(std::make_shared<MicroProgram>(
          prepareProgram(randomProgram(random))));
      chip->engine(engine).start(0xff);
    }
    chip->runTo(3000);
    uint64_t end = chip->align(3000);
    std::vector<uint64_t> counters;
    for (uint32_t engine = 0; engine < 8; ++engine) {
      EngineCounters all = chip->engine(engine).countersAt(end);
      EXPECT_EQ(all.total(), end) << "seed " << seed << " engine " << engine;
      counters.insert(counters.end(), {all.issueCycles, all.commands});
    }
    return counters;
  }
};

} // namespace

TEST_F(DoesItRun, AnyProgramRunsOrFaults) {
  for (uint64_t seed = 1; seed <= imageCount(); ++seed)
    EXPECT_EQ(runOnce(seed), runOnce(seed)) << seed;
}

TEST_F(DoesItRun, EachInstructionOfTheTable) {
  target::test::InstructionMaker maker(1);
  for (const InstructionRow &row : instructionTable())
    for (uint32_t made = 0; made < 3;) {
      Instruction instruction = maker.make(row.op, 8);
      if (!encode(instruction))
        continue;
      ++made;
      Program program(12, nop());
      program[1] = instruction;
      program.push_back(ctxArbKill());
      observer.fault.clear();
      chip = std::make_unique<Chip>(parameters, observer);
      load(program);
      chip->runTo(2000);
      // A fault (no such address, a swap's signal that never arrives) also ends
      // it.
      EXPECT_GT(chip->engine(0).countersAt(2000).issueCycles, 0u)
          << row.mnemonic << " " << observer.fault;
      EXPECT_TRUE(chip->engine(0).doCyclesAddUp()) << row.mnemonic;
    }
}
