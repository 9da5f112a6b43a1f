// SPDX-License-Identifier: MIT
// Runs batches of neighbouring rows, and hands out what the head gives each.
#include "run/text_logits.h"

#include "base/log.h"
#include "base/memory.h"
#include "model/head.h"

#include <math.h>
#include <stdlib.h>

enum { DEFAULT_TOKENS = 8192, MOST_SEQUENCES = 512 };

struct gw_text_logits {
    const gw_model *model;
    const gw_text_set *set;
    gw_network *network;
    gw_text_batch batch;
    int64_t width;              // logits of a token, or of a sequence
    int answered;               // row set that they are of: tokens, or the first ones
    double *shift, temperature; // [width] ln w of independent labels, else NULL
    float *divided;             // a row's logits
    int64_t divided_capacity;
};

static gw_status check_head(const gw_model *model, const gw_text_set *set) {
    const gw_config *config = &model->config;
    const gw_head_row *head = gw_head_of(config->head);
    if (head->masked || head->generates || config->head == GW_HEAD_NONE)
        return gw_fail(GW_ERR_UNSUPPORTED, "the model has no head for labels: fine-tune it first (godwit finetune)");
    const bool answers = config->head == GW_HEAD_MULTIPLE_CHOICE;
    if (answers && set->per_row < 2)
        return gw_fail(GW_ERR_MISMATCH, "a multiple choice needs the columns of its answers (--choices)");
    if (!answers && set->per_row > 1)
        return gw_fail(GW_ERR_MISMATCH, "columns of answers are of multiple choice, which the model's head is not");
    return GW_OK;
}

static gw_status read_scale(gw_text_logits *l) {
    const gw_config *config = &l->model->config;
    l->temperature = gw_config_temperature(config);
    if (!gw_head_of(config->head)->problem || config->problem != GW_PROBLEM_MULTI_LABEL) return GW_OK;
    l->shift = gw_alloc(l->width, sizeof *l->shift);
    for (int64_t i = 0; l->shift && i < l->width; i++) l->shift[i] = log(gw_config_positive_weight(config, i));
    return l->shift ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_text_logits_new(gw_model *model, const gw_text_set *set, const gw_text_logits_options *options,
                             gw_text_logits **out) {
    *out = NULL;
    GW_TRY(check_head(model, set));
    const gw_head_row *head = gw_head_of(model->config.head);
    gw_text_logits *l = gw_alloc(1, sizeof *l);
    if (!l) return GW_ERR_MEMORY;
    *l = (gw_text_logits){.model = model, .set = set, .answered = head->tokens ? GW_ROWS_TOKENS : GW_ROWS_FIRST};
    const int64_t row = set->longest * set->per_row, most = MOST_SEQUENCES / set->per_row * set->per_row;
    const int64_t wanted = options->tokens > 0 ? options->tokens : DEFAULT_TOKENS, tokens = wanted > row ? wanted : row;
    const gw_network_options network = {
        .tokens = tokens, .sequences = most, .output_rows = head->tokens ? GW_OUTPUT_ALL : GW_OUTPUT_FIRST};
    gw_status status = gw_network_new(model, &network, &l->network);
    if (status == GW_OK) l->width = gw_network_output_width(l->network, l->answered);
    if (status == GW_OK) status = read_scale(l);
    if (status == GW_OK) status = gw_text_batch_make(&l->batch, model, set, tokens, most);
    l->batch.batch.of[GW_ROWS_TOKENS].pad_to = options->pad_to;
    if (status == GW_OK) *out = l;
    else gw_text_logits_free(l);
    return status;
}

void gw_text_logits_free(gw_text_logits *logits) {
    if (!logits) return;
    gw_text_batch_free(&logits->batch);
    gw_network_free(logits->network);
    free(logits->shift);
    free(logits->divided);
    free(logits);
}

// (z - ln w) / T of a row's logits.
static gw_status divide(gw_text_logits *l, const float **z, int64_t count) {
    if (!l->shift && l->temperature == 1) return GW_OK;
    GW_TRY(gw_reserve(&l->divided, &l->divided_capacity, count, sizeof *l->divided));
    for (int64_t i = 0; i < count; i++)
        l->divided[i] = (float)(((double)(*z)[i] - (l->shift ? l->shift[i % l->width] : 0)) / l->temperature);
    *z = l->divided;
    return GW_OK;
}

// Logits of question tokens are masked by -infinity or large numbers, so that only NaN is wrong there.
static gw_status take_row(gw_text_logits *l, int64_t row, const float *z, int64_t count, gw_text_row *take,
                          void *context) {
    for (int64_t i = 0; i < count; i++)
        if (isnan(z[i]) || (isinf(z[i]) && l->model->config.head != GW_HEAD_SPAN))
            return gw_fail(GW_ERR_RANGE, "row %lld: output %lld of the model is not a finite number",
                           (long long)l->set->line[row], (long long)i);
    GW_TRY(divide(l, &z, count));
    return take(context, row, z, count);
}

static gw_status flush(gw_text_logits *l, int64_t first, gw_text_row *take, void *context) {
    const gw_rows *stream = &l->batch.batch.of[GW_ROWS_TOKENS];
    if (l->batch.rows == 0) return GW_OK;
    GW_TRY(gw_check_interrupt());
    GW_TRY(gw_network_forward(l->network, &l->batch.batch, NULL));
    const float *z = gw_network_output(l->network, l->answered);
    if (!z) return GW_ERR_IO;
    const int64_t per_row = l->set->per_row;
    const bool of_tokens = l->answered == GW_ROWS_TOKENS;
    for (int64_t i = 0; i < l->batch.rows; i++) {
        const int64_t begin = of_tokens ? stream->start[i] : i * per_row;
        const int64_t end = of_tokens ? stream->start[i + 1] : (i + 1) * per_row;
        GW_TRY(take_row(l, first + i, z + begin * l->width, (end - begin) * l->width, take, context));
    }
    gw_text_batch_clear(&l->batch);
    return GW_OK;
}

gw_status gw_text_logits_run(gw_text_logits *l, const char *shown, gw_text_row *take, void *context) {
    int64_t first = 0;
    gw_text_batch_clear(&l->batch);
    for (int64_t row = 0; row < l->set->rows; row++) {
        if (gw_text_batch_add(&l->batch, row)) continue;
        GW_TRY(flush(l, first, take, context));
        first = row;
        if (shown) gw_progress(shown, row, l->set->rows, "texts", NULL);
        if (!gw_text_batch_add(&l->batch, row)) return gw_fail(GW_ERR_RANGE, "a row does not fit a batch");
    }
    GW_TRY(flush(l, first, take, context));
    if (shown) gw_progress_end();
    return GW_OK;
}
