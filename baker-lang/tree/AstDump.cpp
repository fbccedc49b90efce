// Prints the syntax tree: one node a line, indented by depth, with its type and
// constant value and place. This is the output of `bakerc --emit=ast`.

#include "baker-lang/tree/AstDump.h"

#include "baker-lang/tree/AstWalk.h"
#include "baker-lang/tree/Program.h"
#include "baker-lang/tree/TableCounters.h"
#include "support/Error.h"

#include <ostream>
#include <sstream>
#include <utility>
#include <vector>

namespace karakal::lang {

namespace {
class Dumper {
public:
  void dump(const DeclList &list);
  void dump(const ModuleDecl &module);
  /// Prints the lines with their places.
  void print(const SourceManager &sources, std::ostream &to) const;

private:
  void dump(const FunctionDecl &decl);
  void dump(const PpfDecl &decl);
  void dump(const Stmt *stmt);
  void dump(const Initializer &initializer);
  /// `label`, then the direct parts of `stmt` below it.
  void dumpParts(const char *label, const Stmt &stmt);
  void dumpIf(const IfStmt &stmt);
  void dumpSwitch(const SwitchStmt &stmt);
  void dumpLoop(const Stmt &stmt);
  void dump(const Expr *expr);

  /// Sets the place of the lines of a node until it is left.
  class At {
  public:
    At(Dumper &dumper, SourceRange range)
        : dumper(dumper), outer(std::exchange(dumper.at, range)) {}
    ~At() { dumper.at = outer; }

  private:
    Dumper &dumper;
    SourceRange outer;
  };

  /// Starts a new line.
  std::ostream &line() {
    places.push_back(at);
    return out << std::string(2 * depth, ' ');
  }
  /// Starts the line of a declaration.
  std::ostream &line(const Decl &decl) {
    At here(*this, decl.range);
    return line();
  }
  template <typename Body> void indented(Body body) {
    ++depth;
    body();
    --depth;
  }
  static std::string text(const Type *type) { return type ? type->str() : "?"; }

