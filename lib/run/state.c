// SPDX-License-Identifier: MIT
// Writes the state under a temporary name, and checks every length when reading. It contains the record as JSON;
// undefined metrics are omitted.
#include "run/state.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "run/settings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool gw_training_has_best(const gw_training_record *record) {
    return record->best_step > 0 && !isnan(record->best);
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
    if (r->epoch_steps > 0) {
        json_object_set_new(json, "epoch_loss", json_real(r->epoch_loss));
        json_object_set_new(json, "epoch_chance", json_real(r->epoch_chance));
        json_object_set_new(json, "epoch_steps", json_real(r->epoch_steps));
    }
    if (b->known)
        json_object_set_new(json, "beside_baseline",
                            json_pack("[f, f, f, f, f]", b->auroc, b->auprc, b->f1, b->value, b->error));
    if (r->unfinished) json_object_set(json, "unfinished", r->unfinished);
    return json;
}

static double number(const json_t *json, const char *name) {
    return json_number_value(json_object_get(json, name));
}

void gw_training_record_read(const json_t *json, gw_training_record *out) {
    const json_t *best = json_object_get(json, "best"), *beside = json_object_get(json, "beside_baseline");
    double of[5];
    for (size_t i = 0; i < 5; i++) of[i] = json_number_value(json_array_get(beside, i));
    gw_training_record_free(out);
    *out = (gw_training_record){.total_tokens = json_integer_value(json_object_get(json, "total_tokens")),
                                .seconds = number(json, "seconds"),
                                .stop = json_is_true(json_object_get(json, "stopped")),
                                .best = best ? json_number_value(best) : NAN,
                                .best_step = json_integer_value(json_object_get(json, "best_step")),
                                .epoch_loss = number(json, "epoch_loss"),
                                .epoch_chance = number(json, "epoch_chance"),
                                .epoch_steps = number(json, "epoch_steps"),
                                .beside = {beside != NULL, of[0], of[1], of[2], of[3], of[4]},
                                .unfinished = json_incref(json_object_get(json, "unfinished"))};
}

void gw_training_record_free(gw_training_record *record) {
    json_decref(record->unfinished);
    record->unfinished = NULL;
}

// --- the file

static const char magic[8] = {'G', 'W', 'S', 'T', 'A', 'T', 'E', '1'};
const char gw_state_file[] = "training.state";
enum { MOST_HEADER = 1 << 24 };

static char *header_text(const gw_training_state *state) {
    json_t *json =
        json_pack("{s:s, s:I, s:I, s:i, s:O*}", "fingerprint", state->fingerprint, "step", (json_int_t)state->step,
                  "floats", (json_int_t)state->floats, "blocks", state->blocks, "notes", state->notes);
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    if (!text) gw_fail(GW_ERR_MEMORY, "out of memory for the training state");
    return text;
}

static gw_status cannot(const char *verb, const char *path) {
    return gw_fail(GW_ERR_IO, "cannot %s %s: %s", verb, path, strerror(errno));
}

int64_t gw_state_block_floats(const gw_training_state *state, int block) {
    return state->size[block] > 0 ? state->size[block] : state->floats;
}

// Writes what give() brings of a block; `file` NULL: nothing. Returns whether it is written.
static bool write_pieces(const gw_training_state *state, int block, FILE *file) {
    bool good = file != NULL;
    for (int64_t begin = 0; begin < gw_state_block_floats(state, block); begin += GW_STATE_PIECE) {
        const int64_t count = gw_min(gw_state_block_floats(state, block) - begin, GW_STATE_PIECE);
        state->give(state->context, block, begin, count, state->piece);
        good = good && fwrite(state->piece, sizeof(float), (size_t)count, file) == (size_t)count;
    }
    return good;
}

static bool write_blocks(const gw_training_state *state, FILE *file) {
    bool good = file != NULL;
    for (int b = 0; b < state->blocks; b++) {
        const size_t floats = (size_t)gw_state_block_floats(state, b);
        if (!state->block[b]) good = write_pieces(state, b, good ? file : NULL);
        else good = good && fwrite(state->block[b], sizeof(float), floats, file) == floats;
    }
    return good;
}

static bool write_header(FILE *file, const char *text) {
    unsigned char size[8];
    const size_t length = strlen(text);
    for (int i = 0; i < 8; i++) size[i] = (unsigned char)((uint64_t)length >> (8 * i));
    return fwrite(magic, 1, sizeof magic, file) == sizeof magic && fwrite(size, 1, 8, file) == 8 &&
           fwrite(text, 1, length, file) == length;
}

void gw_state_attend(const gw_training_state *state) {
    write_blocks(state, NULL);
}

gw_status gw_state_save(const gw_training_state *state, const char *folder) {
    gw_output_name name = {0};
    FILE *file = NULL;
    char *path = gw_join_path(folder, gw_state_file), *text = header_text(state);
    gw_status status = path && text ? gw_make_directory(folder) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_output_name_make(&name, path);
    if (status == GW_OK && !(file = fopen(name.temporary, "wbe"))) status = cannot("create", path);
    const bool begun = file && write_header(file, text), good = write_blocks(state, begun ? file : NULL);
    if (file && !good) status = cannot("write", path);
    if (file && fclose(file) != 0 && status == GW_OK) status = cannot("write", path);
    if (status == GW_OK) status = gw_output_name_keep(&name, true);
    else gw_output_name_drop(&name);
    free(path);
    free(text);
    return status;
}

