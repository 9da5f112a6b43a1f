// SPDX-License-Identifier: MIT
// Sequences of launches as CUDA graphs: a batch's forward pass, a backward pass, an update of the weights.
//
// Each time the launchers first run without launching. They take down all that a launch bakes in: its kernel, its grid,
// and the bytes of its arguments, among which are pointers and tables of sequences. If the launches are those of the
// time before, they are captured, and the graph is launched in their place. From then on it is launched as long as they
// stay the same, without a call of the driver for each of them. If they differ, they are launched one by one, since a
// capture makes more calls than that. So no graph can run with arguments of an earlier batch. A new capture changes the
// arguments of the graph by cudaGraphExecUpdate(); if its form differs too, a new graph is made.
//
// Draws, learning rates and scales of losses differ in each training step. They lie in device memory (changing.h), and
// a copy before the graph brings the new ones. Scoring batches and training steps are repeated as long as their
// sequences have the lengths of the batch before.
//
// Some sequences cannot be taken down: they wait for numbers, copy, allocate or free. Such a call ends the attempt and
// fails, or, if it frees, goes on. Nothing has been launched by then. The sequence is then launched as without graphs,
// and errors are reported there. The first call of a sequence is launched this way too: it allocates scratch memory,
// and cuBLASLt chooses algorithms.
//
// No GPU has run it: it is off unless GODWIT_CUDA_GRAPHS=1 is set, or `make test-gpu` has passed it.
#include "kernels/cuda/changing.h"

#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>

enum {
    MOST_FAILURES = 8,     // in a row; the sequence is then never taken down again
    MOST_NUMBERS = 1 << 16 // bytes; further numbers stay arguments, whose changes are differences
};

struct gw_record {
    std::string notes;     // of the launches of the time before
    void *numbers;         // that its kernels read (changing.h): [MOST_NUMBERS] in device memory
    cudaGraphExec_t graph; // NULL: none yet
    bool is_captured;      // the graph has these launches
    int failures;
};

bool gpu_is_noted;
cudaStream_t gw_cuda_stream;

namespace {

enum { IDLE, NOTES, CAPTURES, STOPPED } state;
std::string notes;   // of the launches that are taken down
std::string numbers; // that they change
gw_record *running;  // in whose device memory these will lie
cudaStream_t capturing;

void begin(gw_record *record, decltype(state) how) {
    state = how;
    running = record;
    gpu_is_noted = true;
    numbers.clear();
}

void end() {
    state = IDLE;
    gpu_is_noted = false;
}

// Ends the capture. Returns NULL, and clears CUDA's error, if it has failed.
cudaGraph_t end_capture() {
    cudaGraph_t graph = nullptr;
    gw_cuda_stream = nullptr;
    if (cudaStreamEndCapture(capturing, &graph) == cudaSuccess) return graph;
    cudaGetLastError();
    return nullptr;
}

// Takes the launches down. Returns false, and counts the failure, if that cannot be done.
bool note(gw_record *record, gw_status (*launch)(void *context), void *context) {
    notes.clear();
    begin(record, NOTES);
    const bool noted = launch(context) == GW_OK && state == NOTES;
    end();
    record->failures += !noted;
    return noted;
}

cudaGraph_t capture(gw_record *record, gw_status (*launch)(void *context), void *context) {
    if (!capturing && cudaStreamCreate(&capturing) != cudaSuccess) return nullptr;
    if (cudaStreamBeginCapture(capturing, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return nullptr;
    begin(record, CAPTURES);
    gw_cuda_stream = capturing;
    const bool made = launch(context) == GW_OK;
    cudaGraph_t graph = state == CAPTURES ? end_capture() : nullptr;
    end();
    if (made) return graph;
    if (graph) cudaGraphDestroy(graph);
    return nullptr;
}

void destroy(gw_record *record) {
    if (!record->graph) return;
    cudaStreamSynchronize(nullptr); // it may run
    cudaGraphExecDestroy(record->graph);
    record->graph = nullptr;
}

// Makes the record's graph that of what was captured.
bool update(gw_record *record, cudaGraph_t graph) {
    cudaGraphExecUpdateResultInfo result;
    if (!record->graph || cudaGraphExecUpdate(record->graph, graph, &result) != cudaSuccess) {
        cudaGetLastError();
        destroy(record);
        if (cudaGraphInstantiate(&record->graph, graph, 0) != cudaSuccess) record->graph = nullptr;
    }
    cudaGraphDestroy(graph);
    if (!record->graph) cudaGetLastError();
    return record->graph != nullptr;
}

// Whether the record's graph has the launches that were taken down. It is captured when they come a second time.
bool has_graph(gw_record *record, gw_status (*launch)(void *context), void *context) {
    if (notes != record->notes) {
        record->notes.swap(notes);
        record->is_captured = false;
        record->failures = 0;
    } else if (!record->is_captured) {
        cudaGraph_t graph = capture(record, launch, context);
        record->is_captured = graph && update(record, graph);
        record->failures = record->is_captured ? 0 : record->failures + 1;
    }
    return record->is_captured;
}

bool is_wanted() {
    static int passed = -1; // not known
    if (const char *asked = getenv("GODWIT_CUDA_GRAPHS")) return strcmp(asked, "1") == 0;
    if (passed < 0) {
        char line[32];
        int device = 0, major = 0, minor = 0;
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
        snprintf(line, sizeof line, "graphs sm_%d%d", major, minor);
        passed = gw_cuda_has_passed(line);
    }
    return passed;
}

} // namespace

void gpu_note(const void *bytes, size_t count) {
    if (state == NOTES) notes.append(static_cast<const char *>(bytes), count);
}

bool gpu_skips(cudaError_t *error) {
    *error = state == STOPPED ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    return state != CAPTURES;
}

const void *gw_cuda_place(const void *number, size_t bytes) {
    if (state == IDLE || !running->numbers) return nullptr;
    const size_t at = size_t(gw_cuda_divide(int64_t(numbers.size()), GW_CUDA_PLACE)) * GW_CUDA_PLACE;
    if (at + bytes > MOST_NUMBERS) return nullptr;
    numbers.resize(at);
    numbers.append(static_cast<const char *>(number), bytes);
    return static_cast<const char *>(running->numbers) + at;
}

bool gw_cuda_stops() {
    if (state == IDLE) return false;
    if (state == CAPTURES) {
        cudaGraph_t graph = end_capture();
        if (graph) cudaGraphDestroy(graph);
    }
    state = STOPPED;
    return true;
}

gw_status gw_cuda_repeat(gw_record **of, gw_status (*launch)(void *context), void *context) {
    gw_record *record = *of;
    if (state != IDLE || !is_wanted()) return launch(context);
    if (!record) {
        *of = record = new (std::nothrow) gw_record();
        if (record) GW_TRY(gw_cuda_allocate(MOST_NUMBERS, &record->numbers));
        return launch(context);
    }
    if (record->failures == MOST_FAILURES || !note(record, launch, context) || !has_graph(record, launch, context))
        return launch(context);
    GW_TRY(gw_cuda_to_device(record->numbers, numbers.data(), int64_t(numbers.size())));
    return gw_cuda_status(cudaGraphLaunch(record->graph, nullptr), "a graph");
}

void gw_cuda_record_free(gw_record *record) {
    if (!record) return;
    destroy(record);
    gw_cuda_release(record->numbers);
    delete record;
}
