// Declarations of the syntax tree.
//
// A declaration whose name is missing is left out.

#include "baker-lang/syntax/AstBuilder.h"

#include "baker-lang/syntax/Literals.h"
#include "baker-lang/tree/ControlFunctions.h"

namespace karakal::lang {

//===----------------------------------------------------------------------===//
// Constants, protocols, structs, metadata
//===----------------------------------------------------------------------===//

void AstBuilder::staticAssert(P::StaticAssertContext *context, DeclList &list) {
  if (!isBroken(context) && context->expression())
    list.asserts.push_back({range(context), expression(context->expression())});
}

/// True for an array or struct such as `const u32 MASKS[2] = { 1, 3 };`.
static bool isAggregateConstant(BakerParser::ConstDeclarationContext *context) {
  auto *value = context->initializer();
  return !context->dimension().empty() ||
         (value && !value->exception && !value->expression());
}

void AstBuilder::constant(P::ConstDeclarationContext *context, bool isPrivate,
                          DeclList &list) {
  if (!isAggregateConstant(context)) {
    if (auto decl = scalarConstant(context)) {
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

std::unique_ptr<ConstDecl>
AstBuilder::scalarConstant(P::ConstDeclarationContext *context) {
  isBroken(context);
  Identifier name = identifier(context->IDENT());
  if (name.name.empty())
    return nullptr;
  auto decl = std::make_unique<ConstDecl>(name);
  decl->typeSyntax = type(context->type());
  auto *value = context->initializer();
  if (value && isAggregateConstant(context))
    error(DiagId::BadTypeHere, range(value),
          "an array or struct of constants must be declared outside functions");
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
      if (auto fieldDecl = protocolField(field))
        decl->fields.push_back(std::move(fieldDecl));
    }
  }
  // After a syntax error, do not report the demux as missing.
  if (!decl->demux && (context->exception || diagnostics.hasErrors())) {
    decl->demux = std::make_unique<ErrorExpr>(range(context));
    decl->demuxRange = decl->range;
  }
  program.decls.protocols.push_back(std::move(decl));
}

std::unique_ptr<ProtocolFieldDecl>
AstBuilder::protocolField(P::FieldItemContext *context) {
  Identifier name = identifier(context->fieldName());
  if (name.name.empty())
    return nullptr;
  auto decl = std::make_unique<ProtocolFieldDecl>(name);
  decl->widthSyntax = expression(context->expression());
  // `32[10]` parses as an index expression.
  if (auto *array = llvm::dyn_cast<IndexExpr>(decl->widthSyntax.get())) {
    decl->countSyntax = std::move(array->index);
    decl->widthSyntax = ExprPtr(std::move(array->base));
  }
  return decl;
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
    field.typeSyntax.isStarred = hasToken(item, "*");
    field.name = fieldName;
    field.isPrivate = hasToken(item, "private");
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
    decl->isPrivate = hasToken(item, "private");
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

/// The microseconds of `10us`, `5ms` or `1s`, which are numbers in `@every`
/// only; as many as there can be if they are too many.
static std::optional<uint64_t>
timeOf(const Annotation &annotation, BakerParser::ExpressionContext *argument) {
  if (annotation.name.name != everyName || !argument)
    return std::nullopt;
  std::string token = argument->getText();
  size_t unit = token.find_first_not_of("0123456789");
  if (unit == 0 || unit == std::string::npos)
    return std::nullopt;
  std::string name = token.substr(unit);
  uint64_t scale = name == "us"   ? 1
                   : name == "ms" ? 1000
                   : name == "s"  ? 1000000
                                  : 0;
  if (scale == 0)
    return std::nullopt;
  IntegerLiteral time = parseInteger(token.substr(0, unit));
  if (!time.error.empty() || time.value > UINT64_MAX / scale)
    return UINT64_MAX;
  return time.value * scale;
}

static ExprPtr integerOf(uint64_t value, SourceRange range) {
  auto result = std::make_unique<IntegerExpr>(range);
  result->value = value;
  return result;
}

std::vector<Annotation>
AstBuilder::annotations(const std::vector<P::AnnotationContext *> &items) {
  std::vector<Annotation> list;
  for (P::AnnotationContext *item : items) {
    Annotation annotation;
    annotation.name = identifier(item->IDENT());
    if (item->RATE())
      annotation.argument = rate(item->RATE());
    else if (auto time = timeOf(annotation, item->expression()))
      annotation.argument = integerOf(*time, range(item->expression()));
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
  if (containsError(context)) // some endpoints may be missing
    program.unparsedNames.insert(name.name);
  auto decl = std::make_unique<PpfDecl>(name);
  decl->isPrivate = hasToken(context, "private");
  decl->annotations = annotations(context->annotation());
  for (P::EndpointContext *item : context->endpoint()) {
    Identifier endpointName = identifier(item->IDENT());
    if (isBroken(item) || endpointName.name.empty())
      continue;
    auto endpoint = std::make_unique<EndpointDecl>(endpointName);
    endpoint->isInput = hasToken(item, "in");
    endpoint->typeSyntax = type(item->type());
    endpoint->typeSyntax.isStarred = hasToken(item, "*");
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
          (side == 0 ? wire.receivePorts : wire.portsOfTarget)
              .push_back(expression(port));
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
    path.push_back({"ppf", tokenRanges.range(last)});
  auto decl = std::make_unique<FunctionDecl>(path.back());
  decl->role = Role::Ppf;
  decl->path = std::move(path);
  decl->resultSyntax = {"void", decl->range, false};
  parameters(context->parameters(), *decl);
  decl->isBroken = containsError(context);
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
    parameter.typeSyntax.isStarred = hasToken(item, "*");
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
  if (auto *item = dynamic_cast<P::FunctionDeclarationContext *>(context))
    function(item, list);
  else if (auto *item = dynamic_cast<P::VariableDeclarationContext *>(context))
    globals(item, list);
}

void AstBuilder::function(P::FunctionDeclarationContext *context,
                          DeclList &list) {
  Identifier name = identifier(context->IDENT());
  if (name.name.empty() || !context->block())
    return;
  auto decl = std::make_unique<FunctionDecl>(name);
  decl->isPrivate = hasToken(context, "private");
  decl->annotations = annotations(context->annotation());
  decl->role = hasToken(context, "control") ? Role::Control
               : hasToken(context, "init")  ? Role::Init
                                            : Role::Function;
  decl->resultSyntax = type(context->type());
  decl->resultSyntax.isStarred = hasToken(context, "*");
  parameters(context->parameters(), *decl);
  decl->isBroken = containsError(context);
  decl->body = block(context->block());
  list.functions.push_back(std::move(decl));
}

void AstBuilder::globals(P::VariableDeclarationContext *context,
                         DeclList &list) {
  auto shared = std::make_shared<std::vector<Annotation>>(
      annotations(context->annotation()));
  for (P::DeclaratorContext *part : context->declarator()) {
    Declarator declared = declarator(part);
    if (declared.name.name.empty())
      continue;
    auto decl = std::make_unique<GlobalDecl>(declared.name);
    decl->typeSyntax = type(context->type());
    decl->typeSyntax.isStarred = declared.isStarred;
    decl->declarator = std::move(declared);
    decl->annotations = shared;
    decl->isPrivate = hasToken(context, "private");
    list.globals.push_back(std::move(decl));
  }
}

Declarator AstBuilder::declarator(P::DeclaratorContext *context) {
  isBroken(context);
  Declarator result;
  result.name = identifier(context->IDENT());
  result.isStarred = hasToken(context, "*");
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
