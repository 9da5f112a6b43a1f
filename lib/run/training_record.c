// SPDX-License-Identifier: MIT
// The record as JSON: metrics that there are none of are left out.
#include "run/training_record.h"

#include <math.h>

bool gw_training_has_best(const gw_training_record *record) {
    return record->best_step > 0 && !isnan(record->best);
}

static void add_epoch(const gw_training_record *r, json_t *json) {
    if (r->epoch_steps == 0) return;
    json_object_set_new(json, "epoch_loss", json_real(r->epoch_loss));
    json_object_set_new(json, "epoch_chance", json_real(r->epoch_chance));
    json_object_set_new(json, "epoch_steps", json_real(r->epoch_steps));
}

json_t *gw_training_record_json(const gw_training_record *r) {
    const gw_beside_baseline *b = &r->beside;
    json_t *json = json_pack("{s:I, s:f}", "total_tokens", (json_int_t)r->total_tokens, "seconds", r->seconds);
    if (!json) {
        gw_fail(GW_ERR_MEMORY, "out of memory for the training state");
        return NULL;
    }
    if (r->stop) json_object_set_new(json, "stopped", json_true());
    if (gw_training_has_best(r)) json_object_set_new(json, "best", json_real(r->best));
    if (r->best_step > 0) json_object_set_new(json, "best_step", json_integer(r->best_step));
    add_epoch(r, json);
    if (b->known)
        json_object_set_new(json, "beside_baseline",
                            json_pack("[f, f, f, f, f]", b->auroc, b->auprc, b->f1, b->value, b->error));
    if (r->unfinished) json_object_set(json, "unfinished", r->unfinished);
    return json;
}

static double number(const json_t *json, const char *name) {
    return json_number_value(json_object_get(json, name));
}

static gw_beside_baseline read_beside(const json_t *list) {
    double of[5];
    for (size_t i = 0; i < 5; i++) of[i] = json_number_value(json_array_get(list, i));
    return (gw_beside_baseline){list != NULL, of[0], of[1], of[2], of[3], of[4]};
}

void gw_training_record_read(const json_t *json, gw_training_record *out) {
    const json_t *best = json_object_get(json, "best");
    gw_training_record_free(out);
    *out = (gw_training_record){.total_tokens = json_integer_value(json_object_get(json, "total_tokens")),
                                .seconds = number(json, "seconds"),
                                .stop = json_is_true(json_object_get(json, "stopped")),
                                .best = best ? json_number_value(best) : NAN,
                                .best_step = json_integer_value(json_object_get(json, "best_step")),
                                .epoch_loss = number(json, "epoch_loss"),
                                .epoch_chance = number(json, "epoch_chance"),
                                .epoch_steps = number(json, "epoch_steps"),
                                .beside = read_beside(json_object_get(json, "beside_baseline")),
                                .unfinished = json_incref(json_object_get(json, "unfinished"))};
}

void gw_training_record_free(gw_training_record *record) {
    json_decref(record->unfinished);
    record->unfinished = NULL;
}
