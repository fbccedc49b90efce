//===- Timeline.cpp - what every context did, for a viewer
//-----------------===//
//
// See Timeline.h for the idea.
//
//===----------------------------------------------------------------------===//

#include "sim-ixp/Timeline.h"

#include <cinttypes>
#include <cstdio>
#include <memory>

namespace karakal::sim {

void Timeline::add(uint32_t engine, uint32_t context, uint64_t begin,
                   uint64_t end) {
  if (runs.size() >= runCountMax) {
    ++leftOut;
    return;
  }
  runs.push_back({begin, static_cast<uint32_t>(end - begin),
                  static_cast<uint8_t>(engine), static_cast<uint8_t>(context)});
}

Status Timeline::write(const std::string &path, uint64_t clockHz,
                       const std::vector<std::string> &roles) const {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "w"),
                                              std::fclose);
  if (!file)
    return makeFileError("E-sim-ixp-040", path, "cannot be written");
  FILE *out = file.get();
  double microsecond = static_cast<double>(clockHz) / 1e6;
  std::fprintf(out,
               "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"left_out\":"
               "%" PRIu64 "},\"traceEvents\":[\n",
               leftOut);
  for (size_t i = 0; i < roles.size(); ++i)
    std::fprintf(out,
                 "{\"ph\":\"M\",\"pid\":%zu,\"name\":\"process_name\","
                 "\"args\":{\"name\":\"engine %zu %s\"}},\n",
                 i, i, roles[i].c_str());
  for (const Run &run : runs)
    std::fprintf(out,
                 "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"name\":\"run\","
                 "\"ts\":%.4f,\"dur\":%.4f},\n",
                 run.engine, run.context,
                 static_cast<double>(run.begin) / microsecond,
                 run.cycles / microsecond);
  std::fprintf(out, "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_sort_index\","
                    "\"args\":{\"sort_index\":0}}\n]}\n");
  if (std::ferror(out) || std::fflush(out) != 0)
    return makeFileError("E-sim-ixp-040", path, "cannot be written");
  return success();
}

} // namespace karakal::sim
