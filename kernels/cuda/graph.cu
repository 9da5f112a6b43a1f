// SPDX-License-Identifier: MIT
// Sequences of launches as CUDA graphs: a batch's forward pass, a backward pass, an update of the weights.
//
// The launchers always run, but their launches are compared before they are made. A launch is taken down as everything
// that it bakes in: its kernel, its grid, and the bytes of its arguments, among which are pointers and tables of
// sequences. If all launches are the same as those of the recorded sequence, its graph is launched once in their place.
// At the first difference the launchers run again under stream capture, and cudaGraphExecUpdate() changes the arguments
// of the graph; if its form differs too, a new graph is made. So no graph can run with arguments of an earlier batch.
// Draws, learning rates and scales of losses change in each step. They lie in device memory (changing.h), and a copy
// before the graph brings the new ones. The price is the launchers' own work. A scoring batch and a training step need
// no call of the driver for their launches as long as the sequences have the same lengths.
//
// Some sequences cannot be captured: they wait for numbers, copy, allocate or free. Such a call ends the attempt and
// fails, or, if it frees, goes on. Nothing has been launched by then. The sequence is then launched as without graphs,
// and errors are reported there. The first call of a sequence is launched this way too: it allocates scratch memory,
// and cuBLASLt chooses algorithms.
//
// No GPU has run it: it is off unless GODWIT_CUDA_GRAPHS=1 is set, or `make test-gpu` has passed it.
#include "kernels/cuda/frame.h"

#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>

enum {
    MOST_FAILURES = 8,     // in a row; the sequence is then never captured again
    MOST_NUMBERS = 1 << 16 // bytes; further numbers stay arguments, whose changes are differences
};

struct gw_record {
    std::string notes;     // of the launches of the graph
    void *numbers;         // that its kernels read (changing.h): [MOST_NUMBERS] in device memory
    cudaGraphExec_t graph; // NULL: none yet
    int failures;
};

bool gpu_is_noted;
cudaStream_t gw_cuda_stream;

namespace {

enum { IDLE, COMPARES, CAPTURES, STOPPED } state;
std::string notes;   // that a capture takes
std::string numbers; // of the launches that are compared or captured
gw_record *running;  // in whose device memory they will lie
const std::string *expected;
size_t compared; // bytes of `expected`
bool differs;
cudaStream_t capturing;

void begin(gw_record *record, decltype(state) how) {
    state = how;
    running = record;
    gpu_is_noted = true;
    notes.clear();
    numbers.clear();
    compared = 0;
    differs = false;
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

bool is_the_same(gw_record *record, gw_status (*launch)(void *context), void *context) {
    expected = &record->notes;
    begin(record, COMPARES);
    const bool same = launch(context) == GW_OK && state == COMPARES && compared == expected->size();
    end();
    return same;
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
    record->notes.swap(notes);
    return record->graph != nullptr;
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
    if (state == CAPTURES) notes.append(static_cast<const char *>(bytes), count);
    if (state != COMPARES || differs) return;
    differs = count > expected->size() - compared || memcmp(expected->data() + compared, bytes, count) != 0;
    compared += count;
}

bool gpu_skips(cudaError_t *error) {
    if (differs) state = STOPPED;
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
    if (record->failures == MOST_FAILURES) return launch(context);
    if (!record->graph || !is_the_same(record, launch, context)) {
        cudaGraph_t graph = capture(record, launch, context);
        if (!graph || !update(record, graph)) {
            record->failures++;
            return launch(context);
        }
        record->failures = 0;
    }
    GW_TRY(gw_cuda_to_device(record->numbers, numbers.data(), int64_t(numbers.size())));
    return gw_cuda_status(cudaGraphLaunch(record->graph, nullptr), "a graph");
}

void gw_cuda_record_free(gw_record *record) {
    if (!record) return;
    destroy(record);
    gw_cuda_release(record->numbers);
    delete record;
}
