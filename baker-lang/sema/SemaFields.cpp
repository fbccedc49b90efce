// What `.` and `->` lead to.
//
//   ph->ttl                     a field of the packet's header
//   ph->metadata.hop            metadata of the packet
//   ph->metadata.rx.port        metadata that the receiver sets
//   hops[i].mac                 a field of a struct in global data
//   l3_switch.mac_addr          a member of another module

#include "baker-lang/sema/Sema.h"

namespace karakal::lang {

/// The `.` or `->` of `expr`, with the blanks around it.
static SourceRange operatorOf(const FieldExpr &expr) {
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
            "what a pointer leads to is reached by '->': write '->" + name +
                "'")
          .fix(operatorOf(expr), "->");
    return structField(expr, base->element);
  }
  if (expr.isArrow) {
    error(DiagId::DotForArrow, expr.range,
          "'->' follows a packet handle; '" + base->str() + "' takes '.'")
        .fix(operatorOf(expr), ".");
    return types.error();
  }
  if (base->is(TypeKind::Metadata)) {
    if (name == "rx" || name == "tx") {
      expr.access = Access::MetadataPort;
      return types.portMetadata();
    }
    return metadataField(expr, name);
  }
  if (base->is(TypeKind::PortMetadata)) {
    const auto &port = llvm::cast<FieldExpr>(*expr.base);
    return metadataField(expr, port.field.name + "." + name);
  }
  if (base->is(TypeKind::Module))
    return moduleMember(expr);
  if (!base->is(TypeKind::Struct)) {
    error(DiagId::NoSuchField, expr.field.range,
          "'" + base->str() + "' has no fields");
    return types.error();
  }
  return structField(expr, base);
}

const Type *Sema::structField(FieldExpr &expr, const Type *base) {
  const std::string &name = expr.field.name;
  const auto &fields = base->record->fields;
  for (unsigned i = 0; i < fields.size(); ++i)
    if (fields[i].name.name == name) {
      expr.access = Access::StructField;
      expr.fieldIndex = i;
      if (fields[i].isPrivate &&
          !sees(*base->record->scope, base->record->range, expr.range))
        error(DiagId::PrivateMember, expr.field.range,
              "the field '" + name + "' of '" + base->str() + "' is private")
            .note(fields[i].name.range, "declared here");
      return fields[i].type ? fields[i].type : types.error();
    }
  if (isSuspect(name))
    return types.error();
  auto &diagnostic =
      error(DiagId::NoSuchField, expr.field.range,
            "the struct '" + base->str() + "' has no field '" + name + "'");
  std::vector<std::string> names;
  for (const StructField &field : fields)
    names.push_back(field.name.name);
  if (std::string nearest = nearestName(name, names); !nearest.empty())
    diagnostic.note("did you mean '" + nearest + "'?")
        .fix(expr.field.range, nearest);
  return types.error();
}

//===----------------------------------------------------------------------===//
// Visibility
//===----------------------------------------------------------------------===//

/// Whether `use` lies in the module of `home`, or, for a name outside of all
/// modules, in the file of its declaration.
bool Sema::sees(const Scope &home, SourceRange declared,
                SourceRange use) const {
  if (&home == &program.scope)
    return declared.file == use.file;
  for (const Scope *at = scope; at; at = at->parent)
    if (at == &home)
      return true;
  return false;
}

void Sema::checkVisible(const Decl &decl, const Scope &home, SourceRange use) {
  // What an unqualified name finds in a module is that module's own.
  bool isOwn = &home == &program.scope && home.find(decl.name) != &decl;
  if (!decl.isPrivate || isOwn || sees(home, decl.range, use))
    return;
  std::string owner = "its file";
  for (auto &module : program.modules)
    if (&module->scope == &home)
      owner = "the module '" + module->name + "'";
  error(DiagId::PrivateMember, use,
        "'" + decl.name + "' is private to " + owner)
      .note(decl.range, "declared here");
}

/// A metadata field that a module keeps to itself is seen by the modules that
/// declare it.
void Sema::checkOwners(const std::string &name, SourceRange use) {
  const MetadataDecl *hidden = nullptr;
  bool isSeen = false;
  program.forEachList([&](DeclList &list, ModuleDecl *module) {
    for (auto &decl : list.metadata)
      if (decl->name == name) {
        hidden = decl->isPrivate ? decl.get() : hidden;
        isSeen |=
            sees(module ? module->scope : program.scope, decl->range, use);
      }
  });
  if (hidden && !isSeen)
    error(DiagId::PrivateMember, use,
          "the metadata field '" + name +
              "' is private to the modules that declare it")
        .note(hidden->range, "declared here");
}

//===----------------------------------------------------------------------===//
// Fields of packets, metadata, members
//===----------------------------------------------------------------------===//

const Type *Sema::packetField(FieldExpr &expr, const Type *packet) {
  const std::string &name = expr.field.name;
  if (!expr.isArrow) {
    error(DiagId::DotForArrow, expr.range,
          "a packet's fields are reached by '->': write '->" + name + "'")
        .fix(operatorOf(expr), "->");
    return types.error();
  }
  // A protocol may have a field called `metadata`; it then wins.
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
  if (isSuspect(name))
    return types.error();
  auto &diagnostic =
      error(DiagId::NoSuchField, expr.field.range,
            "the protocol '" + protocol.name + "' has no field '" + name + "'");
  std::vector<const Decl *> fields;
  for (auto &field : protocol.fields)
    fields.push_back(field.get());
  size_t notesBefore = diagnostic.notes.size();
  suggest(diagnostic, name, fields);
  if (diagnostic.notes.size() == notesBefore && program.metadata.count(name))
    diagnostic.note("did you mean '->metadata." + name + "'?");
  return types.error();
}

const Type *Sema::metadataField(FieldExpr &expr, const std::string &name) {
  auto entry = program.metadata.find(name);
  if (entry != program.metadata.end()) {
    expr.access = Access::MetadataField;
    expr.decl = entry->second;
    entry->second->isUsed = true;
    checkOwners(name, expr.field.range);
    return entry->second->type ? entry->second->type : types.error();
  }
  if (isSuspect(expr.field.name))
    return types.error();
  auto &diagnostic = error(DiagId::NoSuchMetadata, expr.field.range,
                           "there is no metadata field '" + name + "'");
  std::vector<const Decl *> fields;
  for (auto &[other, decl] : program.metadata)
    fields.push_back(decl);
  suggest(diagnostic, name, fields);
  return types.error();
}

const Type *Sema::moduleMember(FieldExpr &expr) {
  auto *base = llvm::cast<NameExpr>(expr.base.get());
  auto *module = llvm::cast<ModuleDecl>(base->decl);
  const std::string &name = expr.field.name;
  if (Decl *decl = module->scope.find(name)) {
    checkVisible(*decl, module->scope, expr.field.range);
    expr.access = Access::Qualified;
    expr.decl = decl;
    // Functions are no values; a call looks at the declaration itself.
    if (decl->kind == DeclKind::Function)
      return types.voidType();
    return valueOf(decl, expr);
  }
  if (isSuspect(name))
    return types.error();
  auto &diagnostic =
      error(DiagId::NoSuchMember, expr.field.range,
            "the module '" + module->name + "' has no '" + name + "'");
  std::vector<const Decl *> members;
  for (auto &[other, decl] : module->scope.names)
    members.push_back(decl);
  suggest(diagnostic, name, members);
  return types.error();
}

} // namespace karakal::lang
