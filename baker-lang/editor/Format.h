// The layout of Baker text.

#ifndef KARAKAL_BAKER_LANG_EDITOR_FORMAT_H
#define KARAKAL_BAKER_LANG_EDITOR_FORMAT_H

#include <string>

namespace karakal::lang {

/// `text` with the usual indentation and blanks. Line breaks stay where they
/// are, up to one empty line; words, signs and comments are not touched.
/// Formatting what was formatted changes nothing. Any text can be formatted,
/// whether it is a program or not.
std::string format(const std::string &text);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_FORMAT_H
