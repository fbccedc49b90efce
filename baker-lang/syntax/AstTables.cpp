// The syntax tree of tables.
//
// The words inside a table are names to the grammar; this file knows them.

#include "baker-lang/syntax/AstBuilder.h"

#include "baker-lang/tree/TableCounters.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"

namespace karakal::lang {

void AstBuilder::unknownTableItem(const Identifier &word, const char *known) {
  error(DiagId::BadTableItem, word.range,
        "a table has no '" + word.name + "' here; it has " + known);
}

void AstBuilder::table(P::TableDeclarationContext *context, bool isPrivate,
                       DeclList &list) {
  isBroken(context);
  Identifier name = identifier(context->IDENT());
  if (name.name.empty())
    return;
  auto decl = std::make_unique<TableDecl>(name);
  decl->isPrivate = isPrivate;
  for (P::TableItemContext *item : context->tableItem()) {
    if (isBroken(item))
      decl->isIncomplete = true;
    else if (auto *fields = dynamic_cast<P::TableFieldsContext *>(item))
      tableFields(fields, *decl);
    else if (auto *number = dynamic_cast<P::TableNumberContext *>(item))
      tableNumber(number, *decl);
    else if (auto *names = dynamic_cast<P::TableNamesContext *>(item))
      tableCounters(names, *decl);
    else if (auto *flag = dynamic_cast<P::TableFlagContext *>(item))
      tableFlag(flag, *decl);
    else if (auto *values = dynamic_cast<P::TableDefaultContext *>(item))
      decl->defaults = tableRow(values->tableRow());
    else if (auto *rows = dynamic_cast<P::TableRowsContext *>(item)) {
      Identifier word = identifier(rows->IDENT());
      if (word.name != "entries")
        unknownTableItem(word, "'entries { … }'");
      for (P::TableRowContext *row : rows->tableRow())
        decl->rows.push_back({range(row), tableRow(row), {}, 0});
    }
  }
  // What look-ups write comes after the values: the counters, then the mark.
  auto rank = [](const StructField &field) {
    return field.name.name == idleMark ? 2 : isHidden(field) ? 1 : 0;
  };
  llvm::stable_sort(decl->record->fields,
                    [&](const StructField &a, const StructField &b) {
                      return rank(a) < rank(b);
                    });
  list.tables.push_back(std::move(decl));
}

void AstBuilder::tableFields(P::TableFieldsContext *context, TableDecl &table) {
  Identifier word = identifier(context->IDENT());
  bool isKey = word.name == "key";
  if (!isKey && word.name != "value" && word.name != "entries")
    unknownTableItem(word, "'key { … }', 'value { … }', 'counters { … }', "
                           "'default { … }' and 'entries { … }'");
  for (P::TableFieldContext *item : context->tableField()) {
    Identifier name = identifier(item->fieldName());
    if (isBroken(item) || name.name.empty()) {
      table.isIncomplete = true;
      continue;
    }
    Identifier kind = identifier(item->IDENT());
    if (isKey) {
      table.keys.push_back({kind, type(item->type()), name});
      continue;
    }
    StructField field;
    field.typeSyntax = type(item->type());
    field.name = name;
    field.isMutable = kind.name == "mutable";
    if (!kind.name.empty() && !field.isMutable)
      error(DiagId::BadTableItem, kind.range,
            "a field of a value is plain or 'mutable', not '" + kind.name +
                "'");
    table.record->fields.push_back(std::move(field));
  }
}

static void addHiddenField(TableDecl &table, const Identifier &name) {
  StructField word;
  word.name = name;
  word.typeSyntax = {"u32", name.range, false};
  word.isMutable = true;
  table.record->fields.push_back(std::move(word));
}

void AstBuilder::tableNumber(P::TableNumberContext *context, TableDecl &table) {
  Identifier word = identifier(context->IDENT());
  if (word.name == "meter") {
    Identifier kind{context->expression()->getText(),
                    range(context->expression())};
    if (!meterRates(kind.name))
      error(DiagId::BadTableItem, kind.range,
            "a meter is 'single_rate' or 'two_rate', not '" + kind.name + "'");
    else if (!meterOf(table).empty())
      error(DiagId::BadTableItem, word.range,
            "the meter of the table is given twice");
    else
      addHiddenField(table, {kind.name + meterSuffix, kind.range});
    return;
  }
  bool isLimit = word.name == "limit";
  if (!isLimit && word.name != "size") {
    unknownTableItem(word, "'size NUMBER;', 'limit NUMBER;' and 'meter KIND;'");
    return;
  }
  ExprPtr &number = isLimit ? table.limit : table.size;
  if (number)
    error(DiagId::BadTableItem, word.range,
          "the " + word.name + " of the table is given twice");
  number = expression(context->expression());
}

void AstBuilder::tableCounters(P::TableNamesContext *context,
                               TableDecl &table) {
  Identifier word = identifier(context->IDENT(0));
  if (word.name != "counters") {
    unknownTableItem(word, "'counters { packets; bytes; }'");
    return;
  }
  for (size_t i = 1; i < context->IDENT().size(); ++i) {
    Identifier name = identifier(context->IDENT(i));
    if (name.name != packetsCounter && name.name != bytesCounter) {
      error(DiagId::BadTableItem, name.range,
            "a table counts 'packets' or 'bytes', not '" + name.name + "'");
    } else if (llvm::is_contained(countersOf(table), name.name)) {
      error(DiagId::BadTableItem, name.range,
            "the counter '" + name.name + "' is given twice");
    } else {
      addHiddenField(table, {name.name + counterLow, name.range});
      addHiddenField(table, {name.name + counterHigh, name.range});
    }
  }
}

void AstBuilder::tableFlag(P::TableFlagContext *context, TableDecl &table) {
  Identifier word = identifier(context->IDENT());
  bool isTwice =
      llvm::any_of(table.record->fields, [](const StructField &field) {
        return field.name.name == idleMark;
      });
  if (word.name != "idle")
    unknownTableItem(word, "'idle;'");
  else if (isTwice)
    error(DiagId::BadTableItem, word.range, "'idle' is given twice");
  else
    addHiddenField(table, {idleMark, word.range});
}

std::vector<TableValue> AstBuilder::tableRow(P::TableRowContext *context) {
  std::vector<TableValue> values;
  for (P::TableValueContext *item : context->tableValue()) {
    if (isBroken(item) || item->expression().empty())
      continue;
    TableValue value;
    value.name = identifier(item->fieldName());
    value.range = range(item);
    value.first = expression(item->expression(0));
    if (item->expression().size() > 1)
      value.last = expression(item->expression(1));
    values.push_back(std::move(value));
  }
  return values;
}

} // namespace karakal::lang
