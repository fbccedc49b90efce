// Which results and elements to keep.

#ifndef KARAKAL_SWCACHE_CHOOSECACHED_H
#define KARAKAL_SWCACHE_CHOOSECACHED_H

#include "ir/analysis/Lookups.h"
#include "swcache/GlobalUses.h"
#include <vector>

namespace karakal::swcache {

/// What an engine keeps of what it has read: the results of a look-up, or
/// elements of an array. Either by CAM entry, or, of an array, in lines that
/// the index's lowest bits choose.
struct Kept {
  mlir::func::FuncOp lookup; ///< or null
  ir::GlobalOp array;        ///< or null
  bool isDirect = false;     ///< lines chosen by the index, without the CAM

  llvm::SetVector<ir::GlobalOp> globals; ///< that are loaded
  AccessRates rates;       ///< calls or loads, and stores, a packet
  double asked = 0;        ///< questions to the CAM or to a line, a packet
  double latency = 0;      ///< cycles that reading at home takes, a packet
  uint32_t entries = 0;    ///< that it is taken to have
  uint32_t tag = 0;        ///< bits of the tag that tell it from the others
  double hitRate = 0;      ///< of an LRU cache with those entries
  uint64_t interval = 0;   ///< packets, equation 2
  double gain = 0;         ///< cycles of memory latency a packet
  uint32_t entryWords = 1; ///< of local memory, a power of two

  /// Words of local memory for all entries.
  uint32_t localWords() const;
  mlir::Operation *op() const;
  /// Bits of the key that the CAM gets.
  unsigned keyBits() const;
  /// The array's element; null of a look-up.
  mlir::Type element() const;
};

struct KeepOptions {
  bool lookups = true, lines = true; ///< in the CAM
  uint32_t words = 0;                ///< of local memory
  uint32_t wholeWords = 0; ///< arrays of which packets read more get lines
  unsigned contexts = 0;   ///< of all engines
};

/// What was chosen, and what was not and why.
struct KeptChoice {
  std::vector<Kept> kept;
  std::vector<std::pair<Kept, std::string>> refused;
};

/// The look-ups and arrays that share the CAM and save most together, if
/// anything saves.
KeptChoice chooseKept(mlir::ModuleOp module, const GlobalUses &uses,
                      const KeepOptions &options);

/// The array among those not in `taken` that lines without the CAM serve best,
/// if one is worth it.
std::optional<Kept>
chooseDirect(mlir::ModuleOp module, const GlobalUses &uses,
             const KeepOptions &options,
             const llvm::DenseSet<mlir::Operation *> &taken);

/// The array that holds what is kept, in local memory: results as words;
/// elements as lines of fields "entry" and, without the CAM, "tag".
ir::ArrayType keptType(const Kept &kept);

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_CHOOSECACHED_H
