// Gives each declared table its structure.
//
//   %n = baker.table_find @routes(%dst) : i32
//   %r = baker.table_entry @routes[%n] : !baker.ref<!routes>
//   %f = baker.field %r "hop" : …
//   →  %n = call @routes.find(%dst) : (i32) -> i32
//      %e = baker.global_ref @routes.own.entries : …
//      %r = baker.element %e[%n] : …
//      %f = baker.field %r "v0" : …
//
// The functions and globals of a table are Baker text (TableText.h). This pass
// compiles the text and merges the result into the module, so that all later
// passes see a program like any other.

#include "baker-lang/tables/LowerTables.h"

#include "baker-lang/checks/ParseAndCheck.h"
#include "baker-lang/lower/LowerToIr.h"
#include "baker-lang/tables/BucketLayout.h"
#include "baker-lang/tables/SlotLayout.h"
#include "baker-lang/tables/WordValues.h"
#include "baker-lang/tables/text/TableText.h"
#include "ir/analysis/Explain.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Services.h"
#include "support/DiagnosticPrinter.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/SymbolTable.h"

#include <sstream>

using namespace mlir;

namespace karakal::lang {

#define GEN_PASS_DEF_LOWERTABLES
#include "baker-lang/Passes.h.inc"

static std::string &templatesFolder() {
  static std::string folder;
  return folder;
}

void setTableTemplates(std::string folder) {
  templatesFolder() = std::move(folder);
}

namespace {

class LowerTables : public impl::LowerTablesBase<LowerTables> {
public:
  using LowerTablesBase::LowerTablesBase;
  void runOnOperation() override;

private:
  LogicalResult lower(ir::TableOp table);
  void keepUpdatesOnXScale();

  /// Of each table whose trie has the values in its words.
  llvm::StringMap<WordValues> inWords;
};

/// The compiled text of one table.
class TableCode {
public:
  TableCode(ir::TableOp table, OwningOpRef<ModuleOp> code)
      : table(table), code(std::move(code)),
        record(cast<ir::StructType>(table.getRecord())) {}

  /// The function `name` of the text.
  func::FuncOp function(StringRef name) {
    return code->lookupSymbol<func::FuncOp>(
        (tableModuleName + Twine(".") + name).str());
  }
  void dropLibraryControl();
  void rename();
  /// Moves the code into the module of the table.
  void merge(uint32_t loopsBefore);

private:
  /// Whether a symbol is of the table's module, and not of the library.
  static bool isOfTable(StringRef name) {
    return name.starts_with((tableModuleName + Twine(".")).str());
  }
  std::string newName(StringRef name);
  void nameArguments(func::FuncOp control);

  ir::TableOp table;
  OwningOpRef<ModuleOp> code;
  ir::StructType record;
};

/// `t.add` is the control function `routes.add`, `t.v0` the one that reads the
/// record's first field; all but the look-up is the table's own.
std::string TableCode::newName(StringRef name) {
  std::string prefix = table.getSymName().str() + ".";
  if (!isOfTable(name))
    return prefix + "own." + name.str();
  name = name.drop_front(StringRef(tableModuleName).size() + 1);
  if (name == "find")
    return prefix + "find";
  func::FuncOp function = this->function(name);
  if (!function || ir::kindOf(function) != ir::FunctionKind::Control ||
      name == "next_entry" || name == "entry_word")
    return prefix + "own." + name.str();
  for (unsigned i = 0; i < record.getFieldNames().size(); ++i)
    if (name == slotField(i))
      return prefix + record.getFieldNames()[i].str();
  return prefix + name.str();
}

void TableCode::nameArguments(func::FuncOp control) {
  std::vector<std::string> names;
  for (const ir::TableArgument &argument :
       ir::entryArguments(ir::keysOf(table)))
    names.push_back(argument.name);
  for (unsigned i = 0; i < record.getFieldNames().size(); ++i)
    if (!ir::isMutable(table, i))
      names.push_back(record.getFieldNames()[i].str());
  if (control.getSymName().ends_with(".set_meter")) {
    names.resize(ir::entryArguments(ir::keysOf(table)).size());
    llvm::append_range(names, *meterRates(*table.getMeter()));
  }
  KARAKAL_ASSERT(control.getNumArguments() <= names.size(),
                 "a control function takes the entry, or a part of it");
  for (unsigned i = 0; i < control.getNumArguments(); ++i)
    control.setArgAttr(i, ir::nameAttrName,
                       StringAttr::get(control.getContext(), names[i]));
}

/// The table has control functions of its own for what it takes of the library.
void TableCode::dropLibraryControl() {
  for (auto function : llvm::make_early_inc_range(code->getOps<func::FuncOp>()))
    if (!isOfTable(function.getSymName()) &&
        ir::kindOf(function) == ir::FunctionKind::Control)
      function.erase();
}

void TableCode::rename() {
  llvm::DenseMap<StringAttr, StringAttr> names;
  for (auto symbol : code->getOps<SymbolOpInterface>())
    names[symbol.getNameAttr()] =
        StringAttr::get(code->getContext(), newName(symbol.getName()));
  // One walk over the code, whatever the number of symbols.
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FlatSymbolRefAttr use) {
    StringAttr name = names.lookup(use.getAttr());
    return name ? FlatSymbolRefAttr::get(name) : use;
  });
  replacer.recursivelyReplaceElementsIn(*code);
  for (Operation &op : code->getOps()) {
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      symbol.setName(names.at(symbol.getNameAttr()));
    if (auto function = dyn_cast<func::FuncOp>(op))
      if (ir::kindOf(function) == ir::FunctionKind::Control)
        nameArguments(function);
  }
}

