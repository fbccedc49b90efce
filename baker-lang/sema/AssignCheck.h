// Variables read before they are set.

#ifndef KARAKAL_BAKER_LANG_SEMA_ASSIGNCHECK_H
#define KARAKAL_BAKER_LANG_SEMA_ASSIGNCHECK_H

#include "support/Diagnostics.h"

namespace karakal::lang {

struct Program;

/// Warns of local variables that are read where no path has assigned to them.
void checkAssigned(const Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SEMA_ASSIGNCHECK_H
