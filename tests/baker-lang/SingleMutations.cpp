#include "tests/baker-lang/SingleMutations.h"

#include "baker-lang/checks/ParseAndCheck.h"
#include "support/Assert.h"
#include "support/DiagnosticPrinter.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <sstream>

namespace fs = std::filesystem;

namespace karakal {

static std::string textOf(const fs::path &path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<CorrectProgram> correctPrograms(const fs::path &folder) {
  std::vector<CorrectProgram> programs;
  for (const auto &entry : fs::recursive_directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    std::replace(name.begin(), name.end(), '-', '_');
    CorrectProgram program{entry.path(), name + ".baker", {}};
    if (!entry.is_directory() || !fs::exists(entry.path() / program.main))
      continue;
    for (const auto &file : fs::directory_iterator(entry.path()))
      if (file.path().extension() == ".baker")
        program.files.push_back(file.path().filename().string());
    std::sort(program.files.begin(), program.files.end());
    programs.push_back(std::move(program));
  }
  std::sort(programs.begin(), programs.end(),
            [](const auto &a, const auto &b) { return a.folder < b.folder; });
  return programs;
}

//===----------------------------------------------------------------------===//
// Mutations
//===----------------------------------------------------------------------===//

namespace {

struct Token {
  size_t begin, end;
};

/// The tokens of `text` outside comments.
std::vector<Token> tokensOf(const std::string &text) {
  static const char *const operators[] = {"<<=", ">>=", "->", "++", "--", "<<",
                                          ">>",  "<=",  ">=", "==", "!=", "&&",
                                          "||",  "+=",  "-=", "|=", "&=", "^="};
  auto isWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::vector<Token> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (std::isspace(static_cast<unsigned char>(text[i]))) {
      i = end;
      continue;
    }
    if (text.compare(i, 2, "//") == 0 || text.compare(i, 2, "/*") == 0) {
      bool isLine = text[i + 1] == '/';
      i = std::min(text.find(isLine ? "\n" : "*/", i + 2), text.size());
      i += isLine ? 0 : 2;
      continue;
    }
    for (const char *op : operators)
      if (text.compare(i, std::string(op).size(), op) == 0)
        end = std::max(end, i + std::string(op).size());
    while (isWord(text[i]) && end < text.size() && isWord(text[end]))
      ++end;
    tokens.push_back({i, end});
    i = end;
  }
  return tokens;
}

/// One change of a text.
struct Mutation {
  const char *kind;
  size_t at; ///< where the change begins
  std::string text;
};

class Mutator {
public:
  Mutator(const std::string &text, std::mt19937 &random)
      : text(text), tokens(tokensOf(text)), random(random) {
    KARAKAL_ASSERT(tokens.size() > 2, "a program has some tokens");
  }

  /// A random mutation of a random kind.
  Mutation mutate() {
    size_t i = below(tokens.size());
    Token token = tokens[i];
    switch (below(8)) {
    case 0:
      return replace("delete a token", token, "");
    case 1:
      return replace("double a token", token, word(token) + " " + word(token));
    case 2: {
      size_t first = std::min(i, tokens.size() - 2);
      Token a = tokens[first], b = tokens[first + 1];
      return replace("swap two tokens", {a.begin, b.end},
                     word(b) + " " + word(a));
    }
    case 3:
      return replace("replace a token", token,
                     word(tokens[below(tokens.size())]));
    case 4:
      return replace("insert a token", {token.begin, token.begin},
                     word(tokens[below(tokens.size())]) + " ");
    case 5:
      return punctuation();
    case 6:
      return deleteLine(token.begin);
    default:
      return misspell();
    }
  }

private:
  size_t below(size_t limit) { return random() % limit; }
  std::string word(Token token) const {
    return text.substr(token.begin, token.end - token.begin);
  }
  Mutation replace(const char *kind, Token range, const std::string &by) {
    std::string result = text;
    return {kind, range.begin,
            result.replace(range.begin, range.end - range.begin, by)};
  }
  /// Random tokens are mostly names; brackets and semicolons are what people
  /// forget.
  Mutation punctuation() {
    Token token = tokens[below(tokens.size())];
    for (unsigned tries = 0;
         tries < 100 &&
         !std::ispunct(static_cast<unsigned char>(text[token.begin]));
         ++tries)
      token = tokens[below(tokens.size())];
    return replace("forget punctuation", token, "");
  }
  Mutation deleteLine(size_t at) {
    size_t begin = text.rfind('\n', at);
    begin = begin == std::string::npos ? 0 : begin + 1;
    size_t end = std::min(text.find('\n', at), text.size());
    return replace("delete a line", {begin, end}, "");
  }
  Mutation misspell() {
    Token token = tokens[below(tokens.size())];
    for (unsigned tries = 0;
         tries < 100 &&
         !(std::isalpha(static_cast<unsigned char>(text[token.begin])) &&
           token.end - token.begin > 2);
         ++tries)
      token = tokens[below(tokens.size())];
    std::string name = word(token);
    size_t at = below(name.size());
    switch (below(4)) {
    case 0:
      name.erase(at, 1);
      break;
    case 1:
      name.insert(at, 1, name[at]);
      break;
    case 2:
      name[at] = char('a' + below(26));
      break;
    default:
      std::swap(name[at], name[at + 1 < name.size() ? at + 1 : 0]);
    }
    return replace("misspell a word", token, name);
  }

  const std::string &text;
  std::vector<Token> tokens;
  std::mt19937 &random;
};

std::string lineAt(const std::string &text, size_t at) {
  size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

} // namespace

//===----------------------------------------------------------------------===//
// Mutants
//===----------------------------------------------------------------------===//

SingleMutations::SingleMutations(const fs::path &folder, const fs::path &work,
                                 const fs::path &library, uint32_t seed)
    : work(work), library(library), programs(correctPrograms(folder)),
      random(seed) {
  KARAKAL_ASSERT(!programs.empty(), "no programs to mutate");
}

MutantResult SingleMutations::next() {
  while (true) {
    const CorrectProgram &program = programs[below(programs.size())];
    const std::string &file = program.files[below(program.files.size())];
    std::string text = textOf(program.folder / file);
    Mutation mutation = Mutator(text, random).mutate();
    MutantResult result =
        compile(program, file, mutation.at, text, mutation.text);
    result.kind = mutation.kind;
    if (result.errorCount != 0)
      return result;
  }
}

MutantResult SingleMutations::compile(const CorrectProgram &program,
                                      const std::string &file, size_t at,
                                      const std::string &text,
                                      const std::string &mutated) {
  for (const std::string &other : program.files)
    if (other == file)
      std::ofstream(work / other, std::ios::binary) << mutated;
    else
      fs::copy_file(program.folder / other, work / other);
  MutantResult result;
  result.file = (program.folder.filename() / file).string();
  result.line = uint32_t(std::count(text.begin(), text.begin() + at, '\n') + 1);
  result.before = lineAt(text, at);
  result.after = lineAt(mutated, std::min(at, mutated.size()));
  Diagnostics diagnostics;
  lang::parseAndCheck({(work / program.main).string()}, diagnostics,
                      {{library.string()}, {}});
  result.errorCount = diagnostics.errorCount();
  std::ostringstream printed;
  printDiagnostics(diagnostics, printed, /*hasColour=*/false);
  result.diagnostics = printed.str();
  for (const std::string &other : program.files)
    fs::remove(work / other);
  return result;
}

} // namespace karakal
