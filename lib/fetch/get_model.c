// SPDX-License-Identifier: MIT
// Installation of models from elsewhere. FOLDER/.NAME.part collects the files, FOLDER/.NAME.new becomes the model, and
// a renaming makes it FOLDER/NAME.
#include "fetch/get_model.h"

#include "base/lock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "fetch/catalogue.h"
#include "fetch/staging.h"
#include "file/tar.h"
#include "model/convert.h"
#include "store/installed.h"
#include "store/sentence_modules.h"
#include "store/weight_index.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char card_file[] = "README.md", sources_file[] = "sources.tsv", hub_prefix[] = "hf:";
enum { COMMIT_DIGITS = 40 };

// Model folders of the Hugging Face hub by its public layout of URLs: BASE/OWNER/NAME/resolve/REVISION/FILE. Files are
// asked for by the names that they have; what may be missing is not an error.

typedef struct {
    char *owner, *name, *revision; // "main" where none was given
} hub_model;

// "hf:OWNER/NAME" or "hf:OWNER/NAME@REVISION". To be released whatever is returned.
static gw_status parse_hub(const char *text, hub_model *out) {
    const char *owner = text + strlen(hub_prefix);
    const size_t owner_length = strcspn(owner, "/");
    const char *name = owner + owner_length + (owner[owner_length] == '/');
    const size_t name_length = strcspn(name, "@");
    *out = (hub_model){.owner = gw_strndup(owner, owner_length),
                       .name = gw_strndup(name, name_length),
                       .revision = gw_strdup(name[name_length] ? name + name_length + 1 : "main")};
    if (!out->owner || !out->name || !out->revision) return GW_ERR_MEMORY;
    if (gw_is_plain_name(out->owner) && gw_is_plain_name(out->name) && gw_is_plain_name(out->revision)) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "'%s': expected hf:OWNER/NAME or hf:OWNER/NAME@REVISION", text);
}

// The URL of a file of the model, at the revision; free() it. The base is HF_ENDPOINT, as for the hub's own programs,
// else https://huggingface.co.
static char *hub_url(const hub_model *m, const char *file) {
    const char *base = getenv("HF_ENDPOINT");
    if (!base || !*base) base = "https://huggingface.co";
    const int length = (int)strlen(base) - (base[strlen(base) - 1] == '/');
    return gw_strprintf("%.*s/%s/%s/resolve/%s/%s", length, base, m->owner, m->name, m->revision, file);
}

// below: the folder that the file lies in, NULL for that of the model.
static gw_status take_from(const hub_model *model, gw_staging *staging, const char *below, const char *name,
                           bool *found) {
    char *path = below ? gw_join_path(below, name) : gw_strdup(name), *url = path ? hub_url(model, path) : NULL;
    free(path);
    if (!url) return GW_ERR_MEMORY;
    // A server could send without end: the largest vocabularies have tens of megabytes, cards some kilobytes.
    const bool text = strstr(name, ".json") || strstr(name, ".txt") || strstr(name, ".model");
    const bool commit =
        strlen(model->revision) == COMMIT_DIGITS && strspn(model->revision, "0123456789abcdef") == COMMIT_DIGITS;
    const gw_wanted_file file = {.name = name,
                                 .below = below,
                                 .url = url,
                                 .bytes = -1,
                                 .most = INT64_C(1) << (strcmp(name, card_file) == 0 ? 24
                                                        : text                       ? 28
                                                                                     : 40),
                                 .pinned = commit,
                                 .of_hub = true};
    const gw_status status = gw_staging_take(staging, &file, found);
    free(url);
    return status;
}

static gw_status take(const hub_model *model, gw_staging *staging, const char *name, bool *found) {
    return take_from(model, staging, NULL, name, found);
}

static gw_status missing(const hub_model *model, const char *name, const char *hint) {
    char *url = hub_url(model, name);
    if (!url) return GW_ERR_MEMORY;
    const gw_status status = gw_fail(GW_ERR_IO, "there is no %s%s", url, hint);
    free(url);
    return status;
}

