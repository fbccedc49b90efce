#include "baker-lang/sema/Sema.h"

#include "support/Error.h"

namespace karakal::lang {

bool Sema::isOnBrokenLine(SourceRange where) const {
  if (program.brokenLines.empty())
    return false;
  const SourceFile &file = diagnostics.sources().file(where.file);
  return program.brokenLines.count(
             {where.file, file.location(where.begin).line}) != 0;
}

Diagnostic &Sema::error(DiagId id, SourceRange where, std::string message) {
  if (function)
    function->hasErrors = true;
  if (isOnBrokenLine(where))
    return consequence = Diagnostic();
  return report(diagnostics, id, where, std::move(message));
}

void Sema::run() {
  KARAKAL_ASSERT(program.scope.names.empty(), "a program is analyzed once");
  scope = &program.scope;
  declareBuiltins();
  declareNames();
  program.forEachDeclList(
      [&](DeclList &list, ModuleDecl *module) { resolveList(list, module); });
  program.forEachDeclList([&](DeclList &list, ModuleDecl *module) {
    for (auto &body : list.bodies)
      resolveBody(*body, module);
    if (module)
      for (Wire &wire : list.wires)
        resolveWire(wire, *module);
  });
  checkWiring();
  program.forEachFunction([&](FunctionDecl &decl) { checkBody(decl); });
  KARAKAL_ASSERT(scope == &program.scope && !function && !section,
                 "analysis left a body without restoring its context");
}

} // namespace karakal::lang
