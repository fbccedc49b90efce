// A log of everything that happens to one packet.

#include "sim-ixp/observe/PacketLog.h"
#include "sim-ixp/observe/ChipObserver.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/CommandCodes.h"
#include "target-ixp/table/InstructionTable.h"

namespace karakal::sim {
namespace {

/// "file:line" of " (file:line)".
std::string placeIn(const std::string &location) {
  return location.size() < 3 ? std::string()
                             : location.substr(2, location.size() - 3);
}

} // namespace

void PacketLog::addLine(uint64_t cycle, const std::string &what) {
  std::string digits = std::to_string(cycle);
  lines += std::string(digits.size() < 10 ? 10 - digits.size() : 0, ' ') +
           digits + "  " + what + "\n";
}

/// Adds an event, with the source line of the command that causes it.
void PacketLog::add(const std::string &what, const Command *by) {
  addRun();
  addLine(sources.now(), what);
  events.push_back({{"cycle", sources.now()}, {"what", what}});
  if (!by)
    return;
  note("engine", by->engine);
  note("context", by->context);
  note("pc", by->pc);
  showLine(placeIn(sources.locationOf(by->engine, by->pc)));
}

/// Shows the text of a source line, once in a row.
void PacketLog::showLine(const std::string &location) {
  std::string line = sources.lineOf(location);
  if (!line.empty() && location != shownLocation)
    lines += "            | " + line + "\n";
  shownLocation = location;
}

/// Writes the source lines that were run.
void PacketLog::addRun() {
  if (!ran.text.empty())
    addLine(ran.cycle, "engine " + std::to_string(ran.who.first) + " context " +
                           std::to_string(ran.who.second) + " runs " +
                           ran.text);
  ran = Run();
}

std::string PacketLog::nameOf(const Command &command) const {
  return "engine " + std::to_string(command.engine) + " context " +
         std::to_string(command.context) + " PC " + std::to_string(command.pc) +
         sources.locationOf(command.engine, command.pc);
}

std::string PacketLog::nameOf(uint32_t actor, const Command *by) const {
  return by                     ? nameOf(*by)
         : actor == xscaleActor ? "the XScale"
                                : "engine " + std::to_string(actor);
}

std::string PacketLog::ringName(uint32_t ring) const {
  std::string name = std::to_string(ring);
  if (ring < program.rings.size() && !program.rings[ring].empty())
    name += " (" + program.rings[ring] + ")";
  return name;
}

void PacketLog::onReceived(uint32_t handle, uint32_t ring) {
  if (followed != 0 || sources.numberOf(handle) != number)
    return;
  followed = handle;
  add("received: buffer " +
      std::to_string((handle - program.firstHandle) / program.handleStep) +
      ", on ring " + ringName(ring));
}

void PacketLog::onRing(bool isPut, uint32_t ring, uint32_t value,
                       uint32_t actor, const Command *by) {
  if (followed == 0 || (value & target::HandleMask) != followed)
    return;
  add(nameOf(actor, by) +
          (isPut ? " puts it on ring " : " gets it from ring ") +
          ringName(ring),
      by);
  holder.reset();
  programLine.clear();
  if (!isPut && by)
    holder = EngineContext(by->engine, by->context);
  isAtCore = !isPut && actor == xscaleActor;
}

/// A counter of drops is counted up by who has the packet.
void PacketLog::addDrop(uint32_t counter, const Command *by) {
  uint32_t reason = (counter - program.dropCounters) / 4;
  if (counter < program.dropCounters || reason >= program.dropReasons.size())
    return;
  std::string line = by ? programLine : std::string();
  add(nameOf(xscaleActor, by) + " drops it: " + program.dropReasons[reason] +
          (line.empty() ? "" : ", after " + line),
      by);
  showLine(line);
  note("reason", program.dropReasons[reason]);
}

void PacketLog::onCoreAdd(uint32_t address) {
  if (followed != 0 && isAtCore)
    addDrop(address, nullptr);
}

void PacketLog::onCommand(const Command &command) {
  if (followed == 0)
    return;
  uint32_t begin = followed * 4, size = program.handleStep * 4;
  const char *what = "descriptor";
  switch (target::unitOf(command.op)) {
  case target::FunctionalUnit::Dram:
    begin = target::bufferAddress(followed);
    size = target::BufferBytes;
    what = "buffer";
    break;
  case target::FunctionalUnit::Sram:
    if (target::wordAccess(command.op) == target::WordAccess::None)
      return;
    break;
  case target::FunctionalUnit::Scratch:
    if (holder == EngineContext(command.engine, command.context) &&
        target::wordAccess(command.op) >= target::WordAccess::Add)
      addDrop(command.address, &command);
    return;
  default:
    return;
  }
  if (command.address < begin || command.address - begin >= size)
    return;
  const target::InstructionRow &row = target::row(command.op);
  add(nameOf(command) + ": " + row.mnemonic + "[" + row.variant + "] of " +
          std::to_string(command.count * row.unitBytes) + " bytes at " + what +
          " + " + std::to_string(command.address - begin),
      &command);
}

void PacketLog::onBlock(uint32_t engine, uint32_t context, uint64_t cycle,
                        size_t begin, size_t end) {
  if (followed == 0 || !holder || *holder != EngineContext(engine, context))
    return;
  if (ran.text.empty()) {
    ran.cycle = cycle;
    ran.who = *holder;
  }
  for (size_t pc = begin; pc < end; ++pc) {
    auto at = static_cast<uint32_t>(pc);
    std::string location = sources.locationOf(engine, at);
    events.push_back({{"cycle", cycle + (pc - begin)},
                      {"engine", engine},
                      {"context", context},
                      {"pc", pc},
                      {"text", sources.textOf(engine, at)},
                      {"location", location}});
    if (location.empty() || location == ran.lastLocation)
      continue;
    ran.lastLocation = location;
    std::string place = placeIn(location);
    if (place.find(".baker:") != std::string::npos)
      programLine = place;
    size_t colon = place.rfind(':');
    std::string file = place.substr(0, colon);
    ran.text += file == ran.file   ? " " + place.substr(colon + 1)
                : ran.text.empty() ? place
                                   : ", " + place;
    ran.file = file;
  }
}

void PacketLog::onRefused(uint32_t handle) {
  if (followed != 0 && handle == followed)
    add("Tx drops it: there is no port of its number");
}

void PacketLog::onFreed(uint32_t handle, uint32_t actor, const Command *by) {
  if (followed == 0 || handle != followed)
    return;
  add(nameOf(actor, by) + " frees the buffer", by);
  followed = 0;
  holder.reset();
  isAtCore = false;
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
