// Instances of parameterized modules.
//
// Each instance is a module of its own. It is built from the parse tree of the
// parameterized module, under the instance's name, and begins with the
// parameters as constants:
//
//   module policer(u32 RATE) { u32 tokens = RATE; … }
//   instance gold = policer(1000);   // like module gold {
//                                    //        const u32 RATE = 1000; … }

#include "baker-lang/syntax/AstBuilder.h"

#include "support/NearestName.h"

namespace karakal::lang {

void AstBuilder::collectParameterizedModules(P::ProgramContext *context) {
  for (P::TopLevelContext *item : context->topLevel()) {
    auto *tree = item->moduleDeclaration();
    if (!tree || !tree->moduleParameters())
      continue;
    Identifier name = identifier(tree->IDENT());
    if (name.name.empty())
      continue;
    ParameterizedModule &module = parameterizedModules[name.name];
    if (module.tree) {
      error(DiagId::Redeclared, name.range,
            "the module '" + name.name + "' is declared twice")
          .note(module.builder->identifier(module.tree->IDENT()).range,
                "first declared here");
      continue;
    }
    module.tree = tree;
    module.builder = this;
    program.parameterizedModules.push_back(name);
  }
  for (P::TopLevelContext *item : context->topLevel())
    if (auto *body = item->ppfBody())
      topLevelBodies.push_back(body);
}

ParameterizedModule *
AstBuilder::parameterizedModuleOf(P::PpfBodyContext *context) {
  P::BodyNameContext *name = context->bodyName();
  if (!name || name->exception || name->IDENT().empty())
    return nullptr;
  auto entry = parameterizedModules.find(name->IDENT(0)->getText());
  return entry == parameterizedModules.end() ? nullptr : &entry->second;
}

void AstBuilder::assignBodies() {
  for (P::PpfBodyContext *body : topLevelBodies)
    if (ParameterizedModule *module = parameterizedModuleOf(body))
      module->bodies.push_back({body, this});
}

void AstBuilder::instance(P::InstanceDeclarationContext *context) {
  if (isBroken(context))
    return;
  Identifier name = identifier(context->IDENT(0));
  Identifier moduleName = identifier(context->IDENT(1));
  if (name.name.empty() || moduleName.name.empty())
    return;
  auto entry = parameterizedModules.find(moduleName.name);
  if (entry == parameterizedModules.end()) {
    if (!program.unparsedNames.insert(name.name).second ||
        !program.unparsedNames.insert(moduleName.name).second)
      return;
    auto &diagnostic = error(DiagId::NotParameterized, moduleName.range,
                             "there is no module with parameters called '" +
                                 moduleName.name + "'");
    std::vector<std::string> names;
    for (const auto &[other, module] : parameterizedModules)
      names.push_back(other);
    if (std::string near = nearestName(moduleName.name, names); !near.empty())
      diagnostic.note("did you mean '" + near + "'?");
    return;
  }
  const ParameterizedModule &module = entry->second;
  auto decl = std::make_unique<ModuleDecl>(name);
  instanceParameters(context, module, decl->members);
  module.builder->isBroken(module.tree);
  module.builder->moduleItems(module.tree, decl->members);
  for (const ParameterizedModule::Body &body : module.bodies) {
    body.builder->ppfBody(body.tree, decl->members);
    // Inside the module its own name is left out of the path.
    if (!decl->members.bodies.empty()) {
      auto &path = decl->members.bodies.back()->path;
      if (path.size() == 3)
        path.erase(path.begin());
    }
  }
  program.modules.push_back(std::move(decl));
}

void AstBuilder::instanceParameters(P::InstanceDeclarationContext *context,
                                    const ParameterizedModule &module,
                                    DeclList &list) {
  auto parameters = module.tree->moduleParameters()->moduleParameter();
  std::vector<P::ExpressionContext *> values;
  if (context->arguments())
    values = context->arguments()->expression();
  if (values.size() != parameters.size() &&
      !module.builder->containsError(module.tree->moduleParameters())) {
    error(
        DiagId::BadArgumentCount, range(context),
        "'" + context->IDENT(1)->getText() + "' takes " +
            std::to_string(parameters.size()) +
            (parameters.size() == 1 ? " argument, not " : " arguments, not ") +
            std::to_string(values.size()))
        .note(module.builder->range(module.tree->moduleParameters()),
              "the parameters");
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    Identifier name = module.builder->identifier(parameters[i]->IDENT());
    if (name.name.empty())
      continue;
    auto decl = std::make_unique<ConstDecl>(name);
    decl->typeSyntax = module.builder->type(parameters[i]->type());
    decl->isParameter = true;
    decl->value = i < values.size()
                      ? expression(values[i])
                      : std::make_unique<ErrorExpr>(range(context));
    list.constants.push_back(std::move(decl));
  }
}

} // namespace karakal::lang
