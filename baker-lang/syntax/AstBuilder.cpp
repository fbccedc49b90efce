// Declarations of the syntax tree.
//
// Walks ANTLR's tree once. Every child may be missing where the text has a
// syntax error: such a declaration is left out, or kept without the part.

#include "baker-lang/syntax/AstBuilder.h"

namespace karakal::lang {

//===----------------------------------------------------------------------===//
// Small parts
//===----------------------------------------------------------------------===//

SourceRange AstBuilder::range(antlr4::ParserRuleContext *context) const {
  return places.range(context->getStart(), context->getStop());
}

/// ANTLR invents tokens for what is missing; they have no place in the text.
static bool isInvented(antlr4::tree::TerminalNode *node) {
  return !node || node->getSymbol()->getTokenIndex() == INVALID_INDEX ||
         node->getText().rfind("<missing", 0) == 0;
}

Identifier AstBuilder::identifier(antlr4::tree::TerminalNode *node) const {
  if (isInvented(node))
    return {};
  return {node->getText(), places.range(node->getSymbol())};
}

Identifier AstBuilder::identifier(P::FieldNameContext *context) const {
  if (!context || context->children.empty() || context->exception)
    return {};
  return {context->getText(), range(context)};
}

TypeSyntax AstBuilder::type(P::TypeContext *context) const {
  if (!context || context->children.empty() || context->exception)
    return {};
  return {context->getText(), range(context), false};
}

TypeSyntax AstBuilder::scalarType(P::ScalarTypeContext *context) const {
  if (!context || context->children.empty())
    return {};
  return {context->getText(), range(context), false};
}

bool AstBuilder::has(antlr4::ParserRuleContext *context, const char *text) {
  for (antlr4::tree::ParseTree *child : context->children)
    if (auto *node = dynamic_cast<antlr4::tree::TerminalNode *>(child))
      if (node->getText() == text)
        return true;
  return false;
}

void AstBuilder::suspect(antlr4::ParserRuleContext *context) {
  if (!context || !context->getStart())
    return;
  // The text from the start of the part to the end of its last line: the
  // tokens skipped in recovery belong to no node.
  SourceRange part = range(context);
  std::string_view text = diagnostics.sources().file(part.file).text();
  size_t end = std::min(text.find('\n', part.end), text.size());
  std::string word;
  for (size_t i = part.begin; i <= end; ++i) {
    char c = i < end ? text[i] : ' ';
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      word += c;
    } else {
      suspects.insert(word);
      word.clear();
    }
  }
}

bool AstBuilder::isBroken(antlr4::ParserRuleContext *context) {
  if (context && !context->exception)
    return false;
  suspect(context);
  return true;
}

//===----------------------------------------------------------------------===//
// File and module level
//===----------------------------------------------------------------------===//

void AstBuilder::build(P::ProgramContext *context) {
  if (!context)
    return;
  for (P::TopLevelContext *item : context->topLevel())
    topLevel(item);
}

void AstBuilder::topLevel(P::TopLevelContext *context) {
  isBroken(context); // its names; parts of it may still be whole
  DeclList &list = program.decls;
  if (auto *part = context->instanceDeclaration())
    instance(part);
  else if (auto *part = context->staticAssert())
    staticAssert(part, list);
  else if (auto *part = context->constDeclaration())
    constant(part, has(context, "private"), list);
  else if (auto *part = context->enumDeclaration())
    enumeration(part, has(context, "private"), list);
  else if (auto *part = context->protocolDeclaration())
    protocol(part);
  else if (auto *part = context->structDeclaration())
    structure(part, has(context, "private"), list);
  else if (auto *part = context->moduleDeclaration()) {
    if (!part->moduleParameters())
      moduleDeclaration(part);
  } else if (auto *part = context->metadataDeclaration())
    metadata(part, list);
  else if (auto *part = context->dropReasonDeclaration())
    dropReasons(part, list);
  else if (auto *part = context->ppfBody()) {
    if (!patternOf(part))
      ppfBody(part, list);
  } else if (auto *part = context->variableOrFunction())
    variableOrFunction(part, list);
}

void AstBuilder::moduleDeclaration(P::ModuleDeclarationContext *context) {
  isBroken(context);
  Identifier name = identifier(context->IDENT());
  if (name.name.empty())
    return;
  auto decl = std::make_unique<ModuleDecl>(name);
  moduleItems(context, decl->members);
  program.modules.push_back(std::move(decl));
}

void AstBuilder::moduleItems(P::ModuleDeclarationContext *context,
                             DeclList &list) {
  for (P::ModuleItemContext *item : context->moduleItem())
    moduleItem(item, list);
}

