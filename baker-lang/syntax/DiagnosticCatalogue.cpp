#include "baker-lang/syntax/DiagnosticCatalogue.h"

#include "support/Error.h"
#include "support/NearestName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace karakal::lang {

std::string idText(DiagId id) {
  std::string number = std::to_string(unsigned(id));
  return "E-baker-" + std::string(3 - number.size(), '0') + number;
}

const std::vector<WarningKind> &warningKinds() {
  static const std::vector<WarningKind> kinds = {
#define DIAGNOSTIC(number, name, title)
#define WARNING(number, name, flag, byDefault, title)                          \
  {DiagId::name, flag, WarningDefault::byDefault},
#include "baker-lang/syntax/DiagnosticCatalogue.def"
  };
  return kinds;
}

Diagnostic &report(Diagnostics &diagnostics, DiagId id, SourceRange range,
                   std::string message) {
  for (const WarningKind &kind : warningKinds())
    if (kind.id == id)
      return diagnostics.warn(kind.flag, idText(id), range, std::move(message));
  return diagnostics.add(Severity::Error, idText(id), range,
                         std::move(message));
}

/// The flags that `name` stands for: the members of a group, or one flag.
static std::vector<std::string> flagsOf(llvm::StringRef name) {
  std::vector<std::string> flags;
  for (const WarningKind &kind : warningKinds()) {
    llvm::StringRef flag = kind.flag;
    bool isMistake =
        kind.id >= DiagId::AlwaysSame && kind.id <= DiagId::Parentheses;
    bool isInGroup = (name == "unused" && flag.starts_with("unused-")) ||
                     (name == "mistakes" && isMistake) ||
                     (name == "truncation" && (kind.id == DiagId::ConstantCut ||
                                               kind.id == DiagId::Narrowing));
    if (flag == name || isInGroup)
      flags.push_back(flag.str());
  }
  return flags;
}

static Error unknownWarning(const std::string &option, llvm::StringRef flag) {
  std::vector<std::string> flags;
  for (const WarningKind &kind : warningKinds())
    flags.push_back(kind.flag);
  std::string near = nearestName(flag.str(), flags);
  return makeError("",
                   "there is no warning '-W" + option + "'" +
                       (near.empty() ? "; there are " + llvm::join(flags, ", ")
                                     : "; did you mean '" + near + "'?"));
}

Result<WarningPolicy> warningPolicy(const std::vector<std::string> &options) {
  WarningPolicy policy;
  for (const WarningKind &kind : warningKinds())
    if (kind.byDefault == WarningDefault::Off)
      policy.offByDefault.insert(kind.flag);
    else if (kind.byDefault == WarningDefault::Error)
      policy.errors.insert(kind.flag);
  std::set<std::string> notErrors;
  for (const std::string &option : options) {
    llvm::StringRef flag = option;
    if (flag == "error") {
      policy.areAllErrors = true;
      continue;
    }
    if (flag == "all") // what is on by default
      continue;
    if (flag == "everything") {
      policy.offByDefault.clear();
      continue;
    }
    auto &set = flag.consume_front("no-error=") ? notErrors
                : flag.consume_front("error=")  ? policy.errors
                : flag.consume_front("no-")     ? policy.disabled
                                                : policy.enabled;
    std::vector<std::string> flags = flagsOf(flag);
    if (flags.empty())
      return unknownWarning(option, flag);
    set.insert(flags.begin(), flags.end());
  }
  for (const std::string &flag : notErrors)
    policy.errors.erase(flag);
  return policy;
}

} // namespace karakal::lang
