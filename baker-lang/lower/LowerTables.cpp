// Tables and calls of their functions.
//
//   routes * r = routes.find(iph->dst);     %n = baker.table_find @routes(%dst)
//   if (r) …                                %h = baker.table_hit @routes[%n]
//   … r->hop …                              %r = baker.table_entry @routes[%n]

#include "baker-lang/lower/FunctionLowering.h"

#include "baker-lang/tree/TableCounters.h"
#include "ir/dialect/Tables.h"
#include "support/Error.h"

using mlir::Value;

namespace karakal::lang {

void ProgramLowering::lowerTable(const TableDecl &decl) {
  std::vector<llvm::StringRef> names, kinds, types, mutables;
  std::vector<mlir::Type> keyTypes, fieldTypes;
  std::vector<std::string> declared;
  std::vector<mlir::StringAttr> fieldNames;
  for (const TableKeyField &key : decl.keys) {
    names.push_back(key.name.name);
    kinds.push_back(ir::nameOf(key.match));
    keyTypes.push_back(lowerType(key.type));
  }
  for (const StructField &field : decl.record->fields) {
    fieldNames.push_back(builder.getStringAttr(field.name.name));
    fieldTypes.push_back(lowerType(field.type));
    declared.push_back(field.type->str());
    if (field.isMutable)
      mutables.push_back(field.name.name);
  }
  types.assign(declared.begin(), declared.end());
  mlir::DenseI64ArrayAttr defaults;
  auto numbers = [&](const std::vector<uint64_t> &values) {
    return builder.getDenseI64ArrayAttr(
        std::vector<int64_t>(values.begin(), values.end()));
  };
  if (!decl.defaultBits.empty())
    defaults = numbers(decl.defaultBits);
  std::vector<mlir::Attribute> rows;
  for (const TableRow &row : decl.rows)
    rows.push_back(numbers(row.arguments));
  const std::vector<std::string> counterNames = countersOf(decl);
  std::vector<llvm::StringRef> counters(counterNames.begin(),
                                        counterNames.end());
  auto stringsOrNone = [&](const std::vector<llvm::StringRef> &texts) {
    return texts.empty() ? mlir::ArrayAttr() : builder.getStrArrayAttr(texts);
  };
  const std::string meter = meterOf(decl);
  builder.create<ir::TableOp>(
      location(decl.range), builder.getStringAttr(decl.symbol),
      builder.getStrArrayAttr(names), builder.getStrArrayAttr(kinds),
      builder.getTypeArrayAttr(keyTypes),
      mlir::TypeAttr::get(ir::StructType::get(builder.getContext(), decl.name,
                                              fieldNames, fieldTypes)),
      builder.getStrArrayAttr(types), stringsOrNone(mutables),
      stringsOrNone(counters),
      hasIdleMark(decl) ? builder.getUnitAttr() : mlir::UnitAttr(),
      meter.empty() ? mlir::StringAttr() : builder.getStringAttr(meter),
      builder.getI64IntegerAttr(int64_t(decl.sizeCount)),
      builder.getI64IntegerAttr(int64_t(decl.limitCount)), defaults,
      rows.empty() ? mlir::ArrayAttr() : builder.getArrayAttr(rows),
      mlir::DenseI64ArrayAttr(), mlir::DenseI64ArrayAttr(), mlir::StringAttr());
}

Value FunctionLowering::lowerFind(const CallExpr &call) {
  const TableDecl *table = call.function->table;
  KARAKAL_ASSERT(table && call.type->isPointer(),
                 "only a table's look-up returns a pointer");
  std::vector<Value> keys;
  for (size_t i = 0; i < call.arguments.size(); ++i)
    keys.push_back(
        lowerAs(*call.arguments[i], call.function->parameters[i].decl->type));
  Value bytes;
  if (countsBytes(*table)) {
    bytes = keys.back();
    keys.pop_back();
  }
  mlir::Location at = location(call.range);
  Value entry = builder.create<ir::TableFindOp>(at, builder.getI32Type(),
                                                table->symbol, keys);
  if (countsHits(*table))
    builder.create<ir::TableCountHitOp>(at, table->symbol, entry, bytes);
  auto type = ir::RefType::get(builder.getContext(),
                               parent.lowerType(call.type->element));
  return builder.create<ir::TableEntryOp>(at, type, table->symbol, entry);
}

/// `pointee`: what a pointer points to.
static ir::TableEntryOp entryOf(Value pointee) {
  auto entry = pointee.getDefiningOp<ir::TableEntryOp>();
  KARAKAL_ASSERT(entry, "a pointer to an entry of a table is made by its "
                        "look-up");
  return entry;
}

Value FunctionLowering::lowerHit(const Expr &pointer) {
  ir::TableEntryOp entry = entryOf(pointee(pointer));
  return builder.create<ir::TableHitOp>(location(pointer.range),
                                        builder.getI1Type(), entry.getTable(),
                                        entry.getEntry());
}

Value FunctionLowering::lowerTableCall(const CallExpr &expr) {
  const FunctionDecl &operation = *expr.function;
  mlir::Location at = location(expr.range);
  if (expr.type->isPointer()) {
    lowerFind(expr);
    return {};
  }
  std::vector<Value> values;
  ir::TableEntryOp entry; // of `color` and `color_of`
  for (size_t i = 0; i < expr.arguments.size(); ++i) {
    const Type *type = operation.parameters[i].decl->type;
    if (type->isPointer()) {
      entry = entryOf(pointee(*expr.arguments[i]));
      continue;
    }
    Value value = lowerAs(*expr.arguments[i], type);
    if (!type->isWide()) {
      values.push_back(value);
      continue;
    }
    WideParts parts = splitWide(value, type, expr.range);
    values.push_back(parts.high);
    values.push_back(parts.low);
  }
  if (entry)
    return builder.create<ir::TableColorOp>(
        at, builder.getI32Type(), entry.getTable(), entry.getEntry(), values[0],
        values.size() > 1 ? values[1] : Value());
  return builder.create<ir::TableUpdateOp>(at, builder.getI32Type(),
                                           operation.name,
                                           operation.table->symbol, values);
}

} // namespace karakal::lang
