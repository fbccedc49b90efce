// Declared tables: syntax and verification.

#include "ir/dialect/Tables.h"

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringSet.h"

#include <limits>

using namespace mlir;

static ParseResult parseTableKey(OpAsmParser &parser, ArrayAttr &names,
                                 ArrayAttr &kinds, ArrayAttr &types) {
  Builder &builder = parser.getBuilder();
  SmallVector<Attribute> nameList, kindList, typeList;
  auto field = [&]() -> ParseResult {
    StringRef kind;
    std::string name;
    Type type;
    if (parser.parseKeyword(&kind) || parser.parseString(&name) ||
        parser.parseColonType(type))
      return failure();
    nameList.push_back(builder.getStringAttr(name));
    kindList.push_back(builder.getStringAttr(kind));
    typeList.push_back(TypeAttr::get(type));
    return success();
  };
  if (parser.parseCommaSeparatedList(field))
    return failure();
  names = builder.getArrayAttr(nameList);
  kinds = builder.getArrayAttr(kindList);
  types = builder.getArrayAttr(typeList);
  return success();
}

static void printTableKey(OpAsmPrinter &printer, Operation *, ArrayAttr names,
                          ArrayAttr kinds, ArrayAttr types) {
  for (unsigned i = 0; i < names.size(); ++i)
    printer << (i ? ", " : "") << cast<StringAttr>(kinds[i]).getValue() << " "
            << names[i] << " : " << cast<TypeAttr>(types[i]).getValue();
}

#define GET_OP_CLASSES
#include "ir/dialect/BakerTables.cpp.inc"

