// The functional profile of a program as attributes.
//
// The counts of a run over a trace (section 4.1 of the paper). The host
// profiler sets these attributes; aggregation, PAC, placement and caching read
// them. A program without them has no profile.
//
//   on the module       baker.profile  {received = N, traces = N}
//   on func.func        baker.profile  {packets = N, instructions = N, …}
//                       baker.locality, on look-ups (ir/analysis/Lookups.h)
//   on baker.channel    baker.profile  {packets = N}
//   on baker.global     baker.profile  {reads = N, writes = N, …}
//                       baker.locality array<i64: h1, h2, h4, … h64>
//   on cf.cond_br, cf.switch
//                       baker.branch   array<i64: …>, one a successor
//
// All numbers are sums over the run's packets; divided by `received` they are
// per packet. Except for `updates`, they leave out what init functions and
// control calls did.

#ifndef KARAKAL_IR_DIALECT_PROFILEATTRIBUTES_H
#define KARAKAL_IR_DIALECT_PROFILEATTRIBUTES_H

#include "ir/dialect/Attributes.h"
#include <array>

namespace karakal::ir {

/// Sizes of the fully associative LRU caches of `baker.locality`, in entries.
inline constexpr std::array<uint32_t, 7> localitySizes = {1,  2,  4, 8,
                                                          16, 32, 64};

/// The profile of a module.
struct ProgramProfile {
  uint64_t received = 0; ///< packets that Rx took in
  uint64_t traces = 0;   ///< traces that were merged
};

/// The profile of a function. It counts the function's own operations, not
/// those of the functions that it calls.
struct FunctionProfile {
  uint64_t packets = 0;      ///< executions; of a PPF: packets that entered
  uint64_t instructions = 0; ///< microengine instructions, by OperationCost.h
  uint64_t packetReads = 0;  ///< reads of header fields
  uint64_t packetWrites = 0; ///< writes of header fields
  uint64_t headMoves = 0;    ///< encapsulations and decapsulations
  uint64_t lengthReads = 0;  ///< reads of the packet's length
  uint64_t metaReads = 0;    ///< reads of metadata, built in or not
  uint64_t metaWrites = 0;   ///< writes of metadata
  uint64_t puts = 0;         ///< packets put on channels
  uint64_t drops = 0;        ///< packets dropped
  uint64_t copies = 0;       ///< packets copied
};

/// The profile of a global.
struct GlobalProfile {
  uint64_t reads = 0, writes = 0;         ///< loads and stores by packets
  uint64_t readWords = 0, writeWords = 0; ///< 32-bit words that they move
  /// Stores by control calls after the first packet.
  uint64_t updates = 0;
  /// The entries that were loaded (see hits) begin before this word.
  uint64_t extent = 0;
  /// Loads that hit in an LRU cache of localitySizes[i] entries.
  /// An entry is the largest part of the global of at most 16 words that
  /// contains the scalar loaded: an element, a struct, or the global.
  std::array<uint64_t, localitySizes.size()> hits{};

  /// Returns the share of the loads that hit in a cache of `entries` (one of
  /// localitySizes); 0 without loads.
  double hitRate(uint32_t entries) const;
};

/// The largest entry of the caches of `baker.locality`, in words.
inline constexpr uint32_t localityEntryWordsMax = 16;

std::optional<ProgramProfile> profileOf(mlir::ModuleOp module);
std::optional<FunctionProfile> profileOf(mlir::func::FuncOp function);
std::optional<GlobalProfile> profileOf(GlobalOp global);
/// Returns the number of packets put on the channel (or received, for `rx`).
std::optional<uint64_t> profileOf(ChannelOp channel);
/// Returns the calls of a look-up (ir/analysis/Lookups.h) that hit in caches of
/// localitySizes entries; nothing without a profile.
std::optional<std::array<uint64_t, localitySizes.size()>>
lookupHitsOf(mlir::func::FuncOp lookup);
/// Returns how often each successor of a branch was taken; empty without a
/// profile.
llvm::ArrayRef<int64_t> branchCountsOf(mlir::Operation *branch);
/// Returns the probability that `branch` goes to successor `index`. The
/// successors of a branch without a profile, or that never ran, share equally.
double branchProbability(mlir::Operation *branch, unsigned index);

void setProfile(mlir::ModuleOp module, const ProgramProfile &profile);
void setProfile(mlir::func::FuncOp function, const FunctionProfile &profile);
void setLookupHits(mlir::func::FuncOp lookup, llvm::ArrayRef<uint64_t> hits);
void setProfile(GlobalOp global, const GlobalProfile &profile);
void setProfile(ChannelOp channel, uint64_t packets);
void setBranchCounts(mlir::Operation *branch, llvm::ArrayRef<int64_t> counts);
/// Removes the whole profile from a program.
void removeProfile(mlir::ModuleOp module);

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_PROFILEATTRIBUTES_H
