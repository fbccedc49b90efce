// Reports PPFs without inputs whose outputs nobody uses.
//
//     ppf hellos { out ether_pkt * out_cc; }
//     control void hello() { … channel_put(hellos.out_cc, ph); }   // used

#include "baker-lang/checks/SourceCheck.h"

#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/tree/ControlFunctions.h"

#include "llvm/ADT/STLExtras.h"

namespace karakal::lang {

void checkSources(const Program &program, Diagnostics &diagnostics) {
  std::set<const EndpointDecl *> used = outputsOfControl(program);
  program.forEachDeclList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &ppf : list.ppfs)
      if (!hasInput(*ppf) && llvm::none_of(ppf->endpoints, [&](auto &endpoint) {
            return used.count(endpoint.get());
          }))
        report(diagnostics, DiagId::EmptyDeclaration, ppf->range,
               "the PPF '" + ppf->name +
                   "' has no input, and no control function puts packets on an "
                   "output of it");
  });
}

} // namespace karakal::lang
