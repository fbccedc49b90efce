#include "baker-lang/Catalogue.h"

#include "support/Error.h"

namespace karakal::lang {

std::string idOf(Code code) {
  std::string number = std::to_string(unsigned(code));
  return "E-baker-" + std::string(3 - number.size(), '0') + number;
}

const char *titleOf(Code code) {
  switch (code) {
#define DIAGNOSTIC(number, severity, name, title)                              \
  case Code::name:                                                             \
    return title;
#include "baker-lang/Catalogue.def"
#undef DIAGNOSTIC
  }
  KARAKAL_UNREACHABLE("diagnostic without an entry");
}

static Severity severityOf(Code code) {
  switch (code) {
#define DIAGNOSTIC(number, severity, name, title)                              \
  case Code::name:                                                             \
    return Severity::severity;
#include "baker-lang/Catalogue.def"
#undef DIAGNOSTIC
  }
  KARAKAL_UNREACHABLE("diagnostic without an entry");
}

Diagnostic &report(Diagnostics &diagnostics, Code code, SourceRange range,
                   std::string message) {
  return diagnostics.add(severityOf(code), idOf(code), range,
                         std::move(message));
}

} // namespace karakal::lang