void AstBuilder::moduleItem(P::ModuleItemContext *context, DeclList &list) {
  isBroken(context);
  if (auto *part = context->staticAssert())
    staticAssert(part, list);
  else if (auto *part = context->constDeclaration())
    constant(part, has(context, "private"), list);
  else if (auto *part = context->enumDeclaration())
    enumeration(part, has(context, "private"), list);
  else if (auto *part = context->structDeclaration())
    structure(part, has(context, "private"), list);
  else if (auto *part = context->metadataDeclaration())
    metadata(part, list);
  else if (auto *part = context->dropReasonDeclaration())
    dropReasons(part, list);
  else if (auto *part = context->ppfDeclaration())
    ppf(part, list);
  else if (auto *part = context->wiringDeclaration())
    wiring(part, list);
  else if (auto *part = context->ppfBody())
    ppfBody(part, list);
  else if (auto *part = context->variableOrFunction())
    variableOrFunction(part, list);
}

void AstBuilder::staticAssert(P::StaticAssertContext *context, DeclList &list) {
  if (!isBroken(context) && context->expression())
    list.asserts.push_back({range(context), expression(context->expression())});
}

//===----------------------------------------------------------------------===//
// Constants, protocols, structs, metadata
//===----------------------------------------------------------------------===//

/// `const u32 MASKS[2] = { 1, 3 };`
static bool isData(BakerParser::ConstDeclarationContext *context) {
  auto *value = context->initializer();
  return !context->dimension().empty() ||
         (value && !value->exception && !value->expression());
}

void AstBuilder::constant(P::ConstDeclarationContext *context, bool isPrivate,
                          DeclList &list) {
  if (!isData(context)) {
    if (auto decl = constant(context)) {
      decl->isPrivate = isPrivate;
      list.constants.push_back(std::move(decl));
    }
    return;
  }
  isBroken(context);
  Identifier name = identifier(context->IDENT());
  if (name.name.empty())
    return;
  auto decl = std::make_unique<GlobalDecl>(name);
  decl->typeSyntax = type(context->type());
  decl->declarator.name = name;
  decl->declarator.dimensions = dimensions(context->dimension());
  if (auto *value = context->initializer())
    decl->declarator.initializer = initializer(value);
  decl->isConst = true;
  decl->isPrivate = isPrivate;
  list.globals.push_back(std::move(decl));
}

/// A constant that is one value.
std::unique_ptr<ConstDecl>
AstBuilder::constant(P::ConstDeclarationContext *context) {
  isBroken(context);
  Identifier name = identifier(context->IDENT());
  if (name.name.empty())
    return nullptr;
  auto decl = std::make_unique<ConstDecl>(name);
  decl->typeSyntax = type(context->type());
  auto *value = context->initializer();
  if (value && isData(context))
    error(DiagId::BadTypeHere, range(value),
          "an array or struct of constants stands outside of functions");
  decl->value = value && value->expression()
                    ? expression(value->expression())
                    : std::make_unique<ErrorExpr>(range(context));
  return decl;
}

void AstBuilder::enumeration(P::EnumDeclarationContext *context, bool isPrivate,
                             DeclList &list) {
  isBroken(context);
  if (Identifier name = identifier(context->IDENT()); !name.name.empty()) {
    list.enums.push_back(std::make_unique<EnumDecl>(name));
    list.enums.back()->isPrivate = isPrivate;
  }
  ConstDecl *previous = nullptr;
  for (P::EnumeratorContext *item : context->enumerator()) {
    Identifier name = identifier(item->IDENT());
    if (isBroken(item) || name.name.empty())
      continue;
    auto decl = std::make_unique<ConstDecl>(name);
    decl->previous = previous;
    decl->isPrivate = isPrivate;
    if (item->expression())
      decl->value = expression(item->expression());
    previous = decl.get();
    list.constants.push_back(std::move(decl));
  }
}