static gw_status take_needed(const hub_model *model, gw_staging *staging, const char *name, const char *hint) {
    bool found;
    GW_TRY(take(model, staging, name, &found));
    return found ? GW_OK : missing(model, name, hint);
}

// Each module has its settings, and some their weights, in a folder of its own; the network lies beside modules.json.
static gw_status take_module(const hub_model *model, gw_staging *staging, const gw_sentence_module *module) {
    const char *dot = strrchr(module->type, '.');
    bool found;
    if (!*module->folder) return GW_OK;
    if (!gw_is_plain_name(module->folder))
        return gw_fail(GW_ERR_FORMAT, "%s/%s: \"path\" is \"%.80s\", expected the name of a folder", staging->folder,
                       gw_sentence_modules_file, module->folder);
    if (strcmp(dot ? dot + 1 : module->type, "Transformer") == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s/%s: the network is in the folder \"%s\", expected it beside this file",
                       staging->folder, gw_sentence_modules_file, module->folder);
    for (const char *const *name = gw_sentence_module_files; *name; name++) {
        GW_TRY(take_from(model, staging, module->folder, *name, &found));
        if (found && strcmp(*name, "model.safetensors") == 0) break; // the same weights as in the last file
    }
    return GW_OK;
}

// model.safetensors, its shards, or the same of pytorch_model.bin, each held to what the hub says of it.
static gw_status take_weights(const hub_model *model, gw_staging *staging) {
    static const char *const names[] = {"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                                        "pytorch_model.bin.index.json"};
    enum { NAMES = sizeof names / sizeof *names };
    gw_weight_index index;
    bool found = false;
    int i = 0;
    for (; i < NAMES && !found; i++) GW_TRY(take(model, staging, names[i], &found));
    if (!found)
        return missing(model, names[0],
                       ", no pytorch_model.bin and no index of either: the model has no weights to read");
    const char *taken = names[i - 1];
    if (!strstr(taken, ".index.")) return GW_OK;
    char *path = gw_join_path(staging->folder, taken);
    gw_status status = path ? gw_weight_index_load(path, &index) : GW_ERR_MEMORY;
    free(path);
    GW_TRY(status);
    for (int64_t file = 0; status == GW_OK && file < index.file_count; file++) {
        const char *name = strrchr(index.files[file], '/') + 1;
        status = gw_is_plain_name(name) ? take_needed(model, staging, name, ", which the index of the weights names")
                                        : gw_fail(GW_ERR_FORMAT, "%s names the file '%s'", taken, name);
    }
    gw_weight_index_free(&index);
    return status;
}

// Takes config.json, the tokenizer's files, the card and the modules of sentence-transformers that are there, and the
// weights. Files of a revision of 40 hexadecimal digits, a commit, are taken up where they broke off.
static gw_status take_hub(const hub_model *model, gw_staging *staging) {
    static const char *const names[] = {"tokenizer.json",
                                        "tokenizer_config.json",
                                        "special_tokens_map.json",
                                        "spiece.model",
                                        "sentencepiece.bpe.model",
                                        "tokenizer.model",
                                        "vocab.json",
                                        "merges.txt",
                                        "vocab.txt",
                                        "generation_config.json",
                                        card_file};
    gw_sentence_modules modules;
    bool found;
    GW_TRY(take_needed(model, staging, "config.json", ": no such model or revision, or one that is not public"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) GW_TRY(take(model, staging, names[i], &found));
    for (const char *const *name = gw_sentence_files; *name; name++) GW_TRY(take(model, staging, *name, &found));
    gw_status status = gw_sentence_modules_load(staging->folder, &modules);
    for (int64_t i = 0; status == GW_OK && i < modules.count; i++)
        status = take_module(model, staging, &modules.items[i]);
    gw_sentence_modules_free(&modules);
    return status == GW_OK ? take_weights(model, staging) : status;
}

// A model of the catalogue or of the hub.

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
    const char *member;
    hub_model hub;
} source;

// Archives of ChromBPNet, as ENCODE gives them away, hold a network for each fold of the training: among others
// fold_0/model.chrombpnet_nobias.fold_0.NAME.h5 with its bias model fold_0/model.bias_scaled.fold_0.NAME.h5.
static const struct {
    const char *network, *bias; // in the names of files
} archived[] = {{"chrombpnet_nobias", "bias_scaled"},
                {"chrombpnet_nobias", "bias_model_scaled"},
                {"chrombpnet_wo_bias", "bias_scaled"}};
enum { ARCHIVED = sizeof archived / sizeof *archived };

static bool ends_in_h5(const char *name) {
    const size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, ".h5") == 0;
}

