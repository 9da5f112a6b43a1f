// SPDX-License-Identifier: MIT
// Two alphabets for one learner: nucleotide letters, whose merges are a vocabulary of DNA, and bytes, whose merges
// become a tokenizer.json. Nucleotides have the ids that they have in that vocabulary (A C G T N, where Hugging Face's
// trainer has A C G N T), bytes those of their letters in the order of code points, as there.
#include "base/memory.h"
#include "text/bpe_learn.h"
#include "text/dna/vocabulary.h"
#include "text/json/byte_level.h"
#include "text/json/text_pattern.h"

#include <stdlib.h>

struct gw_bpe_trainer {
    gw_bpe_learner *learner;
    uint16_t ids[256]; // of bytes
    bool of_bytes;
    double mean; // letters a token
};

static gw_status make_trainer(int32_t first_merge, gw_bpe_trainer **out) {
    *out = NULL;
    gw_bpe_trainer *trainer = gw_alloc(1, sizeof *trainer);
    if (!trainer) return GW_ERR_MEMORY;
    const gw_status status = gw_bpe_learner_new(GW_SPECIAL_TOKENS, first_merge, &trainer->learner);
    if (status == GW_OK) *out = trainer;
    else free(trainer);
    return status;
}

gw_status gw_bpe_trainer_new(gw_bpe_trainer **out) {
    GW_TRY(make_trainer(GW_FIRST_MERGE, out));
    for (int byte = 0; byte < 256; byte++) (*out)->ids[byte] = gw_letter_ids[byte];
    return GW_OK;
}

gw_status gw_bpe_trainer_new_bytes(gw_bpe_trainer **out) {
    GW_TRY(make_trainer(GW_FIRST_BYTE_MERGE, out));
    (*out)->of_bytes = true;
    gw_byte_ids((*out)->ids);
    return GW_OK;
}

void gw_bpe_trainer_free(gw_bpe_trainer *trainer) {
    if (!trainer) return;
    gw_bpe_learner_free(trainer->learner);
    free(trainer);
}

static gw_status add_words(gw_bpe_trainer *trainer, const char *text, int64_t length) {
    static const gw_text_pattern words = {.kind = GW_PATTERN_GPT2};
    for (gw_match_walk walk = gw_match_walk_over(&words, NULL, text, length);;) {
        GW_TRY(gw_match_walk_next(&walk));
        if (walk.begin < 0) return GW_OK;
        GW_TRY(gw_bpe_learner_add(trainer->learner, trainer->ids, text + walk.begin, walk.end - walk.begin));
    }
}

gw_status gw_bpe_trainer_add(gw_bpe_trainer *trainer, const char *text, int64_t length) {
    return trainer->of_bytes ? add_words(trainer, text, length)
                             : gw_bpe_learner_add(trainer->learner, trainer->ids, text, length);
}

gw_status gw_bpe_trainer_run(gw_bpe_trainer *trainer, int32_t size, gw_tokenizer **out) {
    const int32_t first = trainer->of_bytes ? GW_FIRST_BYTE_MERGE : GW_FIRST_MERGE;
    const int64_t letters = gw_bpe_learner_letters(trainer->learner);
    *out = NULL;
    if (size < first || size > GW_LARGEST_VOCABULARY)
        return gw_fail(GW_ERR_RANGE, "a vocabulary of %d tokens, expected %d to %d", size, first,
                       GW_LARGEST_VOCABULARY);
    if (letters == 0) return gw_fail(GW_ERR_FORMAT, "no %s to learn from", trainer->of_bytes ? "text" : "bases");
    int64_t count, merged;
    int32_t(*merges)[2] = gw_alloc(size - first, sizeof *merges);
    if (!merges) return GW_ERR_MEMORY;
    gw_status status = gw_bpe_learner_run(trainer->learner, size, merges, &count, &merged);
    const int32_t(*learnt)[2] = (const int32_t(*)[2])merges;
    if (status == GW_OK)
        status =
            trainer->of_bytes ? gw_byte_level_new(learnt, count, out) : gw_tokenizer_from_merges(learnt, count, out);
    free(merges);
    if (status != GW_OK) return status;
    trainer->mean = (double)letters / (double)(letters - merged);
    if (!trainer->of_bytes) (*out)->mean_bases = trainer->mean;
    return GW_OK;
}

double gw_bpe_trainer_mean(const gw_bpe_trainer *trainer) {
    return trainer->mean;
}
