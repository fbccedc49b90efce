// Modules with parameters.
//
// A module with parameters is a pattern. Each instance is a module of its own,
// built anew from the pattern's tree under the instance's name, with the
// parameters as constants in front:
//
//   module policer(u32 RATE) { u32 tokens = RATE; … }
//   instance gold = policer(1000);   // as: module gold {
//                                    //       const u32 RATE = 1000; … }

#include "baker-lang/syntax/AstBuilder.h"

namespace karakal::lang {

void AstBuilder::collectPatterns(P::ProgramContext *context) {
  for (P::TopLevelContext *item : context->topLevel()) {
    auto *module = item->moduleDeclaration();
    if (!module || !module->moduleParameters())
      continue;
    Identifier name = identifier(module->IDENT());
    if (name.name.empty())
      continue;
    ModulePattern &pattern = patterns[name.name];
    if (pattern.tree) {
      error(DiagId::Redeclared, name.range,
            "the module '" + name.name + "' is declared twice")
          .note(pattern.builder->identifier(pattern.tree->IDENT()).range,
                "first declared here");
      continue;
    }
    pattern.tree = module;
    pattern.builder = this;
    program.patterns.push_back(name);
  }
  for (P::TopLevelContext *item : context->topLevel())
    if (auto *body = item->ppfBody())
      unplacedBodies.push_back(body);
}

/// The pattern that a body outside all modules belongs to, or null.
ModulePattern *AstBuilder::patternOf(P::PpfBodyContext *context) {
  P::BodyNameContext *name = context->bodyName();
  if (!name || name->exception || name->IDENT().empty())
    return nullptr;
  auto entry = patterns.find(name->IDENT(0)->getText());
  return entry == patterns.end() ? nullptr : &entry->second;
}

void AstBuilder::placeBodies() {
  for (P::PpfBodyContext *body : unplacedBodies)
    if (ModulePattern *pattern = patternOf(body))
      pattern->bodies.push_back({body, this});
}

void AstBuilder::instance(P::InstanceDeclarationContext *context) {
  if (isBroken(context))
    return;
  Identifier name = identifier(context->IDENT(0));
  Identifier patternName = identifier(context->IDENT(1));
  if (name.name.empty() || patternName.name.empty())
    return;
  auto entry = patterns.find(patternName.name);
  if (entry == patterns.end()) {
    auto &diagnostic = error(DiagId::NoSuchPattern, patternName.range,
                             "there is no module with parameters called '" +
                                 patternName.name + "'");
    std::vector<std::string> names;
    for (const auto &[other, pattern] : patterns)
      names.push_back(other);
    if (std::string near = nearestName(patternName.name, names); !near.empty())
      diagnostic.note("did you mean '" + near + "'?");
    suspects.insert(name.name);
    return;
  }
  const ModulePattern &pattern = entry->second;
  auto decl = std::make_unique<ModuleDecl>(name);
  instanceParameters(context, pattern, decl->members);
  pattern.builder->isBroken(pattern.tree);
  pattern.builder->moduleItems(pattern.tree, decl->members);
  for (const ModulePattern::Body &body : pattern.bodies) {
    body.builder->ppfBody(body.tree, decl->members);
    // The pattern's name in front: inside the module it is left out.
    if (!decl->members.bodies.empty()) {
      auto &path = decl->members.bodies.back()->path;
      if (path.size() == 3)
        path.erase(path.begin());
    }
  }
  program.modules.push_back(std::move(decl));
}

void AstBuilder::instanceParameters(P::InstanceDeclarationContext *context,
                                    const ModulePattern &pattern,
                                    DeclList &list) {
  auto parameters = pattern.tree->moduleParameters()->moduleParameter();
  std::vector<P::ExpressionContext *> values;
  if (context->arguments())
    values = context->arguments()->expression();
  if (values.size() != parameters.size()) {
    error(
        DiagId::BadArgumentCount, range(context),
        "'" + context->IDENT(1)->getText() + "' takes " +
            std::to_string(parameters.size()) +
            (parameters.size() == 1 ? " argument, not " : " arguments, not ") +
            std::to_string(values.size()))
        .note(pattern.builder->range(pattern.tree->moduleParameters()),
              "the parameters");
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    Identifier name = pattern.builder->identifier(parameters[i]->IDENT());
    if (name.name.empty())
      continue;
    auto decl = std::make_unique<ConstDecl>(name);
    decl->typeSyntax = pattern.builder->type(parameters[i]->type());
    decl->isParameter = true;
    decl->value = i < values.size()
                      ? expression(values[i])
                      : std::make_unique<ErrorExpr>(range(context));
    list.constants.push_back(std::move(decl));
  }
}

} // namespace karakal::lang
