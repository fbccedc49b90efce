#include "baker-lang/tree/Declarations.h"

#include "support/Error.h"

namespace karakal::lang {

const char *noun(DeclKind kind) {
  switch (kind) {
  case DeclKind::Const:
    return "constant";
  case DeclKind::Protocol:
    return "protocol";
  case DeclKind::ProtocolField:
    return "field";
  case DeclKind::Struct:
    return "struct";
  case DeclKind::Enum:
    return "enum";
  case DeclKind::Metadata:
    return "metadata field";
  case DeclKind::DropReason:
    return "drop reason";
  case DeclKind::Global:
    return "global variable";
  case DeclKind::Function:
    return "function";
  case DeclKind::Variable:
    return "variable";
  case DeclKind::Ppf:
    return "PPF";
  case DeclKind::Endpoint:
    return "channel endpoint";
  case DeclKind::Module:
    return "module";
  case DeclKind::Table:
    return "table";
  }
  KARAKAL_UNREACHABLE("declaration kind");
}

// The header declares the destructor because ConstDecl is incomplete there.
ConstStmt::~ConstStmt() = default;

} // namespace karakal::lang