// The network that is taken of an archive: the first by name of those that have `member` in it. free() it.
static gw_status choose_network(gw_tar *tar, const char *path, const char *member, char **out, int64_t *networks) {
    const char *name;
    int64_t bytes;
    *out = NULL;
    *networks = 0;
    for (;;) {
        GW_TRY(gw_tar_next(tar, &name, &bytes));
        if (!name) break;
        bool is_network = false;
        for (int i = 0; i < ARCHIVED; i++) is_network |= strstr(name, archived[i].network) != NULL;
        if (!is_network || !ends_in_h5(name)) continue;
        (*networks)++;
        if ((member && !strstr(name, member)) || (*out && strcmp(*out, name) <= 0)) continue;
        free(*out);
        if (!(*out = gw_strdup(name))) return GW_ERR_MEMORY;
    }
    if (*out) return GW_OK;
    if (*networks > 0)
        return gw_fail(GW_ERR_MISMATCH, "%s: none of its %lld networks has '%s' in its name", path,
                       (long long)*networks, member);
    return gw_fail(GW_ERR_FORMAT, "%s: the archive has no file whose name holds chrombpnet_nobias and ends in .h5",
                   path);
}

// Whether a file is the bias model of a network: the name is the network's with the other word in it.
static bool is_bias_of(const char *name, const char *network) {
    for (int i = 0; i < ARCHIVED; i++) {
        const char *at = strstr(network, archived[i].network);
        if (!at) continue;
        const size_t before = (size_t)(at - network), word = strlen(archived[i].bias);
        if (strncmp(name, network, before) == 0 && strncmp(name + before, archived[i].bias, word) == 0 &&
            strcmp(name + before + word, at + strlen(archived[i].network)) == 0)
            return true;
    }
    return false;
}

// Writes the network and its bias model into the folder under the names that ChromBPNet's program gives them.
static gw_status unpack(const char *path, const char *network, const char *folder) {
    gw_tar *tar;
    const char *name;
    int64_t bytes;
    GW_TRY(gw_tar_open(path, &tar));
    gw_status status = gw_tar_next(tar, &name, &bytes);
    while (status == GW_OK && name) {
        const char *as = strcmp(name, network) == 0  ? "chrombpnet_nobias.h5"
                         : is_bias_of(name, network) ? "bias_model_scaled.h5"
                                                     : NULL;
        char *to = as ? gw_join_path(folder, as) : NULL;
        if (as) status = to ? gw_tar_save(tar, to) : GW_ERR_MEMORY;
        free(to);
        if (status == GW_OK) status = gw_tar_next(tar, &name, &bytes);
    }
    gw_tar_close(tar);
    return status;
}

