// The cache plan: attributes and globals that baker-plan-caches makes for the
// later passes.
//
//   on the cached global   baker.cache.copy    @karakal.copy.NAME
//   on every global        baker.cache.reason  text
//   on a cached look-up    baker.cache.results @karakal.results.NAME
//   on a cached array      baker.cache.lines   @karakal.lines.NAME
//   on both                baker.cache.tag N : i32: tag bits in a shared CAM
//   on a version word      baker.cache.version #baker.memory<sram1>: the memory
//                              whose updates it counts
//   on the module          baker.cache.interval N : i64: packets of a context
//                              between version checks
//                          baker.cache.packets N : i64: the same for the
//                              packets of all engines
//                          baker.cache.exchanged (unit): before a control
//                              function updates what is cached, the XScale core
//                              gives the engines code without caches

#ifndef KARAKAL_SWCACHE_CACHES_H
#define KARAKAL_SWCACHE_CACHES_H

#include "ir/dialect/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "target-ixp/chip/MemoryMap.h"

#include <vector>

namespace karakal::swcache {

inline constexpr llvm::StringLiteral copyAttrName = "baker.cache.copy";
inline constexpr llvm::StringLiteral reasonAttrName = "baker.cache.reason";
inline constexpr llvm::StringLiteral versionAttrName = "baker.cache.version";
inline constexpr llvm::StringLiteral intervalAttrName = "baker.cache.interval";
inline constexpr llvm::StringLiteral resultsAttrName = "baker.cache.results";
inline constexpr llvm::StringLiteral linesAttrName = "baker.cache.lines";
inline constexpr llvm::StringLiteral tagAttrName = "baker.cache.tag";
inline constexpr llvm::StringLiteral packetsAttrName = "baker.cache.packets";
inline constexpr llvm::StringLiteral exchangedAttrName =
    "baker.cache.exchanged";

/// A timer that gives the engines code with caches again, and its interval.
/// They do when an interval has passed without an update.
inline constexpr llvm::StringLiteral returnTimerName =
    "karakal.return_to_caches";
inline constexpr uint64_t returnIntervalUs = 10'000;

/// Whether the XScale core exchanges the engines' code at updates.
bool exchangesCode(mlir::ModuleOp module);

/// Words of local memory for caches, after the lock and the versions seen.
inline constexpr uint32_t cacheWordsMax =
    target::CacheWords - target::CacheLineWords;

/// Globals in the local memory of each engine: whether a context is filling the
/// copies, and the version at which they were last filled; version words;
/// copies.
inline constexpr llvm::StringLiteral lockName = "karakal.lock";
inline constexpr llvm::StringLiteral seenPrefix = "karakal.seen.";
inline constexpr llvm::StringLiteral versionPrefix = "karakal.version.";
inline constexpr llvm::StringLiteral copyPrefix = "karakal.copy.";

/// Globals in the local memory of each engine: the cached results of a look-up
/// function by CAM entry; the cache lines of an array by CAM entry or by the
/// lowest bits of the index; how often they were cleared. And the function that
/// looks up the cache before it calls the look-up function.
inline constexpr llvm::StringLiteral resultsPrefix = "karakal.results.";
inline constexpr llvm::StringLiteral linesPrefix = "karakal.lines.";
inline constexpr llvm::StringLiteral generationName = "karakal.generation";
inline constexpr llvm::StringLiteral cachedLookupPrefix = "karakal.cached.";

/// The struct of a cache line: the element and, in a direct-mapped cache, its
/// index or `noTag`.
inline constexpr llvm::StringLiteral cacheLineTypeName = "cache_line";
inline constexpr llvm::StringLiteral cacheLineEntryName = "entry";
inline constexpr llvm::StringLiteral cacheLineTagName = "tag";
inline constexpr uint32_t noTag = ~0u;
/// A direct-mapped cache of n lines is assumed to hit as often as an LRU cache
/// with n / `cacheLinesPerCamEntry` entries.
inline constexpr uint32_t cacheLinesPerCamEntry = 4;

/// A global and its copy in local memory.
struct GlobalCopy {
  ir::GlobalOp home, copy;
};
std::vector<GlobalCopy> globalCopiesOf(mlir::ModuleOp module);

/// A cached look-up function and its cached results.
struct LookupCache {
  mlir::func::FuncOp lookup;
  ir::GlobalOp results;
};
std::vector<LookupCache> lookupCachesOf(mlir::ModuleOp module);

/// A cached array and its cache lines.
struct ArrayCache {
  ir::GlobalOp home, lines;
  bool isDirectMapped = false; ///< else found by the CAM
  uint32_t tag = 0;            ///< tag bits in a shared CAM
  uint64_t count() const;      ///< of cache lines
};
std::vector<ArrayCache> arrayCachesOf(mlir::ModuleOp module);

/// A version word and the version that each engine saw last.
struct VersionWord {
  ir::GlobalOp word, seen;
};
std::vector<VersionWord> versionWordsOf(mlir::ModuleOp module);

/// The packets of one context between version checks, and the packets of all
/// engines that equation 2 allows between them; 0 if no cached global is ever
/// written.
uint64_t contextInterval(mlir::ModuleOp module);
uint64_t packetInterval(mlir::ModuleOp module);

/// Records on the globals and look-up functions of `plain` that are cached in
/// `cached`, another plan of the same program, that they are not cached because
/// of `why`.
void refuseCaches(mlir::ModuleOp plain, mlir::ModuleOp cached,
                  llvm::StringRef why);

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_CACHES_H
