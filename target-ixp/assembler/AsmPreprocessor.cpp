#include "target-ixp/assembler/AsmPreprocessor.h"

#include "support/Files.h"
#include "target-ixp/assembler/AsmExpression.h"
#include "target-ixp/chip/RuntimeConstants.h"

#include <optional>
#include <set>
#include <sstream>

namespace karakal::target::as {

namespace {

constexpr int DepthMax = 64;              // nested expansions and includes
constexpr size_t StatementsMax = 1 << 17; // after expansion
constexpr int64_t RepeatMax = 4096;
constexpr size_t StepsMax = 1 << 20; // lines and tokens processed

struct Macro {
  std::string name;
  std::vector<std::string> parameters;
  std::vector<TokenLine> body;
};

class Preprocessor {
public:
  Preprocessor(const AssemblerOptions &options, Reporter &reporter)
      : options(options), reporter(reporter) {
    for (const RuntimeConstant &constant : runtimeConstants())
      predefine("<predefined>", constant.name, std::to_string(constant.value));
    for (const auto &[name, text] : options.defines) {
      if (runtimeConstant(name))
        reporter.error({makeSource("<command line>", ""), 0, 0},
                       "E-target-ixp-106", predefinedError(name));
      predefine("<command line>", name, text.empty() ? "1" : text);
    }
  }

  std::vector<Statement> statements;

  void process(const std::vector<TokenLine> &lines);

private:
  const AssemblerOptions &options;
  Reporter &reporter;
  std::map<std::string, TokenLine> defines;
  std::map<std::string, Macro> macros;
  int depth = 0;
  size_t steps = 0;
  bool overflow = false;

  /// Defines `name` as `text` before the first line.
  void predefine(const char *origin, const std::string &name,
                 const std::string &text) {
    std::vector<TokenLine> lines = lex(makeSource(origin, text), reporter);
    defines[name] = lines.empty() ? TokenLine() : lines[0];
  }

  static std::string predefinedError(const std::string &name) {
    return "'" + name + "' is predefined (ixp-as --predefined lists the names)";
  }

  /// Reports a #define, #undef or #macro of a predefined name.
  bool isPredefined(const Token &name) {
    if (!runtimeConstant(name.text))
      return false;
    reporter.error(name.location, "E-target-ixp-106",
                   predefinedError(name.text));
    return true;
  }

  /// Counts the work, so that nested macros and repetitions cannot run for
  /// hours.
  bool step(const TokenLine &line) {
    if (++steps > StepsMax && !overflow && !line.empty()) {
      reporter.error(line[0].location, "E-target-ixp-109",
                     "the expansion of macros, names and repetitions does not "
                     "terminate");
      overflow = true;
    }
    return !overflow;
  }

  using Lines = std::vector<TokenLine>;

  /// The state of one #if: whether a branch was taken, and whether it is the
  /// current one.
  struct Condition {
    Location location;
    bool outerActive;
    bool taken;
    bool active;
    bool sawElse = false;
  };

  size_t directive(const Lines &lines, size_t index,
                   std::vector<Condition> &conditions);
  bool conditional(const TokenLine &line, std::vector<Condition> &conditions);
  void define(const TokenLine &line, bool evaluated);
  size_t macroDefinition(const Lines &lines, size_t index);
  size_t repeat(const Lines &lines, size_t index);
  void include(const TokenLine &line);
  std::optional<int64_t> expression(const TokenLine &line, size_t begin);

