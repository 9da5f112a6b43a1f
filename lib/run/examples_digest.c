// SPDX-License-Identifier: MIT
// Takes an MD5 of what batches hold.
#include "run/examples_digest.h"

#include "file/digest.h"
#include "run/ranks.h"

static void add(gw_md5 *md5, const void *array, int64_t count, int64_t size) {
    if (array && count > 0) gw_md5_add(md5, array, count * size);
}

static void add_batch(gw_md5 *md5, const gw_batch *batch) {
    for (int r = 0; r < GW_BATCH_ROWS; r++) {
        const gw_rows *rows = &batch->of[r];
        add(md5, &rows->count, 1, sizeof rows->count);
        add(md5, rows->start, rows->sequences + 1, sizeof *rows->start);
        add(md5, rows->token, rows->count, sizeof *rows->token);
        add(md5, rows->label, rows->count, sizeof *rows->label);
        add(md5, rows->number, rows->count, sizeof *rows->number);
    }
}

static gw_status add_step(gw_md5 *md5, const gw_examples *examples, int64_t step) {
    enum { MOST = 64 };
    const int64_t count = examples->count(examples->self, step), end = count < MOST ? count : MOST;
    for (int64_t next = 0; next < end;) {
        GW_TRY(gw_examples_fill(examples, step, &next, end, 1));
        add_batch(md5, examples->batch);
    }
    return GW_OK;
}

static gw_status digest(const gw_examples *examples, char hex[33]) {
    enum { MOST_STEPS = 1024 };
    gw_md5 *md5;
    gw_status status = gw_md5_start(&md5);
    if (status != GW_OK) return status;
    for (int64_t step = 0; status == GW_OK && step < MOST_STEPS; step = 2 * step + 1)
        status = add_step(md5, examples, step);
    gw_md5_finish_hex(md5, hex);
    return status;
}

gw_status gw_examples_compare(const gw_examples *examples) {
    char hex[33] = "";
    GW_TRY(gw_ranks_agree(digest(examples, hex)));
    return gw_ranks_compare("the MD5 of the training data", hex);
}
