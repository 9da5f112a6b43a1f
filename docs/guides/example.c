// SPDX-License-Identifier: MIT
// Reads sequences with a model:   example MODEL_FOLDER DNA...
//   cc example.c -o example $(pkg-config --cflags --libs godwit)
// A fine-tuned model's labels are printed with their probabilities, a line for each sequence; a pretrained model is
// asked for the token in the middle of each, and its best five guesses are printed.
#include "godwit.h"

#include <stdio.h>
#include <stdlib.h>

static int predict(gw_predictor *predictor, const char *const *dna, int count) {
    const int64_t labels = gw_predictor_labels(predictor);
    float *probability = malloc((size_t)(count * labels) * sizeof *probability);
    const int failed =
        !probability || gw_predictor_predict(predictor, dna, NULL, count, GW_STRAND_BOTH, probability, NULL) != 0;
    for (int i = 0; !failed && i < count; i++)
        for (int64_t l = 0; l < labels; l++)
            printf("%d\t%s\t%.4f\n", i, gw_predictor_label(predictor, l), (double)probability[i * labels + l]);
    free(probability);
    return failed;
}

static void print_best(const gw_predictor *predictor, float *probability) {
    for (int rank = 0; rank < 5; rank++) {
        int32_t best = 0;
        for (int32_t token = 1; token < gw_predictor_vocabulary(predictor); token++)
            if (probability[token] > probability[best]) best = token;
        printf("%s\t%.4f\n", gw_predictor_token(predictor, best), (double)probability[best]);
        probability[best] = -1; // taken
    }
}

static int guess(gw_predictor *predictor, const char *dna) {
    const int32_t *tokens;
    int64_t count;
    if (gw_predictor_tokenize(predictor, dna, -1, &tokens, &count) != 0) return 1;
    const int64_t middle = count / 2;
    float *probability = malloc((size_t)gw_predictor_vocabulary(predictor) * sizeof *probability);
    const int failed =
        !probability || gw_predictor_predict_masked(predictor, tokens, count, &middle, 1, probability, NULL) != 0;
    if (!failed) {
        printf("token %lld of %lld is %s\n", (long long)middle, (long long)count,
               gw_predictor_token(predictor, tokens[middle]));
        print_best(predictor, probability);
    }
    free(probability);
    return failed;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: example MODEL_FOLDER DNA...\n");
        return 2;
    }
    gw_predictor *predictor;
    const char *const *dna = (const char *const *)argv + 2;
    int failed = gw_predictor_open(argv[1], NULL, &predictor) != 0;
    if (!failed && gw_predictor_labels(predictor) > 0) failed = predict(predictor, dna, argc - 2);
    else
        for (int i = 0; !failed && i < argc - 2; i++) failed = guess(predictor, dna[i]);
    if (failed) fprintf(stderr, "example: %s\n", gw_message());
    gw_predictor_close(predictor);
    return failed;
}