  size_t statement(const Lines &lines, size_t index);
  bool expandMacroUse(std::vector<Token> tokens);
  std::vector<std::vector<Token>>
  macroArguments(const std::vector<Token> &tokens, size_t open);
  void emit(Statement statement);
  void substitute(const TokenLine &line, TokenLine &out,
                  std::set<std::string> &active);
  TokenLine replaced(const TokenLine &line) {
    TokenLine out;
    std::set<std::string> active;
    substitute(line, out, active);
    paste(out);
    return out;
  }
  void paste(TokenLine &line);
};

bool isDirective(const TokenLine &line, const char *name) {
  return line.size() >= 2 && line[0].is("#") && line[1].text == name;
}

void Preprocessor::paste(TokenLine &line) {
  TokenLine out;
  for (Token &token : line) {
    bool joins =
        token.pasted && !out.empty() &&
        (out.back().isWord() || out.back().kind == Token::Kind::Number);
    if (!joins) {
      out.push_back(token);
      continue;
    }
    Token &left = out.back();
    left.text += token.text;
    left.kind =
        token.kind == Token::Kind::Label ? token.kind : Token::Kind::Word;
    if (left.kind == Token::Kind::Word)
      classifyWord(left, reporter);
  }
  line = std::move(out);
}

void Preprocessor::substitute(const TokenLine &line, TokenLine &out,
                              std::set<std::string> &active) {
  for (const Token &token : line) {
    if (!step(line))
      return;
    auto found = token.isWord() ? defines.find(token.text) : defines.end();
    if (found == defines.end() || active.count(token.text)) {
      out.push_back(token);
      continue;
    }
    active.insert(token.text);
    TokenLine body = found->second;
    for (Token &inner : body) {
      inner.location = token.location; // messages point to the use of the name
      inner.spaceBefore |= token.spaceBefore;
    }
    if (!body.empty())
      body.front().pasted = token.pasted;
    substitute(body, out, active);
    active.erase(token.text);
  }
}

std::optional<int64_t> Preprocessor::expression(const TokenLine &line,
                                                size_t begin) {
  // defined(NAME) and defined NAME are evaluated before names are replaced.
  TokenLine prepared;
  for (size_t i = begin; i < line.size(); ++i) {
    bool isDefined = line[i].isWord() && line[i].text == "defined";
    size_t name = i + 1;
    bool parenthesis = name < line.size() && line[name].is("(");
    name += parenthesis;
    if (!isDefined || name >= line.size()) {
      prepared.push_back(line[i]);
      continue;
    }
    Token token = line[i];
    token.kind = Token::Kind::Number;
    token.value = defines.count(line[name].text);
    prepared.push_back(token);
    i = name + parenthesis;
  }
  TokenLine tokens = replaced(prepared);
  return evaluate(tokens.data(), tokens.data() + tokens.size(), {}, reporter,
                  line[begin - 1].location);
}

void Preprocessor::define(const TokenLine &line, bool evaluated) {
  if (line.size() < 3 || !line[2].isWord()) {
    reporter.error(line[1].location, "E-target-ixp-106",
                   "#define needs a name");
    return;
  }
  if (isPredefined(line[2]))
    return;
  TokenLine body(line.begin() + 3, line.end());
  bool function = !body.empty() && body[0].is("(") && !body[0].spaceBefore;
  if (function && !evaluated) {
    reporter.error(body[0].location, "E-target-ixp-106",
                   "#define takes no parameters: use #macro, or put a space "
                   "before the '('");
    return;
  }
  if (evaluated) {
    std::optional<int64_t> value =
        body.empty() ? std::nullopt : expression(line, 3);
    if (!value)
      return;
    Token token = line[2];
    token.kind = Token::Kind::Number;
    token.value = *value;
    token.text = std::to_string(*value);
    body = {token};
  }
  defines[line[2].text] = body;
}

bool Preprocessor::conditional(const TokenLine &line,
                               std::vector<Condition> &conditions) {
  const std::string &name = line[1].text;
  bool active = conditions.empty() || conditions.back().active;
  auto test = [&]() -> bool {
    if (line.size() < 3) {
      reporter.error(line[1].location, "E-target-ixp-106",
                     "#" + name + " needs a condition");
      return false;
    }
    if (name == "ifdef" || name == "ifndef")
      return defines.count(line[2].text) == (name == "ifdef");
    return expression(line, 2).value_or(0) != 0;
  };
  if (name == "if" || name == "ifdef" || name == "ifndef") {
    bool holds = active && test();
    conditions.push_back({line[1].location, active, holds, holds});
    return true;
  }
  if (name != "elif" && name != "else" && name != "endif")
    return false;
  if (conditions.empty()) {
    reporter.error(line[1].location, "E-target-ixp-106",
                   "#" + name + " has no #if before it");
    return true;
  }
  Condition &condition = conditions.back();
  if (name == "endif") {
    conditions.pop_back();
  } else if (condition.sawElse) {
    reporter.error(line[1].location, "E-target-ixp-106",
                   "#" + name + " comes after #else");
  } else {
    condition.sawElse = name == "else";
    bool open = condition.outerActive && !condition.taken;
    condition.active = open && (name == "else" || test());
    condition.taken |= condition.active;
  }
  return true;
}

/// Returns the index of the line that closes the block opened at `index`. If
/// none does, reports it and returns the number of lines.
size_t closingLine(const std::vector<TokenLine> &lines, size_t index,
                   std::initializer_list<const char *> openers,
                   const char *closer, Reporter &reporter) {
  int nesting = 0;
  for (size_t i = index; i < lines.size(); ++i) {
    for (const char *opener : openers)
      nesting += isDirective(lines[i], opener);
    if (isDirective(lines[i], closer) && --nesting == 0)
      return i;
  }
  reporter.error(lines[index][1].location, "E-target-ixp-106",
                 "#" + lines[index][1].text + " is never closed by #" + closer);
  return lines.size();
}

size_t Preprocessor::macroDefinition(const Lines &lines, size_t index) {
  const TokenLine &line = lines[index];
  size_t end = closingLine(lines, index, {"macro"}, "endm", reporter);
  if (line.size() < 3 || !line[2].isWord()) {
    reporter.error(line[1].location, "E-target-ixp-106", "#macro needs a name");
    return end;
  }
  if (isPredefined(line[2]))
    return end;
  Macro macro;
  macro.name = line[2].text;
  for (size_t i = 3; i < line.size(); ++i)
    if (line[i].isWord())
      macro.parameters.push_back(line[i].text);
    else if (!line[i].is(",") && !line[i].is("(") && !line[i].is(")") &&
             !line[i].is("[") && !line[i].is("]"))
      reporter.error(line[i].location, "E-target-ixp-106",
                     "a macro's parameters must be names separated by commas");
  macro.body.assign(lines.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                    lines.begin() + static_cast<std::ptrdiff_t>(end));
  macros[macro.name] = std::move(macro);
  return end;
}

size_t Preprocessor::repeat(const Lines &lines, size_t index) {
  const TokenLine &line = lines[index];
  size_t end = closingLine(lines, index, {"repeat"}, "endloop", reporter);
  std::optional<int64_t> count =
      line.size() > 2 ? expression(line, 2) : std::nullopt;
  if (!count || *count < 0 || *count > RepeatMax) {
    if (count || line.size() <= 2)
      reporter.error(line[1].location, "E-target-ixp-106",
                     "#repeat needs a count between 0 and " +
                         std::to_string(RepeatMax));
    return end;
  }
  Lines body(lines.begin() + static_cast<std::ptrdiff_t>(index) + 1,
             lines.begin() + static_cast<std::ptrdiff_t>(end));
  for (int64_t i = 0; i < *count && step(line); ++i)
    process(body);
  return end;
}

void Preprocessor::include(const TokenLine &line) {
  if (line.size() != 3 || line[2].kind != Token::Kind::Text) {
    reporter.error(line[1].location, "E-target-ixp-106",
                   "#include needs a file name in quotes");
    return;
  }
  const std::string &here = line[2].location.file->name;
  size_t slash = here.rfind('/');
  std::vector<std::string> folders = {
      slash == std::string::npos ? "" : here.substr(0, slash + 1)};
  for (const std::string &path : options.includePaths)
    folders.push_back(path + "/");
  for (const std::string &folder : folders)
    if (auto file = readSource(folder + line[2].text)) {
      process(lex(file, reporter));
      return;
    }
  reporter.error(line[2].location, "E-target-ixp-110",
                 "cannot read the file '" + line[2].text + "'");
}

size_t Preprocessor::directive(const Lines &lines, size_t index,
                               std::vector<Condition> &conditions) {
  const TokenLine &line = lines[index];
  if (line.size() < 2) {
    reporter.error(line[0].location, "E-target-ixp-106",
                   "a directive is missing after '#'");
    return index;
  }
  if (conditional(line, conditions))
    return index;
  const std::string &name = line[1].text;
  bool active = conditions.empty() || conditions.back().active;
  // The body of a macro is skipped, so that its conditions have no effect here.
  if (name == "macro")
    return active ? macroDefinition(lines, index)
                  : closingLine(lines, index, {"macro"}, "endm", reporter);
  if (!active)
    return index;
  if (name == "define" || name == "define_eval")
    define(line, name == "define_eval");
  else if (name == "undef" && line.size() > 2) {
    if (!isPredefined(line[2]))
      defines.erase(line[2].text);
  } else if (name == "repeat")
    return repeat(lines, index);
  else if (name == "include")
    include(line);
  else if (name == "error")
    reporter.error(line[1].location, "E-target-ixp-108",
                   line.size() > 2 ? line[2].text : "#error");
  else
    reporter.error(line[1].location, "E-target-ixp-106",
                   "there is no directive '#" + name + "' here");
  return index;
}

void Preprocessor::emit(Statement statement) {
  if (statements.size() >= StatementsMax) {
    if (!overflow && !statement.tokens.empty())
      reporter.error(statement.tokens[0].location, "E-target-ixp-109",
                     "the program is too long after expansion");
    overflow = true;
    return;
  }
  if (!reporter.within.empty())
    statement.within = reporter.within.back();
  statements.push_back(std::move(statement));
}

std::vector<std::vector<Token>>
Preprocessor::macroArguments(const std::vector<Token> &tokens, size_t open) {
  std::vector<std::vector<Token>> arguments(1);
  int nesting = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    bool opens = token.is("(") || token.is("[");
    bool closes = token.is(")") || token.is("]");
    nesting += opens - closes;
    if (closes && nesting == 0)
      break;
    if (nesting == 1 && token.is(","))
      arguments.emplace_back();
    else if (i != open)
      arguments.back().push_back(token);
  }
  if (arguments.size() == 1 && arguments[0].empty())
    arguments.clear();
  return arguments;
}

bool Preprocessor::expandMacroUse(std::vector<Token> tokens) {
  // A label may precede the macro's name.
  size_t at = 0;
  while (at + 1 < tokens.size() && tokens[at].kind == Token::Kind::Label &&
         tokens[at + 1].is(":"))
    at += 2;
  if (at >= tokens.size() || !tokens[at].isWord())
    return false;
  auto found = macros.find(tokens[at].text);
  if (found == macros.end())
    return false;
  const Macro macro = found->second;
  const Token use = tokens[at];
  if (at > 0)
    emit({Statement::Kind::Code,
          {tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(at)},
          ""});
  auto arguments = macroArguments(tokens, at + 1);
  if (arguments.size() != macro.parameters.size()) {
    reporter.error(use.location, "E-target-ixp-107",
                   "macro '" + macro.name + "' takes " +
                       std::to_string(macro.parameters.size()) +
                       " arguments, not " + std::to_string(arguments.size()));
    return true;
  }
  if (depth >= DepthMax) {
    if (!overflow)
      reporter.error(use.location, "E-target-ixp-109",
                     "macros are nested too deeply here (a macro that uses "
                     "itself?)");
    overflow = true;
    return true;
  }
  std::vector<TokenLine> body;
  for (const TokenLine &line : macro.body) {
    TokenLine out;
    for (const Token &token : line) {
      size_t parameter = 0;
      bool name = token.isWord() || token.kind == Token::Kind::Label;
      while (name && parameter < macro.parameters.size() &&
             macro.parameters[parameter] != token.text)
        ++parameter;
      if (!name || parameter == macro.parameters.size() ||
          token.kind == Token::Kind::Label) {
        out.push_back(token);
        continue;
      }
      size_t first = out.size();
      for (const Token &argument : arguments[parameter])
        out.push_back(argument);
      if (first < out.size()) {
        out[first].pasted = token.pasted;
        out[first].spaceBefore |= token.spaceBefore;
      }
    }
    body.push_back(std::move(out));
  }
  emit({Statement::Kind::MacroBegin, {use}, ""});
  reporter.within.push_back("in macro '" + macro.name + "' used at " +
                            use.location.file->name + ":" +
                            std::to_string(use.location.line));
  process(body);
  reporter.within.pop_back();
  emit({Statement::Kind::MacroEnd, {use}, ""});
  return true;
}

size_t Preprocessor::statement(const Lines &lines, size_t index) {
  std::vector<Token> tokens;
  int nesting = 0;
  for (;; ++index) {
    for (const Token &token : lines[index])
      nesting +=
          (token.is("[") || token.is("(")) - (token.is("]") || token.is(")"));
    tokens.insert(tokens.end(), lines[index].begin(), lines[index].end());
    bool open = nesting > 0 || (!tokens.empty() && tokens.back().is(","));
    bool directiveNext = index + 1 < lines.size() &&
                         !lines[index + 1].empty() &&
                         lines[index + 1][0].is("#");
    if (!open || index + 1 >= lines.size() || directiveNext)
      break;
  }
  if (!tokens.empty() && !expandMacroUse(replaced(tokens)))
    emit({Statement::Kind::Code, replaced(tokens), ""});
  return index;
}

void Preprocessor::process(const std::vector<TokenLine> &lines) {
  if (depth >= DepthMax) {
    if (!overflow && !lines.empty() && !lines[0].empty())
      reporter.error(lines[0][0].location, "E-target-ixp-109",
                     "files are included too deeply here");
    overflow = true;
    return;
  }
  ++depth;
  std::vector<Condition> conditions;
  for (size_t i = 0; i < lines.size() && !overflow; ++i) {
    const TokenLine &line = lines[i];
    if (!step(line))
      break;
    bool active = conditions.empty() || conditions.back().active;
    if (!line.empty() && line[0].is("#"))
      i = directive(lines, i, conditions);
    else if (active && !line.empty())
      i = statement(lines, i);
  }
  for (const Condition &condition : conditions)
    reporter.error(condition.location, "E-target-ixp-106",
                   "this condition is never closed by #endif");
  --depth;
}

} // namespace

std::shared_ptr<const SourceFile> makeSource(const std::string &name,
                                             const std::string &text) {
  auto source = std::make_shared<SourceFile>();
  source->name = name;
  std::string line;
  std::istringstream stream(text);
  while (std::getline(stream, line)) {
    if (!line.empty() && line.back() == '\r')
      line.pop_back();
    source->lines.push_back(line);
  }
  return source;
}

std::shared_ptr<const SourceFile> readSource(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text || text->find('\0') != std::string::npos)
    return nullptr;
  return makeSource(path, *text);
}

std::vector<Statement> preprocess(const std::shared_ptr<const SourceFile> &file,
                                  const AssemblerOptions &options,
                                  Reporter &reporter) {
  Preprocessor preprocessor(options, reporter);
  preprocessor.process(lex(file, reporter));
  return std::move(preprocessor.statements);
}

} // namespace karakal::target::as
