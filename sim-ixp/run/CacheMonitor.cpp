// Monitors the software caches: hits and stale reads.
//
// See CacheMonitor.h for the idea.

#include "sim-ixp/run/CacheMonitor.h"
#include "sim-ixp/engine/MicroOp.h"

namespace karakal::sim {

using nlohmann::json;

namespace {

constexpr uint32_t bytesPerWord = 4;
/// Caches with a bit in `staleMasks`. Of later ones each stale use counts as a
/// stale packet.
constexpr size_t maskedCaches = 64;

} // namespace

CacheMonitor::CacheMonitor(const target::Image &image, const EnginePlans &plans,
                           Chip &chip) {
  readManifest(image.manifest, chip);
  if (cachedGlobals.empty() && lookupCaches.empty())
    return;
  watched = &chip;
  for (uint32_t i = 0; i < plans.size(); ++i)
    if (plans[i].role == EngineRole::App)
      chip.engine(i).observeLocalMemory(this);
}

void CacheMonitor::readManifest(const json &manifest, Chip &chip) {
  std::vector<std::string> versionNames;
  const json none = json::array();
  for (const json &copy : manifest.value("caches", none)) {
    addGlobal(copy, copy["bytes"], chip);
    versionNames.push_back(copy["version"]);
  }
  for (const json &lines : manifest.value("cache_lines", none)) {
    addCacheLines(lines, chip);
    versionNames.push_back(lines["version"]);
  }
  for (const json &global : manifest.value("globals", none))
    if (std::find(versionNames.begin(), versionNames.end(), global["name"]) !=
        versionNames.end())
      versions.push_back(
          target::commandAddress(memoryIn(global), global["address"]));
  for (const json &lookup : manifest.value("lookup_caches", none))
    addLookupCache(lookup, chip);
}

void CacheMonitor::addCacheLines(const json &lines, Chip &chip) {
  uint32_t lineBytes = lines["line_bytes"];
  addGlobal(lines, lineBytes * lines["count"].get<uint32_t>(), chip);
  CachedGlobal &cache = cachedGlobals.back();
  cache.lineWords = lineBytes / bytesPerWord;
  cache.elementWords = lines["element_bytes"].get<uint32_t>() / bytesPerWord;
  cache.isByCam = lines["by_cam"];
  cache.camTag = lines["cam_tag"];
}

void CacheMonitor::addLookupCache(const json &lookup, Chip &chip) {
  uint32_t local = lookup["local"].get<uint32_t>() / bytesPerWord;
  uint32_t bytes = lookup["bytes"];
  LookupCache cache{local, local + bytes / bytesPerWord, {}};
  for (const json &version : lookup["versions"]) {
    uint32_t address = version["address"];
    target::Memory memory = memoryIn(version);
    cache.versions.push_back({chip.memoryOf(memory), address,
                              version["seen"].get<uint32_t>() / bytesPerWord});
    uint32_t command = target::commandAddress(memory, address);
    if (std::find(versions.begin(), versions.end(), command) == versions.end())
      versions.push_back(command);
  }
  lookupCaches.push_back(std::move(cache));
  LookupUses uses;
  uses.lookup = lookup["lookup"];
  uses.interval = lookup["interval"];
  lookupUses.push_back(uses);
}

void CacheMonitor::addGlobal(const json &cache, uint32_t localBytes,
                             Chip &chip) {
  target::Memory memory = memoryIn(cache);
  uint32_t address = cache["address"], bytes = cache["bytes"];
  uint32_t local = cache["local"].get<uint32_t>() / bytesPerWord;
  uint32_t begin = target::commandAddress(memory, address);
  cachedGlobals.push_back({local, local + localBytes / bytesPerWord,
                           chip.memoryOf(memory), address, begin, begin + bytes,
                           memory == target::Memory::Scratch
                               ? target::FunctionalUnit::Scratch
                               : target::FunctionalUnit::Sram});
  GlobalUses uses;
  uses.global = cache["global"];
  uses.interval = cache["interval"];
  globalUses.push_back(uses);
}

/// The home address of the word that word `word` of local memory copies;
/// nothing for the tag of a cache line.
std::optional<uint32_t> CacheMonitor::homeOf(const CachedGlobal &cache,
                                             uint32_t engine,
                                             uint32_t word) const {
  uint32_t at = word - cache.begin;
  if (cache.lineWords == 0)
    return cache.homeAddress + at * bytesPerWord;
  uint32_t line = at / cache.lineWords, inLine = at % cache.lineWords;
  if (inLine >= cache.elementWords)
    return std::nullopt;
  const Microengine &reader = watched->engine(engine);
  uint32_t element =
      cache.isByCam ? reader.camTag(line) - cache.camTag
                    : reader.peek(reg::localMemory + cache.begin +
                                  line * cache.lineWords + cache.elementWords);
  return cache.homeAddress +
         (element * cache.elementWords + inLine) * bytesPerWord;
}

bool CacheMonitor::isOutdated(const LookupCache &cache, uint32_t engine) const {
  for (const LookupCache::Version &version : cache.versions)
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
  uint64_t bit = number < maskedCaches ? uint64_t{1} << number : 0;
  packets += (mask & bit) == 0;
  stalePackets += mask == 0;
  mask |= bit;
}

void CacheMonitor::onLocalRead(uint32_t engine, uint32_t context, uint32_t word,
                               uint32_t value) {
  for (size_t i = 0; i < cachedGlobals.size(); ++i) {
    const CachedGlobal &cache = cachedGlobals[i];
    if (word < cache.begin || word >= cache.end)
      continue;
    std::optional<uint32_t> home = homeOf(cache, engine, word);
    if (!home)
      return;
    ++globalUses[i].reads;
    if (!cache.home || cache.home->readWord(*home) == value)
      return;
    ++globalUses[i].staleReads;
    return countStale(engine, context, i, globalUses[i].stalePackets);
  }
  for (size_t i = 0; i < lookupCaches.size(); ++i) {
    if (word < lookupCaches[i].begin || word >= lookupCaches[i].end)
      continue;
    ++lookupUses[i].hits;
    if (!isOutdated(lookupCaches[i], engine))
      return;
    ++lookupUses[i].staleHits;
    return countStale(engine, context, cachedGlobals.size() + i,
                      lookupUses[i].stalePackets);
  }
}

void CacheMonitor::onCommand(const Command &command) {
  if (target::wordAccess(command.op) != target::WordAccess::Read)
    return;
  for (uint32_t version : versions)
    if (command.address == version)
      ++versionChecks;
  for (size_t i = 0; i < cachedGlobals.size(); ++i)
    if (command.address >= cachedGlobals[i].commandBegin &&
        command.address < cachedGlobals[i].commandEnd &&
        target::unitOf(command.op) == cachedGlobals[i].unit)
      ++globalUses[i].homeReads;
}

void CacheMonitor::onNewPacket(uint32_t engine, uint32_t context) {
  staleMasks[engine][context] = 0;
}

} // namespace karakal::sim
