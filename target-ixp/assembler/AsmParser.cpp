#include "target-ixp/assembler/AsmParser.h"

#include "target-ixp/assembler/AsmExpression.h"

#include <cctype>

namespace karakal::target::as {

Symbol *Scope::findRegister(const std::string &name) {
  for (Scope *scope = this; scope; scope = scope->parent) {
    auto found = scope->registers.find(name);
    if (found != scope->registers.end())
      return found->second;
  }
  return nullptr;
}

Symbol *Scope::findAbsolute(const std::string &name) {
  for (Scope *scope = this; scope; scope = scope->parent) {
    auto found = scope->registers.find(name);
    if (found != scope->registers.end() &&
        found->second->kind == Symbol::Kind::AbsoluteGpr)
      return found->second;
  }
  return nullptr;
}

Symbol *Scope::findSignal(const std::string &name) {
  for (Scope *scope = this; scope; scope = scope->parent) {
    auto found = scope->signals.find(name);
    if (found != scope->signals.end())
      return found->second;
  }
  return nullptr;
}

bool Scope::contains(const Scope *other) const {
  for (; other; other = other->parent)
    if (other == this)
      return true;
  return false;
}

std::string Argument::text() const {
  std::string all;
  for (const Token &token : tokens)
    all += token.text + (token.kind == Token::Kind::Label ? "#" : "");
  return all;
}

namespace {

/// The number after the prefix, or -1.
int numberAfter(const std::string &text, size_t prefix) {
  if (text.size() <= prefix || text.size() > prefix + 3)
    return -1;
  int number = 0;
  for (size_t i = prefix; i < text.size(); ++i) {
    if (!std::isdigit(static_cast<unsigned char>(text[i])))
      return -1;
    number = number * 10 + (text[i] - '0');
  }
  return number;
}

} // namespace

int physicalGpr(const std::string &text, int &bank, int most) {
  if (text.empty())
    return -1;
  char letter =
      static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  if (letter != 'a' && letter != 'b')
    return -1;
  bank = letter == 'b';
  int number = numberAfter(text, 1);
  return number > most ? -1 : number;
}

int physicalSignal(const std::string &text) {
  if (text.empty() || (text[0] != 's' && text[0] != 'S'))
    return -1;
  int number = numberAfter(text, 1);
  return number >= 1 && number <= 15 ? number : -1;
}

namespace {

class Parser {
public:
  Parser(AsmProgram &program, Reporter &reporter)
      : program(program), reporter(reporter) {
    open(nullptr, false, {});
  }

  void run(const std::vector<Statement> &statements);

private:
  AsmProgram &program;
  Reporter &reporter;
  Scope *scope = nullptr;

  using Tokens = std::vector<Token>;

  void open(Scope *parent, bool isMacro, const Location &location) {
    program.scopes.push_back(std::make_unique<Scope>());
    Scope *fresh = program.scopes.back().get();
    fresh->index = static_cast<int>(program.scopes.size()) - 1;
    fresh->parent = parent;
    fresh->isMacro = isMacro;
    fresh->location = location;
    scope = fresh;
  }
  void line(const Statement &statement);
  void label(const Token &token);
  void directive(const Tokens &tokens, size_t at, const Statement &statement);
  void instruction(const Tokens &tokens, size_t at, const Statement &statement);
  std::string mnemonic(const Tokens &tokens, size_t &at);
  std::vector<Argument> arguments(const Tokens &tokens, size_t &at);

