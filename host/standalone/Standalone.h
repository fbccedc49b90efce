// The main program of a program's executable: bakerc --target=x86 --emit=exe.

#ifndef KARAKAL_HOST_STANDALONE_STANDALONE_H
#define KARAKAL_HOST_STANDALONE_STANDALONE_H

#include "codegen-x86/ProgramTable.h"
#include "support/Error.h"

namespace karakal::host {

/// Reads the command line and runs the program over the trace that it names.
/// Prints errors.
ExitStatus runStandalone(const x86::ProgramTable &program, int argc,
                         char **argv);

} // namespace karakal::host

#endif // KARAKAL_HOST_STANDALONE_STANDALONE_H
