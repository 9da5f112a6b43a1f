// SPDX-License-Identifier: MIT
// Reads a sequence with a model:   example MODEL_FOLDER DNA
//   cc example.c -o example $(pkg-config --cflags --libs godwit)
// A fine-tuned model's labels are printed with their probabilities; a pretrained model is asked for the token in the
// middle, and its best five guesses are printed.
#include "godwit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int predict(gw_predictor *reader, const char *dna, float *probability) {
    if (gw_predictor_predict(reader, dna, (int64_t)strlen(dna), 1, probability) != 0) return 1;
    for (int64_t i = 0; i < gw_predictor_labels(reader); i++)
        printf("%s\t%.4f\n", gw_predictor_label(reader, i), (double)probability[i]);
    return 0;
}

static int guess(gw_predictor *reader, const char *dna, float *probability) {
    const int32_t *tokens;
    int64_t count;
    if (gw_predictor_tokenize(reader, dna, (int64_t)strlen(dna), &tokens, &count) != 0) return 1;
    const int64_t middle = count / 2;
    if (gw_predictor_predict_masked(reader, tokens, count, middle, probability) != 0) return 1;
    printf("token %lld of %lld is %s\n", (long long)middle, (long long)count,
           gw_predictor_token(reader, tokens[middle]));
    for (int rank = 0; rank < 5; rank++) {
        int32_t best = 0;
        for (int32_t token = 1; token < gw_predictor_vocabulary(reader); token++)
            if (probability[token] > probability[best]) best = token;
        printf("%s\t%.4f\n", gw_predictor_token(reader, best), (double)probability[best]);
        probability[best] = -1; // taken
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: example MODEL_FOLDER DNA\n");
        return 2;
    }
    gw_predictor *reader;
    int failed = gw_predictor_open(argv[1], &reader);
    if (!failed) {
        const int64_t labels = gw_predictor_labels(reader);
        float *probability =
            malloc((size_t)(labels > 0 ? labels : gw_predictor_vocabulary(reader)) * sizeof *probability);
        if (!probability) return 1;
        failed = labels > 0 ? predict(reader, argv[2], probability) : guess(reader, argv[2], probability);
        free(probability);
    }
    if (failed) fprintf(stderr, "example: %s\n", gw_message());
    gw_predictor_close(reader);
    return failed ? 1 : 0;
}
