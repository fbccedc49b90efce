// The calls of a control file, for a program that answers each at once.
//
// A call is due before a packet; those of one time keep the file's order. The
// calls of a batch, and those that read a table's entries, are made one after
// the other, for no packet runs between them.

#ifndef KARAKAL_HOST_STANDALONE_CONTROLCALLS_H
#define KARAKAL_HOST_STANDALONE_CONTROLCALLS_H

#include "support/Error.h"
#include "traces/ControlFile.h"
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace karakal::host {

class ControlCalls {
public:
  /// Calls the control function of this index and gives what it returned. The
  /// message of an error says what the function did that no program may do.
  using Function = std::function<Result<uint32_t>(
      size_t index, const std::vector<uint64_t> &arguments)>;

  /// `refusals` are the texts of the program's `refusal`. Unless `keepsGoing`,
  /// the first call that is refused is an error.
  ControlCalls(std::vector<traces::ControlSignature> signatures,
               std::vector<std::string> refusals, bool keepsGoing);

  /// Checks the calls, which must outlive this. Errors: E-host-003, and those
  /// of traces::bindCall and traces::TableBatch.
  Status bind(const std::vector<traces::ControlCall> &calls);

  /// The functions of all calls but those of batches.
  std::set<size_t> functions() const;

  /// When a call that is due at the start and one before packet N are due.
  static constexpr uint64_t AtStart = 0;
  static uint64_t beforePacket(uint64_t packet) { return packet + 1; }
  /// When the next call is due; `Never` if there is none but those at the end.
  uint64_t nextDue() const;
  static constexpr uint64_t Never = UINT64_MAX;

  /// Makes each call that is due by `due` once. Errors: E-host-001, -002.
  Status makeDue(uint64_t due, const Function &function);
  /// Makes the calls of `@end`.
  Status makeAtEnd(const Function &function);

  uint64_t madeCount() const { return next + endMade; }
  uint64_t notReachedCount() const {
    return calls.size() + endCalls.size() - madeCount();
  }
  /// What functions returned, in the order of their calls.
  const std::vector<traces::ControlValue> &values() const { return valueList; }
  /// What refused each call, with its file and line.
  const std::vector<Error> &refused() const { return refusedCalls; }

private:
  /// A call whose function and arguments have been checked.
  struct Bound {
    const traces::ControlCall *call;
    size_t function; ///< of the signatures
    std::vector<uint64_t> arguments;
    uint64_t due;
  };

  Status make(const Bound &bound, const Function &function);
  Status makeBatch(const Bound &bound, const Function &function);
  Status readEntries(const Bound &bound, const Function &function);
  Status refuse(Error why);

  std::vector<traces::ControlSignature> signatures;
  std::vector<std::string> refusals;
  bool keepsGoing;
  std::vector<Bound> calls, endCalls;
  size_t next = 0; ///< of `calls`
  size_t endMade = 0;
  std::vector<traces::ControlValue> valueList;
  std::vector<Error> refusedCalls;
};

/// Prints all of the errors but the last, which is the result.
Status reportAll(const std::vector<Error> &errors);

} // namespace karakal::host

#endif // KARAKAL_HOST_STANDALONE_CONTROLCALLS_H
