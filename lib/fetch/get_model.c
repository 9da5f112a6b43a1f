// SPDX-License-Identifier: MIT
// FOLDER/.NAME.part gathers the files, FOLDER/.NAME.new becomes the model, and a renaming makes it FOLDER/NAME.
#include "fetch/get_model.h"

#include "base/lock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "fetch/catalogue.h"
#include "fetch/hub.h"
#include "fetch/staging.h"
#include "model/convert.h"
#include "store/installed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char card_file[] = "README.md", sources_file[] = "sources.tsv";

typedef struct {
    const char *name;                   // under which it is put
    char *folder, *part, *made, *place; // of the models; its files; the model in the making; where it goes
    gw_staging staging;
    gw_string card;
} getting;

// Of the catalogue or of the hub, which `hub.owner` tells.
typedef struct {
    gw_catalogue catalogue;
    const gw_catalogue_row *rows;
    int64_t count;
    gw_hub_model hub;
} source;

static gw_status find_source(const char *text, source *out) {
    if (strncmp(text, GW_HUB_PREFIX, strlen(GW_HUB_PREFIX)) == 0) return gw_hub_parse(text, &out->hub);
    GW_TRY(gw_catalogue_read(&out->catalogue));
    return gw_catalogue_find(&out->catalogue, text, &out->rows, &out->count);
}

static void free_source(source *of) {
    gw_catalogue_free(&of->catalogue);
    gw_hub_free(&of->hub);
}

// One file is converted by itself, several as the folder that they are in.
static gw_status convert_rows(const getting *g, const source *of) {
    char *from = of->count == 1 ? gw_join_path(g->part, of->rows->file) : gw_strdup(g->part);
    if (!from) return GW_ERR_MEMORY;
    const gw_status status = gw_convert_foreign(of->rows->kind, from, g->made, GW_STORE_F32);
    free(from);
    return status;
}

static gw_status take_row(getting *g, const gw_catalogue_row *r) {
    const gw_wanted_file file = {
        .name = r->file, .url = r->url, .sha256 = r->sha256, .bytes = r->bytes, .pinned = true};
    bool found;
    GW_TRY(gw_staging_take(&g->staging, &file, &found));
    return found ? GW_OK : gw_fail(GW_ERR_IO, "there is no %s", r->url);
}

static gw_status make_of_rows(getting *g, const source *of) {
    const gw_catalogue_row *first = of->rows;
    for (int64_t i = 0; i < of->count; i++) GW_TRY(take_row(g, &of->rows[i]));
    gw_string_printf(&g->card,
                     "---\nlicense: %s\n---\n# %s: %s\n\nWeights of others, converted to this folder (kind: %s). Their "
                     "licence: %s.\nWhere they came from: %s.\n",
                     first->licence, first->name, first->purpose, first->kind, first->licence, sources_file);
    gw_note("the licence of these weights: %s", first->licence);
    return convert_rows(g, of);
}

// The card that the model came with, if it did.
static gw_status read_card(getting *g) {
    char *path = gw_join_path(g->part, card_file), *text = NULL;
    int64_t length;
    gw_status status = path ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && gw_file_exists(path)) status = gw_read_file(path, &text, &length);
    if (text) gw_string_append(&g->card, text, length);
    free(text);
    free(path);
    return status;
}

static gw_status make_of_hub(getting *g, const gw_hub_model *hub) {
    const gw_convert_options options = {.from = g->part, .to = g->made, .keep_type = true};
    gw_model *model;
    GW_TRY(gw_hub_take(hub, &g->staging));
    GW_TRY(read_card(g));
    if (g->card.length == 0)
        gw_string_printf(&g->card,
                         "# %s/%s at %s of the Hugging Face hub\n\nIts page there says what it is for and under which "
                         "licence it stands.\nWhere its files came from: %s.\n",
                         hub->owner, hub->name, hub->revision, sources_file);
    GW_TRY(gw_convert(&options));
    GW_TRY(gw_model_load(g->made, &model)); // one that this program cannot run is not installed
    gw_model_free(model);
    return GW_OK;
}

static gw_status write_text(const getting *g, const char *name, const gw_string *text) {
    char *path = gw_join_path(g->made, name);
    gw_status status = path ? gw_string_status(text) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_write_file(path, text->data, text->length);
    free(path);
    return status;
}

static gw_status put_in_place(const getting *g) {
    if (rename(g->made, g->place) != 0)
        return gw_fail(GW_ERR_IO, "cannot rename %s to %s: %s", g->made, g->place, strerror(errno));
    gw_note("%s is in %s: -m %s", g->name, g->place, g->name);
    return gw_remove_folder(g->part);
}

static gw_status make(getting *g, const source *of) {
    GW_TRY(gw_remove_folder(g->made)); // of a run that was killed
    if (mkdir(g->made, 0777) != 0) return gw_fail(GW_ERR_IO, "cannot create %s: %s", g->made, strerror(errno));
    GW_TRY(gw_staging_open(&g->staging, g->part));
    GW_TRY(of->hub.owner ? make_of_hub(g, &of->hub) : make_of_rows(g, of));
    GW_TRY(write_text(g, card_file, &g->card));
    GW_TRY(write_text(g, sources_file, &g->staging.sources));
    return put_in_place(g);
}

static gw_status fill(getting *g) {
    GW_TRY(gw_model_folder_of_user(&g->folder));
    g->part = gw_strprintf("%s/.%s.part", g->folder, g->name);
    g->made = gw_strprintf("%s/.%s.new", g->folder, g->name);
    g->place = gw_join_path(g->folder, g->name);
    return g->part && g->made && g->place ? GW_OK : GW_ERR_MEMORY;
}

static gw_status get(getting *g, const source *of) {
    gw_lock lock = {0};
    GW_TRY(fill(g));
    if (gw_file_exists(g->place)) {
        gw_note("%s is there already; to fetch it anew, remove that folder first", g->place);
        return GW_OK;
    }
    GW_TRY(gw_lock_acquire(&lock, g->place));
    const gw_status status = make(g, of);
    if (status != GW_OK && gw_remove_folder(g->made) != GW_OK) gw_warn("%s could not be removed", g->made);
    if (status != GW_OK) rmdir(g->part); // where nothing has come; else the next run goes on from it
    gw_lock_release(&lock);
    return status;
}

static void release(getting *g) {
    gw_staging_free(&g->staging);
    gw_string_free(&g->card);
    free(g->folder);
    free(g->part);
    free(g->made);
    free(g->place);
}

gw_status gw_get_model(const char *text, const char *as) {
    source of = {0};
    if (as && !gw_is_plain_name(as))
        return gw_fail(GW_ERR_RANGE, "'%s' is no name: letters, digits, '_', '.' and '-', the last two not first", as);
    gw_status status = find_source(text, &of);
    if (status == GW_OK) {
        getting g = {.name = as ? as : of.hub.owner ? of.hub.name : of.rows->name};
        status = get(&g, &of);
        release(&g);
    }
    free_source(&of);
    return status;
}