  std::ostringstream out;
  std::vector<SourceRange> places; ///< by line; empty: none
  SourceRange at;
  unsigned depth = 0;
};
} // namespace

void Dumper::dump(const DeclList &list) {
  for (const auto &decl : list.constants) {
    line(*decl) << "const " << decl->name << " : " << text(decl->type);
    if (decl->type && decl->type->isScalar())
      out << " = " << constantText(decl->bits, decl->type);
    out << '\n';
  }
  for (const auto &decl : list.protocols) {
    line(*decl) << "protocol " << decl->name << " min_bytes " << decl->bytesMin
                << (decl->isConstantSize ? " constant_size" : "") << '\n';
    indented([&] {
      for (const auto &field : decl->fields) {
        line(*field) << "field " << field->name << " : " << text(field->type)
                     << " at bit " << field->offsetBits;
        if (field->isArray)
          out << " x " << field->count;
        out << '\n';
      }
      line() << "demux\n";
      indented([&] { dump(decl->demux.get()); });
    });
  }
  for (const auto &decl : list.structs) {
    line(*decl) << "struct " << decl->name << '\n';
    indented([&] {
      for (const StructField &field : decl->fields)
        line() << "field " << field.name.name << " : " << text(field.type)
               << '\n';
    });
  }
  for (const auto &decl : list.tables) {
    line() << "table " << decl->symbol << " size " << decl->sizeCount
           << " limit " << decl->limitCount << '\n';
    indented([&] {
      for (const TableKeyField &key : decl->keys)
        line() << "key " << ir::matchKindNames[unsigned(key.match)] << ' '
               << key.name.name << " : " << text(key.type) << '\n';
      for (const StructField &field : decl->record->fields)
        if (!isHidden(field))
          line() << (field.isMutable ? "mutable " : "value ") << field.name.name
                 << " : " << text(field.type) << '\n';
      for (const std::string &counter : countersOf(*decl))
        line() << "counter " << counter << '\n';
      if (std::string meter = meterOf(*decl); !meter.empty())
        line() << "meter " << meter << '\n';
      if (hasIdleMark(*decl))
        line() << "idle\n";
    });
  }
  for (const auto &decl : list.enums)
    line(*decl) << "enum " << decl->name << '\n';
  for (const auto &decl : list.metadata)
    line(*decl) << "metadata " << decl->name << " : " << text(decl->type)
                << '\n';
  for (const auto &decl : list.dropReasons)
    line(*decl) << "drop_reason " << decl->name << '\n';
  for (const auto &decl : list.globals)
    line(*decl) << "global " << decl->symbol << " : " << text(decl->type)
                << '\n';
  for (const auto &decl : list.ppfs)
    dump(*decl);
  for (const auto &decl : list.functions)
    dump(*decl);
  for (const auto &decl : list.bodies)
    dump(*decl);
}

void Dumper::dump(const ModuleDecl &module) {
  line(module) << "module " << module.name << '\n';
  indented([&] { dump(module.members); });
}

void Dumper::dump(const PpfDecl &decl) {
  line(decl) << "ppf " << decl.symbol() << (decl.isCold ? " @cold" : "")
             << '\n';
  indented([&] {
    for (const auto &endpoint : decl.endpoints) {
      line(*endpoint) << (endpoint->isInput ? "in " : "out ") << endpoint->name
                      << " : " << text(endpoint->type);
      for (const EndpointDecl::Destination &to : endpoint->destinations)
        out << " -> " << (to.input ? to.input->symbol() : "tx");
      out << '\n';
    }
  });
}

void Dumper::dump(const FunctionDecl &decl) {
  static const char *const roles[] = {"function", "control", "init", "body"};
  line(decl) << roles[unsigned(decl.role)] << ' ' << decl.symbol << " (";
  for (size_t i = 0; i < decl.parameters.size(); ++i)
    out << (i ? ", " : "") << decl.parameters[i].name.name << " : "
        << text(decl.parameters[i].decl ? decl.parameters[i].decl->type
                                        : nullptr);
  out << ") : " << text(decl.result) << '\n';
  indented([&] { dump(decl.body.get()); });
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Dumper::dump(const Stmt *stmt) {
  if (!stmt)
    return;
  At here(*this, stmt->range);
  switch (stmt->kind) {
  case StmtKind::Error:
  case StmtKind::Assert:
  case StmtKind::Empty:
    return;
  case StmtKind::Block:
    return dumpParts("block", *stmt);
  case StmtKind::Critical:
    return dumpParts("critical", *stmt);
  case StmtKind::Return:
    return dumpParts("return", *stmt);
  case StmtKind::Expression:
    return dump(llvm::cast<ExpressionStmt>(stmt)->expr.get());
  case StmtKind::Break:
    line() << "break\n";
    return;
  case StmtKind::Continue:
    line() << "continue\n";
    return;
  case StmtKind::Const: {
    const ConstDecl &decl = *llvm::cast<ConstStmt>(stmt)->decl;
    line() << "const " << decl.name << " : " << text(decl.type) << '\n';
    return;
  }
  case StmtKind::Declaration:
    for (const Declarator &part :
         llvm::cast<DeclarationStmt>(stmt)->declarators) {
      line() << "variable " << part.name.name << " : "
             << text(part.decl ? part.decl->type : nullptr) << '\n';
      if (part.initializer)
        indented([&] { dump(*part.initializer); });
    }
    return;
  case StmtKind::If:
    return dumpIf(*llvm::cast<IfStmt>(stmt));
  case StmtKind::Switch:
    return dumpSwitch(*llvm::cast<SwitchStmt>(stmt));
  case StmtKind::While:
  case StmtKind::Do:
  case StmtKind::For:
    return dumpLoop(*stmt);
  }
  KARAKAL_UNREACHABLE("statement kind");
}

void Dumper::dumpParts(const char *label, const Stmt &stmt) {
  line() << label << '\n';
  indented([&] {
    forEachPart(
        stmt, [&](const Expr &expr) { dump(&expr); },
        [&](const Stmt &part) { dump(&part); });
  });
}

void Dumper::dumpIf(const IfStmt &stmt) {
  line() << "if\n";
  indented([&] {
    dump(stmt.condition.get());
    dump(stmt.whenTrue.get());
  });
  if (!stmt.whenFalse)
    return;
  line() << "else\n";
  indented([&] { dump(stmt.whenFalse.get()); });
}

void Dumper::dumpSwitch(const SwitchStmt &stmt) {
  line() << "switch\n";
  indented([&] {
    dump(stmt.subject.get());
    for (const SwitchStmt::Case &item : stmt.cases) {
      line() << (item.value ? "case\n" : "default\n");
      indented([&] {
        dump(item.value.get());
        for (const StmtPtr &body : item.body)
          dump(body.get());
      });
    }
  });
}

void Dumper::dumpLoop(const Stmt &stmt) {
  if (stmt.bound) {
    line() << "@bound\n";
    indented([&] { dump(stmt.bound->argument.get()); });
  }
  LoopParts loop = loopParts(stmt);
  line() << (loop.testsAfterBody ? "do" : loop.steps ? "for" : "while") << '\n';
  indented([&] {
    dump(loop.init);
    if (!loop.testsAfterBody)
      dump(loop.condition);
    if (loop.steps)
      for (const ExprPtr &step : *loop.steps)
        dump(step.get());
    dump(loop.body);
    if (loop.testsAfterBody)
      dump(loop.condition);
  });
}

void Dumper::dump(const Initializer &initializer) {
  if (initializer.expr)
    return dump(initializer.expr.get());
  line() << "list\n";
  indented([&] {
    for (const Initializer &part : initializer.list)
      dump(part);
  });
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static std::string label(const Expr &expr) {
  static const char *const unary[] = {"+", "-", "!", "~", "&", "*"};
  switch (expr.kind) {
  case ExprKind::Error:
    return "error";
  case ExprKind::Integer:
  case ExprKind::Bool:
  case ExprKind::Rate:
  case ExprKind::String:
    return "literal";
  case ExprKind::Name:
    return "name " + llvm::cast<NameExpr>(expr).name;
  case ExprKind::Call:
    return "call";
  case ExprKind::Index:
    return "index";
  case ExprKind::Field:
    return "field " + llvm::cast<FieldExpr>(expr).field.name;
  case ExprKind::Unary:
    return std::string("unary ") +
           unary[unsigned(llvm::cast<UnaryExpr>(expr).op)];
  case ExprKind::Increment: {
    const auto &increment = llvm::cast<IncrementExpr>(expr);
    return std::string(increment.isPrefix ? "prefix " : "postfix ") +
           (increment.isDecrement ? "--" : "++");
  }
  case ExprKind::Cast:
    return "cast";
  case ExprKind::Binary:
    return std::string("binary ") + spelling(llvm::cast<BinaryExpr>(expr).op);
  case ExprKind::Conditional:
    return "conditional";
  case ExprKind::Assign: {
    const auto &op = llvm::cast<AssignExpr>(expr).op;
    return std::string("assign ") + (op ? spelling(*op) : "") + "=";
  }
  case ExprKind::Sizeof:
    return "sizeof";
  }
  KARAKAL_UNREACHABLE("expression kind");
}

void Dumper::dump(const Expr *expr) {
  if (!expr)
    return;
  At here(*this, expr->range);
  line() << label(*expr);
  if (expr->type)
    out << " : " << text(expr->type);
  if (expr->constant && expr->type->isScalar())
    out << " = " << constantText(*expr->constant, expr->type);
  out << '\n';
  indented([&] {
    forEachOperand(*expr, [&](const Expr &operand) { dump(&operand); });
  });
}

void Dumper::print(const SourceManager &sources, std::ostream &to) const {
  std::istringstream lines(out.str());
  std::string text;
  for (const SourceRange &place : places) {
    bool isThere = bool(std::getline(lines, text));
    KARAKAL_ASSERT(isThere, "a line was begun and not ended");
    to << text;
    if (place.end != 0) {
      const SourceFile &file = sources.file(place.file);
      to << "  @" << file.path() << ':' << file.location(place.begin).line;
    }
    to << '\n';
  }
}

void dumpAst(const Program &program, const SourceManager &sources,
             std::ostream &out) {
  Dumper dumper;
  dumper.dump(program.decls);
  for (const auto &module : program.modules)
    dumper.dump(*module);
  dumper.print(sources, out);
}

} // namespace karakal::lang