namespace karakal::ir {

std::optional<MatchKind> matchKindNamed(StringRef name) {
  const auto *found = llvm::find(matchKindNames, name);
  if (found == std::end(matchKindNames))
    return std::nullopt;
  return MatchKind(found - std::begin(matchKindNames));
}

StringRef nameOf(MatchKind kind) { return matchKindNames[unsigned(kind)]; }

std::vector<TableKey> keysOf(TableOp table) {
  std::vector<TableKey> keys;
  for (unsigned i = 0; i < table.getKeyNames().size(); ++i)
    keys.push_back(
        {cast<StringAttr>(table.getKeyNames()[i]).str(),
         *matchKindNamed(cast<StringAttr>(table.getKeyKinds()[i]).getValue()),
         cast<TypeAttr>(table.getKeyTypes()[i])
             .getValue()
             .getIntOrFloatBitWidth()});
  return keys;
}

bool hasPriority(const std::vector<TableKey> &keys) {
  return llvm::any_of(keys, [](const TableKey &key) {
    return key.kind == MatchKind::Ternary || key.kind == MatchKind::Range;
  });
}

/// Adds a number of any width, in two parts if it needs them.
static void addNumber(std::vector<TableArgument> &arguments,
                      const std::string &name, unsigned bits) {
  if (bits <= 64) {
    arguments.push_back({name, bits});
    return;
  }
  arguments.push_back({name + ".high", bits - 64});
  arguments.push_back({name + ".low", 64});
}

std::vector<TableArgument> entryArguments(const std::vector<TableKey> &keys) {
  std::vector<TableArgument> arguments;
  for (const TableKey &key : keys) {
    addNumber(arguments, key.name, key.bits);
    if (key.kind == MatchKind::Lpm)
      arguments.push_back({key.name + ".length", 8});
    else if (key.kind == MatchKind::Ternary)
      addNumber(arguments, key.name + ".mask", key.bits);
    else if (key.kind == MatchKind::Range)
      addNumber(arguments, key.name + ".last", key.bits);
  }
  if (hasPriority(keys))
    arguments.push_back({"priority", 32});
  return arguments;
}

uint64_t tableLimitOf(func::FuncOp control) {
  auto [table, function] = control.getSymName().rsplit('.');
  auto module = control->getParentOfType<ModuleOp>();
  auto found = module.lookupSymbol<TableOp>(table);
  return found ? found.getLimit() : 0;
}

bool isHidden(TableOp table, unsigned field) {
  StringAttr name = cast<StructType>(table.getRecord()).getFieldNames()[field];
  return isHiddenField(name.getValue());
}

std::vector<std::string> countersOf(TableOp table) {
  std::vector<std::string> names;
  if (auto counters = table.getCounters())
    for (auto name : counters->getAsRange<StringAttr>())
      names.push_back(name.str());
  return names;
}

bool countsBytes(TableOp table) {
  return llvm::is_contained(countersOf(table), bytesCounter);
}

bool countsHits(TableOp table) {
  return table.getIdle() || table.getCounters();
}

bool isMutable(TableOp table, unsigned field) {
  auto names = table.getMutableFields();
  StringAttr name = cast<StructType>(table.getRecord()).getFieldNames()[field];
  return names && llvm::is_contained(*names, name);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static LogicalResult verifyKey(TableOp table) {
  size_t count = table.getKeyNames().size();
  if (count == 0 || table.getKeyKinds().size() != count ||
      table.getKeyTypes().size() != count)
    return table.emitOpError() << "a key has fields, each with a name, a kind "
                                  "and a type";
  unsigned bits = 0, lpm = 0;
  llvm::StringSet<> seen;
  for (unsigned i = 0; i < count; ++i) {
    StringRef kind = cast<StringAttr>(table.getKeyKinds()[i]).getValue();
    if (!matchKindNamed(kind))
      return table.emitOpError()
             << "there is no kind of match '" << kind << "'";
    Type type = cast<TypeAttr>(table.getKeyTypes()[i]).getValue();
    if (!type.isSignlessInteger() ||
        type.getIntOrFloatBitWidth() > tableKeyFieldBitsMax)
      return table.emitOpError() << "a field of a key is an integer of at most "
                                 << tableKeyFieldBitsMax << " bits";
    StringRef name = cast<StringAttr>(table.getKeyNames()[i]).getValue();
    if (!seen.insert(name).second)
      return table.emitOpError()
             << "the field \"" << name << "\" of the key is declared twice";
    bits += type.getIntOrFloatBitWidth();
    lpm += kind == "lpm";
  }
  if (bits > tableKeyBitsMax)
    return table.emitOpError()
           << "a key has at most " << tableKeyBitsMax << " bits";
  if (lpm > 1)
    return table.emitOpError() << "at most one field of a key is lpm";
  return success();
}

/// The prefixes of `lengths` have at most so many different first bits.
static int64_t nodesMax(ArrayRef<int64_t> lengths, size_t bits) {
  int64_t longer = 0;
  for (int64_t count : lengths.drop_front(bits + 1))
    longer += count;
  return bits < 62 ? std::min<int64_t>(longer, int64_t(1) << bits) : longer;
}

static LogicalResult verifyPrefixes(TableOp table) {
  auto lengths = table.getPrefixLengths(), nodes = table.getPrefixNodes();
  if (!lengths && !nodes)
    return success();
  if (!lengths || !nodes)
    return table.emitOpError()
           << "'prefix_lengths' and 'prefix_nodes' come together";
  size_t bits = 0, lpm = 0;
  std::vector<TableKey> keys = keysOf(table);
  for (const TableKey &key : keys) {
    bits += key.bits;
    lpm += key.kind == MatchKind::Lpm;
  }
  if (lpm == 0 || hasPriority(keys))
    return table.emitOpError() << "'prefix_lengths' needs a key that is exact "
                                  "but for one prefix";
  if (lengths->size() != bits + 1 || nodes->size() != bits)
    return table.emitOpError()
           << "a key of " << bits << " bits has " << bits + 1
           << " 'prefix_lengths' and " << bits << " 'prefix_nodes'";
  auto isLarge = [](int64_t count) {
    return count < 0 || count > std::numeric_limits<uint32_t>::max();
  };
  if (llvm::any_of(*lengths, isLarge) ||
      llvm::all_of(*lengths, [](int64_t count) { return count == 0; }))
    return table.emitOpError()
           << "'prefix_lengths' are counts, of which one is not 0";
  for (size_t i = 0; i < bits; ++i)
    if (int64_t most = nodesMax(*lengths, i);
        (*nodes)[i] > most || (*nodes)[i] < int64_t(most != 0))
      return table.emitOpError()
             << "element " << i << " of 'prefix_nodes' is " << (*nodes)[i]
             << ", not " << int64_t(most != 0) << " to " << most;
  return success();
}

/// The record has the words that look-ups write.
static LogicalResult verifyHiddenFields(TableOp table) {
  auto record = cast<StructType>(table.getRecord());
  std::vector<std::string> words;
  for (const std::string &counter : countersOf(table)) {
    if (counter != packetsCounter && counter != bytesCounter)
      return table.emitOpError() << "there is no counter of " << counter;
    words.push_back(counter + counterLow);
    words.push_back(counter + counterHigh);
  }
  if (table.getIdle())
    words.push_back(idleMark);
  if (auto kind = table.getMeter()) {
    if (!meterRates(*kind))
      return table.emitOpError() << "there is no meter of kind " << *kind;
    words.push_back(kind->str() + meterSuffix);
  }
  for (const std::string &word : words) {
    auto field = record.fieldIndex(word);
    if (!field || !record.getFieldTypes()[*field].isInteger(32) ||
        !isMutable(table, unsigned(*field)))
      return table.emitOpError()
             << "the record has no mutable i32 '" << word << "'";
  }
  return success();
}

LogicalResult TableOp::verify() {
  if (failed(verifyKey(*this)) || failed(verifyHiddenFields(*this)))
    return failure();
  auto record = cast<StructType>(getRecord());
  if (getTypes().size() != record.getFieldNames().size())
    return emitOpError() << "each field of the record has a type";
  for (auto name :
       getMutableFields().value_or(Builder(getContext()).getArrayAttr({})))
    if (!record.fieldIndex(cast<StringAttr>(name).getValue()))
      return emitOpError() << "there is no field " << name;
  if (getLimit() < 1 || getSize() < 1 || getSize() > getLimit())
    return emitOpError() << "the size is 1 to the limit";
  auto values = getDefaultValues();
  if (values && values->size() != getTypes().size())
    return emitOpError() << "each field of the record has a default value";
  return verifyPrefixes(*this);
}

/// The table that an operation uses, or null after an error.
static TableOp tableFor(Operation *op, FlatSymbolRefAttr name,
                        SymbolTableCollection &symbols) {
  auto table = symbols.lookupNearestSymbolFrom<TableOp>(op, name);
  if (!table)
    op->emitOpError() << "there is no table " << name;
  return table;
}

LogicalResult
TableFindOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  TableOp table = tableFor(*this, getTableAttr(), symbolTable);
  if (!table)
    return failure();
  auto types = table.getKeyTypes().getAsValueRange<TypeAttr>();
  if (llvm::equal(types, getKeys().getTypes()))
    return success();
  return emitOpError() << "takes the fields of the key of " << getTableAttr();
}

LogicalResult TableHitOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return success(tableFor(*this, getTableAttr(), symbolTable) != nullptr);
}

