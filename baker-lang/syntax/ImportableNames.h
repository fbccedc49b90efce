// Names that a program could import, for messages about names that it lacks.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_IMPORTABLENAMES_H
#define KARAKAL_BAKER_LANG_SYNTAX_IMPORTABLENAMES_H

#include "support/SourceFiles.h"

#include <map>
#include <string>
#include <vector>

namespace karakal::lang {

/// What kind of name a program lacks. Each kind has its own names.
enum class NameKind { Declaration, Metadata, DropReason };

/// The names that files in the import folders declare, without those of files
/// that the program has read. They are collected at the first question.
class ImportableNames {
public:
  /// `sources`: the files of the program.
  ImportableNames(const std::vector<std::string> &importFolders,
                  const SourceManager &sources)
      : importFolders(importFolders), sources(sources) {}

  /// The import that declares `name`, such as `net.ipv4`; empty if there is
  /// none.
  std::string importOf(NameKind kind, const std::string &name);

private:
  void collect();
  void collectFolder(const std::string &folder, unsigned depth);
  void collectFile(const std::string &path, const std::string &import);

  const std::vector<std::string> &importFolders;
  const SourceManager &sources;
  bool isCollected = false;
  std::map<std::pair<NameKind, std::string>, std::string> imports;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_IMPORTABLENAMES_H
