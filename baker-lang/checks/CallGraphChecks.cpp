#include "baker-lang/checks/CallGraphChecks.h"

#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/tree/Program.h"
#include "support/Error.h"

namespace karakal::lang {

namespace {

/// A depth-first search of the call graph for cycles.
class RecursionCheck {
public:
  explicit RecursionCheck(Diagnostics &diagnostics)
      : diagnostics(diagnostics) {}

  void visit(const FunctionDecl &function) {
    if (progress[&function] != Progress::NotStarted)
      return;
    progress[&function] = Progress::InProgress;
    for (const FunctionDecl::CallSite &call : function.calls) {
      path.push_back(call);
      if (progress[call.callee] == Progress::InProgress)
        reportCycle(function);
      else
        visit(*call.callee);
      path.pop_back();
    }
    progress[&function] = Progress::Done;
  }

private:
  /// The last call of the path, in `caller`, closes a cycle.
  void reportCycle(const FunctionDecl &caller) {
    KARAKAL_ASSERT(!path.empty(), "a cycle without a call");
    const FunctionDecl::CallSite &call = path.back();
    bool isDirect = call.callee == &caller;
    auto &diagnostic =
        report(diagnostics, DiagId::Recursion, call.range,
               "the function '" + call.callee->name + "' calls itself" +
                   (isDirect ? "" : " through other functions") +
                   ", which Baker does not allow");
    // The calls that lead back to the function.
    size_t start = path.size() - 1;
    while (start > 0 && path[start - 1].callee != call.callee)
      --start;
    for (size_t i = start; i + 1 < path.size(); ++i)
      diagnostic.note(path[i].range,
                      "by calling '" + path[i].callee->name + "' here");
    diagnostic.note(call.callee->range, "declared here");
  }

  Diagnostics &diagnostics;
  std::map<const FunctionDecl *, Progress> progress;
  std::vector<FunctionDecl::CallSite> path; ///< from the first function
};

/// Finds out which functions enter a critical section, directly or through
/// others.
class SectionSearch {
public:
  bool entersSection(const FunctionDecl &function) {
    auto [entry, isNew] =
        enters.emplace(&function, function.hasCriticalSection);
    if (!isNew || entry->second)
      return entry->second;
    bool result = false;
    for (const FunctionDecl::CallSite &call : function.calls)
      result |= entersSection(*call.callee);
    return enters[&function] = result;
  }

private:
  std::map<const FunctionDecl *, bool> enters;
};

} // namespace

void checkRecursion(const Program &program, Diagnostics &diagnostics) {
  RecursionCheck check(diagnostics);
  // Bodies of PPFs cannot be called.
  program.forEachDeclList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &function : list.functions)
      check.visit(*function);
  });
}

void checkNestedSections(const Program &program, Diagnostics &diagnostics) {
  SectionSearch search;
  program.forEachFunction([&](const FunctionDecl &function) {
    for (const FunctionDecl::CallSite &call : function.calls)
      if (call.isInCriticalSection && search.entersSection(*call.callee))
        report(diagnostics, DiagId::NestedSection, call.range,
               "'" + call.callee->name +
                   "' has a critical section and is called inside another one")
            .note(call.callee->range, "declared here");
  });
}

} // namespace karakal::lang
