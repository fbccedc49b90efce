#include "target-ixp/assembler/AsmAllocator.h"

#include "target-ixp/chip/MemoryMap.h"

#include <algorithm>
#include <deque>

namespace karakal::target::as {

namespace {

using Kind = Symbol::Kind;

class Allocator {
public:
  Allocator(AsmProgram &program, Reporter &reporter)
      : program(program), reporter(reporter),
        pressure(program.scopes.size(), {0, 0}) {}

  bool run() {
    size_t errorsBefore = reporter.errorCount;
    colour();
    if (reporter.errorCount != errorsBefore)
      return false;
    reserveAbsolutes();
    for (auto &scope : program.scopes) // parents come before children
      if (!scope->isMacro)
        fill(*scope);
    return reporter.errorCount == errorsBefore;
  }

private:
  AsmProgram &program;
  Reporter &reporter;
  /// GPRs declared in each scope so far, by bank.
  std::vector<std::array<int, 2>> pressure;
  /// Relative numbers reserved for the absolute registers of all contexts.
  uint32_t absoluteRelative[2] = {0, 0};

  struct Edge {
    Symbol *other;
    Location location;
  };

  void colour();
  bool colourFrom(Symbol *start, std::map<Symbol *, std::vector<Edge>> &edges,
                  std::vector<Symbol *> &component);
  int maxPressure() const;
  void chooseBanks(const std::vector<Symbol *> &component, bool fixed);

  void reserveAbsolutes();
  void fill(Scope &scope);
  void fillGprs(const std::vector<Symbol *> &symbols, const Scope &scope);
  void fillXfers(const std::vector<Symbol *> &symbols, const Scope &scope);
  void fillSignals(const std::vector<Symbol *> &symbols, const Scope &scope);
  bool assignTuple(const std::vector<Symbol *> &tuple, uint32_t &in,
                   uint32_t &out);
  void outOf(const Symbol &symbol, const std::string &what, unsigned available);

