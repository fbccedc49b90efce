#include "target-ixp/assembler/AsmOperands.h"

#include "target-ixp/assembler/AsmExpression.h"
#include "target-ixp/assembler/AsmParser.h"
#include "target-ixp/chip/MemoryMap.h"

namespace karakal::target::as {

//===-- Values ------------------------------------------------------------===//

std::optional<int64_t> OperandReader::numberOf(const Token *&at,
                                               const Token *end) {
  const Location location = at != end ? at->location : item.location;
  std::string name;
  bool isXfer = at != end && (at->is("$") || at->is("$$"));
  bool isD = isXfer && at->is("$$");
  if (isXfer)
    name = (at++)->text;
  if (at == end ||
      (!at->isWord() && !(isXfer && at->kind == Token::Kind::Number))) {
    fail(location, "E-target-ixp-115",
         "'&' needs a transfer register or a signal after it");
    return std::nullopt;
  }
  const Token &word = *at++;
  name += word.text;
  if (isXfer && word.kind == Token::Kind::Number) {
    program.used.xfer[isD] |= 1u << (word.value & 15);
    return word.value & 15;
  }
  if (at != end && at->is("[")) {
    const Token *close = at;
    while (close != end && !close->is("]"))
      ++close;
    std::optional<int64_t> index = valueOf(at + 1, close, location);
    if (!index || close == end) {
      fail(location, "E-target-ixp-111", "a ']' is missing here");
      return std::nullopt;
    }
    name += "[" + std::to_string(*index) + "]";
    at = close + 1;
  } else if (isXfer && !item.scope->findRegister(name)) {
    name += "[0]";
  }
  Symbol *symbol =
      isXfer ? item.scope->findRegister(name) : item.scope->findSignal(name);
  if (!symbol) {
    int physical = isXfer ? -1 : physicalSignal(name);
    if (physical >= 0) {
      program.used.signals |= 1u << physical;
      return physical;
    }
    fail(location, "E-target-ixp-115",
         "'" + name + "' is not a transfer register or signal declared here");
    return std::nullopt;
  }
  return final ? symbol->number : 1;
}

std::optional<int64_t> OperandReader::valueOf(const Token *begin,
                                              const Token *end,
                                              const Location &location) {
  size_t before = reporter.errorCount;
  ExpressionNames names;
  names.word = [&](const Token &token) -> std::optional<int64_t> {
    if (equalsIgnoringCase(token.text, "XSCALE_INT_A"))
      return CapXScaleIntA;
    if (item.scope->findRegister(token.text))
      fail(token.location, "E-target-ixp-111",
           "'" + token.text + "' is a register; a constant is needed here");
    return std::nullopt;
  };
  names.numberOf = [&](const Token *&at, const Token *stop) {
    return numberOf(at, stop);
  };
  auto found =
      good ? evaluate(begin, end, names, reporter, location) : std::nullopt;
  if (!found && reporter.errorCount == before && good)
    fail(location, "E-target-ixp-111", "a value is missing here");
  if (!found)
    good = false;
  return found;
}

std::optional<int64_t> OperandReader::value(const Argument &argument) {
  const Token *begin = argument.tokens.data();
  return valueOf(begin, begin + argument.tokens.size(), argument.location);
}

/// Returns a constant 0..most, or 0 after an error.
unsigned OperandReader::literal(const Argument &argument, int64_t most,
                                const char *what) {
  std::optional<int64_t> number = value(argument);
  if (!number)
    return 0;
  if (*number < 0 || *number > most) {
    fail(argument.location, "E-target-ixp-016",
         std::string(what) + " must be between 0 and " + std::to_string(most) +
             ", not " + std::to_string(*number));
    return 0;
  }
  return static_cast<unsigned>(*number);
}

/// Returns the address of "label#" or ".12".
unsigned OperandReader::target(const Argument &argument) {
  const std::vector<Token> &tokens = argument.tokens;
  if (tokens.size() == 2 && tokens[0].is(".") &&
      tokens[1].kind == Token::Kind::Number)
    return static_cast<unsigned>(tokens[1].value);
  if (tokens.size() != 1 || tokens[0].kind != Token::Kind::Label) {
    fail(argument.location, "E-target-ixp-111",
         "a label, 'name#', is needed here");
    return 0;
  }
  const std::string &name = tokens[0].text;
  for (Scope *scope = item.scope; scope; scope = scope->parent)
    if (auto found = scope->labels.find(name); found != scope->labels.end())
      return found->second;
  // A label inside a block may be a target from outside if no other label has
  // its name.
  const unsigned *only = nullptr;
  unsigned found = 0;
  for (auto &scope : program.scopes)
    if (auto entry = scope->labels.find(name); entry != scope->labels.end()) {
      only = &entry->second;
      ++found;
    }
  if (found == 1)
    return *only;
  fail(argument.location, "E-target-ixp-115",
       found ? "there are several labels '" + name +
                   "#' in other scopes; give them different names"
             : "there is no label '" + name + "#'");
  return 0;
}

unsigned OperandReader::signal(const Argument &argument, bool *isPair) {
  if (argument.tokens.size() != 1 || !argument.tokens[0].isWord()) {
    fail(argument.location, "E-target-ixp-111", "a signal is needed here");
    return 0;
  }
  const std::string &name = argument.tokens[0].text;
  if (Symbol *symbol = item.scope->findSignal(name)) {
    if (item.row->isCommand() && item.row->signals == 2)
      symbol->isPair = true;
    if (isPair)
      *isPair = symbol->isPair;
    if (final)
      return static_cast<unsigned>(symbol->number);
    return symbol->isPair ? 2 : 1;
  }
  int physical = physicalSignal(name);
  if (physical < 0) {
    fail(argument.location, "E-target-ixp-115",
         "'" + name + "' is not declared as a signal");
    return 0;
  }
  program.used.signals |= 1u << physical;
  if (item.row->isCommand() && item.row->signals == 2 && physical < 15)
    program.used.signals |= 1u << (physical + 1);
  return static_cast<unsigned>(physical);
}

//===-- Operands ----------------------------------------------------------===//

Operand OperandReader::allocatedOperand(const Symbol &symbol) const {
  KARAKAL_ASSERT(!final || symbol.number >= 0,
                 "after allocation every symbol has a number");
  unsigned number =
      symbol.number < 0 ? 0 : static_cast<unsigned>(symbol.number);
  switch (symbol.kind) {
  case Symbol::Kind::Gpr:
    return symbol.bank == 1 ? gprB(number) : gprA(number);
  case Symbol::Kind::AbsoluteGpr:
    return symbol.bank == 1 ? absB(number) : absA(number);
  case Symbol::Kind::SXfer:
    return sXfer(number);
  case Symbol::Kind::DXfer:
    return dXfer(number);
  case Symbol::Kind::Signal:
    break;
  }
  return imm(number);
}

/// Reads *$index, *$$index, *n$index or *l$index0[n], with ++ or --.
bool OperandReader::indexed(const Argument &argument, Operand &operand) {
  const std::vector<Token> &tokens = argument.tokens;
  if (tokens.size() < 3 || !tokens[0].is("*"))
    return false;
  size_t at = 1;
  std::string base;
  while (at < tokens.size() && at < 4 &&
         (tokens[at].isWord() || tokens[at].is("$") || tokens[at].is("$$")))
    base += tokens[at++].text;
  PostModify post = PostModify::None;
  if (at + 1 == tokens.size() && (tokens[at].is("++") || tokens[at].is("--"))) {
    post = tokens[at].is("++") ? PostModify::Increment : PostModify::Decrement;
    ++at;
  }
  unsigned offset = 0;
  bool isMemory = base == "l$index0" || base == "l$index1";
  if (isMemory && at < tokens.size() && tokens[at].is("[") &&
      tokens.back().is("]")) {
    std::optional<int64_t> found =
        valueOf(&tokens[at] + 1, &tokens.back(), tokens[at].location);
    if (found && (*found < 0 || *found > 15))
      fail(tokens[at].location, "E-target-ixp-001",
           "an offset must be between 0 and 15");
    offset = static_cast<unsigned>(found.value_or(0)) & 15;
    at = tokens.size();
  }
  if (at != tokens.size())
    return false;
  if (isMemory)
    operand = localMemory(base == "l$index1", offset, post);
  else if (base == "$index")
    operand = sXferIndex(post);
  else if (base == "$$index")
    operand = dXferIndex(post);
  else if (base == "n$index")
    operand = neighbourIndex(post);
  else
    return false;
  return true;
}

Resolved OperandReader::registerOperand(const Argument &argument,
                                        bool &isRegister) {
  const std::vector<Token> &tokens = argument.tokens;
  isRegister = true;
  bool isXfer = tokens[0].is("$") || tokens[0].is("$$");
  bool isD = tokens[0].is("$$");
  bool isNumber = tokens.size() == 2 && tokens[1].kind == Token::Kind::Number;
  if (isXfer && isNumber) {
    unsigned number = static_cast<unsigned>(tokens[1].value);
    if (number < 32)
      program.used.xfer[isD] |= 1u << number;
    return {isD ? dXfer(number) : sXfer(number), nullptr};
  }
  if (tokens.size() == 3 && tokens[0].text == "n" && tokens[1].is("$") &&
      tokens[2].kind == Token::Kind::Number)
    return {neighbour(static_cast<unsigned>(tokens[2].value)), nullptr};
  bool isAbsolute = tokens[0].is("@");
  size_t word = isXfer || isAbsolute ? 1 : 0;
  if (word >= tokens.size() || !tokens[word].isWord()) {
    isRegister = isXfer || isAbsolute;
    if (isRegister)
      fail(argument.location, "E-target-ixp-111", "a register is needed here");
    return {};
  }
  std::string name = (isXfer ? tokens[0].text : "") + tokens[word].text;
  if (isXfer && tokens.size() > word + 2 && tokens[word + 1].is("[") &&
      tokens.back().is("]")) {
    std::optional<int64_t> index = valueOf(
        &tokens[word + 1] + 1, &tokens.back(), tokens[word + 1].location);
    name += "[" + std::to_string(index.value_or(0)) + "]";
  } else if (tokens.size() != word + 1) {
    isRegister = isXfer || isAbsolute;
    if (isRegister)
      fail(argument.location, "E-target-ixp-111",
           "'" + argument.text() + "' is not a register");
    return {};
  } else if (isXfer && !item.scope->findRegister(name)) {
    if (item.scope->findRegister(name + "[0]"))
      name += "[0]";
  }
  int bank = 0;
  int physical =
      isXfer ? -1 : physicalGpr(tokens[word].text, bank, isAbsolute ? 127 : 31);
  if (physical >= 0) {
    unsigned number = static_cast<unsigned>(physical);
    if (isAbsolute) {
      program.used.absolute[bank][number / 64] |= 1ull << (number % 64);
      return {bank ? absB(number) : absA(number), nullptr};
    }
    program.used.gpr[bank] |= 1u << number;
    return {bank ? gprB(number) : gprA(number), nullptr};
  }
  Symbol *symbol = isAbsolute ? item.scope->findAbsolute(name)
                              : item.scope->findRegister(name);
  if (symbol)
    return {allocatedOperand(*symbol), symbol};
  isRegister = isXfer || isAbsolute;
  if (isAbsolute)
    fail(argument.location, "E-target-ixp-115",
         "'" + argument.text() +
             "' is not declared as an absolute register; declare it with "
             ".reg " +
             argument.text());
  else if (isXfer)
    fail(argument.location, "E-target-ixp-115",
         "'" + argument.text() + "' is not declared as a register");
  return {};
}

Resolved OperandReader::operand(const Argument &argument) {
  if (argument.tokens.empty()) {
    fail(argument.location, "E-target-ixp-111", "an operand is missing here");
    return {};
  }
  if (argument.tokens.size() == 1 && argument.tokens[0].is("--"))
    return {};
  Resolved found;
  if (argument.tokens[0].is("*")) {
    if (!indexed(argument, found.operand))
      fail(argument.location, "E-target-ixp-111",
           "'" + argument.text() + "' is not an operand");
    return found;
  }
  bool isRegister;
  found = registerOperand(argument, isRegister);
  if (isRegister || !good)
    return found;
  if (argument.tokens.size() == 1 && argument.tokens[0].isWord() &&
      item.scope->findSignal(argument.tokens[0].text)) {
    fail(argument.location, "E-target-ixp-111",
         "'" + argument.text() + "' is a signal; write '&" + argument.text() +
             "' for its number");
    return {};
  }
  std::optional<int64_t> number = value(argument);
  if (!number)
    return {};
  if (*number < 0 || *number > 255) {
    if (final || argument.text().find('&') == std::string::npos)
      fail(argument.location, "E-target-ixp-001",
           "the literal " + std::to_string(*number) +
               " is out of range: the largest is 255; load it with immed");
    return {imm(0), nullptr};
  }
  found.operand = imm(static_cast<unsigned>(*number));
  return found;
}

void OperandReader::checkDirection(const Symbol *symbol,
                                   const Location &location, bool asSource) {
  if (!symbol || !symbol->isXfer())
    return;
  if (asSource && !symbol->canRead)
    fail(location, "E-target-ixp-118",
         "'" + symbol->name +
             "' is declared 'write': reading the number would "
             "yield another register");
  if (!asSource && !symbol->canWrite)
    fail(location, "E-target-ixp-118",
         "'" + symbol->name +
             "' is declared 'read': writing the number would "
             "reach another register");
}

/// Reads <<n, >>n, <<rotN, >>rotN, <<indirect or >>indirect.
Shift OperandReader::shift(const Argument &text) {
  const std::vector<Token> &tokens = text.tokens;
  if (tokens.size() < 2 || !(tokens[0].is("<<") || tokens[0].is(">>"))) {
    fail(text.location, "E-target-ixp-111",
         "a shift, <<n or >>n, is expected here");
    return {};
  }
  bool left = tokens[0].is("<<");
  const Token *begin = tokens.data() + 1;
  const Token *end = tokens.data() + tokens.size();
  if (tokens.size() == 2 && equalsIgnoringCase(begin->text, "indirect")) {
    return left ? shlIndirect() : shrIndirect();
  }
  std::vector<Token> rotation;
  bool rotates = begin->isWord() && begin->text.size() >= 3 &&
                 equalsIgnoringCase(begin->text.substr(0, 3), "rot");
  if (rotates) {
    rotation.assign(begin + 1, end);
    if (begin->text.size() > 3) {
      Token number = *begin;
      number.text = begin->text.substr(3);
      classifyWord(number, reporter);
      rotation.insert(rotation.begin(), number);
    }
    begin = rotation.data();
    end = begin + rotation.size();
  }
  std::optional<int64_t> amount = valueOf(begin, end, text.location);
  if (!amount)
    return {};
  if (*amount < 0 || *amount > 31) {
    fail(text.location, "E-target-ixp-006",
         "a shift count must be between 0 and 31, not " +
             std::to_string(*amount));
    return {};
  }
  unsigned n = static_cast<unsigned>(*amount);
  return rotates ? rotr(left ? 32 - n : n) : left ? shl(n) : shr(n);
}

} // namespace karakal::target::as
