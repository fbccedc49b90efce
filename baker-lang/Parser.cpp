//===- Parser.cpp - from text to syntax tree ------------------------------===//
//
// Reads a file, checks that it is text, reports characters that belong to no
// token, and runs ANTLR's parser. This is the only place where exceptions of
// ANTLR can appear; none leaves it.
//
//===----------------------------------------------------------------------===//

#include "baker-lang/Parser.h"

#include "baker-lang/AstBuilder.h"
#include "baker-lang/SyntaxErrors.h"

#include "BakerLexer.h"
#include "BakerParser.h"

#include "llvm/Support/MemoryBuffer.h"

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
    diagnostics.add(Severity::Error, idOf(Code::UnreadableFile),
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
  report(diagnostics, Code::NotUtf8, {file, uint32_t(bad), uint32_t(bad + 1)},
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
      report(diagnostics, Code::NoPreprocessor, range,
             "there is no preprocessor; use 'const' for constants, and name "
             "all files on the command line");
      break;
    case BakerLexer::STRING:
      report(diagnostics, Code::NoStrings, range, "there are no strings");
      break;
    case BakerLexer::OPEN_COMMENT:
      report(diagnostics, Code::OpenComment, range,
             "this comment has no end: '*/' is missing");
      return lines; // what follows is the comment's text
    case BakerLexer::BAD_CHARACTER:
      report(diagnostics, Code::StrangeCharacter, range,
             "'" + token->getText() + "' belongs to no token");
      break;
    default:
      continue;
    }
    lines.insert(token->getLine());
  }
  return lines;
}

void parseFile(const std::string &path, Program &program,
               Diagnostics &diagnostics, std::set<std::string> &suspects) {
  uint32_t file = 0;
  if (!readText(path, diagnostics, file))
    return;
  std::string_view text = diagnostics.sources().file(file).text();
  TokenPlaces places(file, text);
  antlr4::ANTLRInputStream input{std::string(text)};
  BakerLexer lexer(&input);
  lexer.removeErrorListeners();
  antlr4::CommonTokenStream tokens(&lexer);
  tokens.fill();
  std::set<size_t> strange = reportStrangeTokens(tokens, places, diagnostics);
  for (antlr4::Token *token : tokens.getTokens())
    if (token->getType() == BakerLexer::OPEN_COMMENT)
      return;

  GuardedParser parser(&tokens);
  parser.removeErrorListeners();
  // The grammar needs no more context than this to be decided, and with full
  // context a chain of `else if` takes quadratic time.
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
      antlr4::atn::PredictionMode::SLL);
  parser.setErrorHandler(
      std::make_shared<SyntaxErrors>(places, diagnostics, std::move(strange)));
  try {
    BakerParser::ProgramContext *tree = parser.program();
    AstBuilder(places, program, diagnostics, suspects).build(tree);
  } catch (const TooDeep &) {
    report(diagnostics, Code::NestedTooDeep,
           places.range(parser.getCurrentToken()),
           "brackets or statements nest too deeply here");
  }
}

} // namespace karakal::lang
