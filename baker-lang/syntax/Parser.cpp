// From text to syntax tree.
//
// For each file: read it, report characters that belong to no token, run
// ANTLR's parser, and do the same with the files that it imports. The syntax
// tree is built after all files are parsed, because a file can instantiate a
// parameterized module of a later one. ANTLR's exceptions do not leave this
// file.

#include "baker-lang/syntax/Parser.h"

#include "baker-lang/syntax/AstBuilder.h"
#include "baker-lang/syntax/BraceRepair.h"
#include "baker-lang/syntax/KeywordsAsNames.h"
#include "baker-lang/syntax/Literals.h"
#include "baker-lang/syntax/SourceText.h"
#include "baker-lang/syntax/SyntaxErrors.h"
#include "support/Error.h"

#include "BakerLexer.h"
#include "BakerParser.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace karakal::lang {

namespace {

struct TooDeep {};

/// A recursive-descent parser with a limited stack, so that no text can exhaust
/// it. Throws TooDeep at the limit.
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

/// Reports tokens that no rule of the grammar accepts. Their lines are broken.
static void reportInvalidTokens(antlr4::CommonTokenStream &tokens,
                                const TokenRanges &tokenRanges,
                                Program &program, Diagnostics &diagnostics) {
  for (antlr4::Token *token : tokens.getTokens()) {
    SourceRange range = tokenRanges.range(token);
    switch (token->getType()) {
    case BakerLexer::DIRECTIVE:
      report(diagnostics, DiagId::UnsupportedDirective, range,
             "Baker has no preprocessor; use 'const' for constants and "
             "'import' for other files");
      break;
    case BakerLexer::OPEN_COMMENT:
      report(diagnostics, DiagId::OpenComment, range,
             "this comment has no end: '*/' is missing");
      return; // the rest of the file is the comment's text
    case BakerLexer::STRING:
      if (isTerminatedString(token->getText()))
        continue;
      report(diagnostics, DiagId::BadCharacter, range,
             "this string has no end");
      break;
    case BakerLexer::BAD_CHARACTER:
      report(diagnostics, DiagId::InvalidCharacter, range,
             "'" + token->getText() + "' belongs to no token");
      break;
    default:
      continue;
    }
    program.brokenLines.insert({range.file, token->getLine()});
  }
}

//===----------------------------------------------------------------------===//
// Files and their imports
//===----------------------------------------------------------------------===//

namespace {

/// One file with its parse tree. The tree points into the parser, so both live
/// as long as this object.
struct ParsedFile {
  ParsedFile(uint32_t file, std::string_view text)
      : tokenRanges(file, text), input(std::string(text)), lexer(&input),
        tokens(&lexer), parser(&tokens) {}

  TokenRanges tokenRanges;
  antlr4::ANTLRInputStream input;
  BakerLexer lexer;
  RepairableTokens tokens;
  GuardedParser parser;
  BakerParser::ProgramContext *tree = nullptr;
};

class ProgramParser {
public:
  ProgramParser(const std::vector<std::string> &importFolders,
                const SourceTexts &texts, Program &program,
                Diagnostics &diagnostics)
      : importFolders(importFolders), texts(texts), program(program),
        diagnostics(diagnostics) {}

  /// Parses `path` and its imports, which come first in the program's order.
  /// Files of a library give no warnings.
  void add(const std::string &path, bool isLibrary);
  /// Parses a text without imports.
  void addText(const std::string &name, const std::string &text);
  /// Builds the syntax tree of all files.
  void build();

private:
  /// False if the file has no parse tree.
  bool parse(ParsedFile &file);
  void addImports(const ParsedFile &file, const std::string &importer,
                  bool isLibrary);
  void addImport(BakerParser::ImportDeclarationContext *context,
                 const ParsedFile &file, const std::string &importer,
                 bool isLibrary);

