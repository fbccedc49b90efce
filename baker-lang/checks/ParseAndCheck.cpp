#include "baker-lang/checks/ParseAndCheck.h"

#include "baker-lang/checks/ArithmeticCheck.h"
#include "baker-lang/checks/CallGraphChecks.h"
#include "baker-lang/checks/ChannelCycleCheck.h"
#include "baker-lang/checks/DeadStoreCheck.h"
#include "baker-lang/checks/LookupCheck.h"
#include "baker-lang/checks/PacketFlowCheck.h"
#include "baker-lang/checks/SharingCheck.h"
#include "baker-lang/checks/SourceCheck.h"
#include "baker-lang/checks/StatementCheck.h"
#include "baker-lang/checks/UninitializedCheck.h"
#include "baker-lang/checks/UnusedCheck.h"
#include "baker-lang/sema/Sema.h"
#include "baker-lang/syntax/Parser.h"
#include "baker-lang/tree/AstWalk.h"
#include "support/Error.h"

namespace karakal::lang {

/// Some input must take the received packets. Not reported after other errors,
/// because the wire may be among their causes.
static void checkReceiver(const Program &program, Diagnostics &diagnostics) {
  if (!program.receivers.empty() || diagnostics.hasErrors())
    return;
  for (const auto &module : program.modules)
    for (const auto &ppf : module->members.ppfs)
      for (const auto &endpoint : ppf->endpoints)
        if (endpoint->isInput) {
          report(diagnostics, DiagId::NothingReceived, ppf->range,
                 "no PPF takes the received packets")
              .note("wire them, for example 'rx -> " + ppf->name + "." +
                    endpoint->name + ";'");
          return;
        }
  diagnostics.add(Severity::Error, idText(DiagId::NothingReceived),
                  "the program has no PPF");
}

static void assertComplete(const Expr &expr) {
  KARAKAL_ASSERT(expr.kind != ExprKind::Error,
                 "an erroneous expression without a diagnostic");
  forEachOperand(expr, [](const Expr &operand) { assertComplete(operand); });
}

static void assertComplete(const Stmt &stmt) {
  KARAKAL_ASSERT(stmt.kind != StmtKind::Error,
                 "an erroneous statement without a diagnostic");
  auto visitExpr = [](const Expr &expr) {
    KARAKAL_ASSERT(expr.type && !expr.type->isError(),
                   "an expression without a type");
    assertComplete(expr);
  };
  forEachPart(stmt, visitExpr, [](const Stmt &part) { assertComplete(part); });
}

/// Asserts what lowering relies on in a program without errors.
static void assertComplete(const Program &program) {
  program.forEachFunction([&](const FunctionDecl &function) {
    KARAKAL_ASSERT(function.result, "a function without a result type");
    assertComplete(*function.body);
  });
  program.forEachDeclList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &ppf : list.ppfs)
      for (const auto &endpoint : ppf->endpoints)
        KARAKAL_ASSERT(!endpoint->isInput || endpoint->body,
                       "an input without a body");
  });
}

std::unique_ptr<Program> parseAndCheck(const std::vector<std::string> &files,
                                       Diagnostics &diagnostics,
                                       const ParseOptions &options) {
  auto program = std::make_unique<Program>();
  parseProgram(files, options.importFolders, options.texts, *program,
               diagnostics);
  ImportableNames importable(options.importFolders, diagnostics.sources());
  Sema(*program, diagnostics, options.constantOverrides, importable).run();
  checkRecursion(*program, diagnostics);
  checkNestedSections(*program, diagnostics);
  checkPacketFlow(*program, diagnostics);
  checkReceiver(*program, diagnostics);
  if (diagnostics.hasErrors())
    return program;
  checkSources(*program, diagnostics);
  assertComplete(*program);
  checkUninitialized(*program, diagnostics);
  checkArithmetic(*program, diagnostics);
  checkStatements(*program, diagnostics);
  checkDeadStores(*program, diagnostics);
  checkSharing(*program, diagnostics);
  checkChannelCycles(*program, diagnostics);
  checkLookups(*program, diagnostics);
  checkUnused(*program, diagnostics);
  return program;
}

std::unique_ptr<Program> parseLibraryText(const std::string &name,
                                          const std::string &text,
                                          Diagnostics &diagnostics) {
  auto program = std::make_unique<Program>();
  parseText(name, text, *program, diagnostics);
  const ParseOptions none;
  ImportableNames importable(none.importFolders, diagnostics.sources());
  Sema(*program, diagnostics, none.constantOverrides, importable).run();
  checkRecursion(*program, diagnostics);
  if (!diagnostics.hasErrors())
    assertComplete(*program);
  return program;
}

} // namespace karakal::lang
