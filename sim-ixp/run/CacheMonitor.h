// Monitors the software caches: hits and stale reads.
//
// The image says which words of local memory are copies of which globals. Each
// read of such a word is compared with the word in the global's own memory, its
// home. The read is stale if they differ at that moment; a packet is stale if
// it made a stale read. For an engine that runs ahead of the others
// (docs/statistics.md) the home has the state of the chip's clock, the last one
// that the engine could notice.

#ifndef KARAKAL_SIM_IXP_RUN_CACHEMONITOR_H
#define KARAKAL_SIM_IXP_RUN_CACHEMONITOR_H

#include "sim-ixp/observe/PacketAccounting.h"
#include "sim-ixp/run/Chip.h"
#include "sim-ixp/run/Loader.h"
#include "target-ixp/image/Image.h"
#include "target-ixp/table/CommandCodes.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace karakal::sim {

/// Uses of one cached global by all engines, over the whole run.
struct GlobalUses {
  std::string global;
  uint64_t interval = 0;     ///< packets between version checks, all engines
  uint64_t reads = 0;        ///< words read from the copies
  uint64_t staleReads = 0;   ///< of these, different from home
  uint64_t stalePackets = 0; ///< packets with such a read
  uint64_t homeReads = 0;    ///< commands at home: fills and misses
};

/// Hits of one look-up cache by all engines, over the whole run.
struct LookupUses {
  std::string lookup;
  uint64_t interval = 0;     ///< packets between version checks, all engines
  uint64_t hits = 0;         ///< results found in the cache
  uint64_t staleHits = 0;    ///< of these, used before an update was noticed
  uint64_t stalePackets = 0; ///< packets with such a hit
};

/// Observes the application engines.
class CacheMonitor : public LocalMemoryObserver, public ProgramObserver {
public:
  /// Observes the application engines of `chip` if the image has caches.
  CacheMonitor(const target::Image &image, const EnginePlans &plans,
               Chip &chip);

  /// Whether the image has caches, of globals or of look-ups.
  bool isWatching() const { return watched != nullptr; }
  const std::vector<GlobalUses> &globals() const { return globalUses; }
  const std::vector<LookupUses> &lookups() const { return lookupUses; }
  /// Commands that read a version word.
  uint64_t versionCheckCount() const { return versionChecks; }
  /// Packets with a stale use of any cache.
  uint64_t stalePacketCount() const { return stalePackets; }

  void onLocalRead(uint32_t engine, uint32_t context, uint32_t word,
                   uint32_t value) override;
  void onCommand(const Command &command) override;
  void onNewPacket(uint32_t engine, uint32_t context) override;

private:
  /// A copy of a global, or cache lines for its elements.
  struct CachedGlobal {
    uint32_t begin, end;   ///< words of local memory
    const Memory *home;    ///< null if there is no such memory
    uint32_t homeAddress;  ///< bytes, in that memory
    uint32_t commandBegin; ///< as commands address it
    uint32_t commandEnd;
    target::FunctionalUnit unit; ///< of the home
    /// Cache lines: words of a line, and of the array element at its start. The
    /// element's index is the line's CAM tag minus `camTag`, or the word after
    /// the element.
    uint32_t lineWords = 0; ///< 0: a whole copy
    uint32_t elementWords = 0;
    bool isByCam = false;
    uint32_t camTag = 0;
  };

  /// The results of a look-up cache. No memory tells how old a result is, so
  /// each hit between an update and the version check that notices it counts as
  /// stale.
  struct LookupCache {
    struct Version {
      const Memory *home;
      uint32_t address, seen; ///< bytes at home, word of local memory
    };
    uint32_t begin, end; ///< words of local memory
    std::vector<Version> versions;
  };

  void readManifest(const nlohmann::json &manifest, Chip &chip);
  void addGlobal(const nlohmann::json &cache, uint32_t localBytes, Chip &chip);
  void addCacheLines(const nlohmann::json &lines, Chip &chip);
  void addLookupCache(const nlohmann::json &lookup, Chip &chip);
  std::optional<uint32_t> homeOf(const CachedGlobal &cache, uint32_t engine,
                                 uint32_t word) const;
  bool isOutdated(const LookupCache &cache, uint32_t engine) const;
  void countStale(uint32_t engine, uint32_t context, size_t bit,
                  uint64_t &packets);

  Chip *watched = nullptr;
  std::vector<CachedGlobal> cachedGlobals;
  std::vector<LookupCache> lookupCaches;
  std::vector<LookupUses> lookupUses;
  std::vector<uint32_t> versions; ///< addresses of commands
  std::vector<GlobalUses> globalUses;
  /// Bit i: the context's packet made a stale use of cache i.
  std::array<std::array<uint64_t, 8>, engineCountMax> staleMasks{};
  uint64_t versionChecks = 0, stalePackets = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_RUN_CACHEMONITOR_H