void TableCode::merge(uint32_t loopsBefore) {
  code->walk([&](Operation *op) {
    op->setLoc(table.getLoc());
    if (auto entry = dyn_cast<ir::LoopEntryOp>(op))
      entry.setLoop(entry.getLoop() + loopsBefore);
    else if (auto iteration = dyn_cast<ir::LoopIterationOp>(op))
      iteration.setLoop(iteration.getLoop() + loopsBefore);
  });
  Block *body = table->getBlock();
  body->getOperations().splice(body->end(), code->getBody()->getOperations());
}

/// The largest number of a loop with a bound.
uint32_t loopCount(ModuleOp module) {
  uint32_t most = 0;
  module.walk([&](ir::LoopEntryOp entry) {
    most = std::max<uint32_t>(most, entry.getLoop());
  });
  return most;
}

Result<OwningOpRef<ModuleOp>> compileText(const std::string &text,
                                          MLIRContext &context) {
  Diagnostics diagnostics;
  auto program = parseLibraryText("table", text, diagnostics);
  if (diagnostics.hasErrors()) {
    std::ostringstream said;
    printDiagnostics(diagnostics, said, /*withColour=*/false);
    KARAKAL_ASSERT(false, "a template gives a table with errors:\n" +
                              said.str() + "\n" + text);
  }
  return lowerToIr(*program, diagnostics.sources(), context);
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

void replaceByCall(Operation *op, const std::string &callee,
                   ValueRange arguments) {
  OpBuilder builder(op);
  auto call = builder.create<func::CallOp>(op->getLoc(), callee,
                                           builder.getI32Type(), arguments);
  op->replaceAllUsesWith(call);
  op->erase();
}

/// `found`: what the look-up returned.
void lowerCountHit(ir::TableCountHitOp counted, Value found) {
  OpBuilder builder(counted);
  llvm::SmallVector<Value> arguments = {found};
  if (counted.getBytes())
    arguments.push_back(counted.getBytes());
  builder.create<func::CallOp>(counted.getLoc(),
                               (counted.getTable() + ".own.count_hit").str(),
                               TypeRange(), arguments);
  counted.erase();
}

/// `found`: what the look-up returned.
void lowerColor(ir::TableColorOp color, Value found) {
  OpBuilder builder(color);
  llvm::SmallVector<Value> arguments = {found, color.getLength()};
  if (color.getIncoming())
    arguments.push_back(color.getIncoming());
  const char *callee = color.getIncoming() ? ".own.color_of" : ".own.color";
  auto call = builder.create<func::CallOp>(color.getLoc(),
                                           (color.getTable() + callee).str(),
                                           builder.getI32Type(), arguments);
  color.replaceAllUsesWith(call.getResult(0));
  color.erase();
}

/// Joins the loads of a bucket's words in a look-up into one command, so that
/// no update happens between them at any level.
void readBucketsAtOnce(func::FuncOp lookUp) {
  llvm::SmallVector<ir::LoadOp> loads;
  lookUp.walk([&](ir::LoadOp load) { loads.push_back(load); });
  llvm::SmallVector<mlir::Type> types(
      loads.size(), IntegerType::get(lookUp.getContext(), 32));
  KARAKAL_ASSERT(!loads.empty() && llvm::all_of(loads,
                                                [&](ir::LoadOp load) {
                                                  return load->getBlock() ==
                                                         loads[0]->getBlock();
                                                }),
                 "a look-up reads the words of one bucket");
  auto word = loads[0].getRef().getDefiningOp<ir::ElementOp>();
  auto words = word.getArray().getDefiningOp<ir::FieldOp>();
  OpBuilder builder(loads[0]);
  auto burst = builder.create<ir::LoadWordsOp>(loads[0].getLoc(), types,
                                               words.getRecord(), /*at=*/0);
  for (auto [load, value] : llvm::zip_equal(loads, burst.getWords())) {
    load.replaceAllUsesWith(value);
    load.erase();
  }
}

/// Replaces a look-up in buckets and what the program does with its result.
class BucketLookup {
public:
  BucketLookup(ir::TableFindOp find, const BucketLayout &layout)
      : find(find), layout(layout), builder(find) {}
  void lower();

private:
  /// Data word `word`, or with 64 `bits` two of them.
  Value dataAt(unsigned word, unsigned bits);
  void lowerEntry(ir::TableEntryOp entry);
  void moveTo(ir::FieldOp field, const char *array, Value index,
              unsigned number);

  ir::TableFindOp find;
  const BucketLayout &layout;
  OpBuilder builder;
  Value found;
};

Value BucketLookup::dataAt(unsigned word, unsigned bits) {
  Location at = found.getLoc();
  unsigned shift = layout.shiftOf(word + (bits > 32 ? 1 : 0));
  Value value = found;
  if (shift != 0)
    value = builder.create<arith::ShRUIOp>(
        at, value,
        builder.create<arith::ConstantOp>(
            at, builder.getIntegerAttr(found.getType(), shift)));
  if (layout.foundBits() == bits)
    return value;
  return builder.create<arith::TruncIOp>(at, builder.getIntegerType(bits),
                                         value);
}

void BucketLookup::moveTo(ir::FieldOp field, const char *array, Value index,
                          unsigned number) {
  auto module = field->getParentOfType<ModuleOp>();
  auto global = module.lookupSymbol<ir::GlobalOp>(
      (find.getTable() + ".own." + array).str());
  auto type = ir::RefType::get(builder.getContext(), global.getType());
  Location at = field.getLoc();
  Value all = builder.create<ir::GlobalRefOp>(at, type, global.getSymName());
  Value element = builder.create<ir::ElementOp>(at, all, index);
  Value moved = builder.create<ir::FieldOp>(at, element, slotField(number));
  field.replaceAllUsesWith(moved);
}

void BucketLookup::lowerEntry(ir::TableEntryOp entry) {
  auto record = cast<ir::StructType>(
      cast<ir::RefType>(entry.getRef().getType()).getPointee());
  for (Operation *user : llvm::make_early_inc_range(entry->getUsers())) {
    auto field = cast<ir::FieldOp>(user);
    unsigned number = *record.fieldIndex(field.getField());
    const FieldPlace &place = layout.fields[number];
    builder.setInsertionPoint(field);
    if (place.kind != FieldPlace::Slot) {
      Value index = dataAt(layout.dataWords() - 1, 32);
      bool isState = place.kind == FieldPlace::State;
      if (isState && layout.hasValues)
        index = builder.create<arith::ShRUIOp>(
            field.getLoc(), index,
            builder.create<arith::ConstantIntOp>(field.getLoc(), 1, 32));
      moveTo(field, isState ? "states" : "values", index, number);
    } else {
      for (Operation *of : llvm::make_early_inc_range(field->getUsers())) {
        auto load = cast<ir::LoadOp>(of);
        builder.setInsertionPoint(load);
        unsigned bits = load.getType().getIntOrFloatBitWidth();
        Value value = dataAt(place.word, bits > 32 ? 64 : 32);
        if (bits != 32 && bits != 64)
          value = builder.create<arith::TruncIOp>(load.getLoc(), load.getType(),
                                                  value);
        load.replaceAllUsesWith(value);
        load.erase();
      }
    }
    field.erase();
  }
  entry.erase();
}

void BucketLookup::lower() {
  Location at = find.getLoc();
  found = builder
              .create<func::CallOp>(at, (find.getTable() + ".find").str(),
                                    builder.getIntegerType(layout.foundBits()),
                                    find.getKeys())
              .getResult(0);
  for (Operation *user : llvm::make_early_inc_range(find->getUsers())) {
    builder.setInsertionPoint(user);
    if (auto hit = dyn_cast<ir::TableHitOp>(user)) {
      Value flag = found;
      if (layout.foundBits() != 32)
        flag = builder.create<arith::ShRUIOp>(
            at, found,
            builder.create<arith::ConstantOp>(
                at, builder.getIntegerAttr(found.getType(),
                                           layout.shiftOf(0) + 32)));
      hit.replaceAllUsesWith(
          builder.create<arith::TruncIOp>(at, builder.getI1Type(), flag)
              .getResult());
      hit.erase();
    } else if (auto counted = dyn_cast<ir::TableCountHitOp>(user)) {
      lowerCountHit(counted, found);
    } else if (auto color = dyn_cast<ir::TableColorOp>(user)) {
      lowerColor(color, found);
    } else {
      lowerEntry(cast<ir::TableEntryOp>(user));
    }
  }
  find.erase();
}

void lowerHit(ir::TableHitOp hit) {
  OpBuilder builder(hit);
  Value none = builder.create<arith::ConstantIntOp>(hit.getLoc(), 0, 32);
  Value isFound = builder.create<arith::CmpIOp>(
      hit.getLoc(), arith::CmpIPredicate::ne, hit.getEntry(), none);
  hit.replaceAllUsesWith(isFound);
  hit.erase();
}

void lowerEntry(ir::TableEntryOp entry, ir::GlobalOp entries) {
  OpBuilder builder(entry);
  auto type = ir::RefType::get(entry.getContext(), entries.getType());
  Value all = builder.create<ir::GlobalRefOp>(entry.getLoc(), type,
                                              entries.getSymName());
  Value slot =
      builder.create<ir::ElementOp>(entry.getLoc(), all, entry.getEntry());
  auto record = cast<ir::StructType>(
      cast<ir::RefType>(entry.getRef().getType()).getPointee());
  for (Operation *user : llvm::make_early_inc_range(entry->getUsers())) {
    auto field = cast<ir::FieldOp>(user);
    builder.setInsertionPoint(field);
    Value moved = builder.create<ir::FieldOp>(
        field.getLoc(), slot, slotField(*record.fieldIndex(field.getField())));
    field.replaceAllUsesWith(moved);
    field.erase();
  }
  entry.erase();
}

/// Takes the fields of an entry out of the word that the look-up returned.
void lowerEntry(ir::TableEntryOp entry, const WordValues &values) {
  OpBuilder builder(entry);
  auto record = cast<ir::StructType>(
      cast<ir::RefType>(entry.getRef().getType()).getPointee());
  for (Operation *user : llvm::make_early_inc_range(entry->getUsers())) {
    auto field = cast<ir::FieldOp>(user);
    unsigned shift = values.shifts[*record.fieldIndex(field.getField())];
    for (Operation *of : llvm::make_early_inc_range(field->getUsers())) {
      auto load = cast<ir::LoadOp>(of);
      builder.setInsertionPoint(load);
      Location at = load.getLoc();
      Value shifted = builder.create<arith::ShRUIOp>(
          at, entry.getEntry(),
          builder.create<arith::ConstantIntOp>(at, shift, 32));
      load.replaceAllUsesWith(
          builder.create<arith::TruncIOp>(at, load.getType(), shifted)
              .getResult());
      load.erase();
    }
    field.erase();
  }
  entry.erase();
}

} // namespace

