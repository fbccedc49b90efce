// Descriptions of declarations, for hovers and completions.

#ifndef KARAKAL_BAKER_LANG_EDITOR_DESCRIBE_H
#define KARAKAL_BAKER_LANG_EDITOR_DESCRIBE_H

#include <string>

namespace karakal::lang {

struct Decl;

/// One line about a declaration: its kind, name and type, and its value or size
/// if it has one. Types that analysis could not resolve are "(unknown)".
std::string describe(const Decl &decl);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_DESCRIBE_H
