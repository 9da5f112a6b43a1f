// SPDX-License-Identifier: MIT
// Writes the state under a temporary name, and checks every length before it reads one back.
#include "run/state.h"

#include "base/memory.h"
#include "base/output.h"
#include "run/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static gw_status write_state(const gw_training_state *state, FILE *file, const char *text, const char *path) {
    unsigned char size[8];
    const size_t length = strlen(text);
    for (int i = 0; i < 8; i++) size[i] = (unsigned char)((uint64_t)length >> (8 * i));
    bool good = fwrite(magic, 1, sizeof magic, file) == sizeof magic && fwrite(size, 1, 8, file) == 8 &&
                fwrite(text, 1, length, file) == length;
    for (int b = 0; good && b < state->blocks; b++) {
        const size_t floats = (size_t)gw_state_block_floats(state, b);
        good = fwrite(state->block[b], sizeof(float), floats, file) == floats;
    }
    return good ? GW_OK : cannot("write", path);
}

gw_status gw_state_save(const gw_training_state *state, const char *folder) {
    GW_TRY(gw_make_directory(folder));
    gw_output_name name = {0};
    char *path = gw_join_path(folder, gw_state_file), *text = header_text(state);
    gw_status status = path && text ? gw_output_name_make(&name, path) : GW_ERR_MEMORY;
    FILE *file = status == GW_OK ? fopen(name.temporary, "wbe") : NULL;
    if (status == GW_OK && !file) status = cannot("create", path);
    if (file) {
        status = write_state(state, file, text, path);
        if (fclose(file) != 0 && status == GW_OK) status = cannot("write", path);
    }
    if (status == GW_OK) status = gw_output_name_keep(&name, true);
    else gw_output_name_drop(&name);
    free(path);
    free(text);
    return status;
}

static gw_status damaged(const char *path) {
    return gw_fail(GW_ERR_FORMAT, "%s is no training state, or is damaged", path);
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

static gw_status other_settings(const char *path, const char *stored, const char *now) {
    gw_string differences = {0};
    gw_settings_differ(stored, now, &differences);
    const gw_status status =
        gw_fail(GW_ERR_MISMATCH,
                "%s was made by a run with other settings: %s; go on with those, or begin anew in another folder", path,
                differences.data ? differences.data : stored);
    gw_string_free(&differences);
    return status;
}

static gw_status check_header(const gw_training_state *state, const json_t *header, const char *path, int64_t *step) {
    int64_t floats, blocks;
    const char *fingerprint;
    GW_TRY(gw_json_string(header, path, "fingerprint", true, &fingerprint));
    GW_TRY(gw_json_int(header, path, "step", true, 0, INT64_MAX, step));
    GW_TRY(gw_json_int(header, path, "floats", true, 0, INT64_MAX, &floats));
    GW_TRY(gw_json_int(header, path, "blocks", true, 0, GW_STATE_BLOCKS, &blocks));
    if (strcmp(fingerprint, state->fingerprint) != 0) return other_settings(path, fingerprint, state->fingerprint);
    if (floats != state->floats || blocks != state->blocks)
        return gw_fail(GW_ERR_MISMATCH, "%s holds %lld blocks of %lld numbers, expected %d of %lld", path,
                       (long long)blocks, (long long)floats, state->blocks, (long long)state->floats);
    return json_is_object(json_object_get(header, "notes")) ? GW_OK : damaged(path);
}

// The blocks are read into place, so a file too short or too long must be noticed before.
static gw_status read_blocks(gw_training_state *state, FILE *file, const char *path) {
    const off_t here = ftello(file);
    int64_t floats = 0;
    for (int b = 0; b < state->blocks; b++) floats += gw_state_block_floats(state, b);
    if (here < 0 || fseeko(file, 0, SEEK_END) != 0) return cannot("read", path);
    if (ftello(file) - here != (off_t)floats * (off_t)sizeof(float)) return damaged(path);
    if (fseeko(file, here, SEEK_SET) != 0) return cannot("read", path);
    for (int b = 0; b < state->blocks; b++) {
        const size_t count = (size_t)gw_state_block_floats(state, b);
        if (fread(state->block[b], sizeof(float), count, file) != count) return cannot("read", path);
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
        fclose(file);
    }
    if (file && status == GW_OK) {
        *found = true;
        state->step = step;
        state->notes = json_incref(json_object_get(header, "notes"));
    }
    json_decref(header);
    free(path);
    return status;
}