  /// Symbols of enclosing scopes that have a number.
  template <typename Visit> void visitOuter(const Scope &scope, Visit visit) {
    for (auto &symbol : program.symbols)
      if (symbol->scope != &scope && symbol->number >= 0 &&
          symbol->scope->contains(&scope))
        visit(*symbol);
  }
};

//===-- Banks -------------------------------------------------------------===//

/// Colours the connected component of `start`, with `start` in bank A, and
/// returns its symbols in `component`. Returns false if two colours do not
/// suffice.
bool Allocator::colourFrom(Symbol *start,
                           std::map<Symbol *, std::vector<Edge>> &edges,
                           std::vector<Symbol *> &component) {
  bool good = true;
  start->bank = 0;
  std::deque<Symbol *> queue = {start};
  while (!queue.empty()) {
    Symbol *symbol = queue.front();
    queue.pop_front();
    component.push_back(symbol);
    for (const Edge &edge : edges[symbol]) {
      if (edge.other->bank < 0) {
        edge.other->bank = 1 - symbol->bank;
        queue.push_back(edge.other);
      } else if (edge.other->bank == symbol->bank && good) {
        reporter.error(
            edge.location, "E-target-ixp-116",
            "'" + symbol->name + "' and '" + edge.other->name +
                "' must be in different banks here, but other instructions "
                "require the same bank; copy one of them to another "
                "register first");
        good = false;
      }
    }
  }
  return good;
}

void Allocator::colour() {
  std::map<Symbol *, std::vector<Edge>> edges;
  std::map<Symbol *, const BankConflict *> forbidden[2];
  for (const BankConflict &conflict : program.conflicts) {
    if (conflict.right == conflict.left) {
      reporter.error(conflict.location, "E-target-ixp-116",
                     "'" + conflict.left->name +
                         "' cannot be both sources of one instruction, because "
                         "they must be in different banks; copy it first");
    } else if (conflict.right) {
      edges[conflict.left].push_back({conflict.right, conflict.location});
      edges[conflict.right].push_back({conflict.left, conflict.location});
    } else {
      forbidden[conflict.bank].emplace(conflict.left, &conflict);
    }
  }
  for (auto &symbol : program.symbols) {
    if (!symbol->isGpr() || symbol->bank >= 0)
      continue;
    std::vector<Symbol *> component;
    if (!colourFrom(symbol.get(), edges, component))
      continue;
    // Whether the component can keep its banks, and whether it can swap them.
    bool mayKeep = true, maySwap = true;
    const BankConflict *witness = nullptr;
    for (Symbol *member : component) {
      for (int bank : {0, 1})
        if (auto found = forbidden[bank].find(member);
            found != forbidden[bank].end()) {
          (member->bank == bank ? mayKeep : maySwap) = false;
          witness = found->second;
        }
      if (member->fixedBank >= 0)
        (member->fixedBank == member->bank ? maySwap : mayKeep) = false;
    }
    if (!mayKeep && !maySwap) {
      reporter.error(
          witness ? witness->location : symbol->location, "E-target-ixp-116",
          "'" + symbol->name +
              "' would have to be in both banks, because of registers "
              "that are named by number or fixed");
      continue;
    }
    if (!mayKeep)
      for (Symbol *member : component)
        member->bank = 1 - member->bank;
    chooseBanks(component, !mayKeep || !maySwap);
  }
}

/// The largest number of registers of one bank that one scope and its enclosing
/// scopes use.
int Allocator::maxPressure() const {
  int most = 0;
  for (auto &scope : program.scopes) {
    std::array<int, 2> sum = {0, 0};
    for (const Scope *at = scope.get(); at; at = at->parent)
      for (int bank : {0, 1})
        sum[bank] += pressure[at->index][bank];
    most = std::max({most, sum[0], sum[1]});
  }
  return most;
}

/// Chooses the banks of a component so that the fuller bank stays as empty as
/// possible.
void Allocator::chooseBanks(const std::vector<Symbol *> &component,
                            bool fixed) {
  auto count = [&](int amount) {
    for (Symbol *member : component)
      pressure[member->scope->index][member->bank] += amount;
  };
  auto turn = [&] {
    for (Symbol *member : component)
      member->bank = 1 - member->bank;
  };
  count(1);
  if (fixed)
    return;
  // Compares the totals only if the scopes do not decide; small programs never
  // fill a bank.
  auto measure = [&] {
    int total[2] = {0, 0};
    for (const auto &scope : pressure)
      for (int bank : {0, 1})
        total[bank] += scope[bank];
    return std::make_pair(maxPressure(), std::max(total[0], total[1]));
  };
  auto kept = measure();
  count(-1);
  turn();
  count(1);
  if (kept <= measure()) {
    count(-1);
    turn();
    count(1);
  }
}

//===-- Numbers -----------------------------------------------------------===//

void Allocator::outOf(const Symbol &symbol, const std::string &what,
                      unsigned available) {
  reporter.error(symbol.location, "E-target-ixp-117",
                 "no " + what + " is left for '" + symbol.name +
                     "': there are only " + std::to_string(available) +
                     " per context; put registers that are not in use at the "
                     "same time into separate .begin/.end scopes");
}

/// Reserves registers for absolute symbols. Absolute register 16c + r is
/// register r of context c, so each reserved relative number provides 8
/// absolute registers.
void Allocator::reserveAbsolutes() {
  std::vector<Symbol *> absolutes[2];
  for (auto &symbol : program.symbols)
    if (symbol->kind == Kind::AbsoluteGpr)
      absolutes[symbol->bank].push_back(symbol.get());
  for (int bank : {0, 1}) {
    int relative = static_cast<int>(GprPerBankPerContext);
    size_t next = 0;
    while (next < absolutes[bank].size() && --relative >= 0) {
      if (program.used.gpr[bank] >> relative & 1)
        continue;
      absoluteRelative[bank] |= 1u << relative;
      for (unsigned context = 0;
           context < ContextCount && next < absolutes[bank].size(); ++context) {
        unsigned number =
            context * GprPerBankPerContext + static_cast<unsigned>(relative);
        if (program.used.absolute[bank][number / 64] >> (number % 64) & 1)
          continue;
        absolutes[bank][next++]->number = static_cast<int>(number);
      }
    }
    if (next < absolutes[bank].size())
      outOf(*absolutes[bank][next], "absolute register",
            GprPerBankPerContext * ContextCount);
  }
}

void Allocator::fill(Scope &scope) {
  std::vector<Symbol *> gprs, xfers, signals;
  for (auto &symbol : program.symbols) {
    if (symbol->scope != &scope || symbol->kind == Kind::AbsoluteGpr)
      continue;
    (symbol->isGpr()    ? gprs
     : symbol->isXfer() ? xfers
                        : signals)
        .push_back(symbol.get());
  }
  fillGprs(gprs, scope);
  fillXfers(xfers, scope);
  fillSignals(signals, scope);
}

void Allocator::fillGprs(const std::vector<Symbol *> &symbols,
                         const Scope &scope) {
  uint32_t taken[2];
  for (int bank : {0, 1}) {
    taken[bank] = program.used.gpr[bank] | absoluteRelative[bank];
    for (unsigned number = 0; number < 128; ++number)
      if (program.used.absolute[bank][number / 64] >> (number % 64) & 1)
        taken[bank] |= 1u << number % GprPerBankPerContext;
  }
  // Fixed numbers of all scopes are excluded, so that order does not matter.
  for (auto &symbol : program.symbols)
    if (symbol->kind == Kind::Gpr && symbol->fixedNumber >= 0) {
      taken[symbol->fixedBank] |= 1u << symbol->fixedNumber;
      symbol->number = symbol->fixedNumber;
    }
  visitOuter(scope, [&](const Symbol &outer) {
    if (outer.kind == Kind::Gpr)
      taken[outer.bank] |= 1u << outer.number;
  });
  for (Symbol *symbol : symbols) {
    if (symbol->number >= 0)
      continue;
    unsigned number = 0;
    while (number < GprPerBankPerContext && taken[symbol->bank] >> number & 1)
      ++number;
    if (number == GprPerBankPerContext) {
      outOf(*symbol,
            std::string("register of bank ") + (symbol->bank ? "B" : "A"),
            GprPerBankPerContext);
      return;
    }
    symbol->number = static_cast<int>(number);
    taken[symbol->bank] |= 1u << number;
  }
}

/// Assigns consecutive numbers to the registers of `tuple`, at the lowest start
/// where all are free.
bool Allocator::assignTuple(const std::vector<Symbol *> &tuple, uint32_t &in,
                            uint32_t &out) {
  unsigned size = static_cast<unsigned>(tuple.size());
  for (unsigned start = 0; start + size <= XferPerContext; ++start) {
    bool fits = true;
    for (unsigned i = 0; i < size; ++i) {
      bool clash = (tuple[i]->canRead && in >> (start + i) & 1) ||
                   (tuple[i]->canWrite && out >> (start + i) & 1);
      bool misfixed = tuple[i]->fixedNumber >= 0 &&
                      tuple[i]->fixedNumber != static_cast<int>(start + i);
      // A register that is fixed here may use the number reserved for it.
      fits &= !misfixed && (!clash || tuple[i]->fixedNumber >= 0);
    }
    if (!fits)
      continue;
    for (unsigned i = 0; i < size; ++i) {
      tuple[i]->number = static_cast<int>(start + i);
      in |= uint32_t(tuple[i]->canRead) << (start + i);
      out |= uint32_t(tuple[i]->canWrite) << (start + i);
    }
    return true;
  }
  return false;
}

void Allocator::fillXfers(const std::vector<Symbol *> &symbols,
                          const Scope &scope) {
  for (Kind kind : {Kind::SXfer, Kind::DXfer}) {
    uint32_t in = program.used.xfer[kind == Kind::DXfer], out = in;
    for (auto &symbol : program.symbols)
      if (symbol->kind == kind && symbol->fixedNumber >= 0) {
        in |= uint32_t(symbol->canRead) << symbol->fixedNumber;
        out |= uint32_t(symbol->canWrite) << symbol->fixedNumber;
      }
    visitOuter(scope, [&](const Symbol &outer) {
      if (outer.kind != kind)
        return;
      in |= uint32_t(outer.canRead) << outer.number;
      out |= uint32_t(outer.canWrite) << outer.number;
    });
    // Groups come first, longest first, because they need consecutive numbers.
    std::vector<std::vector<Symbol *>> tuples;
    for (size_t size = XferPerContext + 1; size-- > 1;)
      for (const auto &group : program.groups)
        if (group.size() == size && group[0]->scope == &scope &&
            group[0]->kind == kind)
          tuples.push_back(group);
    for (const auto &group : program.groups)
      if (group.size() > XferPerContext && group[0]->scope == &scope)
        tuples.push_back(group);
    for (Symbol *symbol : symbols)
      if (symbol->kind == kind && symbol->group < 0)
        tuples.push_back({symbol});
    for (const auto &tuple : tuples)
      if (!assignTuple(tuple, in, out)) {
        outOf(*tuple[0],
              tuple.size() == 1 ? "transfer register"
                                : "tuple of " + std::to_string(tuple.size()) +
                                      " consecutive transfer registers",
              XferPerContext);
        return;
      }
  }
}

void Allocator::fillSignals(const std::vector<Symbol *> &symbols,
                            const Scope &scope) {
  uint32_t taken = program.used.signals | 1; // bit 0 is "voluntary"
  auto bits = [](const Symbol &symbol, int number) {
    return (symbol.isPair ? 3u : 1u) << number;
  };
  for (auto &symbol : program.symbols)
    if (symbol->kind == Kind::Signal && symbol->fixedNumber >= 0) {
      taken |= bits(*symbol, symbol->fixedNumber);
      symbol->number = symbol->fixedNumber;
    }
  visitOuter(scope, [&](const Symbol &outer) {
    if (outer.kind == Kind::Signal)
      taken |= bits(outer, outer.number);
  });
  for (bool pairs : {true, false})
    for (Symbol *symbol : symbols) {
      if (symbol->isPair != pairs || symbol->number >= 0)
        continue;
      int number = pairs ? 2 : 1;
      while (number <= 15 && taken & bits(*symbol, number))
        number += pairs ? 2 : 1;
      if (number > (pairs ? 14 : 15)) {
        outOf(*symbol, pairs ? "pair of signals" : "signal", SignalCount);
        return;
      }
      symbol->number = number;
      taken |= bits(*symbol, number);
    }
}

} // namespace

bool allocate(AsmProgram &program, Reporter &reporter) {
  if (!Allocator(program, reporter).run())
    return false;
  for (const auto &symbol : program.symbols)
    KARAKAL_ASSERT(symbol->number >= 0, "every symbol has a number");
  for (const BankConflict &conflict : program.conflicts)
    KARAKAL_ASSERT(conflict.left->bank !=
                       (conflict.right ? conflict.right->bank : conflict.bank),
                   "two sources of one instruction are in different banks");
  return true;
}

} // namespace karakal::target::as
