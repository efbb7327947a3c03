// Which nodes of a flow run for each item of which forEach. Private to flow_graph.
#pragma once

#include "functions/flow_graph.h"

namespace mb::functions {

// Fills in `outermost` and `loops` of a graph whose edges are in order. Adds a problem for nodes that nothing leads to,
// cycles that are no forEach's, and ways into or out of a forEach beside its branches.
void findRegions(FlowGraph& graph, std::vector<ErrorDetail>& problems);

}  // namespace mb::functions
