// SPDX-License-Identifier: MIT
// Copies tokens, segments and labels row by row.
#include "language/text_batch.h"

#include "base/memory.h"
#include "model/mixer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Whose labels a set has.
static int labelled_of(const gw_text_set *set) {
    switch (set->labels) {
    case GW_TEXT_WORDS: return GW_ROWS_TOKENS;
    case GW_TEXT_ANSWER: return GW_ROWS_QUESTIONS;
    default: return set->per_row > 1 ? GW_ROWS_QUESTIONS : GW_ROWS_FIRST;
    }
}

enum { TOKENS_OF_A_GLOBAL = 8 }; // at least, on the whole

int64_t gw_text_most_globals(const gw_model *model, int64_t tokens, int64_t together) {
    const int64_t most = gw_config_globals(&model->config);
    return most > 0 ? tokens / TOKENS_OF_A_GLOBAL + together * most : 0;
}

gw_status gw_text_batch_make(gw_text_batch *batch, const gw_model *model, const gw_text_set *set, int64_t tokens,
                             int64_t sequences, int64_t together) {
    *batch = (gw_text_batch){.model = model, .set = set, .labelled = labelled_of(set)};
    const int64_t labels = set->labels == GW_TEXT_WORDS   ? tokens
                           : set->labels == GW_TEXT_SPANS ? GW_SPAN_ENDS * sequences
                                                          : sequences;
    const int64_t globals = gw_text_most_globals(model, tokens, together);
    const gw_question_shape *shape = &set->questions.shape;
    const unsigned parts = globals > 0 && shape->marks ? GW_WITH_PART : 0,
                   links = globals > 0 && shape->candidates ? GW_WITH_LINK : 0;
    GW_TRY(gw_rows_make(&batch->batch.of[GW_ROWS_TOKENS], tokens, sequences,
                        GW_WITH_TOKEN | GW_WITH_SEGMENT | parts | links));
    if (globals > 0) {
        GW_TRY(gw_text_structure_make(&batch->structure, gw_config_globals(&model->config), model->tokenizer));
        GW_TRY(gw_rows_make(&batch->batch.of[GW_ROWS_GLOBALS], globals, sequences, GW_WITH_TOKEN | GW_WITH_SPAN));
    }
    if (set->label && !(batch->label = gw_alloc(labels, sizeof *batch->label))) return GW_ERR_MEMORY;
    if (!set->number) return GW_OK;
    batch->number = gw_alloc(sequences * set->classes, sizeof *batch->number);
    return batch->number ? GW_OK : GW_ERR_MEMORY;
}

void gw_text_batch_free(gw_text_batch *batch) {
    for (int i = 0; i < GW_BATCH_ROWS; i++) batch->batch.of[i].label = NULL;
    gw_batch_free(&batch->batch);
    gw_text_structure_free(&batch->structure);
    free(batch->label);
    free(batch->number);
    *batch = (gw_text_batch){0};
}

void gw_text_batch_clear(gw_text_batch *batch) {
    gw_batch_clear(&batch->batch);
    batch->rows = 0;
}

int64_t gw_text_labels_of(const gw_text_set *set, int64_t row) {
    int64_t count = 0;
    if (set->labels == GW_TEXT_WORDS)
        for (int64_t i = set->start[row]; i < set->start[row + 1]; i++) count += set->label[i] >= 0;
    else if (set->number)
        for (int64_t i = 0; i < set->classes; i++) count += !isnan(set->number[row * set->classes + i]);
    else if (set->labels == GW_TEXT_SPANS) count = set->label[GW_SPAN_ENDS * row] >= 0;
    else count = set->label != NULL;
    return count;
}

static void point_to_labels(gw_text_batch *b) {
    gw_rows *of = b->batch.of;
    of[b->labelled].label = b->label;
    of[b->labelled].number = b->number;
    if (b->set->per_row > 1) of[GW_ROWS_QUESTIONS].count = b->rows;
}

static gw_status add_globals(gw_text_batch *b, int64_t sequence) {
    const gw_rows *stream = &b->batch.of[GW_ROWS_TOKENS];
    gw_rows *globals = &b->batch.of[GW_ROWS_GLOBALS];
    if (b->structure.most == 0) return GW_OK;
    GW_TRY(gw_text_structure_list(&b->structure, b->set, sequence, stream->part ? stream->part + stream->count : NULL,
                                  stream->link ? stream->link + stream->count : NULL));
    for (int64_t g = 0; g < b->structure.count; g++) {
        const gw_text_global *global = &b->structure.global[g];
        globals->token[globals->count] = global->token;
        globals->begin[globals->count] = global->begin;
        globals->end[globals->count++] = global->end;
    }
    gw_rows_end_sequence(globals);
    return GW_OK;
}

static gw_status add_sequence(gw_text_batch *b, int64_t sequence) {
    const gw_text_set *set = b->set;
    gw_rows *stream = &b->batch.of[GW_ROWS_TOKENS];
    GW_TRY(add_globals(b, sequence));
    const int32_t last_segment = (int32_t)b->model->config.segments - 1;
    for (int64_t i = set->start[sequence]; i < set->start[sequence + 1]; i++) {
        if (set->labels == GW_TEXT_WORDS) b->label[stream->count] = set->label[i];
        stream->segment[stream->count] = set->segment[i] < last_segment ? set->segment[i] : last_segment;
        stream->token[stream->count++] = set->token[i];
    }
    gw_rows_end_sequence(stream);
    return GW_OK;
}

bool gw_text_batch_fits(const gw_text_batch *b, int64_t tokens, int64_t sequences) {
    const gw_rows *stream = &b->batch.of[GW_ROWS_TOKENS], *globals = &b->batch.of[GW_ROWS_GLOBALS];
    return stream->sequences + sequences <= stream->most_sequences && stream->count + tokens <= stream->most &&
           (b->structure.most == 0 || globals->count + sequences * b->structure.most <= globals->most);
}

gw_status gw_text_batch_add(gw_text_batch *b, int64_t row, bool *full) {
    const gw_text_set *set = b->set;
    b->rows = b->batch.of[GW_ROWS_TOKENS].sequences / set->per_row;
    const int64_t first = row * set->per_row, tokens = set->start[first + set->per_row] - set->start[first];
    *full = !gw_text_batch_fits(b, tokens, set->per_row);
    if (*full) return GW_OK;
    for (int64_t s = 0; s < set->per_row; s++) GW_TRY(add_sequence(b, first + s));
    if (set->labels == GW_TEXT_ONE || set->labels == GW_TEXT_ANSWER) b->label[b->rows] = set->label[row];
    for (int e = 0; set->labels == GW_TEXT_SPANS && e < GW_SPAN_ENDS; e++)
        b->label[GW_SPAN_ENDS * b->rows + e] = set->label[GW_SPAN_ENDS * row + e];
    if (set->number)
        memcpy(b->number + b->rows * set->classes, set->number + row * set->classes,
               (size_t)set->classes * sizeof *set->number);
    b->rows++;
    point_to_labels(b);
    return GW_OK;
}

void gw_texts_match(const gw_head_row *head, gw_text_options *texts) {
    texts->apart = head->apart;
    if (texts->apart && !texts->second) texts->second = "text2";
}

gw_status gw_texts_fit(const gw_config *config, gw_text_options *texts) {
    const int64_t longest = gw_config_longest(config);
    if (texts->most == 0) texts->most = config->text_length > 0 ? config->text_length : longest;
    if (texts->most <= longest) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "texts of %lld tokens: the model has %lld positions", (long long)texts->most,
                   (long long)longest);
}
