// The prefixes that a control file adds to the tables of a program.

#include "driver/CountPrefixes.h"

#include "baker-lang/tables/PrefixCounts.h"
#include "ir/dialect/Tables.h"
#include "traces/ControlFile.h"

using namespace mlir;

namespace karakal::driver {

/// The control function `add` of a table, as baker-lower-tables makes it.
static traces::ControlSignature signatureOfAdd(ir::TableOp table) {
  traces::ControlSignature add;
  add.name = table.getSymName().str() + ".add";
  for (const ir::TableArgument &argument :
       ir::entryArguments(ir::keysOf(table)))
    add.params.push_back({argument.name, "u" + std::to_string(argument.bits)});
  auto record = cast<ir::StructType>(table.getRecord());
  for (unsigned i = 0; i < record.getFieldNames().size(); ++i)
    if (!ir::isMutable(table, i))
      add.params.push_back({record.getFieldNames()[i].str(),
                            cast<StringAttr>(table.getTypes()[i]).str()});
  add.tableLimit = table.getLimit();
  return add;
}

Status countPrefixes(ModuleOp program, const std::string &controlFile) {
  std::vector<ir::TableOp> tables;
  std::vector<traces::ControlSignature> signatures;
  for (ir::TableOp table : program.getOps<ir::TableOp>()) {
    tables.push_back(table);
    signatures.push_back(signatureOfAdd(table));
  }
  if (tables.empty())
    return success();
  std::vector<traces::ControlCall> calls;
  if (!controlFile.empty()) {
    auto read = traces::readControlFile(controlFile);
    if (!read)
      return read.error();
    calls = std::move(*read);
  }
  std::vector<std::vector<lang::EntryArguments>> added(tables.size());
  for (const traces::ControlCall &call : traces::singleCalls(calls)) {
    auto isMeant = [&](const traces::ControlSignature &add) {
      return traces::mayMean(call, add);
    };
    if (llvm::none_of(signatures, isMeant)) // no error text is needed
      continue;
    if (auto bound = traces::bindCall(call, signatures))
      added[bound->function].push_back(std::move(bound->args));
  }
  for (size_t i = 0; i < tables.size(); ++i)
    lang::countPrefixes(tables[i], added[i]);
  return success();
}

} // namespace karakal::driver
