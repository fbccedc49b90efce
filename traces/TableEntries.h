// The entries of declared tables as calls of `add`.
//
//   routes.read(10.0.0.0/8)   →  routes.add(10.0.0.0/8, hop: 3)
//   routes.dump()             →  one such line for each entry
//
// A table brings `read(KEY)` and `dump()`, which find an entry or begin with
// the first one; `own.next_entry()`, which moves to an entry and returns
// whether there is one; and `own.entry_word(i)`, which returns a word of it.
// The words are the arguments of `add`, those of more than 32 bits in two
// parts; then what look-ups have written, which follows the call as a comment:
// `# packets: 3, idle` (support/EntryCounters.h), and the rates of the entry's
// meter (support/EntryMeters.h), which are a second line. A TableReader says
// which of these calls come next; the caller, simulator or x86, makes them.

#ifndef KARAKAL_TRACES_TABLEENTRIES_H
#define KARAKAL_TRACES_TABLEENTRIES_H

#include "traces/ControlFile.h"

#include <optional>

namespace karakal::traces {

/// Whether a function is the `read` or the `dump` of a table.
bool readsEntries(const ControlSignature &signature);

/// Whether only a TableReader calls the function.
bool isForReaders(const ControlSignature &signature);

/// A call of `add` as it is written in a control file. The first `keyCount`
/// parameters are those of the key; a priority and values get their names.
std::string callText(const ControlSignature &add, std::size_t keyCount,
                     const std::vector<uint64_t> &args);

/// The calls that read entries, after one of `read` or `dump` was accepted.
class TableReader {
public:
  /// `function`: the one that was called, of those of the program.
  TableReader(const std::vector<ControlSignature> &signatures,
              std::size_t function);

  /// The next call to make, given what the last one returned; at first what
  /// `read` or `dump` returned. Nothing: all is read.
  std::optional<Resolved> next(uint32_t returned);

  /// A line for each entry, and one for the rates of its meter, if they are
  /// set. Entries without priorities are sorted by their keys; with priorities
  /// the order tells which one is found.
  std::vector<std::string> lines() const;
  /// The arguments of `add` of each entry, in the order of the table.
  std::vector<std::vector<uint64_t>> arguments() const;

private:
  enum class At { Begin, Entry, Counters, Word } at = At::Begin;
  Resolved wordCall(std::size_t word) const;
  std::optional<Resolved> entryCall();
  void keep();
  std::string commentOf(const std::vector<uint64_t> &values) const;

  std::size_t rateCount() const;

  const ControlSignature *add = nullptr;
  const ControlSignature *setMeter = nullptr; ///< null without a meter
  std::size_t nextEntry = 0, entryWord = 0;
  bool readsAll = false, hasPriority = false, hasAsked = false;
  uint8_t counters = 0; ///< which counters entries have, once it was asked
  std::size_t keyCount = 0, wordCount = 0;
  std::vector<uint32_t> words;
  struct Entry {
    std::vector<uint64_t> args, counters, rates;
    uint32_t age = 0;
  };
  std::vector<Entry> entries;
};

} // namespace karakal::traces

#endif // KARAKAL_TRACES_TABLEENTRIES_H