  void endScope(const Token &name);
  void declareRegisters(const Tokens &tokens, size_t at);
  void declareSignals(const Tokens &tokens, size_t at);
  void declareFixedGpr(const Tokens &tokens, size_t at, int bank);
  void xferOrder(const Tokens &tokens, size_t at);
  void fixAddress(const Tokens &tokens, size_t at);
  Symbol *declare(Symbol symbol, const std::string &key);
  bool registerName(const Tokens &tokens, size_t &at, std::string &key,
                    Symbol::Kind &kind);
  int64_t constant(const Tokens &tokens, size_t begin, size_t end,
                   const Location &location) {
    return evaluate(tokens.data() + begin, tokens.data() + end, {}, reporter,
                    location)
        .value_or(0);
  }
  void wrong(const Location &location, const std::string &message) {
    reporter.error(location, "E-target-ixp-112", message);
  }
};

void Parser::run(const std::vector<Statement> &statements) {
  for (const Statement &statement : statements) {
    switch (statement.kind) {
    case Statement::Kind::MacroBegin:
      open(scope, true, statement.tokens[0].location);
      break;
    case Statement::Kind::MacroEnd:
      // Blocks that the macro leaves open stay open after it, as with text
      // expansion. Only the macro's own scope ends here.
      if (scope->isMacro)
        scope = scope->parent;
      break;
    case Statement::Kind::Code: {
      if (!statement.within.empty())
        reporter.within.push_back(statement.within);
      line(statement);
      if (!statement.within.empty())
        reporter.within.pop_back();
      break;
    }
    }
  }
  if (scope->parent)
    wrong(scope->location, "this .begin has no .end");
}

void Parser::line(const Statement &statement) {
  const Tokens &tokens = statement.tokens;
  size_t at = 0;
  while (at < tokens.size() && tokens[at].kind == Token::Kind::Label) {
    label(tokens[at]);
    if (at + 1 >= tokens.size() || !tokens[at + 1].is(":")) {
      reporter.error(tokens[at].location, "E-target-ixp-111",
                     "a ':' is missing after the label '" + tokens[at].text +
                         "#'");
      ++at;
      continue;
    }
    at += 2;
  }
  if (at == tokens.size())
    return;
  if (tokens[at].is("."))
    directive(tokens, at + 1, statement);
  else
    instruction(tokens, at, statement);
}

void Parser::label(const Token &token) {
  unsigned address = static_cast<unsigned>(program.items.size());
  if (!scope->labels.emplace(token.text, address).second)
    reporter.error(token.location, "E-target-ixp-113",
                   "the label '" + token.text +
                       "#' is defined twice in this scope");
}

//===-- Directives --------------------------------------------------------===//

void Parser::directive(const Tokens &tokens, size_t at,
                       const Statement &statement) {
  if (at >= tokens.size() || !tokens[at].isWord()) {
    wrong(tokens[at - 1].location, "a directive is missing after '.'");
    return;
  }
  const Token &name = tokens[at];
  auto is = [&](const char *text) {
    return equalsIgnoringCase(name.text, text);
  };
  ++at;
  if (is("begin")) {
    open(scope, false, name.location);
  } else if (is("end")) {
    endScope(name);
  } else if (is("reg")) {
    declareRegisters(tokens, at);
  } else if (is("sig")) {
    declareSignals(tokens, at);
  } else if (is("xfer_order") || is("xfer_order_rd") || is("xfer_order_wr")) {
    xferOrder(tokens, at);
  } else if (is("addr")) {
    fixAddress(tokens, at);
  } else if (is("areg") || is("breg")) {
    declareFixedGpr(tokens, at, is("breg"));
  } else if (is("word")) {
    Item item;
    item.mnemonic = ".word";
    item.location = name.location;
    item.scope = scope;
    item.within = statement.within;
    item.arguments.push_back(
        {{tokens.begin() + static_cast<std::ptrdiff_t>(at), tokens.end()},
         name.location});
    program.items.push_back(std::move(item));
  } else if (is("num_contexts")) {
    if (constant(tokens, at, tokens.size(), name.location) != 8)
      wrong(name.location, "only 8 contexts are supported");
  } else if (!is("set") && !is("set_sig") && !is("use")) {
    wrong(name.location, "there is no directive '." + name.text + "'");
  }
}

void Parser::endScope(const Token &name) {
  Scope *block = scope->declarations();
  if (!block->parent) {
    wrong(name.location, "this .end has no .begin");
    return;
  }
  scope = block->parent;
}

Symbol *Parser::declare(Symbol symbol, const std::string &key) {
  Scope *home = scope->declarations();
  auto &names =
      symbol.kind == Symbol::Kind::Signal ? home->signals : home->registers;
  if (names.count(key)) {
    reporter.error(symbol.location, "E-target-ixp-113",
                   "'" + symbol.name + "' is declared twice in this scope");
    return nullptr;
  }
  symbol.scope = home;
  program.symbols.push_back(std::make_unique<Symbol>(std::move(symbol)));
  names[key] = program.symbols.back().get();
  return program.symbols.back().get();
}

/// Reads x, @x, $x or $$x and moves `at` past it.
bool Parser::registerName(const Tokens &tokens, size_t &at, std::string &key,
                          Symbol::Kind &kind) {
  const Token &first = tokens[at];
  kind = first.is("$")    ? Symbol::Kind::SXfer
         : first.is("$$") ? Symbol::Kind::DXfer
         : first.is("@")  ? Symbol::Kind::AbsoluteGpr
                          : Symbol::Kind::Gpr;
  if (kind != Symbol::Kind::Gpr)
    ++at;
  if (at >= tokens.size() || !tokens[at].isWord()) {
    wrong(first.location, "a register's name is missing here");
    return false;
  }
  key = (first.is("$") || first.is("$$") ? first.text : "") + tokens[at].text;
  ++at;
  return true;
}

void Parser::declareRegisters(const Tokens &tokens, size_t at) {
  bool reads = false, writes = false, global = false;
  for (; at < tokens.size() && tokens[at].isWord(); ++at) {
    const std::string &text = tokens[at].text;
    if (equalsIgnoringCase(text, "read"))
      reads = true;
    else if (equalsIgnoringCase(text, "write"))
      writes = true;
    else if (equalsIgnoringCase(text, "global"))
      global = true;
    else if (!equalsIgnoringCase(text, "volatile") &&
             !equalsIgnoringCase(text, "visible"))
      break;
  }
  if (at >= tokens.size())
    wrong(tokens[1].location, ".reg needs names");
  while (at < tokens.size()) {
    if (tokens[at].is(",")) {
      ++at;
      continue;
    }
    Symbol symbol;
    std::string key;
    symbol.location = tokens[at].location;
    size_t begin = at;
    if (!registerName(tokens, at, key, symbol.kind))
      return;
    for (size_t i = begin; i < at; ++i)
      symbol.name += tokens[i].text;
    int bank;
    if (symbol.kind == Symbol::Kind::Gpr && physicalGpr(key, bank, 31) >= 0) {
      reporter.error(symbol.location, "E-target-ixp-113",
                     "'" + key +
                         "' names a register of the machine; choose "
                         "another name");
      continue;
    }
    if (global && symbol.kind == Symbol::Kind::Gpr)
      symbol.kind = Symbol::Kind::AbsoluteGpr;
    if (reads || writes) {
      symbol.canRead = reads;
      symbol.canWrite = writes;
    }
    if (at >= tokens.size() || !tokens[at].is("[")) {
      declare(symbol, key);
      continue;
    }
    size_t close = at;
    while (close < tokens.size() && !tokens[close].is("]"))
      ++close;
    int64_t size = constant(tokens, at + 1, close, tokens[at].location);
    if (!symbol.isXfer() || size < 1 || size > 16) {
      wrong(tokens[at].location,
            "an array must have 1 to 16 transfer registers");
      return;
    }
    for (int64_t i = 0; i < size; ++i) {
      Symbol element = symbol;
      element.name += "[" + std::to_string(i) + "]";
      declare(element, key + "[" + std::to_string(i) + "]");
    }
    at = close + 1;
  }
}

void Parser::declareSignals(const Tokens &tokens, size_t at) {
  for (; at < tokens.size(); ++at) {
    if (tokens[at].is(","))
      continue;
    const std::string &text = tokens[at].text;
    if (equalsIgnoringCase(text, "volatile") ||
        equalsIgnoringCase(text, "visible") ||
        equalsIgnoringCase(text, "remote"))
      continue;
    if (!tokens[at].isWord()) {
      wrong(tokens[at].location, "a signal's name is missing here");
      return;
    }
    Symbol symbol;
    symbol.kind = Symbol::Kind::Signal;
    symbol.name = text;
    symbol.location = tokens[at].location;
    declare(symbol, text);
  }
}

void Parser::declareFixedGpr(const Tokens &tokens, size_t at, int bank) {
  if (at + 1 >= tokens.size() || !tokens[at].isWord()) {
    wrong(tokens[1].location, ".areg and .breg need a name and a number");
    return;
  }
  int64_t number = constant(tokens, at + 1, tokens.size(), tokens[at].location);
  if (number < 0 || number > 15) {
    wrong(tokens[at].location, "a register's number must be between 0 and 15");
    return;
  }
  Symbol symbol;
  symbol.kind = Symbol::Kind::Gpr;
  symbol.name = tokens[at].text;
  symbol.location = tokens[at].location;
  symbol.fixedBank = bank;
  symbol.fixedNumber = static_cast<int>(number);
  declare(symbol, symbol.name);
}

void Parser::xferOrder(const Tokens &tokens, size_t at) {
  std::vector<Symbol *> group;
  while (at < tokens.size()) {
    if (tokens[at].is(",")) {
      ++at;
      continue;
    }
    std::string key;
    Symbol::Kind kind;
    const Location location = tokens[at].location;
    if (!registerName(tokens, at, key, kind))
      return;
    std::vector<Symbol *> members;
    if (Symbol *single = scope->findRegister(key))
      members.push_back(single);
    for (int i = 0; i < 16; ++i)
      if (Symbol *element =
              scope->findRegister(key + "[" + std::to_string(i) + "]"))
        members.push_back(element);
    if (members.empty() || !members[0]->isXfer()) {
      reporter.error(location, "E-target-ixp-115",
                     "'" + key + "' is not declared as a transfer register");
      return;
    }
    for (Symbol *member : members) {
      if (member->group >= 0) {
        wrong(location, "'" + key + "' is in two .xfer_order directives");
        return;
      }
      bool odd = !group.empty() && (group[0]->kind != member->kind ||
                                    group[0]->scope != member->scope);
      if (odd) {
        wrong(location,
              "the registers of one .xfer_order must be of one kind and "
              "declared in one scope");
        return;
      }
      group.push_back(member);
    }
  }
  for (Symbol *member : group)
    member->group = static_cast<int>(program.groups.size());
  if (!group.empty())
    program.groups.push_back(std::move(group));
}

void Parser::fixAddress(const Tokens &tokens, size_t at) {
  std::string key;
  Symbol::Kind kind;
  if (at >= tokens.size()) {
    wrong(tokens[1].location, ".addr needs a name and a number");
    return;
  }
  const Location location = tokens[at].location;
  if (!registerName(tokens, at, key, kind))
    return;
  bool isXfer = kind == Symbol::Kind::SXfer || kind == Symbol::Kind::DXfer;
  Symbol *symbol = isXfer ? scope->findRegister(key) : scope->findSignal(key);
  int64_t number = constant(tokens, at, tokens.size(), location);
  if (!symbol)
    reporter.error(location, "E-target-ixp-115",
                   "'" + key + "' is not a transfer register or signal");
  else if (number < (isXfer ? 0 : 1) || number > 15)
    wrong(location, "the number is out of range");
  else
    symbol->fixedNumber = static_cast<int>(number);
}

//===-- Instructions ------------------------------------------------------===//

/// Reads a mnemonic, which may contain '=' or '!' and so be several tokens.
std::string Parser::mnemonic(const Tokens &tokens, size_t &at) {
  std::string name = tokens[at++].text;
  auto join = [&](const char *punct) {
    if (at + 1 < tokens.size() && tokens[at].is(punct) &&
        tokens[at + 1].isWord()) {
      name += tokens[at].text + tokens[at + 1].text;
      at += 2;
    }
  };
  if (equalsIgnoringCase(name, "br")) {
    join("=");
    join("!=");
  } else if (equalsIgnoringCase(name, "br_")) {
    join("!");
  }
  return name;
}

/// Reads the arguments in the bracket at `at`, if there is one.
std::vector<Argument> Parser::arguments(const Tokens &tokens, size_t &at) {
  std::vector<Argument> list;
  if (at >= tokens.size() || !tokens[at].is("["))
    return list;
  int nesting = 0;
  size_t open = at;
  list.push_back({{}, tokens[at].location});
  for (; at < tokens.size(); ++at) {
    const Token &token = tokens[at];
    bool opens = token.is("[") || token.is("(");
    bool closes = token.is("]") || token.is(")");
    nesting += opens - closes;
    if (closes && nesting == 0) {
      ++at;
      return list;
    }
    if (nesting == 1 && token.is(",")) {
      list.push_back({{}, token.location});
    } else if (at != open) {
      if (list.back().tokens.empty())
        list.back().location = token.location;
      list.back().tokens.push_back(token);
    }
  }
  reporter.error(tokens[open].location, "E-target-ixp-111",
                 "this '[' is never closed");
  return list;
}

void Parser::instruction(const Tokens &tokens, size_t at,
                         const Statement &statement) {
  Item item;
  item.location = tokens[at].location;
  item.scope = scope;
  item.within = statement.within;
  if (!tokens[at].isWord()) {
    reporter.error(item.location, "E-target-ixp-111",
                   "an instruction, a label or a directive is expected here");
    return;
  }
  size_t errorsBefore = reporter.errorCount;
  item.mnemonic = mnemonic(tokens, at);
  bool pseudo = equalsIgnoringCase(item.mnemonic, "load_addr");
  item.row = findMnemonic(pseudo ? "immed" : item.mnemonic);
  if (!item.row)
    reporter.error(item.location, "E-target-ixp-114",
                   "there is no instruction or macro '" + item.mnemonic + "'");
  item.arguments = arguments(tokens, at);
  while (at < tokens.size()) {
    if (!tokens[at].is(",") || at + 1 >= tokens.size() ||
        tokens[at + 1].kind == Token::Kind::Punct) {
      reporter.error(tokens[at].location, "E-target-ixp-111",
                     "', token' or the end of the line is expected here");
      break;
    }
    Option option{tokens[at + 1], {}};
    at += 2;
    option.arguments = arguments(tokens, at);
    item.options.push_back(std::move(option));
  }
  item.hasError = reporter.errorCount != errorsBefore;
  program.items.push_back(std::move(item));
}

} // namespace

AsmProgram parse(const std::vector<Statement> &statements, Reporter &reporter) {
  AsmProgram program;
  Parser(program, reporter).run(statements);
  return program;
}

} // namespace karakal::target::as
