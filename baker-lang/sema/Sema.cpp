#include "baker-lang/sema/Sema.h"

#include "support/Error.h"

namespace karakal::lang {

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
