// A log of everything that happens to one packet.

#include "sim-ixp/observe/PacketLog.h"
#include "sim-ixp/observe/ChipObserver.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/CommandCodes.h"
#include "target-ixp/table/InstructionTable.h"

namespace karakal::sim {
namespace {

std::string nameOf(uint32_t actor) {
  return actor == xscaleActor ? "the XScale"
                              : "engine " + std::to_string(actor);
}

} // namespace

void PacketLog::add(const std::string &what) {
  std::string cycle = std::to_string(sources.now());
  lines += std::string(cycle.size() < 10 ? 10 - cycle.size() : 0, ' ') + cycle +
           "  " + what + "\n";
  events.push_back({{"cycle", sources.now()}, {"what", what}});
}

void PacketLog::onReceived(uint32_t handle, uint32_t ring) {
  if (followed != 0 || sources.numberOf(handle) != number)
    return;
  followed = handle;
  add("received: buffer " +
      std::to_string((handle - firstHandle) / handleStep) + ", on ring " +
      std::to_string(ring));
}

void PacketLog::onRing(bool isPut, uint32_t ring, uint32_t value,
                       uint32_t actor) {
  if (followed == 0 || (value & target::HandleMask) != followed)
    return;
  add(nameOf(actor) + (isPut ? " puts it on ring " : " gets it from ring ") +
      std::to_string(ring));
  holder.reset();
  if (!isPut && getter && getter->first == actor)
    holder = getter;
}

void PacketLog::onCommand(const Command &command) {
  if (followed == 0)
    return;
  uint32_t begin = followed * 4, size = handleStep * 4;
  const char *what = "descriptor";
  if (target::unitOf(command.op) == target::FunctionalUnit::Dram) {
    begin = target::bufferAddress(followed);
    size = target::BufferBytes;
    what = "buffer";
  } else if (target::unitOf(command.op) != target::FunctionalUnit::Sram ||
             target::wordAccess(command.op) == target::WordAccess::None) {
    return;
  }
  if (command.address < begin || command.address - begin >= size)
    return;
  const target::InstructionRow &row = target::row(command.op);
  add("engine " + std::to_string(command.engine) + " context " +
      std::to_string(command.context) + " PC " + std::to_string(command.pc) +
      sources.locationOf(command.engine, command.pc) + ": " + row.mnemonic +
      "[" + row.variant + "] of " +
      std::to_string(command.count * row.unitBytes) + " bytes at " + what +
      " + " + std::to_string(command.address - begin));
  note("engine", command.engine);
  note("context", command.context);
  note("pc", command.pc);
}

void PacketLog::onBlock(uint32_t engine, uint32_t context, uint64_t cycle,
                        size_t begin, size_t end) {
  if (followed == 0 || !holder || *holder != EngineContext(engine, context))
    return;
  for (size_t pc = begin; pc < end; ++pc) {
    auto at = static_cast<uint32_t>(pc);
    events.push_back({{"cycle", cycle + (pc - begin)},
                      {"engine", engine},
                      {"context", context},
                      {"pc", pc},
                      {"text", sources.textOf(engine, at)},
                      {"location", sources.locationOf(engine, at)}});
  }
}

void PacketLog::onFreed(uint32_t handle, uint32_t actor) {
  if (followed == 0 || handle != followed)
    return;
  add(nameOf(actor) + " frees the buffer");
  followed = 0;
  holder.reset();
}

void PacketLog::onSent(uint64_t frameNumber, uint32_t port,
                       const std::vector<uint8_t> &bytes) {
  if (frameNumber != number)
    return;
  add("a frame of " + std::to_string(bytes.size()) + " bytes has left port " +
      std::to_string(port));
  note("port", port);
  note("bytes", bytes);
}

} // namespace karakal::sim