void AstBuilder::protocol(P::ProtocolDeclarationContext *context) {
  isBroken(context);
  Identifier name = identifier(context->IDENT());
  if (name.name.empty())
    return;
  auto decl = std::make_unique<ProtocolDecl>(name);
  for (P::ProtocolItemContext *item : context->protocolItem()) {
    isBroken(item);
    if (auto *demux = dynamic_cast<P::DemuxItemContext *>(item)) {
      if (decl->demux) {
        decl->extraDemux.push_back(range(demux));
        continue;
      }
      decl->demux = expression(demux->expression());
      decl->demuxRange = range(demux);
    } else if (auto *field = dynamic_cast<P::FieldItemContext *>(item)) {
      Identifier fieldName = identifier(field->fieldName());
      if (fieldName.name.empty())
        continue;
      auto fieldDecl = std::make_unique<ProtocolFieldDecl>(fieldName);
      fieldDecl->widthSyntax = expression(field->expression());
      if (auto *array =
              llvm::dyn_cast<IndexExpr>(fieldDecl->widthSyntax.get())) {
        fieldDecl->countSyntax = std::move(array->index);
        fieldDecl->widthSyntax = ExprPtr(std::move(array->base));
      }
      decl->fields.push_back(std::move(fieldDecl));
    }
  }
  // A broken demux is not a missing one.
  if (!decl->demux && (context->exception || diagnostics.hasErrors())) {
    decl->demux = std::make_unique<ErrorExpr>(range(context));
    decl->demuxRange = decl->range;
  }
  program.decls.protocols.push_back(std::move(decl));
}

void AstBuilder::structure(P::StructDeclarationContext *context, bool isPrivate,
                           DeclList &list) {
  isBroken(context);
  Identifier name = identifier(context->IDENT());
  if (name.name.empty())
    return;
  auto decl = std::make_unique<StructDecl>(name);
  decl->isPrivate = isPrivate;
  for (P::StructFieldContext *item : context->structField()) {
    Identifier fieldName = identifier(item->fieldName());
    if (isBroken(item) || fieldName.name.empty())
      continue;
    StructField field;
    field.typeSyntax = type(item->type());
    field.typeSyntax.isStarred = has(item, "*");
    field.name = fieldName;
    field.isPrivate = has(item, "private");
    field.dimensions = dimensions(item->dimension());
    decl->fields.push_back(std::move(field));
  }
  list.structs.push_back(std::move(decl));
}

void AstBuilder::metadata(P::MetadataDeclarationContext *context,
                          DeclList &list) {
  isBroken(context);
  for (P::MetadataFieldContext *item : context->metadataField()) {
    Identifier name = identifier(item->fieldName());
    if (isBroken(item) || name.name.empty())
      continue;
    auto decl = std::make_unique<MetadataDecl>(name);
    decl->isPrivate = has(item, "private");
    decl->typeSyntax = type(item->type());
    list.metadata.push_back(std::move(decl));
  }
}

void AstBuilder::dropReasons(P::DropReasonDeclarationContext *context,
                             DeclList &list) {
  isBroken(context);
  for (antlr4::tree::TerminalNode *node : context->IDENT())
    if (Identifier name = identifier(node); !name.name.empty())
      list.dropReasons.push_back(std::make_unique<DropReasonDecl>(name));
}

//===----------------------------------------------------------------------===//
// PPFs and wiring
//===----------------------------------------------------------------------===//

std::vector<Annotation>
AstBuilder::annotations(const std::vector<P::AnnotationContext *> &items) {
  std::vector<Annotation> list;
  for (P::AnnotationContext *item : items) {
    Annotation annotation;
    annotation.name = identifier(item->IDENT());
    if (item->RATE())
      annotation.argument = rate(item->RATE());
    else if (item->expression())
      annotation.argument = expression(item->expression());
    list.push_back(std::move(annotation));
  }
  return list;
}

void AstBuilder::ppf(P::PpfDeclarationContext *context, DeclList &list) {
  isBroken(context);
  Identifier name = identifier(context->IDENT());
  if (name.name.empty())
    return;
  auto decl = std::make_unique<PpfDecl>(name);
  decl->isPrivate = has(context, "private");
  decl->annotations = annotations(context->annotation());
  for (P::EndpointContext *item : context->endpoint()) {
    Identifier endpointName = identifier(item->IDENT());
    if (isBroken(item) || endpointName.name.empty())
      continue;
    auto endpoint = std::make_unique<EndpointDecl>(endpointName);
    endpoint->isInput = has(item, "in");
    endpoint->typeSyntax = type(item->type());
    endpoint->typeSyntax.isStarred = has(item, "*");
    decl->endpoints.push_back(std::move(endpoint));
  }
  list.ppfs.push_back(std::move(decl));
}

void AstBuilder::wiring(P::WiringDeclarationContext *context, DeclList &list) {
  isBroken(context);
  for (P::WireContext *item : context->wire()) {
    if (isBroken(item))
      continue;
    Wire wire;
    wire.range = range(item);
    for (unsigned side = 0; side < 2; ++side) {
      auto *name = item->endpointName(side);
      if (!name)
        continue;
      for (antlr4::tree::TerminalNode *node : name->IDENT())
        (side == 0 ? wire.from : wire.to).push_back(identifier(node));
      if (P::ReceivePortsContext *ports = name->receivePorts())
        for (P::ExpressionContext *port : ports->expression())
          (side == 0 ? wire.ports : wire.portsTo).push_back(expression(port));
    }
    auto isWhole = [](const std::vector<Identifier> &path) {
      for (const Identifier &part : path)
        if (part.name.empty())
          return false;
      return !path.empty();
    };
    if (isWhole(wire.from) && isWhole(wire.to))
      list.wires.push_back(std::move(wire));
  }
}

