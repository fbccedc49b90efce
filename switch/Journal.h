// The control calls that a program has accepted, as a control file that would
// bring it to the same state.
//
// A table's calls are folded: `remove` ends the entry that `add` or `change`
// made. Other calls are kept as they are, up to a bound, since only the program
// knows what they mean. Once a table's `expire` was called, its entries leave
// by themselves and are not kept here: the table itself has to be asked, as one
// that packets change.

#ifndef KARAKAL_SWITCH_JOURNAL_H
#define KARAKAL_SWITCH_JOURNAL_H

#include "traces/ControlFile.h"
#include <list>
#include <map>
#include <set>
#include <string>

namespace karakal::sw {

class Journal {
public:
  /// `changed`: the tables that change without these calls.
  Journal(const std::vector<traces::ControlSignature> &signatures,
          const std::vector<std::string> &changed);

  /// Notes a call that was accepted.
  void note(const traces::ControlCall &call, const traces::Resolved &resolved);
  /// Whether a function lets entries leave; such a call has to be noted even if
  /// it is made again and again.
  bool isAging(size_t function) const {
    return functions[function].effect == Effect::Age;
  }
  /// The tables that must be asked for their entries.
  const std::set<std::string> &agedTables() const { return aged; }
  /// The calls, one a line, in an order that is accepted again; those of aged
  /// tables are missing.
  std::string text() const;
  size_t size() const { return lines.size(); }

  /// Calls that are kept of functions that are no table's.
  static constexpr size_t OtherCallsMax = 100'000;

private:
  using Line = std::list<std::string>::iterator;
  /// What a function does to its table.
  enum class Effect { Other, Add, Change, Remove, Clear, Age, None };
  struct Function {
    Effect effect = Effect::Other;
    std::string table;
    /// Indices of the parameters that are the key.
    std::vector<size_t> key;
  };

  std::vector<Function> functions;
  std::list<std::string> lines;
  /// The line of each entry, by table and key.
  std::map<std::string, std::map<std::vector<uint64_t>, Line>> entries;
  std::list<Line> others;
  std::set<std::string> aged;
  uint64_t forgotten = 0;

  void keep(const std::string &text);
  void age(const std::string &table);
};

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_JOURNAL_H
