// What a plug-in with a pass needs. A header of its own, so that it can be
// compiled once: it takes most of the time.
#pragma once

#include "ir/dialect/Baker.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
