// The text of source lines.
//
// The line table of an image names files as the compiler was given them. A
// reader of a trace or a profile wants the line itself. It is read from the
// file of that name, or, if folders are given, from the first file of that
// name in them. A line that cannot be read has no text.

#ifndef KARAKAL_SIM_IXP_OBSERVE_SOURCETEXT_H
#define KARAKAL_SIM_IXP_OBSERVE_SOURCETEXT_H

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace karakal::sim {

/// Source files, each read once.
class SourceText {
public:
  explicit SourceText(std::vector<std::string> folders = {})
      : folders(std::move(folders)) {}

  /// The text of "file:line" without leading spaces, or an empty string.
  const std::string &textOf(const std::string &location) const;

private:
  const std::vector<std::string> &linesOf(const std::string &file) const;

  std::vector<std::string> folders;
  mutable std::map<std::string, std::vector<std::string>> files;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_SOURCETEXT_H