LogicalResult LowerTables::lower(ir::TableOp table) {
  std::optional<TableStructure> structure =
      chooseStructure(table, {forSpecialization, onHost});
  if (!structure)
    return failure();
  std::string folder = templates.empty() ? templatesFolder() : templates;
  auto text = tableText(table, *structure, folder);
  if (!text)
    return table.emitError()
           << text.error().message << " [" << text.error().id << "]";
  auto compiled = compileText(*text, getContext());
  TableCode code(table, std::move(*compiled));
  if (structure->kind == StructureKind::Buckets)
    readBucketsAtOnce(code.function("look_up"));
  code.dropLibraryControl();
  code.rename();
  code.merge(loopCount(getOperation()));
  table.setStructureAttr(
      StringAttr::get(&getContext(), nameOf(structure->kind)));
  if (structure->values)
    inWords[table.getSymName()] = *structure->values;
  ++tableCount;
  return mlir::success();
}

/// The XScale core alone changes tables, so that a table has one writer.
void LowerTables::keepUpdatesOnXScale() {
  llvm::SmallVector<func::FuncOp> work;
  llvm::DenseSet<Operation *> seen;
  getOperation().walk([&](ir::TableUpdateOp update) {
    if (update.getVerb() != "count")
      work.push_back(update->getParentOfType<func::FuncOp>());
  });
  while (!work.empty()) {
    func::FuncOp function = work.pop_back_val();
    if (!seen.insert(function).second)
      continue;
    if (ir::kindOf(function) == ir::FunctionKind::Ppf &&
        !function->hasAttr(ir::coldAttrName)) {
      ir::explain(function, "tables")
          << function.getSymName()
          << ": on the XScale core, because it changes a table";
      function->setAttr(ir::coldAttrName, UnitAttr::get(&getContext()));
    }
    auto uses = SymbolTable::getSymbolUses(function, getOperation());
    for (SymbolTable::SymbolUse use : *uses)
      if (auto call = dyn_cast<func::CallOp>(use.getUser()))
        work.push_back(call->getParentOfType<func::FuncOp>());
  }
}

