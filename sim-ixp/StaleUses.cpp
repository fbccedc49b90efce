//===- StaleUses.cpp - what caches served, and what of it was old ---------===//
//
// See StaleUses.h for the idea.
//
//===----------------------------------------------------------------------===//

#include "sim-ixp/StaleUses.h"
#include "target-ixp/MemoryMap.h"

namespace karakal::sim {

using nlohmann::json;

namespace {

constexpr uint32_t bytesPerWord = 4;
/// Bits of `staleMasks`; further copies are counted by reads alone.
constexpr size_t maskedCopies = 64;

const Memory *memoryOf(Chip &chip, const std::string &name) {
  if (name == "scratch")
    return &chip.scratch().memory();
  if (name == "sram0")
    return &chip.sram(0).memory();
  if (name == "sram1" && chip.sramChannelCount() > 1)
    return &chip.sram(1).memory();
  return nullptr;
}

/// An address as commands give it.
uint32_t commandAddress(const std::string &memory, uint32_t address) {
  return memory == "sram1" ? target::sramAddress(1, address) : address;
}

bool isScratchCommand(const Command &command) {
  return command.target >= 0x10 && command.target < 0x20;
}

} // namespace

StaleUses::StaleUses(const target::Image &image, const EnginePlans &plans,
                     Chip &chip) {
  auto caches = image.manifest.find("caches");
  if (caches == image.manifest.end() || caches->empty())
    return;
  std::vector<std::string> versionNames;
  for (const json &cache : *caches) {
    const std::string memory = cache["memory"];
    uint32_t address = cache["address"], bytes = cache["bytes"];
    uint32_t local = cache["local"].get<uint32_t>() / bytesPerWord;
    uint32_t begin = commandAddress(memory, address);
    copies.push_back({local, local + bytes / bytesPerWord,
                      memoryOf(chip, memory), address, begin, begin + bytes,
                      memory == "scratch"});
    CopyUses uses;
    uses.global = cache["global"];
    uses.interval = cache["interval"];
    results.push_back(uses);
    versionNames.push_back(cache["version"]);
  }
  for (const json &global : image.manifest["globals"])
    for (const std::string &name : versionNames)
      if (global["name"] == name) {
        versions.push_back(commandAddress(global["memory"], global["address"]));
        break;
      }
  for (uint32_t i = 0; i < plans.size(); ++i)
    if (plans[i].role == EngineRole::App)
      chip.engine(i).listenToLocalMemory(this);
}

void StaleUses::onLocalRead(uint32_t engine, uint32_t context, uint32_t word,
                            uint32_t value) {
  for (size_t i = 0; i < copies.size(); ++i) {
    const Copy &copy = copies[i];
    if (word < copy.begin || word >= copy.end)
      continue;
    ++results[i].reads;
    uint32_t home = copy.homeAddress + (word - copy.begin) * bytesPerWord;
    if (!copy.home || copy.home->readWord(home) == value)
      return;
    ++results[i].staleReads;
    uint64_t &mask = staleMasks[engine][context];
    uint64_t bit = i < maskedCopies ? uint64_t{1} << i : 0;
    results[i].stalePackets += (mask & bit) == 0;
    stalePackets += mask == 0;
    mask |= bit;
    return;
  }
}

void StaleUses::onCommand(const Command &command) {
  for (uint32_t version : versions)
    if (command.address == version && (command.target & 15) == 0)
      ++looks;
  for (size_t i = 0; i < copies.size(); ++i)
    if (command.address >= copies[i].commandBegin &&
        command.address < copies[i].commandEnd &&
        isScratchCommand(command) == copies[i].isScratch &&
        (command.target & 15) == 0)
      ++results[i].homeReads;
}

void StaleUses::onNewPacket(uint32_t engine, uint32_t context) {
  staleMasks[engine][context] = 0;
}

} // namespace karakal::sim
