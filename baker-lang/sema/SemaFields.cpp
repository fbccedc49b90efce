// Fields: what `.` and `->` refer to.
//
//   ph->ttl                     a field of the packet's header
//   ph->metadata.hop            metadata of the packet
//   ph->metadata.rx.port        metadata that the receiver sets
//   hops[i].mac                 a field of a struct
//   l3_switch.mac_addr          a member of another module

#include "baker-lang/sema/Sema.h"

#include "support/Error.h"
#include "support/NearestName.h"

namespace karakal::lang {

/// The range of the `.` or `->` of `expr`, with the blanks around it.
static SourceRange operatorRange(const FieldExpr &expr) {
  return {expr.range.file, expr.base->range.end, expr.field.range.begin};
}

const Type *Sema::checkField(FieldExpr &expr) {
  const Type *base = check(*expr.base);
  const std::string &name = expr.field.name;
  if (base->isError())
    return base;
  if (base->isPacket())
    return packetField(expr, base);
  if (base->isPointer() && base->element->is(TypeKind::Struct)) {
    if (!expr.isArrow)
      error(DiagId::DotForArrow, expr.range,
            "fields behind a pointer need '->': write '->" + name + "'")
          .fix(operatorRange(expr), "->");
    return structField(expr, base->element);
  }
  if (expr.isArrow) {
    error(DiagId::DotForArrow, expr.range,
          "'->' follows a packet handle or a pointer; '" + base->str() +
              "' takes '.'")
        .fix(operatorRange(expr), ".");
    return types.error();
  }
  switch (base->kind) {
  case TypeKind::Metadata:
    if (name != "rx" && name != "tx")
      return metadataField(expr, name);
    expr.access = Access::MetadataPort;
    return types.portMetadata();
  case TypeKind::PortMetadata: {
    const auto &port = llvm::cast<FieldExpr>(*expr.base);
    return metadataField(expr, port.field.name + "." + name);
  }
  case TypeKind::Module:
    return moduleMember(expr);
  case TypeKind::Struct:
    return structField(expr, base);
  default:
    error(DiagId::NoSuchField, expr.field.range,
          "'" + base->str() + "' has no fields");
    return types.error();
  }
}

const Type *Sema::structField(FieldExpr &expr, const Type *structType) {
  KARAKAL_ASSERT(structType->is(TypeKind::Struct), "only structs have fields");
  const std::string &name = expr.field.name;
  const StructDecl &decl = *structType->structDecl;
  const auto &fields = decl.fields;
  for (unsigned i = 0; i < fields.size(); ++i)
    if (fields[i].name.name == name) {
      expr.access = Access::StructField;
      expr.fieldIndex = i;
      if (fields[i].isPrivate &&
          !canSeePrivate(*decl.scope, decl.range, expr.range))
        error(DiagId::PrivateMember, expr.field.range,
              "the field '" + name + "' of '" + structType->str() +
                  "' is private")
            .note(fields[i].name.range, "declared here");
      return fields[i].type ? fields[i].type : types.error();
    }
  if (isExplained(name))
    return types.error();
  auto &diagnostic = error(DiagId::NoSuchField, expr.field.range,
                           "the struct '" + structType->str() +
                               "' has no field '" + name + "'");
  std::vector<std::string> names;
  for (const StructField &field : fields)
    names.push_back(field.name.name);
  if (std::string nearest = nearestName(name, names); !nearest.empty())
    diagnostic.note("did you mean '" + nearest + "'?")
        .fix(expr.field.range, nearest);
  else
    noteNames(diagnostic, "its fields", names);
  return types.error();
}

//===----------------------------------------------------------------------===//
// Packets, metadata, modules
//===----------------------------------------------------------------------===//

const Type *Sema::packetField(FieldExpr &expr, const Type *packet) {
  const std::string &name = expr.field.name;
  if (!expr.isArrow) {
    error(DiagId::DotForArrow, expr.range,
          "fields of a packet need '->': write '->" + name + "'")
        .fix(operatorRange(expr), "->");
    return types.error();
  }
  // A field called `metadata` hides the metadata of the packet.
  const ProtocolDecl &protocol = *packet->protocol;
  for (auto &field : protocol.fields)
    if (field->name == name) {
      expr.access = Access::PacketField;
      expr.decl = field.get();
      if (!field->type)
        return types.error();
      return field->isArray ? types.array(field->type, field->count)
                            : field->type;
    }
  if (name == "metadata") {
    expr.access = Access::MetadataRoot;
    return types.metadata();
  }
  if (isExplained(name))
    return types.error();
  auto &diagnostic =
      error(DiagId::NoSuchField, expr.field.range,
            "the protocol '" + protocol.name + "' has no field '" + name + "'");
  if (suggest(diagnostic, name, candidatesIn(protocol.fields)))
    return types.error();
  if (program.metadata.count(name)) {
    diagnostic.note("did you mean '->metadata." + name + "'?");
    return types.error();
  }
  std::vector<std::string> names;
  for (auto &field : protocol.fields)
    names.push_back(field->name);
  noteNames(diagnostic, "its fields", names);
  return types.error();
}

const Type *Sema::metadataField(FieldExpr &expr, const std::string &name) {
  auto entry = program.metadata.find(name);
  if (entry != program.metadata.end()) {
    expr.access = Access::MetadataField;
    expr.decl = entry->second;
    entry->second->isUsed = true;
    checkMetadataVisible(name, expr.field.range);
    return entry->second->type ? entry->second->type : types.error();
  }
  if (isExplained(expr.field.name, expr.field.range, NameKind::Metadata))
    return types.error();
  auto &diagnostic = error(DiagId::NoSuchMetadata, expr.field.range,
                           "there is no metadata field '" + name + "'");
  if (suggest(diagnostic, name, candidatesIn(program.metadata)))
    return types.error();
  std::vector<std::string> names;
  for (auto &[other, decl] : program.metadata)
    names.push_back(other);
  noteNames(diagnostic, "the metadata fields", names);
  return types.error();
}

const Type *Sema::moduleMember(FieldExpr &expr) {
  auto *base = llvm::dyn_cast<NameExpr>(expr.base.get());
  Decl *owner = base ? base->decl : llvm::cast<FieldExpr>(*expr.base).decl;
  if (auto *table = llvm::dyn_cast<TableDecl>(owner))
    return tableMember(expr, *table);
  auto *module = llvm::cast<ModuleDecl>(owner);
  const std::string &name = expr.field.name;
  if (Decl *decl = module->scope.find(name)) {
    checkVisible(*decl, module->scope, expr.field.range);
    expr.access = Access::ModuleMember;
    expr.decl = decl;
    // A function has no value. A call looks at its declaration.
    if (decl->kind == DeclKind::Function)
      return types.voidType();
    return valueOf(decl, expr);
  }
  if (isExplained(name))
    return types.error();
  auto &diagnostic =
      error(DiagId::NoSuchMember, expr.field.range,
            "the module '" + module->name + "' has no '" + name + "'");
  suggest(diagnostic, name, candidatesIn(module->scope.names));
  return types.error();
}

} // namespace karakal::lang
