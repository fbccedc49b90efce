// How the entries of a table are found: the choice.
//
// The kinds of the key's fields leave few candidates. Among them the one with
// the fewest accesses wins that has a bounded number of accesses and fits.

#include "baker-lang/tables/TableStructure.h"

#include "baker-lang/tables/BitVectors.h"
#include "baker-lang/tables/BucketLayout.h"
#include "baker-lang/tables/SlotLayout.h"

#include "ir/analysis/Explain.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Target.h"
#include "support/Assert.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace mlir;

namespace karakal::lang {

using ir::MatchKind;

/// Name of this decision for `--explain`.
static constexpr llvm::StringLiteral explainName = "tables";
/// The most entries that a look-up searches one by one.
static constexpr uint64_t listEntriesMax = 1024;
/// The most entries of bit vectors, and instructions of a look-up in them.
static constexpr uint64_t vectorEntriesMax = 1024;
static constexpr unsigned vectorInstructionsMax = 800;
/// The widest key that is the number of its slot.
static constexpr unsigned directBitsMax = 16;
/// The entries up to which a trie has room for any prefixes.
static constexpr uint64_t sureEntriesMax = 1024;
/// What a trie may take of DRAM, in channels of SRAM: it competes with packets.
static constexpr uint64_t dramTrieChannels = 4;
/// What the tries of a program may take of a host's memory: 512 MiB.
static constexpr uint64_t hostTrieWordsMax = uint64_t(1) << 27;
/// To these words a trie has nodes for other prefixes than expected: 128 MiB.
static constexpr uint64_t hostTrieRoomWords = uint64_t(1) << 25;
/// On a host, the words for each entry that should save an access.
static constexpr double hostWordsWorthAnAccess = 256;

const char *nameOf(StructureKind kind) {
  static const char *const names[] = {
      "direct",          "index", "buckets",     "hash",  "trie",
      "compressed_trie", "list",  "bit_vectors", "tuples"};
  return names[unsigned(kind)];
}

bool hasDenseSlots(StructureKind kind) {
  switch (kind) {
  case StructureKind::Index:
  case StructureKind::Trie:
  case StructureKind::CompressedTrie:
  case StructureKind::List:
  case StructureKind::BitVectors:
  case StructureKind::Tuples:
    return true;
  case StructureKind::Direct:
  case StructureKind::Hash:
  case StructureKind::Buckets:
    return false;
  }
  KARAKAL_UNREACHABLE("all kinds are handled");
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
  made.structure.keys = uint64_t(1) << layout.packedBits;
  uint64_t words = (made.structure.keys + 1) * slotWords(table, layout);
  made.cost = "1 access, " + bytesText(words);
  if (constantWords(table) > 1)
    made.refusal = "the values take " + std::to_string(constantWords(table)) +
                   " words, which no store changes at once";
  else if (made.structure.keys > 4096 &&
           made.structure.keys > 8 * uint64_t(table.getLimit()))
    made.refusal = "at most " + std::to_string(table.getLimit()) + " of the " +
                   std::to_string(made.structure.keys) + " slots would be used";
  return made;
}

/// For a host: its caches hold the words that are read, and no key is hashed.
Candidate index(ir::TableOp table, const KeyLayout &layout) {
  Candidate made;
  made.structure.kind = StructureKind::Index;
  made.cost = "2 accesses";
  if (layout.packedBits > directBitsMax) {
    made.refusal = "the key has " + std::to_string(layout.packedBits) +
                   " bits, more than " + std::to_string(directBitsMax);
    return made;
  }
  uint64_t limit = table.getLimit();
  made.structure.keys = uint64_t(1) << layout.packedBits;
  made.structure.slots = llvm::PowerOf2Ceil(2 * limit + 4);
  made.cost += ", " + bytesText(made.structure.keys +
                                (limit + 2) * slotWords(table, layout));
  return made;
}

Candidate buckets(ir::TableOp table, bool forSpecialization) {
  Candidate made;
  BucketLayout layout(table);
  made.structure.kind = StructureKind::Buckets;
  made.structure.slots = layout.bucketCount;
  if (forSpecialization || !layout.fits()) {
    made.cost = "1 access for most keys, at most 16";
    made.refusal = forSpecialization
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

/// A trie that takes these words should save an access: a share of an SRAM
/// channel, and more for many entries.
double wordsWorthAnAccess(ir::TableOp table, TableUse use) {
  if (use.onHost)
    return hostWordsWorthAnAccess * double(table.getLimit());
  return double(ir::sramBytesOf(table)) / 4 / 16 +
         128 * double(table.getLimit());
}

/// The tables of a program whose keys are like that of `table`, this one
/// included.
uint64_t countTables(ir::TableOp table, bool KeyLayout::*isLike) {
  uint64_t count = 0;
  for (ir::TableOp other :
       table->getParentOfType<ModuleOp>().getOps<ir::TableOp>())
    count += KeyLayout(ir::keysOf(other)).*isLike;
  KARAKAL_ASSERT(count != 0, "the table is one of them");
  return count;
}

/// The words that a trie may take: most of a channel of SRAM, or a part of a
/// host's memory. The tries of a program share them.
uint64_t trieWordsMax(ir::TableOp table, TableUse use) {
  uint64_t tries = countTables(table, &KeyLayout::hasLength);
  return (use.onHost ? hostTrieWordsMax : ir::sramBytesOf(table) / 4 / 8 * 7) /
         tries;
}

std::string trieCost(ir::TableOp table, const KeyLayout &layout,
                     const TableStructure &structure) {
  const TrieLayout &trie = structure.trie;
  std::string text;
  llvm::raw_string_ostream(text)
      << "strides " << trie.strides() << ", "
      << llvm::format("%.2f", trie.accesses) << " accesses, at most "
      << trie.levels.size()
      << (structure.values ? ", values in its words, "
                           : ", and 1 for the values, ")
      << bytesText(trie.memoryWords() +
                   (structure.values
                        ? (structure.slots + 1) * (layout.packedWords + 1)
                        : (table.getLimit() + 2) * slotWords(table, layout)));
  return text;
}

/// The tries of a table, the one to use first.
std::vector<Candidate> tries(ir::TableOp table, const KeyLayout &layout,
                             TableUse use) {
  uint64_t limit = table.getLimit(), fast = trieWordsMax(table, use);
  uint64_t most =
      use.onHost ? fast : ir::sramBytesOf(table) / 4 * dramTrieChannels;
  PrefixCounts counts = prefixCountsOf(table);
  const TrieCosts &costs = use.onHost ? hostTrieCosts : chipTrieCosts;
  auto layoutsFor = [&](TrieRoom room, uint64_t words) {
    return trieLayouts(counts, limit, room, words, costs);
  };
  std::vector<TrieLayout> layouts;
  std::string room = "any prefixes";
  if (limit <= sureEntriesMax)
    layouts = layoutsFor(TrieRoom::AnyPrefixes, fast);
  if (layouts.empty()) {
    room = "prefixes like those of " + counts.source;
    layouts = layoutsFor(TrieRoom::ExpectedPrefixes, fast);
  }
  if (layouts.empty() && !use.onHost) {
    room += ", too large for SRAM";
    layouts = layoutsFor(TrieRoom::ExpectedPrefixes, most);
  }
  Candidate first;
  first.structure.kind = StructureKind::Trie;
  if (!use.forSpecialization)
    first.structure.values = wordValues(table);
  // Slots that packets do not read are in the hash table themselves.
  first.structure.slots = first.structure.values
                              ? llvm::PowerOf2Ceil(limit + limit / 7 + 1)
                              : llvm::PowerOf2Ceil(2 * limit + 4);
  if (layouts.empty()) {
    for (uint64_t more = most; layouts.empty(); more *= 2)
      layouts = layoutsFor(TrieRoom::ExpectedPrefixes, 2 * more);
    uint64_t words = layouts.front().memoryWords();
    first.cost = "the nodes take " + bytesText(words);
    first.refusal = "its nodes need " + bytesText(words) + ", available are " +
                    std::to_string(4 * most);
    return {first};
  }
  const double worth = wordsWorthAnAccess(table, use);
  auto cost = [&](const TrieLayout &trie) {
    // On a host a level is a stage even if few packets get there.
    double stages = use.onHost ? costs.level * double(trie.levels.size()) : 0;
    return trie.accesses + stages + double(trie.memoryWords()) / worth;
  };
  size_t best = 0;
  for (size_t i = 0; i < layouts.size(); ++i)
    if (cost(layouts[i]) < cost(layouts[best]))
      best = i;
  first.structure.trie = layouts[best];
  if (use.onHost)
    addRoom(first.structure.trie, limit, hostTrieRoomWords);
  first.cost = trieCost(table, layout, first.structure) + ", room for " + room;
  std::vector<Candidate> made = {first};
  // The smallest, the neighbours and the largest are told, too.
  size_t last = layouts.size() - 1;
  std::set<size_t> others = {0, best == 0 ? 0 : best - 1,
                             std::min(best + 1, last), last};
  others.erase(best);
  for (size_t other : others) {
    Candidate &more = made.emplace_back(first);
    more.structure.trie = layouts[other];
    more.cost = trieCost(table, layout, more.structure);
    more.refusal = other < best
                       ? "more accesses"
                       : "the accesses that it saves are not worth its words";
  }
  return made;
}

/// For a host, where a look-up may shift a key of any width as a whole.
void addCompressedTrie(ir::TableOp table, const KeyLayout &layout, TableUse use,
                       std::vector<Candidate> &candidates) {
  const double worth = wordsWorthAnAccess(table, use);
  uint64_t limit = table.getLimit();
  auto trie = compressedTrie(prefixCountsOf(table), limit,
                             trieWordsMax(table, use), worth);
  if (!trie)
    return;
  Candidate made;
  made.structure.kind = StructureKind::CompressedTrie;
  made.structure.slots = llvm::PowerOf2Ceil(2 * limit + 4);
  made.structure.compressed = *trie;
  llvm::raw_string_ostream(made.cost)
      << "strides " << trie->strides() << ", "
      << llvm::format("%.2f", trie->accesses) << " accesses, at most "
      << trie->levels() << ", and 1 for the values, "
      << bytesText(trie->memoryWords() + (limit + 2) * slotWords(table, layout))
      << ", room for any prefixes";
  Candidate &other = candidates.front();
  double words = double(trie->memoryWords());
  if (!other.refusal.empty() ||
      trie->accesses + 1 + words / worth <
          other.structure.trie.accesses + double(!other.structure.values) +
              double(other.structure.trie.memoryWords()) / worth) {
    other.refusal = other.refusal.empty() ? "more accesses" : other.refusal;
    candidates.insert(candidates.begin(), made);
    return;
  }
  made.refusal = "more accesses";
  candidates.push_back(made);
}

std::string aboveText(uint64_t limit, uint64_t most) {
  return "the limit " + std::to_string(limit) + " is above " +
         std::to_string(most);
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
    made.refusal = aboveText(limit, listEntriesMax);
  return made;
}

/// The words that a command reads: what an access of a list's entry is.
constexpr uint64_t commandWords = 8;

/// The words that bit vectors may take: half a channel of SRAM. The tables of a
/// program with masks share them.
uint64_t vectorWordsMax(ir::TableOp table) {
  return ir::sramBytesOf(table) / 4 / 2 /
         countTables(table, &KeyLayout::hasMasks);
}

Candidate bitVectors(ir::TableOp table, const KeyLayout &layout) {
  Candidate made;
  BitVectors vectors(table);
  uint64_t limit = table.getLimit(), most = vectorWordsMax(table);
  made.structure.kind = StructureKind::BitVectors;
  made.structure.slots = llvm::PowerOf2Ceil(2 * limit + 4);
  uint64_t words =
      vectors.words() + (limit + 2) * (slotWords(table, layout) + 1);
  made.cost = "at most " + std::to_string(vectors.accesses()) +
              " accesses of up to " + std::to_string(vectors.groupWords) +
              " words, " + bytesText(words);
  if (limit > vectorEntriesMax)
    made.refusal = aboveText(limit, vectorEntriesMax);
  else if (vectors.rangeBits > rangeBitsMax)
    made.refusal = "a range has " + std::to_string(vectors.rangeBits) +
                   " bits, more than " + std::to_string(rangeBitsMax);
  else if (limit * llvm::divideCeil(layout.words() + 1, commandWords) <
           2 * vectors.accesses())
    made.refusal = "so short a list takes fewer accesses";
  else if (vectors.instructions() > vectorInstructionsMax)
    made.refusal = "a look-up takes some " +
                   std::to_string(vectors.instructions()) + " instructions";
  else if (words > most)
    made.refusal = "needed are " + bytesText(words) + ", available " +
                   std::to_string(4 * most);
  return made;
}

Candidate tuples(ir::TableOp table, const KeyLayout &layout) {
  Candidate made;
  made.structure.kind = StructureKind::Tuples;
  uint64_t limit = table.getLimit();
  made.structure.slots = llvm::PowerOf2Ceil(2 * limit + 4);
  // A mark of its age beside each slot, and the heads of the chains.
  uint64_t words = (limit + 2) * (slotWords(table, layout) + 1) +
                   made.structure.slots +
                   2 * tuplesMax * (layout.hashedWords + 2);
  made.cost =
      "1 hash and 2 accesses for each of at most " + std::to_string(tuplesMax) +
      " tuples, and 1 for each entry of the same hash, " + bytesText(words);
  return made;
}

} // namespace

std::optional<TableStructure> chooseStructure(ir::TableOp table, TableUse use) {
  std::vector<ir::TableKey> keys = ir::keysOf(table);
  KeyLayout layout(keys);
  KARAKAL_ASSERT(layout.words() >= 1, "a key has bits");
  std::vector<Candidate> candidates;
  if (layout.hasMasks) {
    candidates = {bitVectors(table, layout), list(table, layout),
                  tuples(table, layout)};
  } else if (layout.hasLength) {
    candidates = tries(table, layout, use);
    if (use.onHost)
      addCompressedTrie(table, layout, use, candidates);
  } else {
    candidates = {direct(table, layout), buckets(table, use.forSpecialization),
                  hash(table, layout)};
    if (use.onHost)
      candidates.insert(candidates.begin() + 1, index(table, layout));
  }
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
          << "): "
          << (candidate.structure.kind == StructureKind::Tuples
                  ? std::string(nameOf(chosen->structure.kind)) +
                        " takes any masks"
                  : "more accesses");
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
