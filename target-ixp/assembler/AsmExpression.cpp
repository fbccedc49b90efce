#include "target-ixp/assembler/AsmExpression.h"

namespace karakal::target::as {

namespace {

struct Binary {
  const char *text;
  int precedence;
};

// C's binary operators, weakest first.
constexpr Binary Binaries[] = {
    {"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
    {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
    {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};

class Evaluator {
public:
  Evaluator(const Token *begin, const Token *end, const ExpressionNames &names,
            Reporter &reporter, const Location &fallback)
      : at(begin), end(end), names(names), reporter(reporter),
        fallback(fallback) {}

  std::optional<int64_t> run() {
    int64_t value = binary(1);
    if (good && at != end)
      fail("E-target-ixp-103",
           "unexpected '" + at->text + "' in the expression");
    return good ? std::optional<int64_t>(value) : std::nullopt;
  }

private:
  const Token *at;
  const Token *end;
  const ExpressionNames &names;
  Reporter &reporter;
  const Location &fallback;
  bool good = true;
  int depth = 0;

  int64_t fail(const char *id, const std::string &message) {
    if (good)
      reporter.error(at != end ? at->location : fallback, id, message);
    good = false;
    return 0;
  }

  int64_t binary(int least) {
    int64_t left = unary();
    while (good && at != end && at->kind == Token::Kind::Punct) {
      const Binary *found = nullptr;
      for (const Binary &candidate : Binaries)
        if (at->text == candidate.text && candidate.precedence >= least)
          found = &candidate;
      if (!found)
        break;
      ++at;
      int64_t right = binary(found->precedence + 1);
      left = apply(found->text, left, right);
    }
    return left;
  }

  int64_t apply(const std::string &op, int64_t left, int64_t right) {
    bool tooFar = right < 0 || right > 63;
    uint64_t bits = static_cast<uint64_t>(left);
    if (op == "||")
      return left || right;
    if (op == "&&")
      return left && right;
    if (op == "|")
      return left | right;
    if (op == "^")
      return left ^ right;
    if (op == "&")
      return left & right;
    if (op == "==")
      return left == right;
    if (op == "!=")
      return left != right;
    if (op == "<")
      return left < right;
    if (op == ">")
      return left > right;
    if (op == "<=")
      return left <= right;
    if (op == ">=")
      return left >= right;
    if (op == "<<")
      return tooFar ? 0 : static_cast<int64_t>(bits << right);
    if (op == ">>")
      return tooFar ? 0 : static_cast<int64_t>(bits >> right);
    if (op == "+")
      return static_cast<int64_t>(bits + static_cast<uint64_t>(right));
    if (op == "-")
      return static_cast<int64_t>(bits - static_cast<uint64_t>(right));
    if (op == "*")
      return static_cast<int64_t>(bits * static_cast<uint64_t>(right));
    if (right == 0)
      return fail("E-target-ixp-105", "division by zero");
    if (right == -1)
      return op == "/" ? static_cast<int64_t>(0 - bits) : 0;
    return op == "/" ? left / right : left % right;
  }

  int64_t unary() {
    constexpr int DepthMax = 200;
    if (!good)
      return 0;
    if (++depth > DepthMax)
      return fail("E-target-ixp-103", "the expression is nested too deeply");
    int64_t value = primary();
    --depth;
    return value;
  }

  int64_t primary() {
    if (at == end)
      return fail("E-target-ixp-103", "a value is missing here");
    const Token &token = *at;
    if (token.kind == Token::Kind::Number) {
      ++at;
      return token.value;
    }
    if (token.isWord()) {
      std::optional<int64_t> value =
          names.word ? names.word(token) : std::nullopt;
      if (!value)
        return fail("E-target-ixp-104",
                    "'" + token.text +
                        "' is neither a register nor a constant "
                        "here");
      ++at;
      return *value;
    }
    if (token.is("(")) {
      ++at;
      int64_t value = binary(1);
      if (good && (at == end || !at->is(")")))
        return fail("E-target-ixp-103", "a ')' is missing here");
      if (good)
        ++at;
      return value;
    }
    for (const char *op : {"~", "!", "-", "+"})
      if (token.is(op)) {
        ++at;
        int64_t value = unary();
        uint64_t bits = static_cast<uint64_t>(value);
        return *op == '~'   ? static_cast<int64_t>(~bits)
               : *op == '!' ? !value
               : *op == '-' ? static_cast<int64_t>(0 - bits)
                            : value;
      }
    if (token.is("&") && names.numberOf) {
      ++at;
      std::optional<int64_t> value = names.numberOf(at, end);
      if (!value) {
        good = false; // numberOf has reported
        return 0;
      }
      return *value;
    }
    return fail("E-target-ixp-103",
                "'" + token.text + "' cannot begin a value");
  }
};

} // namespace

std::optional<int64_t> evaluate(const Token *begin, const Token *end,
                                const ExpressionNames &names,
                                Reporter &reporter, const Location &fallback) {
  KARAKAL_ASSERT(begin <= end, "the tokens are a range");
  return Evaluator(begin, end, names, reporter, fallback).run();
}

} // namespace karakal::target::as