  const std::vector<std::string> &importFolders;
  const SourceTexts &texts;
  Program &program;
  Diagnostics &diagnostics;
  std::set<std::string> seen; ///< paths without symbolic links
  std::vector<std::unique_ptr<ParsedFile>> parsed;
};

void ProgramParser::add(const std::string &path, bool isLibrary) {
  if (!seen.insert(realPath(path)).second)
    return;
  std::optional<uint32_t> number = readSource(path, texts, diagnostics);
  if (!number)
    return;
  if (isLibrary)
    diagnostics.suppressWarnings(*number);
  auto file = std::make_unique<ParsedFile>(
      *number, diagnostics.sources().file(*number).text());
  if (!parse(*file))
    return;
  addImports(*file, path, isLibrary);
  parsed.push_back(std::move(file));
}

void ProgramParser::addText(const std::string &name, const std::string &text) {
  uint32_t number = diagnostics.sources().add(name, text);
  auto file = std::make_unique<ParsedFile>(
      number, diagnostics.sources().file(number).text());
  if (parse(*file))
    parsed.push_back(std::move(file));
}

bool ProgramParser::parse(ParsedFile &file) {
  file.lexer.removeErrorListeners();
  file.tokens.fill();
  reportInvalidTokens(file.tokens, file.tokenRanges, program, diagnostics);
  for (antlr4::Token *token : file.tokens.getTokens())
    if (token->getType() == BakerLexer::OPEN_COMMENT)
      return false;
  repairBraces(file.tokens, file.tokenRanges, program, diagnostics);
  turnKeywordsIntoNames(file.tokens, file.tokenRanges, diagnostics);
  GuardedParser &parser = file.parser;
  parser.removeErrorListeners();
  // SLL prediction is enough to decide this grammar. Full-context prediction
  // takes quadratic time for a chain of `else if`.
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
      antlr4::atn::PredictionMode::SLL);
  parser.setErrorHandler(
      std::make_shared<SyntaxErrors>(file.tokenRanges, diagnostics, program));
  try {
    file.tree = parser.program();
    return true;
  } catch (const TooDeep &) {
    report(diagnostics, DiagId::NestedTooDeep,
           file.tokenRanges.range(parser.getCurrentToken()),
           "brackets or statements are nested too deeply here");
    return false;
  }
}

void ProgramParser::addImports(const ParsedFile &file,
                               const std::string &importer, bool isLibrary) {
  for (BakerParser::TopLevelContext *item : file.tree->topLevel())
    if (auto *import = item->importDeclaration()) {
      if (!import->exception)
        addImport(import, file, importer, isLibrary);
      program.hasMissingImport |= bool(import->exception);
    }
}

void ProgramParser::addImport(BakerParser::ImportDeclarationContext *context,
                              const ParsedFile &file,
                              const std::string &importer, bool isLibrary) {
  std::string relative, name;
  for (BakerParser::FieldNameContext *part : context->fieldName()) {
    if (part->exception || part->children.size() != 1) {
      program.hasMissingImport = true; // the parser reported it
      return;
    }
    relative += "/" + part->getText();
    name += (name.empty() ? "" : ".") + part->getText();
  }
  relative += ".baker";
  std::string folder = llvm::sys::path::parent_path(importer).str();
  std::vector<std::string> folders = {folder.empty() ? "." : folder};
  folders.insert(folders.end(), importFolders.begin(), importFolders.end());
  for (const std::string &candidate : folders)
    if (llvm::sys::fs::exists(candidate + relative) ||
        texts.count(candidate + relative))
      return add(candidate + relative,
                 isLibrary || &candidate != &folders.front());
  program.hasMissingImport = true;
  auto &diagnostic =
      report(diagnostics, DiagId::ImportNotFound,
             file.tokenRanges.range(context->getStart(), context->getStop()),
             "there is no '" + name + "' to import");
  for (const std::string &candidate : folders)
    diagnostic.note("'" + candidate + relative + "' does not exist");
}

void ProgramParser::build() {
  ParameterizedModules parameterizedModules;
  std::vector<std::unique_ptr<AstBuilder>> builders;
  for (auto &file : parsed) {
    builders.push_back(std::make_unique<AstBuilder>(
        file->tokenRanges, program, diagnostics, parameterizedModules));
    builders.back()->collectParameterizedModules(file->tree);
  }
  for (auto &builder : builders)
    builder->assignBodies();
  for (size_t i = 0; i < parsed.size(); ++i)
    builders[i]->build(parsed[i]->tree);
}

} // namespace

void parseProgram(const std::vector<std::string> &files,
                  const std::vector<std::string> &importFolders,
                  const SourceTexts &texts, Program &program,
                  Diagnostics &diagnostics) {
  ProgramParser parser(importFolders, texts, program, diagnostics);
  for (const std::string &file : files)
    parser.add(file, /*isLibrary=*/false);
  parser.build();
}

void parseText(const std::string &name, const std::string &text,
               Program &program, Diagnostics &diagnostics) {
  const std::vector<std::string> importFolders;
  const SourceTexts texts;
  ProgramParser parser(importFolders, texts, program, diagnostics);
  parser.addText(name, text);
  parser.build();
}

} // namespace karakal::lang
