// One run of bakersw, from an initialized program to the statistics at the end.

#ifndef KARAKAL_SWITCH_RUNSWITCH_H
#define KARAKAL_SWITCH_RUNSWITCH_H

#include "codegen-x86/LiveProgram.h"
#include "switch/CommandLine.h"

namespace karakal::sw {

/// Keeps SIGINT and SIGTERM for `runSwitch`, so that a signal during the
/// compilation is not lost. Comes before any thread.
void holdSignals();

/// Opens the ports, makes the calls of the control file, and runs until a
/// signal, `bakersw ctl stop`, or the end of all files. Errors: E-switch-001 to
/// -005, those of traces/ and E-switch-010 for control calls.
Status runSwitch(x86::LiveProgram &program, const SwitchOptions &options);

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_RUNSWITCH_H
