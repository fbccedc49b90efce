// Collects declared names from the tokens of a file, without parsing it.
//
//   protocol ipv4 { … }            ipv4
//   const u8 IP_PROTO_TCP = 6;     IP_PROTO_TCP
//   enum { A, B };                 A, B
//   metadata { u16 vlan; }         vlan, as metadata
//   drop_reason bad_header;        bad_header, as a drop reason

#include "baker-lang/syntax/ImportableNames.h"

#include "support/Error.h"

#include "BakerLexer.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <set>

using antlr4::Token;
namespace fs = llvm::sys::fs;

namespace karakal::lang {

namespace {

/// Reads the declared names of one file.
class NameScan {
public:
  explicit NameScan(const std::string &text) : input(text), lexer(&input) {
    lexer.removeErrorListeners();
    antlr4::CommonTokenStream stream(&lexer);
    stream.fill();
    for (Token *token : stream.getTokens())
      if (token->getChannel() == Token::DEFAULT_CHANNEL)
        words.push_back(
            {token->getText(), token->getType() == BakerLexer::IDENT});
  }

  /// Calls `add(kind, name)` for each name.
  template <typename Add> void run(Add add);

  /// True for a program of its own, which another one does not import.
  bool isWholeProgram() const {
    for (size_t i = 0; i + 1 < words.size(); ++i)
      if (words[i].text == "rx" &&
          (words[i + 1].text == "->" || words[i + 1].text == "["))
        return true;
    return false;
  }

private:
  struct Word {
    std::string text;
    bool isName;
  };
  /// The kind of the name at `i` if it is declared there.
  bool isDeclared(size_t i) const;
  std::string text(size_t i) const {
    return i < words.size() ? words[i].text : "";
  }

  antlr4::ANTLRInputStream input;
  BakerLexer lexer;
  std::vector<Word> words;
};

} // namespace

bool NameScan::isDeclared(size_t i) const {
  static const std::set<std::string> ends = {"(", ";", "=", "[", "{", ","};
  if (i == 0 || !words[i].isName || !ends.count(text(i + 1)))
    return false;
  char before = text(i - 1).back();
  return before == '*' || before == '_' ||
         std::isalnum(static_cast<unsigned char>(before));
}

template <typename Add> void NameScan::run(Add add) {
  // The word before each open brace.
  std::vector<std::string> heads;
  bool isReason = false;
  std::string head;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string &here = words[i].text;
    if (here == "enum" || here == "metadata" || here == "module")
      head = here;
    isReason = here == "drop_reason" || (isReason && here != ";");
    if (here == "{") {
      heads.push_back(head);
      head.clear();
    } else if (here == "}" && !heads.empty()) {
      heads.pop_back();
    } else if (here == ";") {
      head.clear();
    } else if (isReason && words[i].isName) {
      add(NameKind::DropReason, here);
    } else if (!heads.empty() && heads.back() == "metadata") {
      if (isDeclared(i))
        add(NameKind::Metadata, here);
    } else if (heads.size() == 1 && heads.back() == "enum" && words[i].isName &&
               (text(i - 1) == "{" || text(i - 1) == ",")) {
      add(NameKind::Declaration, here);
    } else if (heads.empty() && isDeclared(i)) {
      add(NameKind::Declaration, here);
    }
  }
}

void ImportableNames::collectFile(const std::string &path,
                                  const std::string &import) {
  for (uint32_t file = 0; file < sources.size(); ++file)
    if (fs::equivalent(sources.file(file).path(), path))
      return;
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return;
  NameScan scan((*buffer)->getBuffer().str());
  if (!scan.isWholeProgram())
    scan.run([&](NameKind kind, const std::string &name) {
      imports.emplace(std::pair(kind, name), import);
    });
}

void ImportableNames::collectFolder(const std::string &folder, unsigned depth) {
  constexpr size_t filesMax = 1000;
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end;
       entry != end && !error && paths.size() < filesMax;
       entry.increment(error)) {
    if (unsigned(entry.level()) >= depth)
      entry.no_push();
    if (llvm::sys::path::extension(entry->path()) == ".baker")
      paths.push_back(entry->path());
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths) {
    llvm::StringRef name = path;
    name.consume_front(folder);
    name = name.ltrim('/');
    name.consume_back(".baker");
    std::string import = name.str();
    std::replace(import.begin(), import.end(), '/', '.');
    collectFile(path, import);
  }
}

void ImportableNames::collect() {
  isCollected = true;
  // The library's folders are searched with their folders, such as `net`.
  for (const std::string &folder : importFolders)
    collectFolder(folder, 1);
  // A folder from which several files come holds the parts of the program.
  std::map<std::string, unsigned> fileCounts;
  for (uint32_t file = 0; file < sources.size(); ++file)
    ++fileCounts[llvm::sys::path::parent_path(sources.file(file).path()).str()];
  for (const auto &[folder, count] : fileCounts)
    if (count > 1)
      collectFolder(folder.empty() ? "." : folder, 0);
}

std::string ImportableNames::importOf(NameKind kind, const std::string &name) {
  KARAKAL_ASSERT(!name.empty(), "a name is needed");
  if (!isCollected)
    collect();
  auto entry = imports.find({kind, name});
  return entry == imports.end() ? "" : entry->second;
}

} // namespace karakal::lang