// *archive: whether the file was one; then its network lies in the folder.
static gw_status take_of_archive(getting *g, const char *path, const char *member, bool *archive) {
    char *network = NULL;
    int64_t networks;
    gw_tar *tar;
    GW_TRY(gw_tar_open(path, &tar));
    *archive = tar != NULL;
    if (!tar) {
        if (!member) return GW_OK;
        return gw_fail(GW_ERR_USAGE, "--member chooses from a tar archive; %s is not a tar archive", path);
    }
    gw_status status = choose_network(tar, path, member, &network, &networks);
    gw_tar_close(tar);
    if (status == GW_OK) status = unpack(path, network, g->part);
    if (status == GW_OK && networks > 1)
        gw_note("%s, one of %lld networks in the archive; --member chooses another", network, (long long)networks);
    if (status == GW_OK) gw_string_printf(&g->card, "The network in the archive: %s.\n", network);
    free(network);
    return status;
}

static gw_status make_of_rows(getting *g, const source *of) {
    const gw_catalogue_row *first = of->rows;
    for (int64_t i = 0; i < of->count; i++) {
        const gw_catalogue_row *r = &of->rows[i];
        const gw_wanted_file file = {.name = r->file,
                                     .url = r->url,
                                     .sha256 = r->sha256,
                                     .bytes = r->bytes,
                                     .most = INT64_C(1) << 40,
                                     .pinned = true};
        bool found;
        GW_TRY(gw_staging_take(&g->staging, &file, &found));
        if (!found) return gw_fail(GW_ERR_IO, "there is no %s", r->url);
    }
    gw_string_printf(&g->card,
                     "---\nlicense: %s\n---\n# %s: %s\n\nWeights of others, converted to this folder (kind: %s). Their "
                     "licence: %s.\nWhere they came from: %s.\n",
                     first->licence, first->name, first->purpose, first->kind, first->licence, sources_file);
    gw_note("the licence of these weights: %s", first->licence);
    // One file is converted by itself, several as the folder that they are in.
    char *file = of->count == 1 ? gw_join_path(g->part, first->file) : gw_strdup(g->part);
    bool archive = false;
    gw_status status = file ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && of->count == 1 && strcmp(first->kind, "bpnet") == 0)
        status = take_of_archive(g, file, of->member, &archive);
    if (status == GW_OK) status = gw_convert_foreign(first->kind, archive ? g->part : file, g->made, GW_STORE_F32);
    free(file);
    return status;
}

static gw_status make_of_hub(getting *g, const hub_model *hub) {
    const gw_convert_options options = {.from = g->part, .to = g->made, .keep_type = true};
    gw_model *model;
    int64_t length;
    GW_TRY(take_hub(hub, &g->staging));
    char *path = gw_join_path(g->part, card_file), *text = NULL; // the card that the model came with, if it did
    gw_status status = path ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && gw_file_exists(path)) status = gw_read_file(path, &text, &length);
    if (text) gw_string_append(&g->card, text, length);
    free(text);
    free(path);
    GW_TRY(status);
    if (g->card.length == 0)
        gw_string_printf(&g->card,
                         "# %s/%s at %s of the Hugging Face hub\n\nIts page there says what it is for and under which "
                         "licence it stands.\nWhere its files came from: %s.\n",
                         hub->owner, hub->name, hub->revision, sources_file);
    const char *kind; // of a program whose folders are not those of transformers
    GW_TRY(gw_foreign_kind(g->part, &kind));
    GW_TRY(kind ? gw_convert_foreign(kind, g->part, g->made, GW_STORE_F32) : gw_convert(&options));
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

static gw_status make(getting *g, const source *of) {
    GW_TRY(gw_remove_folder(g->made)); // of a run that was killed
    if (mkdir(g->made, 0777) != 0) return gw_fail(GW_ERR_IO, "cannot create %s: %s", g->made, strerror(errno));
    GW_TRY(gw_staging_open(&g->staging, g->part));
    GW_TRY(of->hub.owner ? make_of_hub(g, &of->hub) : make_of_rows(g, of));
    GW_TRY(write_text(g, card_file, &g->card));
    GW_TRY(write_text(g, sources_file, &g->staging.sources));
    if (rename(g->made, g->place) != 0)
        return gw_fail(GW_ERR_IO, "cannot rename %s to %s: %s", g->made, g->place, strerror(errno));
    gw_note("%s is in %s: -m %s", g->name, g->place, g->name);
    return gw_remove_folder(g->part);
}

