// What the tables and settings of a running program hold.

#include "codegen-x86/specialize/Snapshot.h"
#include "support/Assert.h"
#include <algorithm>

namespace karakal::x86 {

namespace {

/// Lists the entries of one table. Knows the templates of runtime/tables/.
class TableReader {
public:
  TableReader(const Specializable &program, const ProgramMemory &memory,
              const TableShape &table, const SpecializeLimits &limits)
      : program(program), memory(memory), table(table), limits(limits),
        entries(at("entries")) {
    KARAKAL_ASSERT(table.writtenWords.size() == table.slotWords,
                   "it is known what packets write");
  }

  std::optional<TableContent> read() {
    TableContent content;
    content.defaults = wordsOfSlot(0);
    const uint32_t *used = at("used");
    if (used && *used == 0)
      return content;
    if (used && *used > limits.indexedMax)
      return std::nullopt;
    bool hasBuckets = table.structure == "index" || table.structure == "trie" ||
                      table.structure == "compressed_trie";
    bool isKnown = hasBuckets                         ? readBuckets(content)
                   : table.structure == "list"        ? readList(content)
                   : table.structure == "tuples"      ? readChains(content)
                   : table.structure == "bit_vectors" ? readPositions(content)
                                                      : readStates(content);
    if (!isKnown)
      return std::nullopt;
    if (table.hasLength)
      std::sort(content.entries.begin(), content.entries.end(),
                [&](const auto &one, const auto &other) {
                  return std::pair(length(other), one.slot) <
                         std::pair(length(one), other.slot);
                });
    return content;
  }

private:
  const uint32_t *at(const char *global) const {
    auto found = memory.globals.find(table.own(global));
    return found == memory.globals.end() ? nullptr : found->second;
  }
  uint64_t wordsOf(const char *global) const {
    const SharedGlobal *shared = program.global(table.own(global));
    return shared ? shared->words : 0;
  }
  const uint32_t *slot(uint32_t number) const {
    return entries + uint64_t(number) * table.slotWords;
  }
  uint32_t length(const TableEntry &entry) const {
    return entry.words[table.keyWords() - 1];
  }
  /// Packets may run now: words that they write are 0 here.
  std::vector<uint32_t> wordsOfSlot(uint32_t number) const {
    std::vector<uint32_t> words(table.slotWords);
    for (unsigned i = 0; i < table.slotWords; ++i)
      if (!table.writtenWords[i])
        words[i] = slot(number)[i];
    return words;
  }
  void add(TableContent &content, uint32_t number) const {
    content.entries.push_back({number, wordsOfSlot(number)});
  }

  bool readList(TableContent &content) const {
    const uint32_t *head = at("head");
    if (!head)
      return false;
    for (uint32_t n = *head; n != 0; n = slot(n)[table.keyWords()])
      add(content, n);
    return true;
  }

  bool readBuckets(TableContent &content) const {
    const uint32_t *buckets = at("buckets");
    uint64_t count = wordsOf("buckets");
    if (!buckets || count > limits.readWordsMax)
      return false;
    for (uint64_t i = 0; i < count; ++i)
      if (buckets[i] != 0)
        add(content, buckets[i]);
    return true;
  }

  /// Of `tuples`: the chains have all entries, which match by their priority
  /// and then by their age.
  bool readChains(TableContent &content) const {
    const uint32_t *heads = at("heads"), *ages = at("ages");
    uint64_t count = wordsOf("heads");
    if (!heads || !ages || count > limits.readWordsMax)
      return false;
    for (uint64_t i = 0; i < count; ++i)
      for (uint32_t n = heads[i]; n != 0; n = slot(n)[table.keyWords()])
        add(content, n);
    auto order = [&](const TableEntry &entry) {
      return std::pair(~entry.words[table.keyWords() - 1], ages[entry.slot]);
    };
    std::sort(content.entries.begin(), content.entries.end(),
              [&](const auto &one, const auto &other) {
                return order(one) < order(other);
              });
    return true;
  }

  /// Of `bit_vectors`: the positions are in the order of priority.
  bool readPositions(TableContent &content) const {
    const uint32_t *holders = at("holders");
    if (!holders)
      return false;
    for (uint64_t i = 0; i < wordsOf("holders"); ++i)
      if (holders[i] != 0)
        add(content, holders[i]);
    return true;
  }

  /// Of `direct` and `hash`: the lowest bit of the state says that a slot is
  /// used.
  bool readStates(TableContent &content) const {
    uint64_t words = wordsOf("entries");
    bool hasStates = table.structure == "direct" || table.structure == "hash";
    if (!hasStates || words > limits.readWordsMax)
      return false;
    for (uint32_t n = 1; n < words / table.slotWords; ++n)
      if ((slot(n)[table.keyWords()] & 1) != 0)
        add(content, n);
    return true;
  }

  const Specializable &program;
  const ProgramMemory &memory;
  const TableShape &table;
  const SpecializeLimits &limits;
  const uint32_t *entries;
};

} // namespace

Snapshot takeSnapshot(const Specializable &program, const ProgramMemory &memory,
                      const SpecializeLimits &limits) {
  KARAKAL_ASSERT(memory.versions &&
                     memory.globals.size() == program.globals.size(),
                 "all shared globals have addresses");
  Snapshot taken;
  taken.versions.assign(memory.versions,
                        memory.versions + program.versionCount);
  for (const TableShape &table : program.tables)
    taken.tables.push_back(TableReader(program, memory, table, limits).read());
  for (const SharedGlobal &global : program.globals) {
    if (global.version < 0 || global.isWrittenByPackets)
      continue;
    const uint32_t *words = memory.globals.at(global.name);
    if (global.words <= limits.foldedWordsMax)
      taken.words[global.name].assign(words, words + global.words);
    else if ((global.startsAsZero && taken.versions[global.version] == 0) ||
             (global.words <= limits.readWordsMax &&
              std::all_of(words, words + global.words,
                          [](uint32_t word) { return word == 0; })))
      taken.zeros.push_back(global.name);
  }
  return taken;
}

} // namespace karakal::x86
