// How the entries of a table are found: the choice.
//
// The kinds of the key's fields leave few candidates. Among them the one with
// the fewest accesses wins that has a bounded number of accesses and fits.

#include "baker-lang/tables/TableStructure.h"

#include "baker-lang/tables/BucketLayout.h"
#include "baker-lang/tables/SlotLayout.h"

#include "ir/analysis/Explain.h"
#include "ir/dialect/Layout.h"
#include "support/Assert.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace karakal::lang {

using ir::MatchKind;

/// Name of this decision for `--explain`.
static constexpr llvm::StringLiteral explainName = "tables";
/// The most entries that a look-up searches one by one.
static constexpr uint64_t listEntriesMax = 1024;
/// The widest key that is the number of its slot.
static constexpr unsigned directBitsMax = 16;
static constexpr unsigned stride = 4, rootBitsMax = 16;
/// Nodes of a trie up to which it has room for any prefixes.
static constexpr uint64_t sureNodes = 8192;

const char *nameOf(StructureKind kind) {
  static const char *const names[] = {"direct", "buckets", "hash", "trie",
                                      "list"};
  return names[unsigned(kind)];
}

namespace {

/// A structure that a table could have.
struct Candidate {
  TableStructure structure;
  std::string cost;    ///< accesses and bytes
  std::string refusal; ///< why not; empty: it can be used
};

/// The words that a slot takes besides its key.
uint64_t slotWords(ir::TableOp table, const KeyLayout &layout) {
  return layout.words() + 1 + ir::wordCount(table.getRecord());
}

/// The words of the values that packets only read.
uint64_t constantWords(ir::TableOp table) {
  uint64_t words = 0;
  auto types = cast<ir::StructType>(table.getRecord()).getFieldTypes();
  for (unsigned i = 0; i < types.size(); ++i)
    if (!ir::isMutable(table, i))
      words += ir::wordCount(types[i]);
  return words;
}

std::string bytesText(uint64_t words) {
  return std::to_string(4 * words) + " bytes";
}

Candidate direct(ir::TableOp table, const KeyLayout &layout) {
  Candidate made;
  made.structure.kind = StructureKind::Direct;
  if (layout.packedBits > directBitsMax) {
    made.cost = "1 access";
    made.refusal = "the key has " + std::to_string(layout.packedBits) +
                   " bits, more than " + std::to_string(directBitsMax);
    return made;
  }
  made.structure.slots = uint64_t(1) << layout.packedBits;
  uint64_t words = (made.structure.slots + 1) * slotWords(table, layout);
  made.cost = "1 access, " + bytesText(words);
  if (constantWords(table) > 1)
    made.refusal = "the values take " + std::to_string(constantWords(table)) +
                   " words, which no store changes at once";
  else if (made.structure.slots > 4096 &&
           made.structure.slots > 8 * uint64_t(table.getLimit()))
    made.refusal = "at most " + std::to_string(table.getLimit()) + " of the " +
                   std::to_string(made.structure.slots) +
                   " slots would be used";
  return made;
}

Candidate buckets(ir::TableOp table, bool readsBuckets) {
  Candidate made;
  BucketLayout layout(table);
  made.structure.kind = StructureKind::Buckets;
  made.structure.slots = layout.bucketCount;
  if (!readsBuckets || !layout.fits()) {
    made.cost = "1 access for most keys, at most 16";
    made.refusal = !readsBuckets
                       ? "code is made for what a table holds, which reads "
                         "the slots of other structures"
                       : "one command cannot read an entry, or the buckets do "
                         "not fit a channel of SRAM";
    return made;
  }
  llvm::raw_string_ostream(made.cost)
      << "1 hash and "
      << llvm::format("%.2f accesses of %u words for a key, at most %u, ",
                      layout.accesses, layout.bucketWords,
                      unsigned(std::min<uint64_t>(16, layout.bucketCount)))
      << bytesText(layout.words());
  return made;
}

Candidate hash(ir::TableOp table, const KeyLayout &layout) {
  Candidate made;
  made.structure.kind = StructureKind::Hash;
  made.structure.slots = llvm::PowerOf2Ceil(2 * uint64_t(table.getLimit()));
  uint64_t words = (made.structure.slots + 1) * slotWords(table, layout);
  made.cost =
      "1 hash and 1 access for most keys, at most 64, " + bytesText(words);
  return made;
}

Candidate trie(ir::TableOp table, const KeyLayout &layout) {
  Candidate made;
  TableStructure &structure = made.structure;
  structure.kind = StructureKind::Trie;
  uint64_t limit = table.getLimit();
  structure.slots = llvm::PowerOf2Ceil(2 * limit + 4);
  structure.rootBits = std::min<unsigned>(
      rootBitsMax, unsigned(llvm::alignTo(layout.packedBits, stride)));
  structure.depth = unsigned(llvm::divideCeil(
      layout.packedBits - std::min(layout.packedBits, structure.rootBits),
      stride));
  // A small table has the nodes of any prefixes. In a large one prefixes share
  // nodes; long keys need more of their own.
  uint64_t perEntry = 1 + layout.packedBits / 24;
  structure.nodes = std::max<uint64_t>(
      1, std::min<uint64_t>(limit * structure.depth,
                            std::max(limit * perEntry, sureNodes)));
  uint64_t words = (limit + 2) * slotWords(table, layout) +
                   (uint64_t(1) << structure.rootBits) + 16 * structure.nodes;
  made.cost = "1 to " + std::to_string(structure.depth + 1) +
              " accesses and 1 for the values, " + bytesText(words);
  return made;
}

Candidate list(ir::TableOp table, const KeyLayout &layout) {
  Candidate made;
  made.structure.kind = StructureKind::List;
  uint64_t limit = table.getLimit();
  made.structure.slots = llvm::PowerOf2Ceil(2 * limit + 4);
  made.cost = "1 to " + std::to_string(limit) + " entries of " +
              std::to_string(layout.words() + 1) + " words, " +
              bytesText((limit + 2) * slotWords(table, layout));
  if (limit > listEntriesMax)
    made.refusal = "the limit " + std::to_string(limit) + " is above " +
                   std::to_string(listEntriesMax);
  return made;
}

} // namespace

std::optional<TableStructure> chooseStructure(ir::TableOp table,
                                              bool readsBuckets) {
  std::vector<ir::TableKey> keys = ir::keysOf(table);
  KeyLayout layout(keys);
  KARAKAL_ASSERT(layout.words() >= 1, "a key has bits");
  std::vector<Candidate> candidates;
  if (layout.hasMasks)
    candidates = {list(table, layout)};
  else if (layout.hasLength)
    candidates = {trie(table, layout)};
  else
    candidates = {direct(table, layout), buckets(table, readsBuckets),
                  hash(table, layout)};
  const Candidate *chosen = nullptr;
  for (const Candidate &candidate : candidates) {
    const char *name = nameOf(candidate.structure.kind);
    if (!candidate.refusal.empty()) {
      ir::explain(table, explainName)
          << table.getSymName() << ": not " << name << " (" << candidate.cost
          << "): " << candidate.refusal;
    } else if (chosen) {
      ir::explain(table, explainName)
          << table.getSymName() << ": not " << name << " (" << candidate.cost
          << "): more accesses";
    } else {
      chosen = &candidate;
      ir::explain(table, explainName)
          << table.getSymName() << ": " << name << ", " << candidate.cost;
    }
  }
  if (chosen)
    return chosen->structure;
  table.emitError() << "no structure can hold the table '" << table.getSymName()
                    << "': " << candidates.back().refusal << " [E-baker-407]";
  return std::nullopt;
}

} // namespace karakal::lang