LogicalResult
TableEntryOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  TableOp table = tableFor(*this, getTableAttr(), symbolTable);
  if (!table)
    return failure();
  if (cast<RefType>(getRef().getType()).getPointee() == table.getRecord())
    return success();
  return emitOpError() << "refers to the record of " << getTableAttr();
}

LogicalResult
TableCountHitOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  TableOp table = tableFor(*this, getTableAttr(), symbolTable);
  if (!table)
    return failure();
  if (!countsHits(table))
    return emitOpError() << "needs counters or 'idle' of " << getTableAttr();
  if (bool(getBytes()) != countsBytes(table))
    return emitOpError() << "tells bytes if " << getTableAttr()
                         << " counts them";
  return success();
}

LogicalResult
TableColorOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  TableOp table = tableFor(*this, getTableAttr(), symbolTable);
  if (!table)
    return failure();
  if (!table.getMeter())
    return emitOpError() << "needs a meter of " << getTableAttr();
  return success();
}

LogicalResult
TableUpdateOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  TableOp table = tableFor(*this, getTableAttr(), symbolTable);
  if (!table)
    return failure();
  StringRef operation = getVerb();
  std::vector<unsigned> bits;
  if (operation == "add" || operation == "change" || operation == "remove")
    for (const TableArgument &argument : entryArguments(keysOf(table)))
      bits.push_back(argument.bits);
  else if (operation == "expire" && !table.getIdle())
    return emitOpError() << "needs 'idle' of " << getTableAttr();
  else if (operation != "clear" && operation != "count" &&
           operation != "expire")
    return emitOpError() << "there is no operation \"" << operation << "\"";
  auto types = cast<StructType>(table.getRecord()).getFieldTypes();
  for (unsigned i = 0; i < types.size(); ++i)
    if ((operation == "add" || operation == "change") && !isMutable(table, i))
      bits.push_back(types[i].getIntOrFloatBitWidth());
  auto isRight = [](auto pair) {
    return std::get<0>(pair).getType().isInteger(std::get<1>(pair));
  };
  if (bits.size() == getValues().size() &&
      llvm::all_of(llvm::zip(getValues(), bits), isRight))
    return success();
  return emitOpError() << "has other arguments than \"" << operation << "\" of "
                       << getTableAttr();
}

} // namespace karakal::ir
