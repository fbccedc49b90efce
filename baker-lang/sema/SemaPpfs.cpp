// PPFs and their bodies: every input has one body.

#include "baker-lang/sema/Sema.h"

#include "support/Error.h"

namespace karakal::lang {

void Sema::resolvePpf(PpfDecl &decl, ModuleDecl &module) {
  decl.module = &module;
  resolveAnnotations(decl);
  for (auto &endpoint : decl.endpoints) {
    endpoint->ppf = &decl;
    declare(decl.scope, endpoint.get());
    endpoint->type = resolveType(endpoint->typeSyntax, module.scope);
    if (!endpoint->type->isPacket() && !endpoint->type->isError()) {
      error(DiagId::BadTypeHere, endpoint->typeSyntax.range,
            "a channel carries packets, not '" + endpoint->type->str() + "'");
      endpoint->type = types.error();
    }
  }
  if (decl.endpoints.empty() && !isUnparsed(decl.name))
    error(DiagId::EmptyDeclaration, decl.range,
          "the PPF '" + decl.name + "' has neither inputs nor outputs");
}

PpfDecl *Sema::findPpf(const std::vector<Identifier> &path, size_t used,
                       ModuleDecl *module, DiagId id) {
  if (used == 2) {
    auto *named =
        llvm::dyn_cast_or_null<ModuleDecl>(program.scope.find(path[0].name));
    if (!named) {
      if (isExplained(path[0].name, path[0].range))
        return nullptr;
      auto &diagnostic =
          error(id, path[0].range, "there is no module '" + path[0].name + "'");
      suggest(diagnostic, path[0].name, candidatesIn(program.modules));
      return nullptr;
    }
    module = named;
  }
  const Identifier &name = path[used - 1];
  if (!module) {
    error(id, name.range,
          "write the PPF with its module: 'module." + pathText(path) + "'");
    return nullptr;
  }
  if (auto *ppf =
          llvm::dyn_cast_or_null<PpfDecl>(module->scope.find(name.name)))
    return ppf;
  if (isExplained(name.name))
    return nullptr;
  auto &diagnostic =
      error(id, name.range,
            "the module '" + module->name + "' has no PPF '" + name.name + "'");
  suggest(diagnostic, name.name, candidatesIn(module->members.ppfs));
  return nullptr;
}

void Sema::resolveBody(FunctionDecl &decl, ModuleDecl *module) {
  decl.scope = module ? &module->scope : &program.scope;
  decl.module = module;
  resolveSignature(decl);
  size_t parts = decl.path.size();
  auto leaveOut = [&] {
    hasBadBodies = true;
    decl.body = nullptr; // its names cannot be looked up
  };
  if (parts < 2 || parts > 3 || (parts == 2 && !module)) {
    error(DiagId::NoSuchPpf, pathRange(decl.path),
          "the body of a PPF is named 'module.ppf_name.ppf' or "
          "'module.ppf_name.input'");
    return leaveOut();
  }
  PpfDecl *ppf = findPpf(decl.path, parts - 1, module, DiagId::NoSuchPpf);
  if (!ppf)
    return leaveOut();
  decl.ppf = ppf;
  decl.module = ppf->module;
  decl.scope = &ppf->module->scope;
  EndpointDecl *input = bodyInput(decl, *ppf);
  if (!input) {
    ppf->hasBodyOfUnknownInput = true;
    return;
  }
  attachBody(decl, *input, *ppf);
}

void Sema::attachBody(FunctionDecl &decl, EndpointDecl &input, PpfDecl &ppf) {
  KARAKAL_ASSERT(input.isInput, "only inputs have bodies");
  decl.input = &input;
  decl.symbol = input.symbol();
  if (input.body) {
    error(DiagId::BodyTwice, pathRange(decl.path),
          "the input '" + input.name + "' of '" + ppf.name + "' has two bodies")
        .note(input.body->range, "the first one is here");
    return;
  }
  input.body = &decl;
  if (decl.parameters.size() != 1) {
    error(DiagId::BodyMismatch, decl.range,
          "the body of a PPF takes one packet")
        .note(input.range, "of this input");
    return;
  }
  const Type *type = decl.parameters[0].decl->type;
  if (type != input.type && !type->isError() && !input.type->isError())
    error(DiagId::BodyMismatch, decl.parameters[0].typeSyntax.range,
          "the body takes '" + type->str() + "', but its input carries '" +
              input.type->str() + "'")
        .note(input.range, "the input");
}

EndpointDecl *Sema::bodyInput(FunctionDecl &decl, PpfDecl &ppf) {
  const Identifier &name = decl.path.back();
  std::vector<const Decl *> inputs;
  for (auto &endpoint : ppf.endpoints)
    if (endpoint->isInput)
      inputs.push_back(endpoint.get());
  auto *named = llvm::dyn_cast_or_null<EndpointDecl>(ppf.scope.find(name.name));
  if (named && named->isInput)
    return named;
  if (name.name != "ppf") {
    auto &diagnostic =
        error(DiagId::NoSuchEndpoint, name.range,
              "the PPF '" + ppf.name + "' has no input '" + name.name + "'");
    suggest(diagnostic, name.name, inputs);
    return nullptr;
  }
  if (inputs.size() == 1)
    return llvm::cast<EndpointDecl>(const_cast<Decl *>(inputs[0]));
  if (!inputs.empty())
    error(DiagId::BodyMismatch, name.range,
          "the PPF '" + ppf.name +
              "' has several inputs; write the name of one instead of "
              "'ppf', for example '" +
              inputs[0]->name + "'");
  return nullptr;
}

} // namespace karakal::lang
