// The tables of an image as P4Runtime's `p4info`.

#ifndef KARAKAL_SIM_IXP_REPORT_P4INFO_H
#define KARAKAL_SIM_IXP_REPORT_P4INFO_H

#include <nlohmann/json.hpp>

#include <string>

namespace karakal::sim {

/// The message `p4.config.v1.P4Info` in protobuf's text form, of an image's
/// manifest. A table has one action, `TABLE.set`, whose parameters are the
/// fields of an entry; fields that packets write are annotations of the table.
std::string p4Info(const nlohmann::json &manifest);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_REPORT_P4INFO_H