void LowerTables::runOnOperation() {
  ModuleOp module = getOperation();
  auto tables = llvm::to_vector(module.getOps<ir::TableOp>());
  llvm::erase_if(tables, [](ir::TableOp table) {
    return table.getStructure().has_value();
  });
  if (tables.empty())
    return;
  keepUpdatesOnXScale();
  for (ir::TableOp table : tables)
    if (failed(lower(table)))
      return signalPassFailure();
  for (ir::TableOp table : tables) {
    if (table.getStructure() != nameOf(StructureKind::Buckets))
      continue;
    BucketLayout layout(table);
    llvm::SmallVector<ir::TableFindOp> finds;
    module.walk([&](ir::TableFindOp find) {
      if (find.getTable() == table.getSymName())
        finds.push_back(find);
    });
    for (ir::TableFindOp find : finds) {
      ++lookupCount;
      BucketLookup(find, layout).lower();
    }
  }
  llvm::SmallVector<Operation *> users;
  module.walk([&](Operation *op) {
    if (isa<ir::TableFindOp, ir::TableHitOp, ir::TableEntryOp,
            ir::TableCountHitOp, ir::TableColorOp, ir::TableUpdateOp>(op))
      users.push_back(op);
  });
  for (Operation *op : users) {
    if (auto find = dyn_cast<ir::TableFindOp>(op)) {
      ++lookupCount;
      replaceByCall(op, (find.getTable() + ".find").str(), find.getKeys());
    } else if (auto hit = dyn_cast<ir::TableHitOp>(op)) {
      lowerHit(hit);
    } else if (auto counted = dyn_cast<ir::TableCountHitOp>(op)) {
      lowerCountHit(counted, counted.getEntry());
    } else if (auto color = dyn_cast<ir::TableColorOp>(op)) {
      lowerColor(color, color.getEntry());
    } else if (auto entry = dyn_cast<ir::TableEntryOp>(op)) {
      auto values = inWords.find(entry.getTable());
      if (values != inWords.end())
        lowerEntry(entry, values->second);
      else
        lowerEntry(entry, module.lookupSymbol<ir::GlobalOp>(
                              (entry.getTable() + ".own.entries").str()));
    } else if (auto update = dyn_cast<ir::TableUpdateOp>(op)) {
      StringRef verb = update.getVerb();
      bool isWhole = verb == "clear" || verb == "count" || verb == "expire";
      replaceByCall(op,
                    (update.getTable() + ".own." + verb +
                     (isWhole ? "_entries" : "_entry"))
                        .str(),
                    update.getValues());
    }
  }
}

} // namespace karakal::lang
