#include "target-ixp/assembler/Assembler.h"

#include "target-ixp/assembler/AsmAllocator.h"
#include "target-ixp/assembler/AsmBuilder.h"
#include "target-ixp/assembler/AsmParser.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/ProgramRules.h"

#include <algorithm>

namespace karakal::target {

namespace {

using namespace as;

class Assembly {
public:
  Assembly(const std::shared_ptr<const SourceFile> &file,
           const AssemblerOptions &options)
      : file(file), options(options) {}

  Reporter reporter;

  std::optional<AssembledProgram> run() {
    AsmProgram program = parse(preprocess(file, options, reporter), reporter);
    if (program.items.empty() && reporter.errorCount == 0)
      reporter.error({file, 0, 0}, "E-target-ixp-119",
                     "there is no instruction");
    if (program.items.size() > options.chip.meControlStore)
      reporter.error({file, 0, 0}, "E-target-ixp-119",
                     "the program has " + std::to_string(program.items.size()) +
                         " words, but a control store has only " +
                         std::to_string(options.chip.meControlStore));
    collect(program, reporter);
    bool allocated = allocate(program, reporter);
    AssembledProgram result;
    for (Item &item : program.items)
      emit(program, item, result, allocated);
    finish(program, result);
    if (reporter.errorCount == 0) {
      warn(program, result);
      return result;
    }
    sortDiagnostics();
    return std::nullopt;
  }

private:
  const std::shared_ptr<const SourceFile> &file;
  const AssemblerOptions &options;

  void emit(AsmProgram &program, Item &item, AssembledProgram &result,
            bool allocated) {
    uint64_t word = 0;
    if (!item.within.empty())
      reporter.within.push_back(item.within);
    if (!item.row && item.mnemonic == ".word") {
      word = static_cast<uint64_t>(buildWord(item, reporter).value_or(0));
    } else if (allocated && !item.hasError) {
      if (auto instruction = build(program, item, reporter)) {
        Result<uint64_t> encoded = encode(*instruction);
        if (encoded)
          word = *encoded;
        else
          reporter.error(item.location, encoded.error().id.c_str(),
                         encoded.error().message);
      }
    }
    if (!item.within.empty())
      reporter.within.pop_back();
    result.words.push_back(word);
    result.lines.push_back({item.location.file->name, item.location.line});
  }

  void finish(const AsmProgram &program, AssembledProgram &result) {
    for (const auto &scope : program.scopes)
      for (const auto &[name, address] : scope->labels) {
        std::string unique = name;
        for (int copy = 2; result.labels.count(unique); ++copy)
          unique = name + "#" + std::to_string(copy);
        result.labels[unique] = address;
      }
    for (const auto &symbol : program.symbols) {
      std::string key = symbol->name + " at " + symbol->location.file->name +
                        ":" + std::to_string(symbol->location.line);
      std::string number = std::to_string(symbol->number);
      bool absolute = symbol->kind == Symbol::Kind::AbsoluteGpr;
      result.registers[key] =
          symbol->kind == Symbol::Kind::SXfer   ? "$" + number
          : symbol->kind == Symbol::Kind::DXfer ? "$$" + number
          : symbol->kind == Symbol::Kind::Signal
              ? "s" + number
              : std::string(absolute ? "@" : "") +
                    (symbol->bank == 1 ? "b" : "a") + number;
    }
    result.functions.push_back(
        {"main", 0, static_cast<uint32_t>(result.words.size())});
  }

  void warn(const AsmProgram &program, AssembledProgram &result) {
    Reporter collector;
    KARAKAL_ASSERT(result.words.size() == program.items.size(),
                   "each item makes one word");
    for (const RuleBreach &breach : checkProgram(result.words)) {
      const Item &item = program.items[breach.address];
      collector.within.assign(item.within.empty() ? 0 : 1, item.within);
      collector.error(item.location, breach.id.c_str(), breach.message);
    }
    result.warnings = std::move(collector.diagnostics);
  }

  /// Sorts by location and keeps the order of reports at one location. Drops
  /// duplicates, which come from several expansions of one macro line.
  void sortDiagnostics() {
    auto &all = reporter.diagnostics;
    auto key = [](const Diagnostic &d) {
      return std::make_tuple(d.error.file, d.error.line, d.error.column);
    };
    for (size_t i = 1; i < all.size(); ++i) // few, nearly sorted
      for (size_t j = i; j > 0 && key(all[j]) < key(all[j - 1]); --j)
        std::swap(all[j], all[j - 1]);
    auto same = [&](const Diagnostic &left, const Diagnostic &right) {
      return key(left) == key(right) &&
             left.error.message == right.error.message;
    };
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
  }
};

} // namespace

std::optional<AssembledProgram>
assembleText(const std::string &text, const std::string &name,
             const AssemblerOptions &options,
             std::vector<Diagnostic> &diagnostics) {
  auto source = as::makeSource(name, text);
  Assembly assembly(source, options);
  auto result = assembly.run();
  diagnostics = std::move(assembly.reporter.diagnostics);
  return result;
}

Result<AssembledProgram>
assembleFile(const std::string &path,
             const std::map<std::string, std::string> &defines) {
  auto source = as::readSource(path);
  if (!source)
    return makeFileError("E-target-ixp-110", path,
                         "cannot read the microcode file");
  AssemblerOptions options;
  options.defines = defines;
  Assembly assembly(source, options);
  if (auto result = assembly.run())
    return *result;
  const auto &all = assembly.reporter.diagnostics;
  Error error = all.front().error;
  if (all.size() > 1)
    error.message +=
        " (and " + std::to_string(all.size() - 1) + " more; ixp-as shows all)";
  return error;
}

} // namespace karakal::target
