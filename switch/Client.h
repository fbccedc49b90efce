// bakersw ctl: asks a running switch.
//
// | id | what is wrong |
// |---|---|
// | E-switch-006 | no switch answers at the socket |
// | E-switch-007 | the command has too many or too few words |

#ifndef KARAKAL_SWITCH_CLIENT_H
#define KARAKAL_SWITCH_CLIENT_H

#include "switch/CommandLine.h"

namespace karakal::sw {

/// The call that words of a shell mean: `routes.add 10.0.0.0/8 hop: 3` is
/// `routes.add(10.0.0.0/8, hop: 3)`, and `hop=3` is `hop: 3`.
std::string callOfWords(const std::vector<std::string> &words);

/// Sends the command and prints the answer.
Status runClient(const ClientOptions &options);

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_CLIENT_H
