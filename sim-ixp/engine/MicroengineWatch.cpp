// Hazards, and descriptions of the state.
//
// A hazard is what a program should not do and the hardware does not prevent. A
// transfer register is watched from the issue of a command to the arrival of
// its data: until then the engine cannot have seen the signal, and a read is
// early.

#include "sim-ixp/engine/Microengine.h"
#include "target-ixp/table/Printer.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace karakal::sim {
namespace {

/// "$3" or "$$3" of a bit of Context::pendingIn and pendingOut.
std::string transferName(uint32_t bit) {
  return (bit < 32 ? "$" : "$$") + std::to_string(bit & 31);
}

} // namespace

/// Reports each kind of hazard once per address.
void Microengine::hazard(HazardKind kind, const std::string &what) {
  uint8_t bit = static_cast<uint8_t>(1u << static_cast<unsigned>(kind));
  if (reported[pc] & bit)
    return;
  reported[pc] |= bit;
  observer.onHazard({kind, number, time,
                     "context " + std::to_string(arbiter.current) + ", PC " +
                         std::to_string(pc) + program->locationOf(pc) + ": " +
                         what});
}

void Microengine::checkTransfers(const MicroOp &op) {
  const Context &context = arbiter.running();
  // The bit of the masks for an index of the register file, ~0 if none.
  auto bitOf = [&](uint32_t registerIndex, uint32_t sBank, uint32_t dBank) {
    bool isS = registerIndex >= sBank && registerIndex < sBank + 128u;
    bool isD = registerIndex >= dBank && registerIndex < dBank + 128u;
    uint32_t index = registerIndex - (isS ? sBank : dBank);
    if ((!isS && !isD) ||
        index / registerCount() * registerCount() !=
            arbiter.current * 16 / registerCount() * registerCount())
      return ~0u;
    return (isS ? 0 : 32) + index % registerCount();
  };
  for (auto [index, base] : {std::pair(op.a, op.aBase), {op.b, op.bBase}}) {
    uint32_t bit = bitOf(index | bases[base], reg::sIn, reg::dIn);
    if (bit < 64 && context.pendingIn >> bit & 1)
      hazard(HazardKind::EarlyRead, "reads " + transferName(bit) +
                                        " before the command that fills it "
                                        "is complete");
  }
  uint32_t bit = bitOf(op.dest | bases[op.destBase], reg::sOut, reg::dOut);
  if (bit < 64 && context.pendingOut >> bit & 1)
    hazard(HazardKind::EarlyRewrite, "writes " + transferName(bit) +
                                         " before the command that sends it "
                                         "has taken it");
}

void Microengine::checkLocalDelay(const MicroOp &op) {
  for (uint8_t base : {BaseLocal0, BaseLocal1})
    if (op.aBase == base || op.bBase == base || op.destBase == base)
      checkPointerDelay(base - BaseLocal0);
}

/// Reports that the running instruction uses local memory through a pointer
/// (0 or 1) while a write of the pointer is pending.
void Microengine::checkPointerDelay(uint32_t pointer) {
  const bool is0 = pointer == 0;
  const uint32_t address =
      is0 ? target::Csr_ACTIVE_LM_ADDR_0 : target::Csr_ACTIVE_LM_ADDR_1;
  const uint32_t byteIndex = is0 ? target::Csr_ACTIVE_LM_ADDR_0_BYTE_INDEX
                                 : target::Csr_ACTIVE_LM_ADDR_1_BYTE_INDEX;
  for (const PendingWrite &write : pending) {
    bool isIt = write.csr == address || write.csr == byteIndex;
    bool isHere =
        write.context == arbiter.current || csrs.isPointerGlobal(pointer);
    if (isIt && isHere && write.cycle > time)
      hazard(HazardKind::LocalDelay,
             "uses local memory through a pointer that was written just "
             "before; its old value holds for " +
                 std::to_string(write.cycle - time) + " more cycles");
  }
}

/// `what` needs so many instructions between the last crc and itself.
void Microengine::checkCrc(uint64_t slotsLeast, const char *what) {
  if (csrs.crcEnd != 0 && time < csrs.crcEnd + slotsLeast)
    hazard(HazardKind::CrcDelay,
           std::string(what) + " " + std::to_string(time - csrs.crcEnd) +
               " instructions after a crc; at least " +
               std::to_string(slotsLeast) + " must lie between them");
}

void Microengine::reportUnaligned(const Command &command,
                                  const CommandShape &shape) {
  hazard(HazardKind::Unaligned,
         "address ends in " +
             std::to_string(command.address & shape.ignoredBits) +
             ", which the memory ignores: its grain is " +
             std::to_string(shape.ignoredBits + 1) + " bytes");
}

std::string Microengine::describeRunning() const {
  const Context &context = arbiter.running();
  ConditionCodes flags =
      csrs.areFlagsEnabled() ? latches.flags : latches.frozenFlags;
  std::string text = "engine " + std::to_string(number) + ", context " +
                     std::to_string(arbiter.current) + ", PC " +
                     std::to_string(pc) + program->locationOf(pc) + ", cycle " +
                     std::to_string(time) + "\n  " +
                     target::print(program->instructions[pc]) + "\n";
  struct Bank {
    const char *name;
    uint32_t base;
  };
  for (auto [name, base] : {Bank{"a", reg::gprA}, Bank{"b", reg::gprB},
                            Bank{"$ in ", reg::sIn}, Bank{"$ out", reg::sOut},
                            Bank{"$$in ", reg::dIn}, Bank{"$$out", reg::dOut}})
    for (uint32_t i = 0; i < registerCount(); ++i) {
      char line[48];
      std::snprintf(
          line, sizeof line, "%s%-5s %2u: %08x%s", "  ", i % 8 == 0 ? name : "",
          i, regs[base + arbiter.current * 16 + i], i % 8 == 7 ? "\n" : "");
      text += line;
    }
  char line[128];
  std::snprintf(line, sizeof line,
                "  lm_addr0 0x%x, lm_addr1 0x%x, signals 0x%04x, waits for "
                "0x%04x, flags %s%s%s%s\n",
                context.localAddress(0), context.localAddress(1),
                context.signals, context.wakeMask,
                flags.result >> 31 ? "N" : "-", flags.result == 0 ? "Z" : "-",
                flags.overflow ? "V" : "-", flags.carry ? "C" : "-");
  return text + line;
}

} // namespace karakal::sim
