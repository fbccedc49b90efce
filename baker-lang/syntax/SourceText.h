// Reads source files.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_SOURCETEXT_H
#define KARAKAL_BAKER_LANG_SYNTAX_SOURCETEXT_H

#include "support/Diagnostics.h"

#include <map>
#include <optional>
#include <string>

namespace karakal::lang {

/// Offset of the first byte that is not part of valid UTF-8, or the size of
/// `text`.
size_t firstInvalidByte(std::string_view text);

/// Texts by path, without symbolic links. They are taken instead of the files
/// there, which may not exist.
using SourceTexts = std::map<std::string, std::string>;

/// `path` without symbolic links, or `path` itself if there is no such file.
std::string realPath(const std::string &path);

/// Adds the file at `path` to the sources and returns its number. Reports a
/// file that cannot be read, is longer than 16 MiB, or is not UTF-8 text.
std::optional<uint32_t> readSource(const std::string &path,
                                   const SourceTexts &texts,
                                   Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_SOURCETEXT_H
