// What the words of the language mean, for hovers and signatures.

#ifndef KARAKAL_BAKER_LANG_EDITOR_WORDHELP_H
#define KARAKAL_BAKER_LANG_EDITOR_WORDHELP_H

#include <string>
#include <string_view>

namespace karakal::lang {

struct WordHelp {
  const char *form;    ///< how the word is written
  const char *meaning; ///< a line without a full stop
};

/// Help for a keyword or primitive, or null.
const WordHelp *helpFor(std::string_view word);

/// A line about a scalar type such as `u48`; empty for other words.
std::string describeScalarType(const std::string &word);

/// The annotations that can stand before a declaration or a loop,
/// without the `@`.
inline constexpr const char *annotationNames[] = {
    "place",     "tolerate", "fallthrough", "inline",
    "exclusive", "every",    "cold",        "bound"};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_WORDHELP_H
