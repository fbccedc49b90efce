// The formatter for Baker text.

#ifndef KARAKAL_BAKER_LANG_EDITOR_FORMATTER_H
#define KARAKAL_BAKER_LANG_EDITOR_FORMATTER_H

#include <string>

namespace karakal::lang {

/// Formats `text`, which is UTF-8, with the usual indentation and blanks. Line
/// breaks stay where they are, but several empty lines become one. Tokens and
/// comments do not change. Formatting twice gives the same as formatting once.
/// Any text can be formatted, even if it is not a program.
std::string format(const std::string &text);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_FORMATTER_H
