// Forwarders by DPDK beside a Baker program: the same frames, buffers, checks,
// rewrites and table contents, in one process, all variants in turn.
//
//     dpdk-forwarders JOB PROGRAM.so TRACE CONTROL ROUNDS [B,b]…
//
// PROGRAM.so is what link_shared.sh makes of the Baker program. All variants
// have to send the same frames. Prints JSON: the size of pages, the frames sent
// and the rates; with 0 rounds, nothing is measured.

#include "support/Files.h"
#include "tests/bench/x86/dpdk/BakerProgram.h"
#include "tests/bench/x86/dpdk/Eal.h"
#include "tests/bench/x86/dpdk/Harness.h"
#include "traces/TraceReader.h"
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

using namespace karakal;

namespace {

using MakeJob = std::unique_ptr<bench::Job> (*)(const bench::Calls &);

const std::map<std::string, MakeJob> jobs = {
    {"ipv4", bench::makeIpv4},          {"ipv6", bench::makeIpv6},
    {"l2fwd", bench::makeL2Fwd},        {"ndn", bench::makeNdn},
    {"l3-switch", bench::makeL3Switch}, {"firewall", bench::makeFirewall},
};

struct Arguments {
  MakeJob makeJob;
  std::string program, trace, control;
  uint32_t rounds;
  /// Bursts and sub-batches of the Baker program.
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
};

bool parse(int argc, char **argv, Arguments &arguments) {
  if (argc < 7 || !jobs.count(argv[1]))
    return false;
  arguments.makeJob = jobs.at(argv[1]);
  arguments.program = argv[2];
  arguments.trace = argv[3];
  arguments.control = argv[4];
  arguments.rounds = uint32_t(std::strtoul(argv[5], nullptr, 10));
  for (int i = 6; i < argc; ++i) {
    unsigned burst = 0, subBatch = 0;
    if (std::sscanf(argv[i], "%u,%u", &burst, &subBatch) != 2 || subBatch < 1 ||
        burst < subBatch || burst > 256)
      return false;
    arguments.pairs.emplace_back(burst, subBatch);
  }
  return true;
}

nlohmann::json report(const std::vector<bench::Variant> &variants,
                      const std::vector<double> &rates) {
  nlohmann::json list = nlohmann::json::array();
  for (size_t i = 0; i < rates.size(); ++i)
    list.push_back({{"name", variants[i].name},
                    {"burst", variants[i].burst},
                    {"sub_batch", variants[i].subBatch},
                    {"mpps", rates[i]}});
  return list;
}

Status run(const Arguments &arguments) {
  auto trace = traces::readTrace(arguments.trace, target::PortCount);
  if (!trace)
    return trace.error();
  auto calls = traces::readControlFile(arguments.control);
  if (!calls)
    return calls.error();
  auto job = arguments.makeJob(*calls);
  auto pageKib = bench::startEal(job->memoryMib());
  if (!pageKib)
    return pageKib.error();
  if (Status filled = job->fill(); !filled)
    return filled;
  auto program = bench::loadProgram(arguments.program, *calls, *pageKib > 4);
  if (!program)
    return program.error();
  std::vector<bench::Variant> variants;
  for (auto [burst, subBatch] : arguments.pairs)
    variants.push_back(
        {"baker", burst, subBatch, bench::makeBaker(**program, subBatch)});
  for (bench::Variant &variant : job->variants())
    variants.push_back(std::move(variant));
  bench::Harness harness(*trace);
  auto sent = harness.compare(variants);
  if (!sent)
    return sent.error();
  std::vector<double> rates;
  if (arguments.rounds != 0)
    rates = harness.measure(variants, arguments.rounds);
  nlohmann::json result = {{"page_kib", *pageKib},
                           {"sent", *sent},
                           {"compared", variants.size()},
                           {"variants", report(variants, rates)}};
  std::printf("%s\n", result.dump(2).c_str());
  return success();
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fprintf(stderr, "usage: dpdk-forwarders JOB PROGRAM.so TRACE CONTROL "
                         "ROUNDS B,b [B,b…]\n");
    return ExitUsageWrong;
  }
  Status done = run(arguments);
  if (done)
    return ExitDone;
  std::fprintf(stderr, "%s\n", done.error().str().c_str());
  return ExitInputWrong;
}
