// SPDX-License-Identifier: MIT
// Captures of a stream, and graphs: works that are kept with the arguments that they had when they were captured.
// CUDA's rules during a capture are checked: calls that allocate, free or wait, and all calls on the default stream,
// end it as invalid; nothing of it runs before its graph is launched.
#include "state.h"

using namespace emu;

struct emu_graph {
    struct node {
        work_kind kind;
        std::function<void()> work;
    };
    std::vector<node> nodes;
};
struct emu_graph_exec {
    emu_graph graph;
};
struct emu_stream {
    emu_graph *captured; // NULL: none
    bool is_valid;
};

static emu_stream *capturing; // the stream that is captured, of which there is one at a time

namespace emu {

cudaError_t allow(cudaStream_t stream, const char *call) {
    if (!capturing) return cudaSuccess;
    if (fresh(std::string("capture ") + call)) tell("CAPTURE: %s during the capture of a stream", call);
    capturing->is_valid = false;
    return stream ? cudaErrorStreamCaptureUnsupported : cudaErrorStreamCaptureImplicit;
}

cudaError_t enqueue(cudaStream_t stream, work_kind kind, std::function<void()> what) {
    static const char *const names[] = {"a launch", "a product", "cudaMemsetAsync", "cudaMemcpyAsync"};
    if (!stream) {
        const cudaError_t allowed = allow(stream, (std::string(names[kind]) + " on the default stream").c_str());
        if (allowed == cudaSuccess) add_work(std::move(what));
        return allowed;
    }
    if (!stream->captured) return cudaErrorInvalidValue; // nothing works on other streams
    if (!stream->is_valid) return cudaErrorStreamCaptureInvalidated;
    stream->captured->nodes.push_back({kind, std::move(what)});
    return cudaSuccess;
}

} // namespace emu

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    *stream = new emu_stream();
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    if (!stream || capturing) return stream ? cudaErrorInvalidValue : cudaErrorStreamCaptureUnsupported;
    *stream = {new emu_graph(), true};
    capturing = stream;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    *graph = nullptr;
    if (!stream || capturing != stream) return cudaErrorStreamCaptureUnmatched;
    capturing = nullptr;
    tally.captured++;
    if (stream->is_valid) *graph = stream->captured;
    else delete stream->captured;
    stream->captured = nullptr;
    return *graph ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long) {
    *exec = new emu_graph_exec{*graph};
    tally.instantiated++;
    return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *result) {
    const auto &mine = exec->graph.nodes, &other = graph->nodes;
    bool fits = mine.size() == other.size();
    for (size_t i = 0; fits && i < mine.size(); i++) fits = mine[i].kind == other[i].kind;
    result->result = fits ? 0 : 1;
    if (!fits) return cudaErrorGraphExecUpdateFailure;
    exec->graph = *graph;
    tally.updated++;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    const cudaError_t allowed = allow(stream, "cudaGraphLaunch");
    if (allowed != cudaSuccess) return allowed;
    for (const auto &node : exec->graph.nodes) add_work(node.work);
    tally.repeated++;
    return cudaSuccess;
}

void emu_count_graphs(long counts[5]) {
    const long all[5] = {tally.captured, tally.instantiated, tally.updated, tally.repeated, tally.faults};
    memcpy(counts, all, sizeof all);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    delete exec;
    return cudaSuccess;
}
