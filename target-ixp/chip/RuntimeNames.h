// Symbols on which the compiler and the runtime meet.
//
// Passes, the code generator, the interpreter and the host call functions of
// runtime/*.ll and of one another by name. RuntimeNames.def holds each name
// once; here each becomes a constant.
//
//   runtime::Lock        -> "baker_lock"
//   intrinsic::RingGet   -> "__ixp_scratch_get2"

#ifndef KARAKAL_TARGET_IXP_CHIP_RUNTIMENAMES_H
#define KARAKAL_TARGET_IXP_CHIP_RUNTIMENAMES_H

namespace karakal::target {

/// Functions of the runtime.
namespace runtime {
#define KARAKAL_RUNTIME_FUNCTION(constant, symbol, defined)                    \
  inline constexpr const char *constant = symbol;
#define KARAKAL_INTRINSIC(constant, symbol)
#include "target-ixp/chip/RuntimeNames.def"

/// What the names of all functions of the runtime begin with, entries excepted.
inline constexpr const char *Prefix = "baker_";
} // namespace runtime

/// Functions that stand for instructions.
namespace intrinsic {
#define KARAKAL_RUNTIME_FUNCTION(constant, symbol, defined)
#define KARAKAL_INTRINSIC(constant, symbol)                                    \
  inline constexpr const char *constant = symbol;
#include "target-ixp/chip/RuntimeNames.def"

/// What the names of all of them begin with.
inline constexpr const char *Prefix = "__ixp_";
/// Accesses at any byte that the code generator expands; the number of words
/// follows.
inline constexpr const char *WordsPrefix = "__ixp_words_";
inline constexpr const char *WordsFromPrefix = "__ixp_words_from.";
inline constexpr const char *WordsIntoPrefix = "__ixp_words_into.";
/// Calls that mark loops and make no code.
inline constexpr const char *LoopPrefix = "__ixp_loop_";
} // namespace intrinsic

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_RUNTIMENAMES_H
