// A host that plays the core.
//
// Builds a chip, loads an engine through its local CSRs as the loader of a real
// board does, gives it numbers by a scratch ring and, when a thread interrupts,
// reads the squares from another ring. Everything after the construction goes
// by physical address.

#include "sim-ixp/run/Chip.h"
#include "target-ixp/assembler/Assembler.h"
#include "target-ixp/chip/MemoryMap.h"

#include <cstdio>
#include <string>
#include <vector>

using namespace karakal;

namespace {

constexpr uint32_t csrsOfEngine0 = target::XScaleLocalCsrs;
constexpr uint32_t interruptStatusA = 0xd60000e0, interruptRawA = 0xd6000060,
                   interruptEnableA = 0xd6000160;
constexpr uint32_t numbersRing = target::XScaleRingData + 4 * 0,
                   squaresRing = target::XScaleRingData + 4 * 1;

/// What each of the eight threads of engine 0 runs.
const char *const microcode = R"(
.reg number same square zero
.reg read $number
.reg write $square
.sig got put
    immed[zero, 0]
next#:
    scratch[get, $number, zero, 0, 1], ctx_swap[got]
    alu[number, --, B, $number]
    bne[square#]
    ctx_arb[voluntary]
    br[next#]
square#:
    alu[same, --, B, number]
    mul_step[number, same], 16x16_start
    mul_step[number, same], 16x16_step1
    mul_step[number, same], 16x16_step2
    mul_step[square, --], 16x16_last
    alu[$square, --, B, square]
    scratch[put, $square, zero, 4, 1], ctx_swap[put]
    cap[fast_wr, 0, 0x4b20]
    br[next#]
)";

/// The faults of the program.
struct Observer : sim::ChipObserver {
  std::vector<std::string> faults;
  void onFault(uint32_t actor, const std::string &what) override {
    faults.push_back("actor " + std::to_string(actor) + ": " + what);
  }
};

/// The host's side of the chip.
class Host {
public:
  explicit Host(sim::Chip &chip) : chip(chip) {}

  uint32_t read(uint32_t address) {
    return chip.physical().read(address).value_or(0);
  }
  void write(uint32_t address, uint32_t value) {
    if (!chip.physical().write(address, value))
      std::printf("nothing is at 0x%08x\n", address);
  }

  /// Loads the engine's control store and starts all contexts at word 0.
  void load(const std::vector<uint64_t> &words) {
    write(csrsOfEngine0 + target::Csr_USTORE_ADDRESS, 0x80000000);
    for (uint64_t word : words) {
      uint64_t parity = uint64_t(__builtin_parityll(word >> 20)) << 41 |
                        uint64_t(__builtin_parityll(word & 0xfffff)) << 40;
      write(csrsOfEngine0 + target::Csr_USTORE_DATA_LOWER, uint32_t(word));
      write(csrsOfEngine0 + target::Csr_USTORE_DATA_UPPER,
            uint32_t((word | parity) >> 32));
    }
    write(csrsOfEngine0 + target::Csr_USTORE_ADDRESS, 0);
    for (uint32_t context = 0; context < 8; ++context) {
      write(csrsOfEngine0 + target::Csr_CSR_CTX_POINTER, context);
      write(csrsOfEngine0 + target::Csr_INDIRECT_CTX_SIG_EVENTS, 1);
      write(csrsOfEngine0 + target::Csr_INDIRECT_CTX_WAKEUP_EVENTS, 1);
      write(csrsOfEngine0 + target::Csr_INDIRECT_CTX_STS, 0);
    }
    write(csrsOfEngine0 + target::Csr_CC_ENABLE, 0x2000);
    write(csrsOfEngine0 + target::Csr_CTX_ENABLES, 0xff00);
  }

private:
  sim::Chip &chip;
};

} // namespace

int main() {
  std::vector<target::Diagnostic> diagnostics;
  auto program = target::assembleText(microcode, "square.uc", {}, diagnostics);
  for (const target::Diagnostic &diagnostic : diagnostics)
    std::fprintf(stderr, "%s\n", diagnostic.str().c_str());
  if (!program)
    return 1;

  Observer observer;
  sim::Chip chip(target::ChipParameters(), observer);
  for (uint32_t ring : {0u, 1u})
    chip.scratch().configureRing(ring, 0x400 * ring, 256, false);
  Host host(chip);
  host.write(interruptEnableA, 0xff); // threads 0 to 7: those of engine 0
  host.load(program->words);

  uint32_t sent = 0, expected = 0, sum = 0;
  for (uint32_t number = 1; number <= 20; ++number) {
    host.write(numbersRing, number);
    expected += number * number;
    ++sent;
  }
  uint32_t interrupts = 0;
  while (sent > 0 && chip.scheduler().now() < 100'000) {
    chip.runTo(chip.scheduler().now() + 100);
    uint32_t threads = host.read(interruptStatusA);
    if (threads == 0)
      continue;
    ++interrupts;
    host.write(interruptRawA, threads);
    while (uint32_t square = host.read(squaresRing)) {
      sum += square;
      --sent;
    }
  }
  for (const std::string &fault : observer.faults)
    std::fprintf(stderr, "%s\n", fault.c_str());
  std::printf("sum of squares %u, %u interrupts, %llu cycles\n", sum,
              interrupts, (unsigned long long)chip.scheduler().now());
  return sum == expected && observer.faults.empty() ? 0 : 1;
}
