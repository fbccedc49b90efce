// A parsed microcode program.
//
// The parser creates it for the allocator and the builder: scopes with their
// names, and items whose operands are still tokens.

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_ASMPROGRAM_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_ASMPROGRAM_H

#include "target-ixp/assembler/AsmLexer.h"
#include "target-ixp/table/InstructionTable.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace karakal::target::as {

struct Scope;

/// A declared register or signal. Its value is undefined when its scope is
/// entered. Scopes that are not nested may share registers and signals.
struct Symbol {
  enum class Kind : uint8_t { Gpr, AbsoluteGpr, SXfer, DXfer, Signal };
  Kind kind;
  std::string name; ///< as written, with its '$' or '@'
  Scope *scope;
  Location location;
  bool canRead = true;  ///< transfer registers: has an in-register
  bool canWrite = true; ///< transfer registers: has an out-register
  bool isPair = false;  ///< signals: the even signal of a pair
  int group = -1;       ///< transfer registers: index of its .xfer_order
  int fixedBank = -1;   ///< GPRs: 0 = A, 1 = B, if .areg or .breg says so
  int fixedNumber = -1; ///< if .areg, .breg or .addr says so

  int bank = -1;   ///< set by the allocator: 0 = A, 1 = B
  int number = -1; ///< set by the allocator

  bool isGpr() const { return kind == Kind::Gpr || kind == Kind::AbsoluteGpr; }
  bool isXfer() const { return kind == Kind::SXfer || kind == Kind::DXfer; }
};

/// A .begin/.end block, the file, or one expansion of a macro. A macro
/// expansion declares labels only.
struct Scope {
  int index = 0;
  Scope *parent = nullptr;
  bool isMacro = false;
  Location location;
  std::map<std::string, Symbol *> registers; ///< by name with '$', '$$'
  std::map<std::string, Symbol *> signals;
  std::map<std::string, unsigned> labels; ///< word address

  /// The scope of declarations: this one or, for a macro, the enclosing one.
  Scope *declarations() { return isMacro ? parent->declarations() : this; }
  /// The innermost register of this name. "x" also names an absolute register.
  Symbol *findRegister(const std::string &name);
  /// The innermost absolute register of this name, for "@x". A relative
  /// register of an inner scope does not hide it.
  Symbol *findAbsolute(const std::string &name);
  Symbol *findSignal(const std::string &name);
  /// Whether `other` is this scope or is nested in it.
  bool contains(const Scope *other) const;
};

/// The tokens between two commas.
struct Argument {
  std::vector<Token> tokens;
  Location location;

  /// The texts of the tokens without spaces, e.g. "AND~".
  std::string text() const;
};

/// An option after the bracket of an instruction, e.g. "ctx_swap[s]".
struct Option {
  Token name;
  std::vector<Argument> arguments;
};

struct Item {
  const InstructionRow *row = nullptr; ///< null for .word
  std::string mnemonic;                ///< as written
  Location location;
  std::vector<Argument> arguments;
  std::vector<Option> options;
  Scope *scope = nullptr;
  std::string within;
  bool hasError = false; ///< already reported; the item yields no word
};

/// Two GPRs that are sources of one instruction.
struct BankConflict {
  Symbol *left;
  Symbol *right; ///< null: `left` may not be in `bank`
  int bank;
  Location location;
};

struct AsmProgram {
  std::vector<std::unique_ptr<Scope>> scopes;
  std::vector<std::unique_ptr<Symbol>> symbols;
  std::vector<std::vector<Symbol *>> groups; ///< .xfer_order
  std::vector<Item> items;                   ///< item i becomes word i
  std::vector<BankConflict> conflicts;
  /// Registers and signals named by number, which the allocator does not
  /// assign.
  struct {
    uint32_t gpr[2] = {0, 0};
    uint32_t xfer[2] = {0, 0}; ///< S, D
    uint32_t signals = 0;
    uint64_t absolute[2][2] = {{0, 0}, {0, 0}}; ///< bank, 128 bits
  } used;
};

} // namespace karakal::target::as

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASMPROGRAM_H
