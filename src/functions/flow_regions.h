// Finds the nodes of a flow that run for each item of a forEach. Private to flow_graph.
#pragma once

#include "functions/flow_graph.h"

namespace mb::functions {

// Fills in `outermost` and `loops` of a graph. REQUIRES: its edges are valid. Adds a problem for unreachable nodes, for
// cycles without a forEach, and for edges into or out of a forEach's region other than its branches.
void findRegions(FlowGraph& graph, std::vector<ErrorDetail>& problems);

}  // namespace mb::functions
