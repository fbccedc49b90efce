// What ixpsim does with its arguments.

#ifndef KARAKAL_SIM_IXP_RUNIXPSIM_H
#define KARAKAL_SIM_IXP_RUNIXPSIM_H

#include "sim-ixp/run/CommandLine.h"
#include "support/Error.h"

namespace karakal::sim {

/// Describes the chip and the image (`--describe`), runs raw microcode on a
/// bare chip (`--ucode`), or runs the image over the trace, and writes the
/// requested results. Messages go to standard error, descriptions to standard
/// output. Returns ExitInputWrong if a file is wrong or the program fails on
/// the chip, else ExitDone.
ExitStatus runIxpsim(CommandLine line);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_RUNIXPSIM_H
