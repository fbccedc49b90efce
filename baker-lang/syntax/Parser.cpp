// From text to syntax tree.
//
// Reads a file, checks that it is text, reports characters that belong to no
// token, and runs ANTLR's parser; then does the same with what it imports. The
// syntax tree is made when all files are parsed, since a module may be an
// instance of a pattern that stands in a later one. This is the only place
// where exceptions of ANTLR can appear; none leaves it.

#include "baker-lang/syntax/Parser.h"

#include "baker-lang/syntax/AstBuilder.h"
#include "baker-lang/syntax/KeywordNames.h"
#include "baker-lang/syntax/SyntaxErrors.h"

#include "BakerLexer.h"
#include "BakerParser.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace karakal::lang {

namespace {

struct TooDeep {};

/// ANTLR's parser descends recursively: bounds the stack that it takes, so
/// that no text can exhaust it.
class GuardedParser : public BakerParser {
public:
  explicit GuardedParser(antlr4::TokenStream *input)
      : BakerParser(input), base(here()) {}

  void enterRule(antlr4::ParserRuleContext *context, size_t state,
                 size_t rule) override {
    check();
    BakerParser::enterRule(context, state, rule);
  }
  void enterRecursionRule(antlr4::ParserRuleContext *context, size_t state,
                          size_t rule, int precedence) override {
    check();
    BakerParser::enterRecursionRule(context, state, rule, precedence);
  }

private:
  static constexpr uintptr_t stackBytesMax = 1 << 20;

  static uintptr_t here() {
    return reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  }
  void check() const {
    if (base - here() > stackBytesMax)
      throw TooDeep{};
  }

  uintptr_t base;
};

} // namespace

/// Offset of the first byte that is not UTF-8, or the size of `text`.
static size_t firstBadByte(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    unsigned char lead = static_cast<unsigned char>(text[i]);
    size_t more = lead < 0x80                   ? 0
                  : lead >= 0xc2 && lead < 0xe0 ? 1
                  : lead >= 0xe0 && lead < 0xf0 ? 2
                  : lead >= 0xf0 && lead < 0xf5 ? 3
                                                : 9;
    if (more == 9 || i + more >= text.size())
      return i;
    uint32_t point = more == 0 ? lead : lead & (0x3f >> more);
    for (size_t k = 1; k <= more; ++k) {
      unsigned char next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0) != 0x80)
        return i;
      point = point << 6 | (next & 0x3f);
    }
    bool isOverlong =
        (more == 2 && point < 0x800) || (more == 3 && point < 0x10000);
    if (isOverlong || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
      return i;
    i += more + 1;
  }
  return text.size();
}

static bool readText(const std::string &path, Diagnostics &diagnostics,
                     uint32_t &file) {
  constexpr size_t bytesMax = 16 << 20;
  auto refuse = [&](const std::string &why) {
    diagnostics.add(Severity::Error, idText(DiagId::UnreadableFile),
                    "cannot read '" + path + "': " + why);
    return false;
  };
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return refuse(buffer.getError().message());
  llvm::StringRef text = (*buffer)->getBuffer();
  if (text.size() > bytesMax)
    return refuse("it is longer than 16 MiB");
  text.consume_front("\xef\xbb\xbf"); // byte order mark
  file = diagnostics.sources().add(path, text.str());
  std::string_view contents = diagnostics.sources().file(file).text();
  size_t bad = std::min(firstBadByte(contents), contents.find('\0'));
  if (bad >= contents.size())
    return true;
  report(diagnostics, DiagId::NotUtf8, {file, uint32_t(bad), uint32_t(bad + 1)},
         contents[bad] == '\0' ? "a null byte stands here: this is not text"
                               : "this byte is not UTF-8 text");
  return false;
}

/// Reports the tokens that no rule of the grammar takes.
/// Returns their lines.
static std::set<size_t> reportStrangeTokens(antlr4::CommonTokenStream &tokens,
                                            const TokenPlaces &places,
                                            Diagnostics &diagnostics) {
  std::set<size_t> lines;
  for (antlr4::Token *token : tokens.getTokens()) {
    SourceRange range = places.range(token);
    switch (token->getType()) {
    case BakerLexer::DIRECTIVE:
      report(diagnostics, DiagId::NoPreprocessor, range,
             "there is no preprocessor; use 'const' for constants, and "
             "'import' for other files");
      break;
    case BakerLexer::OPEN_COMMENT:
      report(diagnostics, DiagId::OpenComment, range,
             "this comment has no end: '*/' is missing");
      return lines; // what follows is the comment's text
    case BakerLexer::STRING:
      if (isWholeString(token->getText()))
        continue;
      report(diagnostics, DiagId::BadCharacter, range,
             "this string has no end");
      break;
    case BakerLexer::BAD_CHARACTER:
      report(diagnostics, DiagId::StrangeCharacter, range,
             "'" + token->getText() + "' belongs to no token");
      break;
    default:
      continue;
    }
    lines.insert(token->getLine());
  }
  return lines;
}

//===----------------------------------------------------------------------===//
// Files and what they import
//===----------------------------------------------------------------------===//

namespace {

/// One parsed file. Trees point into their parser, so it lives as long.
struct ParsedFile {
  ParsedFile(uint32_t file, std::string_view text)
      : places(file, text), input(std::string(text)), lexer(&input),
        tokens(&lexer), parser(&tokens) {}

