// SPDX-License-Identifier: MIT
// Hidden states of a model folder for sequences of given lengths, as often as it is asked:
//   bench_families FOLDER THREADS TOKENS LENGTH...
// TOKENS: of a batch; sequences are packed end to end. Each line on standard input is a run; the answer is a line,
// seconds of wall and of processors. tests/bench/families_peers.py calls it in turns with its peers.
#include "base/parallel.h"
#include "model/model.h"
#include "network/network.h"

#include <stdio.h>
#include <stdlib.h>
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
    int64_t vocabulary, positive; // positive: of batches whose first hidden value is, so that it is read
} bench;

static gw_status run_batch(bench *b) {
    gw_rows *stream = &b->batch.of[GW_ROWS_TOKENS];
    if (stream->sequences == 0) return GW_OK;
    GW_TRY(gw_network_forward(b->network, &b->batch, NULL));
    const float *hidden = gw_network_hidden(b->network);
    b->positive += hidden && hidden[0] > 0;
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
    }
    return run_batch(b);
}

static gw_status make(const char *folder, int64_t tokens, bench *b) {
    GW_TRY(gw_model_load_weights(folder, &b->model));
    GW_TRY(gw_model_freeze(b->model, GW_F32));
    const gw_model *model = b->model;
    const int layers = model->config.layers > 0 ? (int)model->config.layers : -1;
    const gw_network_options options = {.tokens = tokens, .sequences = MOST_SEQUENCES, .layers = layers};
    b->vocabulary = model->config.vocabulary;
    GW_TRY(gw_rows_make(&b->batch.of[GW_ROWS_TOKENS], tokens, MOST_SEQUENCES, GW_WITH_TOKEN));
    return gw_network_new(b->model, &options, &b->network);
}

int main(int argc, char **argv) {
    int64_t length[MOST_SEQUENCES];
    bench b = {.length = length, .sequences = argc - 4};
    if (argc < 5 || argc > MOST_SEQUENCES + 4) {
        printf("bench_families FOLDER THREADS TOKENS LENGTH...: run by families_peers.py\n");
        return argc != 1;
    }
    gw_set_threads(atoi(argv[2]));
    for (int s = 0; s < b.sequences; s++) length[s] = atoll(argv[4 + s]);
    gw_status status = make(argv[1], atoll(argv[3]), &b);
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
