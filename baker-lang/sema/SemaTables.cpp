// Tables: their keys, sizes, and the functions that they bring.
//
//   table routes {                    routes * r = routes.find(iph->dst);
//     key { lpm u32 dst; }            if (!r) { …; return; }
//     value { u16 hop; }              … r->hop …
//     size 10000;
//   }

#include "baker-lang/sema/Sema.h"

#include "baker-lang/tree/TableCounters.h"
#include "support/EntryMeters.h"
#include "support/Error.h"
#include "support/NearestName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <iterator>

namespace karakal::lang {

/// The most entries of a table: more than a chip has room for, and what x86
/// does.
static constexpr uint64_t tableEntriesMax = 1 << 24;

/// The most numbers that a control function takes.
static constexpr size_t numbersMax = 16;

/// The functions of every table that a program can call.
static const std::vector<std::string> operationNames = {
    "find", "add", "change", "remove", "clear", "count"};
/// That of tables with `idle`.
static const std::string expireName = "expire";
/// Those for control files alone, and where the others' helpers are.
static const std::vector<std::string> controlNames = {"read", "dump", "reset",
                                                      "own"};
/// Those of tables with a meter, the last one for control files.
static const std::vector<std::string> meterNames = {"color", "color_of",
                                                    "set_meter"};

void Sema::resolveTable(TableDecl &decl) {
  KARAKAL_ASSERT(decl.progress == Progress::NotStarted && decl.scope,
                 "a table is resolved once, after it is declared");
  decl.progress = Progress::InProgress;
  resolveTableRecord(decl);
  resolveTableKeys(decl);
  resolveTableSizes(decl);
  addTableOperations(decl);
  resolveTableDefaults(decl);
  for (TableRow &row : decl.rows)
    resolveTableRow(row, decl);
  checkDuplicateRows(decl);
  decl.progress = Progress::Done;
}

void Sema::resolveTableRecord(TableDecl &decl) {
  if (llvm::all_of(decl.record->fields, isHidden)) {
    if (!decl.isIncomplete)
      error(DiagId::EmptyDeclaration, decl.range,
            "the table '" + decl.name +
                "' has no values: write 'value { … }' with the fields of an "
                "entry");
    return;
  }
  resolveStruct(*decl.record);
  for (StructField &field : decl.record->fields) {
    if (!field.type->isError() && !field.type->isScalar()) {
      error(DiagId::BadTypeHere, field.typeSyntax.range,
            "a value of a table is a scalar, not '" + field.type->str() + "'");
      field.type = types.error();
    }
    if (llvm::is_contained(operationNames, field.name.name) ||
        llvm::is_contained(controlNames, field.name.name) ||
        field.name.name == expireName)
      error(DiagId::ReservedName, field.name.range,
            "'" + field.name.name + "' is a function of every table");
    if (!meterOf(decl).empty() &&
        llvm::is_contained(meterNames, field.name.name))
      error(DiagId::ReservedName, field.name.range,
            "'" + field.name.name + "' is a function of tables with a meter");
  }
}

void Sema::resolveTableKeys(TableDecl &decl) {
  if (decl.keys.empty() && !decl.isIncomplete)
    error(DiagId::BadTableKey, decl.range,
          "the table '" + decl.name +
              "' has no key: write 'key { … }' with the fields to find an "
              "entry by");
  std::map<std::string, SourceRange> seen;
  for (const StructField &field : decl.record->fields)
    seen.emplace(field.name.name, field.name.range);
  seen.emplace("priority", decl.range);
  if (const std::vector<std::string> *rates = meterRates(meterOf(decl)))
    for (const std::string &rate : *rates)
      seen.emplace(rate, decl.range);
  unsigned bits = 0;
  const TableKeyField *lpm = nullptr;
  for (TableKeyField &key : decl.keys) {
    auto [entry, isNew] = seen.emplace(key.name.name, key.name.range);
    if (!isNew)
      error(DiagId::Redeclared, key.name.range,
            "the name '" + key.name.name + "' is used twice in the table")
          .note(entry->second, "first used here");
    llvm::SaveAndRestore inScope(scope, decl.scope);
    resolveTableKey(key);
    bits += key.type->bits();
    if (key.match != ir::MatchKind::Lpm)
      continue;
    if (lpm)
      error(DiagId::BadTableKey, key.name.range,
            "at most one field of a key is 'lpm'")
          .note(lpm->name.range, "the other one");
    lpm = &key;
  }
  if (bits > ir::tableKeyBitsMax)
    error(DiagId::BadTableKey, decl.range,
          "the key has " + std::to_string(bits) + " bits; a table takes " +
              std::to_string(ir::tableKeyBitsMax));
}

void Sema::resolveTableKey(TableKeyField &key) {
  key.type = resolveType(key.typeSyntax, *scope);
  if (!key.type->isError() && (!key.type->isScalar() || key.type->isSigned)) {
    error(DiagId::BadTableKey, key.typeSyntax.range,
          "a field of a key is an unsigned number, not '" + key.type->str() +
              "'");
    key.type = types.error();
  }
  if (key.kind.name.empty())
    return;
  const auto *found = llvm::find(ir::matchKindNames, key.kind.name);
  if (found != std::end(ir::matchKindNames)) {
    key.match = ir::MatchKind(found - std::begin(ir::matchKindNames));
    if (key.match == ir::MatchKind::Range && key.type->bits() > 32)
      error(DiagId::BadTableKey, key.typeSyntax.range,
            "a range has at most 32 bits, not " +
                std::to_string(key.type->bits()));
    return;
  }
  auto &diagnostic = error(DiagId::BadTableKey, key.kind.range,
                           "a field of a key is 'exact', 'lpm', 'ternary' or "
                           "'range', not '" +
                               key.kind.name + "'");
  std::vector<std::string> names(std::begin(ir::matchKindNames),
                                 std::end(ir::matchKindNames));
  if (std::string nearest = nearestName(key.kind.name, names); !nearest.empty())
    diagnostic.note("did you mean '" + nearest + "'?")
        .fix(key.kind.range, nearest);
}

std::optional<uint64_t> Sema::tableCount(Expr *expr, TableDecl &decl,
                                         const char *what) {
  if (!expr)
    return std::nullopt;
  auto count = constantOf(*expr, *decl.scope, what);
  if (!count)
    return std::nullopt;
  bool isNegative = expr->type->isSigned && int64_t(*count) < 0;
  if (isNegative || *count == 0 || *count > tableEntriesMax) {
    error(DiagId::BadTableSize, expr->range,
          std::string(what) + " is 1 to " + std::to_string(tableEntriesMax) +
              " entries, not " + constantText(*count, expr->type));
    return std::nullopt;
  }
  return count;
}

void Sema::resolveTableSizes(TableDecl &decl) {
  auto size = tableCount(decl.size.get(), decl, "the size of a table");
  auto limit = tableCount(decl.limit.get(), decl, "the limit of a table");
  if (!decl.size && !decl.limit && !decl.isIncomplete)
    error(DiagId::BadTableSize, decl.range,
          "the table '" + decl.name +
              "' has no size: write 'size NUMBER;' with the entries to "
              "expect");
  decl.limitCount = limit ? *limit : size.value_or(1);
  decl.sizeCount = size ? *size : decl.limitCount;
  if (decl.sizeCount > decl.limitCount) {
    error(DiagId::BadTableSize, decl.size->range,
          "the size " + std::to_string(decl.sizeCount) +
              " is above the limit " + std::to_string(decl.limitCount));
    decl.sizeCount = decl.limitCount;
  }
  if (decl.rows.size() > decl.limitCount)
    error(DiagId::BadTableSize, decl.range,
          "the table declares " + std::to_string(decl.rows.size()) +
              " entries; its limit is " + std::to_string(decl.limitCount));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

using TableParameters = std::vector<std::pair<std::string, const Type *>>;

static FunctionDecl &addOperation(TableDecl &decl, const std::string &name,
                                  const TableParameters &parameters,
                                  const Type *result) {
  auto operation = std::make_unique<FunctionDecl>(Identifier{name, decl.range});
  operation->scope = decl.scope;
  operation->table = &decl;
  operation->result = result;
  for (const auto &[parameterName, type] : parameters) {
    auto variable =
        std::make_unique<VarDecl>(Identifier{parameterName, decl.range});
    variable->type = type;
    variable->isParameter = true;
    Parameter parameter;
    parameter.decl = variable.get();
    operation->parameters.push_back(std::move(parameter));
    operation->variables.push_back(std::move(variable));
  }
  decl.operations.push_back(std::move(operation));
  return *decl.operations.back();
}

static size_t numbersOf(const TableParameters &parameters) {
  size_t count = parameters.size();
  for (const auto &[name, type] : parameters)
    count += type->isWide();
  return count;
}

void Sema::addTableOperations(TableDecl &decl) {
  auto checkNumberCount = [&](const char *function, size_t count) {
    if (count > numbersMax)
      error(DiagId::BadTableKey, decl.range,
            "'" + std::string(function) + "' would take " +
                std::to_string(count) +
                " numbers of at most 64 bits; a control function takes " +
                std::to_string(numbersMax));
  };
  TableParameters found, named;
  bool hasPriority = false;
  for (const TableKeyField &key : decl.keys) {
    found.push_back({key.name.name, key.type});
    named.push_back({key.name.name, key.type});
    if (key.match == ir::MatchKind::Lpm)
      named.push_back({"length", types.integer(8, false)});
    else if (key.match == ir::MatchKind::Ternary)
      named.push_back({"mask", key.type});
    else if (key.match == ir::MatchKind::Range)
      named.push_back({"last", key.type});
    hasPriority |= key.match == ir::MatchKind::Ternary ||
                   key.match == ir::MatchKind::Range;
  }
  if (hasPriority)
    named.push_back({"priority", types.word()});
  TableParameters whole = named;
  for (const StructField &field : decl.record->fields)
    if (!field.isMutable)
      whole.push_back({field.name.name, field.type});
  checkNumberCount("add", numbersOf(whole));
  if (countsBytes(decl))
    found.push_back({bytesCounter, types.word()});
  const Type *record = types.structType(decl.record.get(), decl.name);
  addOperation(decl, "find", found, types.pointer(record));
  addOperation(decl, "add", whole, types.intType());
  addOperation(decl, "change", whole, types.intType());
  addOperation(decl, "remove", named, types.intType());
  addOperation(decl, "clear", {}, types.intType());
  addOperation(decl, "count", {}, types.word());
  if (hasIdleMark(decl))
    addOperation(decl, expireName, {}, types.word());
  if (meterOf(decl).empty())
    return;
  checkNumberCount("set_meter",
                   numbersOf(named) + meterRates(meterOf(decl))->size());
  TableParameters asked = {{"entry", types.pointer(record)},
                           {"length", types.word()}};
  addOperation(decl, "color", asked, types.word()).hasCriticalSection = true;
  asked.push_back({"incoming", types.word()});
  addOperation(decl, "color_of", asked, types.word()).hasCriticalSection = true;
}

const Type *Sema::tableMember(FieldExpr &expr, TableDecl &table) {
  const std::string &name = expr.field.name;
  for (auto &operation : table.operations)
    if (operation->name == name) {
      expr.access = Access::ModuleMember;
      expr.decl = operation.get();
      return types.voidType();
    }
  if (isUnparsed(name))
    return types.error();
  auto &diagnostic =
      error(DiagId::NoSuchMember, expr.field.range,
            "the table '" + table.name + "' has no function '" + name + "'");
  if (name == expireName)
    diagnostic.note("a table with 'idle;' has it");
  std::vector<std::string> names;
  for (auto &operation : table.operations)
    names.push_back(operation->name);
  if (std::string nearest = nearestName(name, names); !nearest.empty())
    diagnostic.note("did you mean '" + nearest + "'?")
        .fix(expr.field.range, nearest);
  return types.error();
}

bool Sema::checkTruth(Expr &expr) {
  const Type *type = check(expr);
  if (type->isPacket() && llvm::isa<NameExpr>(expr))
    return true;
  return isTableEntry(type) || checkScalar(expr);
}

bool Sema::checkMutable(const Expr &expr) {
  auto *field = llvm::dyn_cast<FieldExpr>(&expr);
  if (!field || field->access != Access::StructField)
    return true;
  const Type *base = field->base->type;
  const Type *record = base->isPointer() ? base->element : base;
  KARAKAL_ASSERT(record->is(TypeKind::Struct), "only structs have fields");
  const StructField &declared = record->structDecl->fields[field->fieldIndex];
  if (!record->structDecl->table || declared.isMutable)
    return true;
  error(DiagId::NotMutable, expr.range,
        "the field '" + declared.name.name + "' of the table '" +
            record->str() + "' is not mutable")
      .note(declared.name.range,
            "declare it 'mutable' to let packets write it");
  return false;
}

} // namespace karakal::lang
