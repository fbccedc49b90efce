// The control calls that a program has accepted, as a control file that would
// bring it to the same state.
//
// A table's calls are folded: `remove` ends the entry that `add` or `change`
// made. Other calls are kept as they are, up to a bound, since only the program
// knows what they mean.

#ifndef KARAKAL_SWITCH_JOURNAL_H
#define KARAKAL_SWITCH_JOURNAL_H

#include "traces/ControlFile.h"
#include <list>
#include <map>
#include <string>

namespace karakal::sw {

class Journal {
public:
  explicit Journal(const std::vector<traces::ControlSignature> &signatures);

  /// Notes a call that was accepted.
  void note(const traces::ControlCall &call, const traces::Resolved &resolved);
  /// The calls, one a line, in an order that is accepted again.
  std::string text() const;
  size_t size() const { return lines.size(); }

  /// Calls that are kept of functions that are no table's.
  static constexpr size_t OtherCallsMax = 100'000;

private:
  using Line = std::list<std::string>::iterator;
  /// What a function does to its table.
  enum class Effect { Other, Add, Change, Remove, Clear, None };
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
  uint64_t forgotten = 0;
};

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_JOURNAL_H
