// SPDX-License-Identifier: MIT
// A model folder on sequences of given lengths, as often as it is asked:
//   bench_families FOLDER f32|bf16 hidden|masked THREADS TOKENS LENGTH...
// Made are the hidden states of all tokens, or the logits of the one in the middle of each sequence. TOKENS: of a
// batch; sequences are packed end to end. Each line on standard input is a run; the answer is a line,
// seconds of wall and of processors. tests/bench/families_peers.py calls it in turns with its peers.
#include "base/parallel.h"
#include "model/model.h"
#include "network/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { MOST_SEQUENCES = 64 };

static double wall(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double processors(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

typedef struct {
    gw_model *model;
    gw_network *network;
    gw_batch batch;
    const int64_t *length;
    int sequences;
    bool masked;                  // what is read
    int64_t vocabulary, positive; // positive: of batches whose first value that is read is, so that it is
} bench;

static gw_status run_batch(bench *b) {
    gw_rows *stream = &b->batch.of[GW_ROWS_TOKENS];
    if (stream->sequences == 0) return GW_OK;
    GW_TRY(gw_network_forward(b->network, &b->batch, NULL));
    const float *made = b->masked ? gw_network_output(b->network, GW_ROWS_MASKED) : gw_network_hidden(b->network);
    b->positive += made && made[0] > 0;
    gw_batch_clear(&b->batch);
    return GW_OK;
}

static gw_status run(bench *b) {
    gw_rows *stream = &b->batch.of[GW_ROWS_TOKENS];
    for (int s = 0; s < b->sequences; s++) {
        if (!gw_rows_fit(stream, b->length[s])) GW_TRY(run_batch(b));
        for (int64_t i = 0; i < b->length[s]; i++)
            stream->token[stream->count++] = (int32_t)((i * 7919 + s * 31) % b->vocabulary);
        gw_rows_end_sequence(stream);
        if (!b->masked) continue;
        gw_rows *asked = &b->batch.of[GW_ROWS_MASKED];
        asked->row[asked->count++] = (int32_t)(stream->count - b->length[s] + b->length[s] / 2);
    }
    return run_batch(b);
}

static gw_network_options options_of(const bench *b, int64_t tokens) {
    const int64_t layers = b->model->config.layers;
    if (b->masked)
        return (gw_network_options){
            .tokens = tokens, .sequences = MOST_SEQUENCES, .masked = MOST_SEQUENCES, .output_rows = GW_OUTPUT_MASKED};
    return (gw_network_options){.tokens = tokens, .sequences = MOST_SEQUENCES, .layers = layers > 0 ? (int)layers : -1};
}

static gw_status make(const char *folder, gw_precision precision, int64_t tokens, bench *b) {
    GW_TRY(gw_model_load_weights(folder, &b->model));
    GW_TRY(gw_model_freeze(b->model, precision));
    const gw_model *model = b->model;
    const gw_network_options options = options_of(b, tokens);
    b->vocabulary = model->config.vocabulary;
    GW_TRY(gw_rows_make(&b->batch.of[GW_ROWS_MASKED], MOST_SEQUENCES, 0, GW_WITH_ROW));
    GW_TRY(gw_rows_make(&b->batch.of[GW_ROWS_TOKENS], tokens, MOST_SEQUENCES, GW_WITH_TOKEN));
    return gw_network_new(b->model, &options, &b->network);
}

int main(int argc, char **argv) {
    int64_t length[MOST_SEQUENCES];
    bench b = {.length = length, .sequences = argc - 6};
    if (argc < 7 || argc > MOST_SEQUENCES + 6) {
        printf("bench_families FOLDER f32|bf16 hidden|masked THREADS TOKENS LENGTH...: run by families_peers.py\n");
        return argc != 1;
    }
    b.masked = strcmp(argv[3], "masked") == 0;
    gw_set_threads(atoi(argv[4]));
    for (int s = 0; s < b.sequences; s++) length[s] = atoll(argv[6 + s]);
    gw_status status = make(argv[1], strcmp(argv[2], "bf16") == 0 ? GW_BF16 : GW_F32, atoll(argv[5]), &b);
    while (status == GW_OK && getchar() != EOF) {
        const double begin = wall(), used = processors();
        status = run(&b);
        printf("%.4f %.4f\n", wall() - begin, processors() - used);
        fflush(stdout);
    }
    gw_network_free(b.network);
    gw_batch_free(&b.batch);
    gw_model_free(b.model);
    if (status != GW_OK) fprintf(stderr, "bench_families: %s\n", gw_message());
    return status == GW_OK ? 0 : 1;
}