  TokenPlaces places;
  antlr4::ANTLRInputStream input;
  BakerLexer lexer;
  antlr4::CommonTokenStream tokens;
  GuardedParser parser;
  BakerParser::ProgramContext *tree = nullptr;
};

class ProgramParser {
public:
  ProgramParser(const std::vector<std::string> &folders, Program &program,
                Diagnostics &diagnostics, std::set<std::string> &suspects)
      : folders(folders), program(program), diagnostics(diagnostics),
        suspects(suspects) {}

  /// Parses `path` and, before it in the program's order, what it imports.
  /// Nothing is warned of in a library's file.
  void add(const std::string &path, bool isLibrary);
  /// Makes the syntax tree of all files.
  void build();

private:
  bool parse(ParsedFile &file);
  void addImports(const ParsedFile &file, const std::string &importer,
                  bool isLibrary);
  void addImport(BakerParser::ImportDeclarationContext *context,
                 const ParsedFile &file, const std::string &importer,
                 bool isLibrary);

  const std::vector<std::string> &folders;
  Program &program;
  Diagnostics &diagnostics;
  std::set<std::string> &suspects;
  std::set<std::string> seen; ///< real paths
  std::vector<std::unique_ptr<ParsedFile>> parsed;
};

/// The file's path without symbolic links, or `path` if there is none.
std::string realPath(const std::string &path) {
  llvm::SmallString<256> result;
  if (llvm::sys::fs::real_path(path, result))
    return path;
  return result.str().str();
}

void ProgramParser::add(const std::string &path, bool isLibrary) {
  if (!seen.insert(realPath(path)).second)
    return;
  uint32_t number = 0;
  if (!readText(path, diagnostics, number))
    return;
  if (isLibrary)
    diagnostics.silence(number);
  auto file = std::make_unique<ParsedFile>(
      number, diagnostics.sources().file(number).text());
  if (!parse(*file))
    return;
  addImports(*file, path, isLibrary);
  parsed.push_back(std::move(file));
}

/// False if there is no tree.
bool ProgramParser::parse(ParsedFile &file) {
  file.lexer.removeErrorListeners();
  file.tokens.fill();
  std::set<size_t> strange =
      reportStrangeTokens(file.tokens, file.places, diagnostics);
  for (antlr4::Token *token : file.tokens.getTokens())
    if (token->getType() == BakerLexer::OPEN_COMMENT)
      return false;
  nameKeywords(file.tokens, file.places, diagnostics);
  GuardedParser &parser = file.parser;
  parser.removeErrorListeners();
  // The grammar needs no more context than this to be decided, and with full
  // context a chain of `else if` takes quadratic time.
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
      antlr4::atn::PredictionMode::SLL);
  parser.setErrorHandler(std::make_shared<SyntaxErrors>(
      file.places, diagnostics, std::move(strange)));
  try {
    file.tree = parser.program();
    return true;
  } catch (const TooDeep &) {
    report(diagnostics, DiagId::NestedTooDeep,
           file.places.range(parser.getCurrentToken()),
           "brackets or statements nest too deeply here");
    return false;
  }
}

void ProgramParser::addImports(const ParsedFile &file,
                               const std::string &importer, bool isLibrary) {
  for (BakerParser::TopLevelContext *item : file.tree->topLevel())
    if (auto *import = item->importDeclaration())
      if (!import->exception)
        addImport(import, file, importer, isLibrary);
}

void ProgramParser::addImport(BakerParser::ImportDeclarationContext *context,
                              const ParsedFile &file,
                              const std::string &importer, bool isLibrary) {
  std::string relative, name;
  for (BakerParser::FieldNameContext *part : context->fieldName()) {
    relative += "/" + part->getText();
    name += (name.empty() ? "" : ".") + part->getText();
  }
  relative += ".baker";
  std::string folder = llvm::sys::path::parent_path(importer).str();
  std::vector<std::string> places = {folder.empty() ? "." : folder};
  places.insert(places.end(), folders.begin(), folders.end());
  for (const std::string &place : places)
    if (llvm::sys::fs::exists(place + relative))
      return add(place + relative, isLibrary || &place != &places.front());
  auto &diagnostic =
      report(diagnostics, DiagId::ImportNotFound,
             file.places.range(context->getStart(), context->getStop()),
             "there is no '" + name + "' to import");
  for (const std::string &place : places)
    diagnostic.note("'" + place + relative + "' does not exist");
}

void ProgramParser::build() {
  ModulePatterns patterns;
  std::vector<std::unique_ptr<AstBuilder>> builders;
  for (auto &file : parsed) {
    builders.push_back(std::make_unique<AstBuilder>(
        file->places, program, diagnostics, suspects, patterns));
    builders.back()->collectPatterns(file->tree);
  }
  for (auto &builder : builders)
    builder->placeBodies();
  for (size_t i = 0; i < parsed.size(); ++i)
    builders[i]->build(parsed[i]->tree);
}

} // namespace

void parseProgram(const std::vector<std::string> &files,
                  const std::vector<std::string> &folders, Program &program,
                  Diagnostics &diagnostics, std::set<std::string> &suspects) {
  ProgramParser parser(folders, program, diagnostics, suspects);
  for (const std::string &file : files)
    parser.add(file, /*isLibrary=*/false);
  parser.build();
}

} // namespace karakal::lang
