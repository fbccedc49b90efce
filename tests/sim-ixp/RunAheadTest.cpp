// Do results depend on how the chip is run?
//
// Engines run ahead of each other in chains of operations. The same programs,
// run in small steps in which no engine runs ahead (Chip::align) and no
// operation is chained, or in which no engine takes events itself
// (Chip::stepBefore), must do the same things in the same cycles.

#include "OneEngine.h"
#include "sim-ixp/engine/PrepareProgram.h"
#include "target-ixp/assembler/Assembler.h"
#include "target-ixp/chip/RingLayout.h"

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

namespace {

constexpr uint64_t end = 20000;

/// Each context reads and writes words of its own in all memories, waits with
/// and without delay slots, passes words through a ring, and counts what it
/// saw.
constexpr const char *memories = R"(
.reg own count sum zero tick
.reg read $in
.reg read $$in0 $$in1
.xfer_order $$in0 $$in1
.reg write $out
.sig one two pair
start#:
    local_csr_rd[ACTIVE_CTX_STS]
    immed[own, 0]
    alu[own, own, AND, 0xff]
    alu_shf[own, --, B, own, <<5]
    immed[zero, 0]
    immed[sum, 0]
    immed[count, 0]
    local_csr_wr[ACTIVE_LM_ADDR_0, own]
next#:
    scratch[read, $in, own, 0, 1], ctx_swap[one]
    alu[sum, sum, +, $in]
    alu[$out, sum, +, count]
    scratch[write, $out, own, 0, 1], sig_done[one]
    sram[read, $in, own, 4, 1], ctx_swap[two], defer[1]
    alu[count, count, +, 1]
    ctx_arb[one], defer[2]
    alu[sum, sum, XOR, count]
    alu_shf[sum, sum, OR, count, <<3]
    dram[read, $$in0, own, 0, 1], sig_done[pair]
    ctx_arb[pair], defer[1]
    alu[*l$index0, sum, +, 1]
    alu[sum, sum, +, $$in1]
    br_bset[count, 0, odd#]
    ctx_arb[voluntary]
    scratch[get, $in, zero, 0, 1], ctx_swap[one]
    alu[sum, sum, +, $in]
    br[next#], defer[1]
    alu[sum, sum, -, 1]
odd#:
    br_inp_state[scr_ring0_status, next#]
    alu[$out, --, B, count]
    scratch[put, $out, zero, 0, 1], sig_done[one]
    local_csr_rd[PROFILE_COUNT]
    immed[tick, 0]
    alu[sum, sum, +, tick]
    alu[$out, --, B, sum]
    ctx_arb[one], defer[2]
    scratch[write, $out, own, 8, 1], sig_done[two]
    local_csr_wr[ACTIVE_LM_ADDR_1, own]
    sram[read, $in, own, 8, 1], sig_done[one]
    ctx_arb[one, two], defer[2]
    alu[count, count, +, 2]
    sram[incr, --, own, 8]
    alu[*l$index1, sum, +, $in]
    br!=byte[count, 0, 200, next#]
    ctx_arb[kill]
)";

/// Contexts signal the next context, in delay slots and without, test signals
/// and read CSRs that others change, and jump through tables.
constexpr const char *signals = R"(
.reg own count sum way
.reg read $in
.sig baton next one
start#:
    local_csr_rd[ACTIVE_CTX_STS]
    immed[own, 0]
    alu[own, own, AND, 0x7f]
    alu_shf[own, --, B, own, <<5]
    immed[sum, 0]
    immed[count, 0]
    local_csr_wr[ACTIVE_LM_ADDR_0, own]
    br!=ctx[0, turn#]
    local_csr_wr[SAME_ME_SIGNAL, &baton << 3]
turn#:
    alu[way, count, AND, 3]
    alu[count, count, +, 1]
    jump[way, table#], defer[1]
    alu[sum, sum, +, 3]
table#:
    br[pass#]
second#:
    br[look#]
third#:
    br[late#]
fourth#:
    br[pair#]
pass#:
    ctx_arb[baton]
    scratch[read, $in, own, 0, 1], ctx_swap[one], defer[2]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton << 3)]
    alu[sum, sum, XOR, count]
    br[turn#]
look#:
    scratch[read, $in, own, 0, 1], sig_done[one]
    br_!signal[one, look_again#]
look_again#:
    local_csr_rd[ACTIVE_CTX_SIG_EVENTS]
    immed[way, 0]
    alu[sum, sum, +, way]
    br_!signal[one, look_again#], defer[1]
    alu[sum, sum, +, 5]
    alu[sum, sum, +, $in]
    ctx_arb[baton], defer[1]
    alu[*l$index0, sum, +, 1]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton << 3)]
    br[turn#]
late#:
    local_csr_wr[CC_ENABLE, 0]
    alu[way, count, AND, 4]
    alu[sum, sum, +carry, way]
    beq[held#], defer[1]
    alu[sum, sum, +carry, 9]
held#:
    immed[way, 0x2000]
    local_csr_wr[CC_ENABLE, way]
    scratch[incr, --, own, 4]
    scratch[read, $in, own, 4, 1], sig_done[one]
    ctx_arb[baton, one]
    local_csr_rd[PROFILE_COUNT]
    immed[way, 0]
    alu[sum, sum, XOR, way]
    ctx_arb[voluntary], defer[2]
    local_csr_wr[NEXT_NEIGHBOR_SIGNAL, &next << 3]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton << 3)]
    br[turn#]
pair#:
    ctx_arb[baton, next], any
    br_signal[next, pair#]
    br_!signal[baton, pair#]
    local_csr_wr[SAME_ME_SIGNAL, 0x80 | (&baton << 3)]
    br[turn#]
)";

class DoResultsDependOnRunningAhead
    : public OneEngine,
      public ::testing::WithParamInterface<const char *> {
protected:
  using Advance = void (*)(Chip &chip);

  /// Counters, registers and memory after `end` cycles.
  std::vector<uint64_t> resultOf(const char *text, Advance advance) {
    std::vector<Diagnostic> diagnostics;
    auto program = assembleText(text, "text", {}, diagnostics);
    for (const Diagnostic &diagnostic : diagnostics)
      ADD_FAILURE() << diagnostic.str();
    if (!program)
      return {};
    auto prepared =
        std::make_shared<const MicroProgram>(prepareProgram(program->words));
    chip = std::make_unique<Chip>(parameters, observer);
    chip->scratch().configureRing(0, scratchRing(0).base, scratchRing(0).words,
                                  false);
    for (uint32_t engine = 0; engine < chip->engineCount(); ++engine) {
      chip->engine(engine).load(prepared);
      chip->engine(engine).start(0xff);
    }
    advance(*chip);
    EXPECT_EQ(chip->align(end), end);
    EXPECT_EQ(observer.fault, "");
    std::vector<uint64_t> result;
    for (uint32_t engine = 0; engine < chip->engineCount(); ++engine) {
      EngineCounters all = chip->engine(engine).countersAt(end);
      result.insert(result.end(), {all.issueCycles, all.abortedCycles,
                                   all.stallCycles, all.idleCycles, all.swaps,
                                   all.commands, all.iterationCyclesMax});
      for (uint32_t place = 0; place < reg::sink; ++place)
        result.push_back(chip->engine(engine).peek(place));
    }
    for (uint32_t address = 0; address < 4096; address += 4)
      result.push_back(chip->scratch().memory().readWord(address));
    return result;
  }

  void expectSameForAnySteps(const char *text, uint64_t commandsLeast) {
    std::vector<uint64_t> free = resultOf(text, [](Chip &chip) {
      chip.runTo(end - 2 * Microengine::runAheadCycles);
    });
    EXPECT_GT(free[5], commandsLeast) << "commands of the first engine";
    EXPECT_EQ(free, resultOf(text, [](Chip &chip) {
                while (chip.stepBefore(end - 2000)) {
                }
              }));
    EXPECT_EQ(free, resultOf(text, [](Chip &chip) {
                for (uint64_t cycle = 1; cycle < end; cycle += 7)
                  chip.align(cycle);
              }));
    EXPECT_EQ(free, resultOf(text, [](Chip &chip) {
                for (uint64_t cycle = 1; cycle < end - 2000; ++cycle)
                  chip.align(cycle);
              }));
    EXPECT_EQ(free, resultOf(text, [](Chip &chip) {
                for (uint64_t cycle = 1; cycle < end - 2000; cycle += 13)
                  chip.runTo(cycle);
              }));
  }
};

} // namespace

TEST_P(DoResultsDependOnRunningAhead, ResultsAreTheSameForAnySteps) {
  expectSameForAnySteps(GetParam(), 200);
}

TEST_P(DoResultsDependOnRunningAhead, NorIfUnitsHoldEnginesBack) {
  parameters.busInlet = parameters.meCommandFifo = 1;
  expectSameForAnySteps(GetParam(), 80);
}

INSTANTIATE_TEST_SUITE_P(Programs, DoResultsDependOnRunningAhead,
                         ::testing::Values(memories, signals));