static gw_status damaged(const char *path) {
    return gw_fail(GW_ERR_FORMAT, "%s is not a training state, or is damaged", path);
}

static gw_status read_header(FILE *file, const char *path, json_t **header) {
    unsigned char start[16];
    uint64_t length = 0;
    if (fread(start, 1, sizeof start, file) != sizeof start || memcmp(start, magic, sizeof magic) != 0)
        return damaged(path);
    for (int i = 0; i < 8; i++) length |= (uint64_t)start[8 + i] << (8 * i);
    if (length > MOST_HEADER) return damaged(path);
    char *text = gw_alloc((int64_t)length, 1);
    if (!text) return GW_ERR_MEMORY;
    *header = fread(text, 1, length, file) == length ? json_loadb(text, length, 0, NULL) : NULL;
    free(text);
    return *header ? GW_OK : damaged(path);
}

static gw_status check_header(const gw_training_state *state, const json_t *header, const char *path, int64_t *step) {
    int64_t floats, blocks;
    const char *fingerprint;
    GW_TRY(gw_json_string(header, path, "fingerprint", true, &fingerprint));
    GW_TRY(gw_json_int(header, path, "step", true, 0, INT64_MAX, step));
    GW_TRY(gw_json_int(header, path, "floats", true, 0, INT64_MAX, &floats));
    GW_TRY(gw_json_int(header, path, "blocks", true, 0, GW_STATE_BLOCKS, &blocks));
    if (strcmp(fingerprint, state->fingerprint) != 0) {
        gw_string differences = {0};
        gw_settings_differ(fingerprint, state->fingerprint, &differences);
        const gw_status status =
            gw_fail(GW_ERR_MISMATCH,
                    "%s was made by a run with other settings: %s; continue with the same settings, or start again in "
                    "another folder",
                    path, differences.data ? differences.data : fingerprint);
        gw_string_free(&differences);
        return status;
    }
    if (floats != state->floats || blocks != state->blocks)
        return gw_fail(GW_ERR_MISMATCH, "%s holds %lld blocks of %lld numbers, expected %d of %lld", path,
                       (long long)blocks, (long long)floats, state->blocks, (long long)state->floats);
    return json_is_object(json_object_get(header, "notes")) ? GW_OK : damaged(path);
}

static off_t block_bytes(const gw_training_state *state, int block) {
    return (off_t)gw_state_block_floats(state, block) * (off_t)sizeof(float);
}

// The blocks are read into place, so a file too short or too long must be noticed before.
static gw_status read_blocks(gw_training_state *state, FILE *file, const char *path) {
    const off_t here = ftello(file);
    off_t bytes = 0;
    for (int b = 0; b < state->blocks; b++) bytes += block_bytes(state, b);
    if (here < 0 || fseeko(file, 0, SEEK_END) != 0) return cannot("read", path);
    if (ftello(file) - here != bytes) return damaged(path);
    if (fseeko(file, here, SEEK_SET) != 0) return cannot("read", path);
    for (int b = 0; b < state->blocks; b++) {
        const size_t count = (size_t)gw_state_block_floats(state, b);
        if (!state->block[b] ? fseeko(file, block_bytes(state, b), SEEK_CUR) != 0
                             : fread(state->block[b], sizeof(float), count, file) != count)
            return cannot("read", path);
    }
    return GW_OK;
}

gw_status gw_state_load(gw_training_state *state, const char *folder, bool *found) {
    *found = false;
    char *path = gw_join_path(folder, gw_state_file);
    if (!path) return GW_ERR_MEMORY;
    FILE *file = fopen(path, "rbe");
    json_t *header = NULL;
    int64_t step = 0;
    gw_status status = !file && errno != ENOENT ? cannot("open", path) : GW_OK;
    if (file) {
        status = read_header(file, path, &header);
        if (status == GW_OK) status = check_header(state, header, path, &step);
        if (status == GW_OK) status = read_blocks(state, file, path);
    }
    if (file && status == GW_OK) {
        *found = true;
        state->step = step;
        state->notes = json_incref(json_object_get(header, "notes"));
    }
    bool lacks_memory = false;
    for (int b = 0; b < state->blocks; b++) lacks_memory = lacks_memory || !state->block[b];
    if (*found && lacks_memory) state->file = file;
    else if (file) fclose(file);
    json_decref(header);
    free(path);
    return status;
}

// Reads a block, which the file ends with and with those behind it, and gives it on.
static bool read_pieces(const gw_training_state *state, int block) {
    off_t from_end = 0;
    for (int b = block; b < state->blocks; b++) from_end += block_bytes(state, b);
    bool good = !state->file || fseeko(state->file, -from_end, SEEK_END) == 0;
    for (int64_t begin = 0; begin < gw_state_block_floats(state, block); begin += GW_STATE_PIECE) {
        const int64_t count = gw_min(gw_state_block_floats(state, block) - begin, GW_STATE_PIECE);
        good =
            good && (!state->file || fread(state->piece, sizeof(float), (size_t)count, state->file) == (size_t)count);
        state->take(state->context, block, begin, count, state->piece);
    }
    return good;
}

gw_status gw_state_load_rest(gw_training_state *state) {
    bool good = true;
    for (int b = 0; b < state->blocks; b++)
        if (!state->block[b]) good = read_pieces(state, b) && good;
    if (state->file) fclose(state->file);
    state->file = NULL;
    return good ? GW_OK : cannot("read", gw_state_file);
}