static gw_status get(getting *g, const source *of) {
    gw_lock lock = {0};
    GW_TRY(gw_model_folder_of_user(&g->folder));
    g->part = gw_strprintf("%s/.%s.part", g->folder, g->name);
    g->made = gw_strprintf("%s/.%s.new", g->folder, g->name);
    g->place = gw_join_path(g->folder, g->name);
    if (!g->part || !g->made || !g->place) return GW_ERR_MEMORY;
    if (gw_file_exists(g->place)) {
        gw_note("%s exists already; to download it again, remove this folder first", g->place);
        return GW_OK;
    }
    GW_TRY(gw_lock_acquire(&lock, g->place));
    const gw_status status = make(g, of);
    if (status != GW_OK && gw_remove_folder(g->made) != GW_OK) gw_warn("%s could not be removed", g->made);
    if (status != GW_OK) rmdir(g->part); // where nothing has come; else the next run goes on from it
    gw_lock_release(&lock);
    return status;
}

// A row for a URL: the file's name is the end of it.
static gw_status parse_url(const gw_get_options *o, gw_catalogue_row *out) {
    enum { SHA256_DIGITS = 64 };
    const char *end = strrchr(o->source, '/') + 1;
    if (!o->kind || !o->sha256 || !o->as)
        return gw_fail(
            GW_ERR_USAGE,
            "%s: a URL needs --kind, --sha256 and --as: the kind of the weights, the checksum of the file, and the "
            "name of the model",
            o->source);
    if (!gw_is_plain_name(end)) return gw_fail(GW_ERR_FORMAT, "%s does not end with the name of a file", o->source);
    if (strlen(o->sha256) != SHA256_DIGITS || strspn(o->sha256, "0123456789abcdef") != SHA256_DIGITS)
        return gw_fail(GW_ERR_FORMAT, "--sha256 is '%.70s', expected 64 hexadecimal digits", o->sha256);
    *out = (gw_catalogue_row){.name = (char *)(uintptr_t)o->as,
                              .file = (char *)(uintptr_t)end,
                              .sha256 = (char *)(uintptr_t)o->sha256,
                              .kind = (char *)(uintptr_t)o->kind,
                              .licence = "unknown",
                              .url = (char *)(uintptr_t)o->source,
                              .purpose = "a model by its URL",
                              .bytes = -1};
    return GW_OK;
}

gw_status gw_get_model(const gw_get_options *options) {
    const char *text = options->source, *as = options->as;
    gw_catalogue_row row;
    source of = {0};
    if (as && !gw_is_plain_name(as))
        return gw_fail(
            GW_ERR_RANGE,
            "'%s' is not a name: a name has letters, digits, '_', '.' and '-', and does not begin with '.' or '-'", as);
    if (options->member && !strstr(text, "://"))
        return gw_fail(GW_ERR_USAGE, "--member chooses from an archive at a URL; %s is not a URL", text);
    gw_status status;
    if (strstr(text, "://")) {
        status = parse_url(options, &row);
        of.rows = &row;
        of.count = 1;
        of.member = options->member;
    } else if (gw_has_prefix(text, hub_prefix)) status = parse_hub(text, &of.hub);
    else {
        status = gw_catalogue_read(&of.catalogue);
        if (status == GW_OK) status = gw_catalogue_find(&of.catalogue, text, &of.rows, &of.count);
    }
    if (status == GW_OK) {
        getting g = {.name = as ? as : of.hub.owner ? of.hub.name : of.rows->name};
        status = get(&g, &of);
        gw_staging_free(&g.staging);
        gw_string_free(&g.card);
        free(g.folder);
        free(g.part);
        free(g.made);
        free(g.place);
    }
    gw_catalogue_free(&of.catalogue);
    free(of.hub.owner);
    free(of.hub.name);
    free(of.hub.revision);
    return status;
}
