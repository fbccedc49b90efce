// What control functions do by themselves and to channels.

#ifndef KARAKAL_BAKER_LANG_TREE_CONTROLFUNCTIONS_H
#define KARAKAL_BAKER_LANG_TREE_CONTROLFUNCTIONS_H

#include "baker-lang/tree/Program.h"

#include <optional>
#include <set>
#include <string>

namespace karakal::lang {

/// The annotation of timers, without the `@`.
inline constexpr const char *everyName = "every";

/// The microseconds between two calls of a timer; none: it is no timer.
/// Requires a checked function.
std::optional<uint64_t> intervalOf(const FunctionDecl &decl);

/// The outputs on which control functions put packets.
std::set<const EndpointDecl *> outputsOfControl(const Program &program);

/// Whether packets come to the PPF. It puts nothing itself otherwise.
bool hasInput(const PpfDecl &ppf);

/// Symbol of the channel that brings the packets of control functions from
/// `output` to the destination with this index. It is another one than that of
/// the PPF's own packets: the core puts on it, wherever the PPF runs.
std::string controlChannelSymbol(const EndpointDecl &output,
                                 size_t destination);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_CONTROLFUNCTIONS_H
