// Cross-validation of the throughput model.
//
//   model-fits POINTS.json
//
// Reads the points of the applications: for each the costs of its stages, as
// `bakerc --report` prints them, and the rate of the simulator. Fits the
// figure of agg::Fit to all points, and to those without one application in
// turn, and prints what each fit predicts for the application that it has not
// seen:
//
//   {"fits": {"": {"unit_loss": …}, "mpls": {…}, …},
//    "points": [{"app": …, "level": …, "mes": …, "simulated_gbps": …,
//                "fitted_gbps": …, "unseen_gbps": …}, …]}
//
// "" is the fit to all. A fit has the least sum of squared relative errors on a
// grid.

#include "aggregation/model/ThroughputModel.h"
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

using namespace karakal;
using nlohmann::json;

namespace {

/// The grid of fits: so many steps of this size from 0 on.
constexpr double step = 0.01;
constexpr unsigned steps = 15;

struct Point {
  std::string app;
  json row;
  std::vector<agg::Stage> stages;
  agg::Frames frames;
  double simulated;
};

agg::Stage stageOf(const json &model, unsigned engines,
                   const target::ChipParameters &chip) {
  agg::Stage stage;
  stage.messages = model["messages_per_packet"];
  stage.engines = engines;
  stage.contexts = model["contexts"];
  target::MessageCost &cost = stage.cost;
  cost.issue = model["issue_cycles"];
  cost.latency = model["latency_cycles"];
  cost.segments = model["segments"];
  cost.segmentSquares = model["segment_squares"];
  cost.locked = model["locked_cycles"];
  cost.lockedSwaps = model["locked_swaps"];
  cost.sent = model["sent"];
  cost.sentWithoutHead = model["sent_without_head"];
  for (target::SharedUnit unit : target::unitsOf(chip)) {
    const char *name = target::sharedUnitName(unit);
    cost.busy[size_t(unit)] = model["unit_cycles"][name];
    cost.commands[size_t(unit)] = model["unit_commands"][name];
    cost.squares[size_t(unit)] = model["unit_squares"][name];
  }
  return stage;
}

std::vector<Point> readPoints(const char *file,
                              const target::ChipParameters &chip) {
  std::ifstream stream(file);
  std::vector<Point> points;
  for (const json &row : json::parse(stream)) {
    Point point{row["app"], row, {}, {}, row["simulated_gbps"]};
    for (const json &stage : row["stages"])
      point.stages.push_back(stageOf(stage["model"], stage["engines"], chip));
    points.push_back(std::move(point));
  }
  return points;
}

class Fitting {
public:
  Fitting(std::vector<Point> points, const target::ChipParameters &chip)
      : points(std::move(points)), chip(chip) {}

  double gbps(const Point &point, const agg::Fit &fit) const {
    return agg::predict(point.stages, chip, point.frames, fit)
        .gbps(point.frames.bytes);
  }
  agg::Fit fitWithout(const std::string &app) const;
  json run() const;

private:
  double errorOf(const agg::Fit &fit, const std::string &without) const;

  std::vector<Point> points;
  target::ChipParameters chip;
};

double Fitting::errorOf(const agg::Fit &fit, const std::string &without) const {
  double sum = 0;
  for (const Point &point : points) {
    if (point.app == without)
      continue;
    double error = gbps(point, fit) / point.simulated - 1;
    sum += error * error;
  }
  return sum;
}

agg::Fit Fitting::fitWithout(const std::string &app) const {
  agg::Fit best{0};
  double least = errorOf(best, app);
  for (unsigned at = 1; at <= steps; ++at) {
    agg::Fit fit{at * step};
    if (double error = errorOf(fit, app); error < least) {
      least = error;
      best = fit;
    }
  }
  return best;
}

json Fitting::run() const {
  std::map<std::string, agg::Fit> fits;
  std::set<std::string> apps = {""};
  for (const Point &point : points)
    apps.insert(point.app);
  json result;
  for (const std::string &app : apps) {
    agg::Fit fit = fits[app] = fitWithout(app);
    result["fits"][app] = {{"unit_loss", fit.unitLoss}};
  }
  for (const Point &point : points) {
    json row = point.row;
    row.erase("stages");
    row["default_gbps"] = gbps(point, {});
    row["fitted_gbps"] = gbps(point, fits[""]);
    row["unseen_gbps"] = gbps(point, fits[point.app]);
    result["points"].push_back(row);
  }
  return result;
}

} // namespace

int main(int count, char **arguments) {
  if (count != 2) {
    std::cerr << "usage: model-fits POINTS.json\n";
    return 2;
  }
  target::ChipParameters chip;
  std::vector<Point> points = readPoints(arguments[1], chip);
  if (points.empty()) {
    std::cerr << arguments[1] << ": there are no points\n";
    return 1;
  }
  std::cout << Fitting(std::move(points), chip).run().dump(1) << "\n";
  return 0;
}
