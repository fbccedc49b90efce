// Batches: calls that packets see together or not at all.

#include "traces/TableBatch.h"

#include "support/Assert.h"

#include <algorithm>

namespace karakal::traces {

namespace {

/// Of those in runtime/tables/header.template.
enum class ControlStatus { Done, Full, Duplicate, Missing };

std::string tableOf(const std::string &function) {
  return function.substr(0, function.rfind('.'));
}

std::string lastPart(const std::string &name) {
  return name.substr(name.rfind('.') + 1);
}

} // namespace

std::size_t TableBatch::functionOf(const std::string &name) const {
  for (std::size_t i = 0; i < signatures->size(); ++i)
    if ((*signatures)[i].name == name)
      return i;
  KARAKAL_UNREACHABLE("a table has the function " + name);
}

Result<TableBatch>
TableBatch::create(const ControlCall &batch,
                   const std::vector<ControlSignature> &signatures) {
  KARAKAL_ASSERT(batch.isBatch && !batch.parts.empty(), "a batch has calls");
  TableBatch made;
  made.signatures = &signatures;
  for (const ControlCall &call : batch.parts) {
    Result<Resolved> bound = bindCall(call, signatures);
    if (!bound)
      return bound.error();
    const ControlSignature &function = signatures[bound->function];
    std::string verb = lastPart(function.name);
    bool isChange = verb == "add" || verb == "change" || verb == "remove" ||
                    verb == "clear";
    if (function.tableLimit == 0 || !isChange)
      return makeFileError("E-traces-028", call.file,
                           "a batch calls 'add', 'change', 'remove' and "
                           "'clear' of tables, not '" +
                               function.name + "'",
                           call.line);
    std::string table = tableOf(function.name);
    std::size_t keyCount =
        signatures[made.functionOf(table + ".remove")].params.size();
    made.partList.push_back(
        {&call, std::move(*bound), std::move(table), verb, keyCount, {}});
  }
  return made;
}

TableBatch::Numbers TableBatch::keyOf(const Part &part,
                                      const Numbers &args) const {
  return Numbers(args.begin(), args.begin() + std::ptrdiff_t(part.keyCount));
}

std::optional<Resolved> TableBatch::next(uint32_t returned) {
  switch (at) {
  case At::Check:
    return check();
  case At::Count:
    tables[partList[part].table].count = returned;
    return check();
  case At::Find:
    return found(returned);
  case At::Words:
    if (auto word = reader->next(returned))
      return word;
    entries = reader->arguments();
    return judge();
  case At::Make:
    if (returned == 0) {
      ++part;
      return make();
    }
    refusedCall = {partList[part].call, partList[part].resolved.function,
                   int32_t(returned), true};
    for (std::size_t i = 0; i < part; ++i)
      undoing.insert(undoing.end(), partList[i].undo.begin(),
                     partList[i].undo.end());
    at = At::Undo;
    return undo();
  case At::Undo:
    refusedCall->isUndone &= returned == 0;
    return undo();
  }
  KARAKAL_UNREACHABLE("a step of a batch");
}

/// Reads what the table has for the part, or begins to make the calls.
std::optional<Resolved> TableBatch::check() {
  if (part == partList.size()) {
    part = 0;
    at = At::Make;
    return make();
  }
  Part &checked = partList[part];
  if (!tables[checked.table].count) {
    at = At::Count;
    return Resolved{functionOf(checked.table + ".count"), {}};
  }
  entries.clear();
  at = At::Find;
  if (checked.verb == "clear")
    return Resolved{functionOf(checked.table + ".dump"), {}};
  return Resolved{functionOf(checked.table + ".read"),
                  keyOf(checked, checked.resolved.args)};
}

/// What `read` or `dump` returned.
std::optional<Resolved> TableBatch::found(uint32_t status) {
  Part &checked = partList[part];
  if (status == uint32_t(ControlStatus::Missing))
    return judge();
  if (status != 0) {
    refusedCall = {checked.call, checked.resolved.function, int32_t(status),
                   true};
    return std::nullopt;
  }
  bool isClear = checked.verb == "clear";
  reader.emplace(*signatures,
                 functionOf(checked.table + (isClear ? ".dump" : ".read")));
  at = At::Words;
  return next(0);
}

/// Decides on a part whose entries are known.
std::optional<Resolved> TableBatch::judge() {
  Part &checked = partList[part];
  if (int32_t status = statusOf(checked, tables[checked.table])) {
    refusedCall = {checked.call, checked.resolved.function, status, true};
    return std::nullopt;
  }
  ++part;
  return check();
}

/// What the part would return, and how it is undone.
int32_t TableBatch::statusOf(Part &part, Table &table) {
  if (part.verb == "clear") {
    clear(part, table);
    return 0;
  }
  Numbers key = keyOf(part, part.resolved.args);
  auto changed = table.changed.find(key);
  std::optional<Numbers> old;
  if (changed != table.changed.end())
    old = changed->second;
  else if (!table.isCleared && !entries.empty())
    old = entries.front();
  if (part.verb == "add") {
    const ControlSignature &add = (*signatures)[part.resolved.function];
    if (old)
      return int32_t(ControlStatus::Duplicate);
    if (*table.count == add.tableLimit)
      return int32_t(ControlStatus::Full);
    ++*table.count;
    table.changed[key] = part.resolved.args;
    part.undo = {{functionOf(part.table + ".remove"), key}};
    return 0;
  }
  if (!old)
    return int32_t(ControlStatus::Missing);
  if (part.verb == "change") {
    table.changed[key] = part.resolved.args;
    part.undo = {{part.resolved.function, *old}};
    return 0;
  }
  KARAKAL_ASSERT(part.verb == "remove", "one of four verbs");
  --*table.count;
  table.changed[key] = std::nullopt;
  part.undo = {{functionOf(part.table + ".add"), *old}};
  return 0;
}

void TableBatch::clear(Part &part, Table &table) {
  std::size_t add = functionOf(part.table + ".add");
  auto keep = [&](const Numbers &args) { part.undo.push_back({add, args}); };
  for (const Numbers &args : entries)
    if (!table.isCleared && table.changed.count(keyOf(part, args)) == 0)
      keep(args);
  for (const auto &[key, args] : table.changed)
    if (args)
      keep(*args);
  table.changed.clear();
  table.isCleared = true;
  table.count = 0;
}

std::optional<Resolved> TableBatch::make() {
  if (part < partList.size())
    return partList[part].resolved;
  return std::nullopt;
}

std::optional<Resolved> TableBatch::undo() {
  if (undoing.empty())
    return std::nullopt;
  Resolved last = std::move(undoing.back());
  undoing.pop_back();
  return last;
}

std::string batchRefusal(const TableBatch::Refused &refused,
                         const std::vector<ControlSignature> &signatures,
                         const std::vector<std::string> &texts) {
  const ControlSignature &signature = signatures[refused.function];
  return "'" + signature.name + "' refused the call, and so the batch: " +
         refusal(signature, texts, refused.status) +
         (refused.isUndone ? ""
                           : "; the calls before it could not all be undone");
}

} // namespace karakal::traces
