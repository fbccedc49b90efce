// Monitors the software caches: hits and stale reads.
//
// See CacheMonitor.h for the idea.

#include "sim-ixp/run/CacheMonitor.h"
#include "sim-ixp/engine/MicroOp.h"
#include "target-ixp/chip/MemoryMap.h"

namespace karakal::sim {

using nlohmann::json;

namespace {

constexpr uint32_t bytesPerWord = 4;
/// Caches with a bit in `staleMasks`. Of later ones each stale use counts as a
/// stale packet.
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

/// The address that commands use.
uint32_t commandAddress(const std::string &memory, uint32_t address) {
  return memory == "sram1" ? target::sramAddress(1, address) : address;
}

} // namespace

CacheMonitor::CacheMonitor(const target::Image &image, const EnginePlans &plans,
                           Chip &chip) {
  readManifest(image.manifest, chip);
  if (copies.empty() && kept.empty())
    return;
  watched = &chip;
  for (uint32_t i = 0; i < plans.size(); ++i)
    if (plans[i].role == EngineRole::App)
      chip.engine(i).observeLocalMemory(this);
}

void CacheMonitor::readManifest(const json &manifest, Chip &chip) {
  const json none = json::array();
  std::vector<std::string> versionNames;
  for (const json &cache : manifest.value("caches", none)) {
    addCopy(cache, cache["bytes"], chip);
    versionNames.push_back(cache["version"]);
  }
  for (const json &kept : manifest.value("lines", none)) {
    uint32_t lineBytes = kept["line_bytes"];
    addCopy(kept, lineBytes * kept["lines"].get<uint32_t>(), chip);
    Copy &copy = copies.back();
    copy.lineWords = lineBytes / bytesPerWord;
    copy.elementWords = kept["element_bytes"].get<uint32_t>() / bytesPerWord;
    copy.isByCam = kept["by_cam"];
    copy.camTag = kept["cam_tag"];
    versionNames.push_back(kept["version"]);
  }
  for (const json &global : manifest.value("globals", none))
    for (const std::string &name : versionNames)
      if (global["name"] == name) {
        versions.push_back(commandAddress(global["memory"], global["address"]));
        break;
      }
  for (const json &answers : manifest.value("answers", none)) {
    uint32_t local = answers["local"].get<uint32_t>() / bytesPerWord;
    uint32_t bytes = answers["bytes"];
    Kept made{local, local + bytes / bytesPerWord, {}};
    for (const json &version : answers["versions"]) {
      uint32_t address = version["address"];
      made.versions.push_back({memoryOf(chip, version["memory"]), address,
                               version["seen"].get<uint32_t>() / bytesPerWord});
      uint32_t command = commandAddress(version["memory"], address);
      if (std::find(versions.begin(), versions.end(), command) ==
          versions.end())
        versions.push_back(command);
    }
    kept.push_back(std::move(made));
    AnswerUses uses;
    uses.lookup = answers["lookup"];
    uses.interval = answers["interval"];
    answerResults.push_back(uses);
  }
}

void CacheMonitor::addCopy(const json &cache, uint32_t localBytes, Chip &chip) {
  const std::string memory = cache["memory"];
  uint32_t address = cache["address"], bytes = cache["bytes"];
  uint32_t local = cache["local"].get<uint32_t>() / bytesPerWord;
  uint32_t begin = commandAddress(memory, address);
  copies.push_back({local, local + localBytes / bytesPerWord,
                    memoryOf(chip, memory), address, begin, begin + bytes,
                    memory == "scratch" ? target::FunctionalUnit::Scratch
                                        : target::FunctionalUnit::Sram});
  CopyUses uses;
  uses.global = cache["global"];
  uses.interval = cache["interval"];
  results.push_back(uses);
}

/// The home address of the word that word `word` of local memory copies;
/// nothing for the tag of a cache line.
std::optional<uint32_t> CacheMonitor::homeOf(const Copy &copy, uint32_t engine,
                                             uint32_t word) const {
  uint32_t at = word - copy.begin;
  if (copy.lineWords == 0)
    return copy.homeAddress + at * bytesPerWord;
  uint32_t line = at / copy.lineWords, inLine = at % copy.lineWords;
  if (inLine >= copy.elementWords)
    return std::nullopt;
  const Microengine &reader = watched->engine(engine);
  uint32_t element =
      copy.isByCam ? reader.camTag(line) - copy.camTag
                   : reader.peek(reg::localMemory + copy.begin +
                                 line * copy.lineWords + copy.elementWords);
  return copy.homeAddress +
         (element * copy.elementWords + inLine) * bytesPerWord;
}

bool CacheMonitor::isBehind(const Kept &answers, uint32_t engine) const {
  for (const Kept::Version &version : answers.versions)
    if (version.home &&
        version.home->readWord(version.address) !=
            watched->engine(engine).peek(reg::localMemory + version.seen))
      return true;
  return false;
}

/// Records a stale use by the context's packet; `packets` counts the stale
/// packets of one cache.
void CacheMonitor::countStale(uint32_t engine, uint32_t context, size_t number,
                              uint64_t &packets) {
  uint64_t &mask = staleMasks[engine][context];
  uint64_t bit = number < maskedCopies ? uint64_t{1} << number : 0;
  packets += (mask & bit) == 0;
  stalePackets += mask == 0;
  mask |= bit;
}

void CacheMonitor::onLocalRead(uint32_t engine, uint32_t context, uint32_t word,
                               uint32_t value) {
  for (size_t i = 0; i < copies.size(); ++i) {
    const Copy &copy = copies[i];
    if (word < copy.begin || word >= copy.end)
      continue;
    std::optional<uint32_t> home = homeOf(copy, engine, word);
    if (!home)
      return;
    ++results[i].reads;
    if (!copy.home || copy.home->readWord(*home) == value)
      return;
    ++results[i].staleReads;
    return countStale(engine, context, i, results[i].stalePackets);
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    if (word < kept[i].begin || word >= kept[i].end)
      continue;
    ++answerResults[i].hits;
    if (!isBehind(kept[i], engine))
      return;
    ++answerResults[i].staleHits;
    return countStale(engine, context, copies.size() + i,
                      answerResults[i].stalePackets);
  }
}

void CacheMonitor::onCommand(const Command &command) {
  if (target::wordAccess(command.op) != target::WordAccess::Read)
    return;
  for (uint32_t version : versions)
    if (command.address == version)
      ++looks;
  for (size_t i = 0; i < copies.size(); ++i)
    if (command.address >= copies[i].commandBegin &&
        command.address < copies[i].commandEnd &&
        target::unitOf(command.op) == copies[i].unit)
      ++results[i].homeReads;
}

void CacheMonitor::onNewPacket(uint32_t engine, uint32_t context) {
  staleMasks[engine][context] = 0;
}

} // namespace karakal::sim
