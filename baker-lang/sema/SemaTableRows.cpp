// Tables: the default and the entries that the program declares.
//
//   default { hop: 0 }
//   entries { { dst: 0x0a000000 / 8, hop: 3 }, { 0, 0, 1 } }
//
// A row gives the fields of the key, the priority if the table has one, and the
// values. Each is named, or stands at its place in that order.

#include "baker-lang/sema/Sema.h"

#include "baker-lang/tree/TableCounters.h"
#include "support/Error.h"
#include "support/NearestName.h"

#include "llvm/ADT/STLExtras.h"

namespace karakal::lang {

using ir::MatchKind;

static bool hasPriority(const TableDecl &decl) {
  return llvm::any_of(decl.keys, [](const TableKeyField &key) {
    return key.match == MatchKind::Ternary || key.match == MatchKind::Range;
  });
}

TableValue *Sema::rowValue(std::vector<TableValue> &values,
                           const std::string &name, size_t position) {
  for (TableValue &value : values)
    if (value.name.name == name)
      return &value;
  bool isHere = position < values.size() && values[position].name.name.empty();
  return isHere ? &values[position] : nullptr;
}

void Sema::checkRowNames(const std::vector<TableValue> &values,
                         const std::vector<std::string> &known) {
  bool wasNamed = false;
  for (size_t i = 0; i < values.size(); ++i) {
    const Identifier &name = values[i].name;
    if (name.name.empty()) {
      if (wasNamed)
        error(DiagId::BadTableValue, values[i].range,
              "a value without a name follows one with a name");
      else if (i >= known.size())
        error(DiagId::BadTableValue, values[i].range,
              "the table has no value at this place");
      continue;
    }
    wasNamed = true;
    bool isTwice = std::any_of(
        values.begin(), values.begin() + i,
        [&](const TableValue &other) { return other.name.name == name.name; });
    if (isTwice)
      error(DiagId::BadTableValue, name.range,
            "'" + name.name + "' is given twice");
    if (llvm::is_contained(known, name.name))
      continue;
    auto &diagnostic = error(DiagId::BadTableValue, name.range,
                             "the table has no '" + name.name + "'");
    if (std::string nearest = nearestName(name.name, known); !nearest.empty())
      diagnostic.note("did you mean '" + nearest + "'?")
          .fix(name.range, nearest);
  }
}

std::optional<uint64_t> Sema::rowNumber(Expr &expr, const Type *type,
                                        TableDecl &decl) {
  auto value = constantOf(expr, *decl.scope, "a value of a table");
  if (!value || type->isError())
    return std::nullopt;
  const Type *held = type->isWide() ? types.integer(64, false) : type;
  if (constantFits(*value, expr.type, held))
    return convertConstant(*value, expr.type, held);
  error(DiagId::BadTableValue, expr.range,
        constantText(*value, expr.type) + " does not fit '" + type->str() +
            "'");
  return std::nullopt;
}

void Sema::resolveTableDefaults(TableDecl &decl) {
  if (decl.defaults.empty())
    return;
  std::vector<std::string> names;
  for (const StructField &field : decl.record->fields)
    if (!isHidden(field))
      names.push_back(field.name.name);
  checkRowNames(decl.defaults, names);
  for (size_t i = 0; i < decl.record->fields.size(); ++i) {
    TableValue *value = i < names.size()
                            ? rowValue(decl.defaults, names[i], i)
                            : nullptr; // a word that look-ups write
    decl.defaultBits.push_back(
        value ? rowNumber(*value->first, decl.record->fields[i].type, decl)
                    .value_or(0)
              : 0);
  }
}

/// The ones of a field as wide as `type`, in the low 64 bits.
static uint64_t onesOf(const Type *type) {
  return type->bits() >= 64 ? ~uint64_t(0) : (uint64_t(1) << type->bits()) - 1;
}

/// Appends a number to the arguments of `add`, in two parts if `type` is wide.
static void append(std::vector<uint64_t> &arguments, const Type *type,
                   uint64_t low, bool isAllOnes = false) {
  if (type->isWide())
    arguments.push_back(isAllOnes
                            ? (type->bits() == 128
                                   ? ~uint64_t(0)
                                   : (uint64_t(1) << (type->bits() - 64)) - 1)
                            : 0);
  arguments.push_back(low);
}

/// `a / b` of a prefix, or `a & b` of a masked value.
static BinaryExpr *splitAt(Expr &expr, BinaryOp op) {
  auto *binary = llvm::dyn_cast<BinaryExpr>(&expr);
  return binary && binary->op == op ? binary : nullptr;
}

void Sema::resolveRowKey(const TableKeyField &key, TableValue *value,
                         TableRow &row, TableDecl &decl) {
  const Type *type = key.type;
  bool mayMiss =
      key.match == MatchKind::Ternary || key.match == MatchKind::Range;
  if (!value) {
    if (!mayMiss)
      error(DiagId::BadTableValue, row.range,
            "the entry has no '" + key.name.name + "'");
    append(row.arguments, type, 0);
    append(row.arguments, type,
           key.match == MatchKind::Range ? onesOf(type) : 0,
           key.match == MatchKind::Range);
    return;
  }
  BinaryExpr *pair =
      key.match == MatchKind::Lpm ? splitAt(*value->first, BinaryOp::Divide)
      : key.match == MatchKind::Ternary ? splitAt(*value->first, BinaryOp::And)
                                        : nullptr;
  Expr &first = pair ? *pair->left : *value->first;
  append(row.arguments, type, rowNumber(first, type, decl).value_or(0));
  if (value->last && key.match != MatchKind::Range)
    error(DiagId::BadTableValue, value->range,
          "'" + key.name.name + "' is no range");
  if (key.match == MatchKind::Lpm) {
    auto length = pair ? rowNumber(*pair->right, types.integer(8, false), decl)
                       : std::optional<uint64_t>(type->bits());
    if (length && *length > type->bits())
      error(DiagId::BadTableValue, pair->right->range,
            "the prefix is longer than '" + key.name.name + "'");
    row.arguments.push_back(length.value_or(0));
  } else if (key.match == MatchKind::Ternary) {
    append(row.arguments, type,
           pair ? rowNumber(*pair->right, type, decl).value_or(0)
                : onesOf(type),
           !pair);
  } else if (key.match == MatchKind::Range) {
    Expr &last = value->last ? *value->last : first;
    append(row.arguments, type, rowNumber(last, type, decl).value_or(0));
  }
}

void Sema::resolveTableRow(TableRow &row, TableDecl &decl) {
  std::vector<std::string> names;
  for (const TableKeyField &key : decl.keys)
    names.push_back(key.name.name);
  if (hasPriority(decl))
    names.push_back("priority");
  for (const StructField &field : decl.record->fields)
    if (!field.isMutable)
      names.push_back(field.name.name);
  checkRowNames(row.values, names);
  size_t position = 0;
  for (const TableKeyField &key : decl.keys)
    resolveRowKey(key, rowValue(row.values, key.name.name, position++), row,
                  decl);
  if (hasPriority(decl)) {
    TableValue *value = rowValue(row.values, "priority", position++);
    if (!value)
      error(DiagId::BadTableValue, row.range,
            "the entry has no 'priority': of the entries that match, the one "
            "with the highest priority wins");
    row.arguments.push_back(
        value ? rowNumber(*value->first, types.word(), decl).value_or(0) : 0);
  }
  row.keyCount = row.arguments.size();
  for (const StructField &field : decl.record->fields) {
    if (field.isMutable)
      continue;
    TableValue *value = rowValue(row.values, field.name.name, position++);
    if (!value)
      error(DiagId::BadTableValue, row.range,
            "the entry has no '" + field.name.name + "'");
    row.arguments.push_back(
        value ? rowNumber(*value->first, field.type, decl).value_or(0) : 0);
  }
}

void Sema::checkDuplicateRows(const TableDecl &decl) {
  std::map<std::vector<uint64_t>, SourceRange> seen;
  for (const TableRow &row : decl.rows) {
    std::vector<uint64_t> key = row.arguments;
    key.resize(row.keyCount);
    auto [entry, isNew] = seen.emplace(std::move(key), row.range);
    if (!isNew)
      error(DiagId::DuplicateEntry, row.range, "another entry has the same key")
          .note(entry->second, "the other entry");
  }
}

} // namespace karakal::lang