void AstBuilder::ppfBody(P::PpfBodyContext *context, DeclList &list) {
  isBroken(context);
  P::BodyNameContext *name = context->bodyName();
  if (!name || name->exception || !context->block())
    return;
  std::vector<Identifier> path;
  for (antlr4::tree::TerminalNode *node : name->IDENT())
    path.push_back(identifier(node));
  antlr4::Token *last = name->getStop();
  if (last->getText() == "ppf")
    path.push_back({"ppf", places.range(last)});
  auto decl = std::make_unique<FunctionDecl>(path.back());
  decl->role = Role::Ppf;
  decl->path = std::move(path);
  decl->resultSyntax = {"void", decl->range, false};
  parameters(context->parameters(), *decl);
  decl->body = block(context->block());
  list.bodies.push_back(std::move(decl));
}

//===----------------------------------------------------------------------===//
// Functions and variables
//===----------------------------------------------------------------------===//

void AstBuilder::parameters(P::ParametersContext *context,
                            FunctionDecl &function) {
  if (!context)
    return;
  for (P::ParameterContext *item : context->parameter()) {
    if (isBroken(item))
      continue;
    Parameter parameter;
    parameter.typeSyntax = type(item->type());
    parameter.typeSyntax.isStarred = has(item, "*");
    parameter.name = identifier(item->IDENT());
    if (parameter.name.name.empty())
      parameter.name.range = range(item);
    parameter.hasDimensions = !item->dimension().empty();
    function.parameters.push_back(std::move(parameter));
  }
}

void AstBuilder::variableOrFunction(P::VariableOrFunctionContext *context,
                                    DeclList &list) {
  isBroken(context);
  if (auto *item = dynamic_cast<P::FunctionDeclarationContext *>(context)) {
    Identifier name = identifier(item->IDENT());
    if (name.name.empty() || !item->block())
      return;
    auto decl = std::make_unique<FunctionDecl>(name);
    decl->isPrivate = has(item, "private");
    decl->annotations = annotations(item->annotation());
    decl->role = has(item, "control") ? Role::Control
                 : has(item, "init")  ? Role::Init
                                      : Role::Function;
    decl->resultSyntax = type(item->type());
    decl->resultSyntax.isStarred = has(item, "*");
    parameters(item->parameters(), *decl);
    decl->body = block(item->block());
    list.functions.push_back(std::move(decl));
    return;
  }
  if (auto *item = dynamic_cast<P::VariableDeclarationContext *>(context)) {
    auto marks = std::make_shared<std::vector<Annotation>>(
        annotations(item->annotation()));
    for (P::DeclaratorContext *part : item->declarator()) {
      Declarator declared = declarator(part);
      if (declared.name.name.empty())
        continue;
      auto decl = std::make_unique<GlobalDecl>(declared.name);
      decl->typeSyntax = type(item->type());
      decl->typeSyntax.isStarred = declared.isStarred;
      decl->declarator = std::move(declared);
      decl->annotations = marks;
      decl->isPrivate = has(item, "private");
      list.globals.push_back(std::move(decl));
    }
  }
}

Declarator AstBuilder::declarator(P::DeclaratorContext *context) {
  isBroken(context);
  Declarator result;
  result.name = identifier(context->IDENT());
  result.isStarred = has(context, "*");
  result.dimensions = dimensions(context->dimension());
  if (auto *value = context->initializer())
    result.initializer = initializer(value);
  return result;
}

Initializer AstBuilder::initializer(P::InitializerContext *context) {
  Initializer result;
  result.range = range(context);
  if (isBroken(context)) {
    result.expr = std::make_unique<ErrorExpr>(result.range);
  } else if (context->expression()) {
    result.expr = expression(context->expression());
  } else {
    for (P::InitializerContext *item : context->initializer())
      result.list.push_back(initializer(item));
  }
  return result;
}

std::vector<ExprPtr>
AstBuilder::dimensions(const std::vector<P::DimensionContext *> &contexts) {
  std::vector<ExprPtr> result;
  for (P::DimensionContext *context : contexts)
    result.push_back(context->expression() ? expression(context->expression())
                     : context->exception
                         ? std::make_unique<ErrorExpr>(range(context))
                         : nullptr);
  return result;
}

} // namespace karakal::lang
