// The control calls that a program has accepted.

#include "switch/Journal.h"
#include "traces/TableEntries.h"
#include <algorithm>

namespace karakal::sw {

static std::string tableOf(const std::string &function) {
  return function.substr(0, function.rfind('.'));
}

Journal::Journal(const std::vector<traces::ControlSignature> &signatures,
                 const std::vector<std::string> &changed)
    : aged(changed.begin(), changed.end()) {
  std::map<std::string, const traces::ControlSignature *> removes;
  for (const traces::ControlSignature &signature : signatures)
    if (signature.tableLimit != 0 &&
        signature.name == tableOf(signature.name) + ".remove")
      removes[tableOf(signature.name)] = &signature;
  const std::map<std::string, Effect> effects = {{"add", Effect::Add},
                                                 {"change", Effect::Change},
                                                 {"remove", Effect::Remove},
                                                 {"clear", Effect::Clear},
                                                 {"expire", Effect::Age}};
  for (const traces::ControlSignature &signature : signatures) {
    Function &function = functions.emplace_back();
    function.table = tableOf(signature.name);
    if (traces::givesValue(signature) || traces::readsEntries(signature))
      function.effect = Effect::None;
    auto remove = removes.find(function.table);
    auto effect =
        effects.find(signature.name.substr(signature.name.rfind('.') + 1));
    if (signature.tableLimit == 0 || remove == removes.end() ||
        effect == effects.end())
      continue;
    function.effect = effect->second;
    for (const auto &key : remove->second->params)
      for (size_t i = 0; i < signature.params.size(); ++i)
        if (signature.params[i].name == key.name)
          function.key.push_back(i);
  }
}

void Journal::note(const traces::ControlCall &call,
                   const traces::Resolved &resolved) {
  KARAKAL_ASSERT(resolved.function < functions.size(), "one of the program's");
  const Function &function = functions[resolved.function];
  if (function.effect == Effect::None)
    return;
  if (function.effect == Effect::Age)
    return age(function.table);
  if (function.effect == Effect::Other)
    return keep(call.text);
  if (aged.count(function.table))
    return;
  auto &table = entries[function.table];
  std::vector<uint64_t> key;
  for (size_t index : function.key)
    key.push_back(resolved.args[index]);
  auto found = table.find(key);
  auto add = [&](const std::string &text) {
    table[key] = lines.insert(lines.end(), text);
  };
  auto forget = [&] {
    lines.erase(found->second);
    table.erase(found);
  };
  switch (function.effect) {
  case Effect::Add:
    // A removal of an entry that the program has from the start stays.
    add(call.text);
    return;
  case Effect::Change: {
    // What was added is added with the new values.
    bool isAdded = found != table.end() &&
                   found->second->find(".add(") != std::string::npos;
    if (found != table.end())
      forget();
    std::string arguments = call.text.substr(call.text.find('('));
    add(function.table + (isAdded ? ".add" : ".change") + arguments);
    return;
  }
  case Effect::Remove: {
    bool isAdded = found != table.end() &&
                   found->second->find(".add(") != std::string::npos;
    if (found != table.end())
      forget();
    if (!isAdded)
      lines.push_back(call.text);
    return;
  }
  case Effect::Clear:
    for (auto &[entry, line] : table)
      lines.erase(line);
    table.clear();
    others.remove_if([&](Line line) {
      bool isSame = *line == call.text;
      if (isSame)
        lines.erase(line);
      return isSame;
    });
    others.push_back(lines.insert(lines.end(), call.text));
    return;
  case Effect::Other:
  case Effect::Age:
  case Effect::None:
    KARAKAL_UNREACHABLE("handled above");
  }
}

/// Keeps a call of a function that is no table's.
void Journal::keep(const std::string &text) {
  others.push_back(lines.insert(lines.end(), text));
  if (others.size() <= OtherCallsMax)
    return;
  lines.erase(others.front());
  others.pop_front();
  ++forgotten;
}

void Journal::age(const std::string &table) {
  if (!aged.insert(table).second)
    return;
  for (auto &[key, line] : entries[table])
    lines.erase(line);
  entries.erase(table);
}

std::string Journal::text() const {
  std::string text;
  if (forgotten != 0)
    text = "# " + std::to_string(forgotten) + " older calls are not kept\n";
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

} // namespace karakal::sw
