#include "baker-lang/editor/Completion.h"

#include "baker-lang/editor/Describe.h"
#include "baker-lang/syntax/Keywords.h"
#include "support/Error.h"

using nlohmann::json;

namespace karakal::lang {

namespace {

/// Values of CompletionItemKind in the protocol.
enum class ItemKind { Function = 3, Field = 5, Variable = 6, Keyword = 14 };

/// Declarations whose names can begin an expression or a statement.
std::vector<const Decl *> declarationsOf(const Program &program) {
  std::vector<const Decl *> decls;
  for (auto &[name, decl] : program.scope.names)
    decls.push_back(decl);
  for (const auto &module : program.modules)
    for (auto &[name, decl] : module->scope.names)
      decls.push_back(decl);
  program.forEachDeclList([&](const DeclList &list, const ModuleDecl *) {
    list.forEachFunction([&](const FunctionDecl &function) {
      for (const auto &variable : function.variables)
        decls.push_back(variable.get());
    });
    for (const auto &ppf : list.ppfs)
      for (const auto &endpoint : ppf->endpoints)
        decls.push_back(endpoint.get());
  });
  return decls;
}

json item(const Decl &decl, ItemKind kind) {
  return {{"label", decl.name}, {"kind", kind}, {"detail", describe(decl)}};
}

} // namespace

json completionItems(const Program &program,
                     const std::vector<SymbolOccurrence> &occurrences) {
  std::map<std::string, json> items;
  for (const auto *words : {&primitiveNames(), &keywords()})
    for (const std::string &word : *words)
      items[word] = {{"label", word}, {"kind", ItemKind::Keyword}};
  for (const Decl *decl : declarationsOf(program))
    items[decl->name] =
        item(*decl, decl->kind == DeclKind::Function ? ItemKind::Function
                                                     : ItemKind::Variable);
  for (const SymbolOccurrence &occurrence : occurrences)
    if (occurrence.decl->kind == DeclKind::ProtocolField ||
        occurrence.decl->kind == DeclKind::Metadata)
      items[occurrence.decl->name] = item(*occurrence.decl, ItemKind::Field);
  json list = json::array();
  for (auto &[label, entry] : items)
    list.push_back(std::move(entry));
  return list;
}

} // namespace karakal::lang
