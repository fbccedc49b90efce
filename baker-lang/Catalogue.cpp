#include "baker-lang/Catalogue.h"

#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace karakal::lang {

std::string idOf(Code code) {
  std::string number = std::to_string(unsigned(code));
  return "E-baker-" + std::string(3 - number.size(), '0') + number;
}

const char *titleOf(Code code) {
  switch (code) {
#define DIAGNOSTIC(number, name, title)                                        \
  case Code::name:                                                             \
    return title;
#define WARNING(number, name, flag, isOn, title) DIAGNOSTIC(number, name, title)
#include "baker-lang/Catalogue.def"
  }
  KARAKAL_UNREACHABLE("diagnostic without an entry");
}

const std::vector<WarningKind> &warningKinds() {
  static const std::vector<WarningKind> kinds = {
#define DIAGNOSTIC(number, name, title)
#define WARNING(number, name, flag, isOn, title) {Code::name, flag, isOn},
#include "baker-lang/Catalogue.def"
  };
  return kinds;
}

Diagnostic &report(Diagnostics &diagnostics, Code code, SourceRange range,
                   std::string message) {
  for (const WarningKind &kind : warningKinds())
    if (kind.code == code)
      return diagnostics.warn(kind.flag, idOf(code), range, std::move(message));
  return diagnostics.add(Severity::Error, idOf(code), range,
                         std::move(message));
}

Result<WarningPolicy> warningPolicy(const std::vector<std::string> &options) {
  WarningPolicy policy;
  std::vector<std::string> flags;
  for (const WarningKind &kind : warningKinds()) {
    flags.push_back(kind.flag);
    if (!kind.isOn)
      policy.offDefault.insert(kind.flag);
  }
  for (const std::string &option : options) {
    llvm::StringRef flag = option;
    if (flag == "error") {
      policy.areErrors = true;
      continue;
    }
    if (flag == "everything") {
      policy.offDefault.clear();
      continue;
    }
    auto &set = flag.consume_front("error=") ? policy.errors
                : flag.consume_front("no-")  ? policy.disabled
                                             : policy.enabled;
    if (!llvm::is_contained(flags, flag)) {
      std::string near = nearestName(flag.str(), flags);
      return makeError("", "there is no warning '-W" + option + "'" +
                               (near.empty()
                                    ? "; there are " + llvm::join(flags, ", ")
                                    : "; did you mean '" + near + "'?"));
    }
    set.insert(flag.str());
  }
  return policy;
}

} // namespace karakal::lang
