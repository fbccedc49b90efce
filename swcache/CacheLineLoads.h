// Loads of array elements through cache lines in local memory.

#ifndef KARAKAL_SWCACHE_CACHELINELOADS_H
#define KARAKAL_SWCACHE_CACHELINELOADS_H

#include "swcache/Caches.h"
#include "swcache/EmitCacheCode.h"

namespace karakal::swcache {

/// Moves `load` down to its first use, so that the loads of consecutive
/// elements do not overlap and their words occupy registers only from there.
/// Must run before any `loadFromCacheLine`, which keeps a probe and its use
/// together.
void sinkToUse(mlir::Operation *load);

/// Makes `load` of `element`, an element of a cached array, read its cache
/// line. On a miss one burst fills a cache line. `generation` counts refreshes.
/// Returns false and changes nothing if the load is at a variable offset inside
/// the element.
bool loadFromCacheLine(mlir::Operation *load, ir::ElementOp element,
                       const ArrayCache &cache, ir::GlobalOp generation);

/// Emits code that invalidates all cache lines of a direct-mapped cache.
void clearCacheLines(CacheCode &code, const ArrayCache &cache);

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_CACHELINELOADS_H
