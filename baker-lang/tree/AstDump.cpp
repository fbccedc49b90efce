// Prints the syntax tree: one node a line, indented by depth, with its type and
// constant value. This is the output of `bakerc --emit=ast`.

#include "baker-lang/tree/AstDump.h"

#include "baker-lang/tree/AstWalk.h"
#include "baker-lang/tree/Program.h"
#include "support/Error.h"

#include <ostream>

namespace karakal::lang {

namespace {
class Dumper {
public:
  explicit Dumper(std::ostream &out) : out(out) {}

  void dump(const DeclList &list);
  void dump(const ModuleDecl &module);

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

  /// Starts a new line.
  std::ostream &line() { return out << std::string(2 * depth, ' '); }
  template <typename Body> void indented(Body body) {
    ++depth;
    body();
    --depth;
  }
  static std::string text(const Type *type) { return type ? type->str() : "?"; }

  std::ostream &out;
  unsigned depth = 0;
};
} // namespace

void Dumper::dump(const DeclList &list) {
  for (const auto &decl : list.constants) {
    line() << "const " << decl->name << " : " << text(decl->type);
    if (decl->type && decl->type->isScalar())
      out << " = " << constantText(decl->bits, decl->type);
    out << '\n';
  }
  for (const auto &decl : list.protocols) {
    line() << "protocol " << decl->name << " min_bytes " << decl->bytesMin
           << (decl->isConstantSize ? " constant_size" : "") << '\n';
    indented([&] {
      for (const auto &field : decl->fields) {
        line() << "field " << field->name << " : " << text(field->type)
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
    line() << "struct " << decl->name << '\n';
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
        line() << (field.isMutable ? "mutable " : "value ") << field.name.name
               << " : " << text(field.type) << '\n';
    });
  }
  for (const auto &decl : list.enums)
    line() << "enum " << decl->name << '\n';
  for (const auto &decl : list.metadata)
    line() << "metadata " << decl->name << " : " << text(decl->type) << '\n';
  for (const auto &decl : list.dropReasons)
    line() << "drop_reason " << decl->name << '\n';
  for (const auto &decl : list.globals)
    line() << "global " << decl->symbol << " : " << text(decl->type) << '\n';
  for (const auto &decl : list.ppfs)
    dump(*decl);
  for (const auto &decl : list.functions)
    dump(*decl);
  for (const auto &decl : list.bodies)
    dump(*decl);
}

void Dumper::dump(const ModuleDecl &module) {
  line() << "module " << module.name << '\n';
  indented([&] { dump(module.members); });
}

void Dumper::dump(const PpfDecl &decl) {
  line() << "ppf " << decl.symbol() << (decl.isCold ? " @cold" : "") << '\n';
  indented([&] {
    for (const auto &endpoint : decl.endpoints) {
      line() << (endpoint->isInput ? "in " : "out ") << endpoint->name << " : "
             << text(endpoint->type);
      for (const EndpointDecl::Destination &to : endpoint->destinations)
        out << " -> " << (to.input ? to.input->symbol() : "tx");
      out << '\n';
    }
  });
}

void Dumper::dump(const FunctionDecl &decl) {
  static const char *const roles[] = {"function", "control", "init", "body"};
  line() << roles[unsigned(decl.role)] << ' ' << decl.symbol << " (";
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

void dumpAst(const Program &program, std::ostream &out) {
  Dumper dumper(out);
  dumper.dump(program.decls);
  for (const auto &module : program.modules)
    dumper.dump(*module);
}

} // namespace karakal::lang
