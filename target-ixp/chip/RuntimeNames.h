// Symbols that the compiler and the runtime share.
//
// Passes, the code generator, the interpreter and the host call functions of
// runtime/*.ll and of each other by name. Each name of RuntimeNames.def becomes
// a constant here.
//
//   runtime::Lock        -> "baker_lock"
//   intrinsic::RingGet   -> "__ixp_scratch_get2"

#ifndef KARAKAL_TARGET_IXP_CHIP_RUNTIMENAMES_H
#define KARAKAL_TARGET_IXP_CHIP_RUNTIMENAMES_H

namespace karakal::target {

/// The global in which a program counts the packets in its queues.
inline constexpr char WaitingCountName[] = "karakal.waiting";

/// The timer by which the XScale core stops engines while traffic is low, and
/// its interval in microseconds.
inline constexpr char SavePowerTimerName[] = "karakal.save_power";
inline constexpr unsigned SavePowerIntervalUs = 20;

/// Functions of the runtime.
namespace runtime {
#define KARAKAL_RUNTIME_FUNCTION(constant, symbol, defined)                    \
  inline constexpr const char *constant = symbol;
#define KARAKAL_INTRINSIC(constant, symbol)
#include "target-ixp/chip/RuntimeNames.def"

/// The prefix of all functions of the runtime except entry functions.
inline constexpr const char *Prefix = "baker_";
} // namespace runtime

/// Functions that stand for instructions.
namespace intrinsic {
#define KARAKAL_RUNTIME_FUNCTION(constant, symbol, defined)
#define KARAKAL_INTRINSIC(constant, symbol)                                    \
  inline constexpr const char *constant = symbol;
#include "target-ixp/chip/RuntimeNames.def"

/// The prefix of all intrinsics.
inline constexpr const char *Prefix = "__ixp_";
/// The prefix of accesses that begin at any byte; the number of words follows.
inline constexpr const char *WordsPrefix = "__ixp_words_";
inline constexpr const char *WordsFromPrefix = "__ixp_words_from.";
inline constexpr const char *WordsIntoPrefix = "__ixp_words_into.";
/// The prefix of calls that mark loops and yield no code.
inline constexpr const char *LoopPrefix = "__ixp_loop_";
} // namespace intrinsic

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_RUNTIMENAMES_H
