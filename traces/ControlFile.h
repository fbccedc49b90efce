// Calls of control functions.
//
// A control file is a list of calls of a program's control functions, one a
// line, with an optional time:
//
//     # routes
//     route_add(10.0.0.0, 8, 3)
//     bridge_add(02:00:00:00:01:07, 2)
//     @packet 5000 route_add(10.1.0.0, 16, 4)
//     @cycle 1000000 l3_switch.route_add(10.2.0.0, 16, 5)
//     @end packets_to(3)
//     routes.add(10.0.0.0/8, hop: 3)
//     @packet 6000 begin
//     routes.add(10.3.0.0/16, hop: 4)
//     routes.remove(10.0.0.0/8)
//     commit
//
// Packets see all calls between `begin` and `commit`, or none (TableBatch.h).
// An argument may have a name, and one of a table's key may be a prefix, a
// value under a mask or a range; docs/language.md describes them. Parsing knows
// the form alone; `bindCall` checks a call against the functions that a program
// has. Simulator and host profiler share both.

#ifndef KARAKAL_TRACES_CONTROLFILE_H
#define KARAKAL_TRACES_CONTROLFILE_H

#include "support/Error.h"
#include "traces/ControlLiterals.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace karakal::traces {

/// One call of a control function.
struct ControlCall {
  enum When { Start, AtPacket, AtCycle, AtEnd };
  /// What follows the value: `/ length`, `& mask` or `.. last`; Any stands for
  /// `any`, the argument that matches every key.
  enum Suffix { None, Prefix, Mask, Range, Any };
  struct Detail {
    std::string name;  ///< empty: the argument has its place
    uint64_t high = 0; ///< bits 64 to 127 of the value
    Suffix suffix = None;
    uint64_t suffixHigh = 0, suffixLow = 0;
  };

  When kind = Start;
  /// The packet (counted from 0, in the order of the trace) before which the
  /// call runs, or the cycle; 0 for Start and AtEnd.
  uint64_t when = 0;
  /// `function` or `module.function`.
  std::string name;
  /// The arguments as 64-bit patterns, addresses as numbers (first byte most
  /// significant), and how each is written.
  std::vector<int64_t> args;
  std::vector<ControlLiteral::Form> forms;
  /// The rest of each argument.
  std::vector<Detail> details;
  /// The call as it is written.
  std::string text;
  std::string file;
  /// 1-based line in the file.
  uint32_t line = 0;
  /// Whether this is `begin`, and the calls up to `commit`.
  bool isBatch = false;
  std::vector<ControlCall> parts;
};

/// A control function as a program declares it. Parameters whose names have the
/// same first part belong to one written argument: `dst.high` and `dst.low` are
/// its 128 bits, `dst.length`, `dst.mask` and `dst.last` what follows the
/// value.
struct ControlSignature {
  struct Param {
    std::string name;
    /// `u1` to `u64`, `s1` to `s64`, `bool`, `int` or `unsigned`.
    std::string type;
  };
  /// `module.function`.
  std::string name;
  std::vector<Param> params;
  /// `int`, which is `s32`: 0, or why the call is refused; `void`; any other
  /// type: a value.
  std::string returns = "int";
  /// The entries that the table of this function may have; 0: it is not a
  /// table's.
  uint64_t tableLimit = 0;
  /// Whether no packet may be on its way while it runs.
  bool isExclusive = false;
};

/// Why a function refused a call by returning `status`, which is not 0.
/// `texts` are those of the program's `refusal`, in the order of their numbers
/// (support/Refusal.h).
std::string refusal(const ControlSignature &signature,
                    const std::vector<std::string> &texts, int32_t status);

/// What a call of a function with a value gave.
struct ControlValue {
  /// The call as it is written, and its line.
  std::string call;
  uint32_t line = 0;
  int64_t value = 0;
  /// What `read` or `dump` of a table gave instead of a value.
  std::optional<std::vector<std::string>> entries;
};

/// Lines that tell it: `call = value`, or the call as a comment and its
/// entries, which can be part of a control file.
std::string valueText(const ControlValue &value);

/// Whether a function returns a value, not whether it was refused.
bool givesValue(const ControlSignature &signature);
/// What a function gave: the 32 bits that it returned, by its type.
ControlValue valueOf(const ControlSignature &signature, const std::string &call,
                     uint32_t line, uint32_t bits);

/// A call that fits a signature.
struct Resolved {
  /// Index of the function in the signatures.
  std::size_t function = 0;
  /// The arguments, sign or zero extended to 64 bits.
  std::vector<uint64_t> args;
};

/// Reads a control file, which gzip, zstd or xz may have compressed; the calls
/// keep the file's order, and calls of the same time run in it. `file` is used
/// in messages. Errors: E-traces-020 cannot be read, -009 compressed data that
/// are cut short or damaged, -021 form of a line, -022 number,
/// -029 'begin' and 'commit' that do not match.
Result<std::vector<ControlCall>> readControlFile(const std::string &path);
Result<std::vector<ControlCall>> parseControl(const std::string &text,
                                              const std::string &file);

/// All calls, those of a batch instead of the batch, with its time.
std::vector<ControlCall> singleCalls(const std::vector<ControlCall> &calls);

/// Whether the name of a call is the function's full name, or the last parts of
/// it.
bool mayMean(const ControlCall &call, const ControlSignature &signature);

/// Finds the function of a call, by its full name or by its last part if that
/// is unique, and checks the arguments' count and ranges.
/// Errors: E-traces-023 unknown or ambiguous function, -024 argument count,
/// -025 an argument that its type cannot hold, -026 a name that the function
/// does not have or that is given twice, -027 a prefix, mask or range that the
/// argument cannot be.
Result<Resolved> bindCall(const ControlCall &call,
                          const std::vector<ControlSignature> &signatures);

} // namespace karakal::traces

#endif // KARAKAL_TRACES_CONTROLFILE_H
