// What the plan of caches says.
//
// The attributes by which baker-plan-caches tells the later stages what it
// chose, and how they are read.
//
//   on the cached global   baker.cache.copy    @karakal.copy.NAME
//   on every global        baker.cache.reason  text
//   on a kept look-up      baker.cache.answers @karakal.answers.NAME
//   on an array            baker.cache.lines   @karakal.lines.NAME
//   on both                baker.cache.tag N : i32: bits of its CAM tags
//   on a version word      baker.cache.version "sram1": whose versions it is
//   on the module          baker.cache.interval N : i64: packets of a context
//                              from one look to the next
//                          baker.cache.packets N : i64: the same of all engines

#ifndef KARAKAL_SWCACHE_CACHES_H
#define KARAKAL_SWCACHE_CACHES_H

#include "ir/dialect/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace karakal::swcache {

inline constexpr llvm::StringLiteral copyAttrName = "baker.cache.copy";
inline constexpr llvm::StringLiteral reasonAttrName = "baker.cache.reason";
inline constexpr llvm::StringLiteral versionAttrName = "baker.cache.version";
inline constexpr llvm::StringLiteral intervalAttrName = "baker.cache.interval";
inline constexpr llvm::StringLiteral answersAttrName = "baker.cache.answers";
inline constexpr llvm::StringLiteral linesAttrName = "baker.cache.lines";
inline constexpr llvm::StringLiteral tagAttrName = "baker.cache.tag";
inline constexpr llvm::StringLiteral packetsAttrName = "baker.cache.packets";

/// In local memory, of each engine: whether a context fills the copies, and
/// the version that they were last filled at.
inline constexpr llvm::StringLiteral lockName = "karakal.lock";
inline constexpr llvm::StringLiteral seenPrefix = "karakal.seen.";
inline constexpr llvm::StringLiteral versionPrefix = "karakal.version.";
inline constexpr llvm::StringLiteral copyPrefix = "karakal.copy.";

/// In local memory, of each engine: results of a kept look-up by CAM entry,
/// elements of an array by CAM entry or by the index's lowest bits, and how
/// often all have been cleared. The engine's function that asks.
inline constexpr llvm::StringLiteral answersPrefix = "karakal.answers.";
inline constexpr llvm::StringLiteral linesPrefix = "karakal.lines.";
inline constexpr llvm::StringLiteral generationName = "karakal.generation";
inline constexpr llvm::StringLiteral keptPrefix = "karakal.kept.";

/// A line: the element, and without the CAM its index or `noTag`.
inline constexpr llvm::StringLiteral lineTypeName = "cache_line";
inline constexpr llvm::StringLiteral lineEntryName = "entry";
inline constexpr llvm::StringLiteral lineTagName = "tag";
inline constexpr uint32_t noTag = ~0u;
/// Lines without the CAM that are taken to hit as one entry of an LRU cache.
inline constexpr uint32_t linesAnEntry = 4;

/// A cached global and its copy.
struct Cache {
  ir::GlobalOp home, copy;
};
std::vector<Cache> cachesOf(mlir::ModuleOp module);

/// A look-up whose results are kept, and they.
struct Answers {
  mlir::func::FuncOp lookup;
  ir::GlobalOp results;
};
std::vector<Answers> answersOf(mlir::ModuleOp module);

/// An array of which each engine keeps elements, and its lines.
struct Lines {
  ir::GlobalOp home, lines;
  bool isDirect = false; ///< chosen by the index; else by the CAM
  uint32_t tag = 0;      ///< bits of the CAM's tags
  uint64_t count() const;
};
std::vector<Lines> linesOf(mlir::ModuleOp module);

/// A version word and what each engine saw of it last.
struct Version {
  ir::GlobalOp word, seen;
};
std::vector<Version> versionsOf(mlir::ModuleOp module);

/// Packets of one context from one look at the versions to the next, and the
/// packets of all engines that equation 2 allows between them; 0 if nothing is
/// cached that is ever written.
uint64_t contextInterval(mlir::ModuleOp module);
uint64_t packetInterval(mlir::ModuleOp module);

/// Says on the globals of `plain` that are cached in `cached`, another plan of
/// the same program, that they are not, and why.
void refuseCaches(mlir::ModuleOp plain, mlir::ModuleOp cached,
                  llvm::StringRef why);

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_CACHES_H
