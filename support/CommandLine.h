// What all tools ask of their command lines.

#ifndef KARAKAL_SUPPORT_COMMANDLINE_H
#define KARAKAL_SUPPORT_COMMANDLINE_H

#include <string>
#include <string_view>

namespace karakal {

/// Describes the first argument that is empty, as `--option=` or `--option ""`,
/// or returns an empty string. A parser would take the next argument as the
/// value of the former, and most tools the latter as an option that is not
/// given. After `--` only an argument without any text is empty.
std::string findEmptyArgument(int argc, const char *const *argv);

/// What `TOOL --version` prints, such as "bakerc (Karakal) 0.1.0".
std::string versionOf(std::string_view tool);

/// The text of the option `--version` in every tool's help.
inline constexpr const char *versionHelp = "Print the version and exit";

} // namespace karakal

#endif // KARAKAL_SUPPORT_COMMANDLINE_H
