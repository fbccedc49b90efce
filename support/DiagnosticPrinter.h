// Prints diagnostics, as text or as JSON.
//
//   l3.baker:12:9: error: there is no name 'hpos' here [E-baker-020]
//     x = hpos[1].port;
//         ^~~~
//         hops
//   l3.baker:4:12: note: did you mean 'hops'?
//     next_hop hops[64];
//              ^~~~
//
// The line below the underline is a fix-it: text to write there instead.

#ifndef KARAKAL_SUPPORT_DIAGNOSTICPRINTER_H
#define KARAKAL_SUPPORT_DIAGNOSTICPRINTER_H

#include "support/Diagnostics.h"

#include <iosfwd>

namespace karakal {

/// Prints the diagnostics in the order of the text, at most 100, and the number
/// of errors.
void printDiagnostics(const Diagnostics &diagnostics, std::ostream &out,
                      bool hasColour);

/// Prints all diagnostics in the order of the text as one JSON array. Lines and
/// columns start at 1; the end of a range is exclusive.
void printDiagnosticsAsJson(const Diagnostics &diagnostics, std::ostream &out);

/// Whether standard error is a terminal with colours.
bool standardErrorHasColour();

} // namespace karakal

#endif // KARAKAL_SUPPORT_DIAGNOSTICPRINTER_H
