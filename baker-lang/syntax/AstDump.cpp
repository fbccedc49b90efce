// The syntax tree as text.
//
// One node a line, indented by depth, with its type and constant value after
// analysis: what `bakerc --emit=ast` prints.

#include "baker-lang/syntax/AstDump.h"
#include "baker-lang/syntax/AstWalk.h"
#include "baker-lang/syntax/Declarations.h"

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
  void dumpLoop(const Stmt &stmt);
  void dump(const Expr *expr);

  /// Starts a line.
  std::ostream &line() { return out << std::string(2 * depth, ' '); }
  template <typename Body> void inside(Body body) {
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
    inside([&] {
      for (const auto &field : decl->fields) {
        line() << "field " << field->name << " : " << text(field->type)
               << " at bit " << field->offsetBits;
        if (field->isArray)
          out << " x " << field->count;
        out << '\n';
      }
      line() << "demux\n";
      inside([&] { dump(decl->demux.get()); });
    });
  }
  for (const auto &decl : list.structs) {
    line() << "struct " << decl->name << '\n';
    inside([&] {
      for (const StructField &field : decl->fields)
        line() << "field " << field.name.name << " : " << text(field.type)
               << '\n';
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
  inside([&] { dump(module.members); });
}

void Dumper::dump(const PpfDecl &decl) {
  line() << "ppf " << decl.symbol() << (decl.isCold ? " @cold" : "") << '\n';
  inside([&] {
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
  inside([&] { dump(decl.body.get()); });
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Dumper::dump(const Stmt *stmt) {
  if (!stmt)
    return;
  if (auto *block = llvm::dyn_cast<BlockStmt>(stmt)) {
    line() << "block\n";
    inside([&] {
      for (const StmtPtr &part : block->body)
        dump(part.get());
    });
  } else if (auto *declaration = llvm::dyn_cast<DeclarationStmt>(stmt)) {
    for (const Declarator &part : declaration->declarators) {
      line() << "variable " << part.name.name << " : "
             << text(part.decl ? part.decl->type : nullptr) << '\n';
      if (part.initializer)
        inside([&] { dump(*part.initializer); });
    }
  } else if (auto *part = llvm::dyn_cast<CriticalStmt>(stmt)) {
    line() << "critical\n";
    inside([&] {
      dump(part->lock.get());
      dump(part->body.get());
    });
  } else if (auto *part = llvm::dyn_cast<ConstStmt>(stmt)) {
    line() << "const " << part->decl->name << " : " << text(part->decl->type)
           << '\n';
  } else if (auto *part = llvm::dyn_cast<IfStmt>(stmt)) {
    line() << "if\n";
    inside([&] {
      dump(part->condition.get());
      dump(part->whenTrue.get());
    });
    if (part->whenFalse) {
      line() << "else\n";
      inside([&] { dump(part->whenFalse.get()); });
    }
  } else if (auto *part = llvm::dyn_cast<SwitchStmt>(stmt)) {
    line() << "switch\n";
    inside([&] {
      dump(part->subject.get());
      for (const SwitchStmt::Case &item : part->cases) {
        line() << (item.value ? "case\n" : "default\n");
        inside([&] {
          dump(item.value.get());
          for (const StmtPtr &body : item.body)
            dump(body.get());
        });
      }
    });
  } else if (auto *part = llvm::dyn_cast<ReturnStmt>(stmt)) {
    line() << "return\n";
    inside([&] { dump(part->value.get()); });
  } else if (auto *part = llvm::dyn_cast<ExpressionStmt>(stmt)) {
    dump(part->expr.get());
  } else {
    dumpLoop(*stmt);
  }
}

void Dumper::dump(const Initializer &initializer) {
  if (initializer.expr)
    return dump(initializer.expr.get());
  line() << "list\n";
  inside([&] {
    for (const Initializer &part : initializer.list)
      dump(part);
  });
}

void Dumper::dumpLoop(const Stmt &stmt) {
  if (stmt.bound) {
    line() << "@bound\n";
    inside([&] { dump(stmt.bound->argument.get()); });
  }
  if (auto *loop = llvm::dyn_cast<WhileStmt>(&stmt)) {
    line() << "while\n";
    inside([&] {
      dump(loop->condition.get());
      dump(loop->body.get());
    });
  } else if (auto *loop = llvm::dyn_cast<DoStmt>(&stmt)) {
    line() << "do\n";
    inside([&] {
      dump(loop->body.get());
      dump(loop->condition.get());
    });
  } else if (auto *loop = llvm::dyn_cast<ForStmt>(&stmt)) {
    line() << "for\n";
    inside([&] {
      dump(loop->init.get());
      dump(loop->condition.get());
      for (const ExprPtr &step : loop->steps)
        dump(step.get());
      dump(loop->body.get());
    });
  } else if (stmt.kind == StmtKind::Break) {
    line() << "break\n";
  } else if (stmt.kind == StmtKind::Continue) {
    line() << "continue\n";
  }
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static std::string head(const Expr &expr) {
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
  case ExprKind::Step: {
    const auto &step = llvm::cast<StepExpr>(expr);
    return std::string(step.isPrefix ? "prefix " : "postfix ") +
           (step.isIncrement ? "++" : "--");
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
  return "";
}

void Dumper::dump(const Expr *expr) {
  if (!expr)
    return;
  line() << head(*expr);
  if (expr->type)
    out << " : " << text(expr->type);
  if (expr->constant && expr->type->isScalar())
    out << " = " << constantText(*expr->constant, expr->type);
  out << '\n';
  inside([&] {
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
