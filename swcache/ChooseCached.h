// The choice of look-up functions and large arrays to cache.

#ifndef KARAKAL_SWCACHE_CHOOSECACHED_H
#define KARAKAL_SWCACHE_CHOOSECACHED_H

#include "ir/analysis/Lookups.h"
#include "swcache/GlobalUses.h"
#include <vector>

namespace karakal::swcache {

/// A look-up function whose results an engine can cache, or an array whose
/// elements it can cache. The CAM finds the cache entry; for an array, the
/// lowest bits of the index can find it instead (direct-mapped).
struct CacheCandidate {
  mlir::func::FuncOp lookup;   ///< or null
  ir::GlobalOp array;          ///< or null
  bool isDirectMapped = false; ///< an array's cache without the CAM

  llvm::SetVector<ir::GlobalOp> globals; ///< that it loads
  AccessRates rates;       ///< calls or loads, and stores, per packet
  double probes = 0;       ///< accesses of the cache per packet
  double latency = 0;      ///< cycles per packet of the loads without a cache
  uint32_t entries = 0;    ///< entries assumed for the hit rate
  uint32_t tag = 0;        ///< tag bits that identify it in a shared CAM
  double hitRate = 0;      ///< of an LRU cache with `entries` entries
  uint64_t interval = 0;   ///< packets between version checks, equation 2
  double gain = 0;         ///< cycles of memory latency saved per packet
  uint32_t entryWords = 1; ///< local memory per entry, a power of two

  /// Words of local memory for all entries.
  uint32_t localWords() const;
  /// The function or the global.
  mlir::Operation *op() const;
  /// Bits of the key that is looked up in the CAM.
  unsigned keyBits() const;
  /// The array's element type; null for a look-up function.
  mlir::Type element() const;
};

struct CacheOptions {
  bool lookups = true, lines = true; ///< what may use the CAM
  uint32_t words = 0;                ///< words of local memory available
  /// Only arrays of which packets read more words than this are candidates:
  /// smaller ones can have a copy.
  uint32_t wholeWords = 0;
  unsigned contexts = 0; ///< of all engines
};

/// The chosen candidates, and the refused ones with the reason.
struct CacheChoice {
  std::vector<CacheCandidate> chosen;
  std::vector<std::pair<CacheCandidate, std::string>> refused;
};

/// Returns the cycles per packet that a cache saves of `latency` cycles, at
/// `probes` accesses per packet of which the share `hitRate` hit:
///
///   hitRate * latency - probes * (10 + (1 - hitRate) * 20)
double cacheGain(double latency, double probes, double hitRate);

/// Chooses the look-up functions and arrays that share the CAM and save the
/// most latency together. Chooses none if nothing saves latency.
CacheChoice chooseCamCaches(mlir::ModuleOp module, const GlobalUses &uses,
                            const CacheOptions &options);

/// Returns the array, not in `taken`, that gains most from a direct-mapped
/// cache, or nothing if none gains.
std::optional<CacheCandidate>
chooseDirectMapped(mlir::ModuleOp module, const GlobalUses &uses,
                   const CacheOptions &options,
                   const llvm::DenseSet<mlir::Operation *> &taken);

/// Returns the type of the cache in local memory: an array of words for
/// results; for elements, an array of cache lines with the field "entry" and,
/// if it is direct-mapped, "tag".
ir::ArrayType cacheArrayType(const CacheCandidate &candidate);

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_CHOOSECACHED_H
