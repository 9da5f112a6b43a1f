// SPDX-License-Identifier: MIT
// Loads a model folder. config.json gives the list of tensors. Stored tensors are matched by name and shape before
// memory is allocated.
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/string.h"
#include "model/config_reader.h"
#include "model/family.h"
#include "model/head.h"
#include "model/model.h"
#include "model/model_parts.h"
#include "model/parameters.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a stored tensor is called in a list: its name, one of the list's aliases, or one of these with the prefix of
// encoders put before it or taken off.

// Unlike gw_has_suffix() also of a whole name.
static bool ends(const char *text, const char *with) {
    const size_t length = strlen(text), tail = strlen(with);
    return length >= tail && strcmp(text + length - tail, with) == 0;
}

// Replaces the end of a name where it is `from`; `to` is at most two letters longer.
static void replace_end(char *name, const char *from, const char *to) {
    if (ends(name, from)) strcpy(name + strlen(name) - strlen(from), to);
}

static const gw_parameter *parameter_of(const gw_parameters *list, const char *stored) {
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->list[i].stored, stored) == 0) return &list->list[i];
    return NULL;
}

// The tensor of the encoder that is called so in lists with the prefix, or without.
static const gw_parameter *encoder_tensor(const gw_parameters *list, const char *stored) {
    char name[2 * GW_PARAMETER_NAME];
    const bool prefixed = gw_has_prefix(stored, list->prefix);
    if (prefixed == !list->bare) return NULL; // what it would be was tried as it is
    snprintf(name, sizeof name, "%s%s", prefixed ? "" : list->prefix, stored + (prefixed ? strlen(list->prefix) : 0));
    const gw_parameter *found = parameter_of(list, name);
    return found && found->of_encoder ? found : NULL;
}

// The tensor of the list that a file calls so, or the first of those that a stored tensor holds, or NULL. Names are
// tried as they are, older ones (LayerNorm.gamma and beta), with and without the prefix of encoders, and as aliases;
// *alias says whether it was one of these.
static const gw_parameter *stored_parameter(const gw_parameters *list, const char *stored, bool *alias) {
    char name[GW_PARAMETER_NAME + 2];
    *alias = false;
    if (snprintf(name, GW_PARAMETER_NAME, "%s", stored) >= GW_PARAMETER_NAME) return NULL;
    replace_end(name, "LayerNorm.gamma", "LayerNorm.weight");
    replace_end(name, "LayerNorm.beta", "LayerNorm.bias");
    const gw_parameter *found = parameter_of(list, name);
    for (int i = 0; !found && i < list->count; i++)
        if (list->list[i].twin[0] && strcmp(list->list[i].twin, name) == 0) found = &list->list[i];
    if (!found) found = encoder_tensor(list, name);
    for (int i = 0; !found && !*alias && i < list->alias_count; i++) {
        const gw_parameter_alias *other = &list->alias[i];
        *alias = *other->name == '*' ? ends(name, other->name + 1) : strcmp(other->name, name) == 0;
        if (*alias) found = parameter_of(list, other->stored);
    }
    return found;
}

// True for what nothing reads: position_ids, token_type_ids, inv_freq of rotary positions where the family does not
// read them, learned positions beside rotary ones, the pooler of a decoder.
static bool is_buffer(const gw_config *config, const char *stored) {
    if (config->rotary > 0 && ends(stored, "embeddings.position_embeddings.weight")) return true;
    return ends(stored, "embeddings.position_ids") || ends(stored, "embeddings.token_type_ids") ||
           ends(stored, "rotary_emb.inv_freq") ||
           gw_has_prefix(stored, "decoder.bert.pooler."); // which no decoder reads
}

// True for a layer's layout of sparse attention; *layer is its layer, -1 where the name holds none.
static bool is_layout(const char *stored, int *layer) {
    static const char marker[] = "encoder.layer.";
    *layer = -1;
    if (!ends(stored, "master_layout")) return false;
    const char *number = strstr(stored, marker);
    if (!number) return true;
    number += strlen(marker);
    char *end;
    const long value = strtol(number, &end, 10);
    if (end > number && *end == '.' && value >= 0 && value < 1 << 16) *layer = (int)value;
    return true;
}

// The tensors of the config's family under a head, of one layer, as their names do not depend on how many there are.
static gw_status list_of_head(const gw_config *config, int head, gw_config *other, gw_parameters *list) {
    *other = *config;
    other->head = (gw_head)head;
    other->layers = other->labels = 1;
    return gw_parameters_make(other, list);
}

// Sets *known where the tensor belongs to another head of the config's family.
static gw_status find_other_head(const gw_config *config, const char *stored, bool *known) {
    *known = false;
    for (int head = 0; !*known && head < gw_head_count(); head++) {
        gw_config other;
        gw_parameters list;
        bool alias;
        if (!gw_family_has_head(config->family, (gw_head)head)) continue;
        GW_TRY(list_of_head(config, head, &other, &list));
        const gw_parameter *parameter = stored_parameter(&list, stored, &alias);
        *known = parameter && (alias || !parameter->of_encoder || parameter->role == GW_ROLE_POOLER);
        gw_parameters_free(&list);
    }
    return GW_OK;
}

// How well a head fits: stored tensors that are its own, less one for all of its own, as a tie-break.
static gw_status fit_of(const gw_checkpoint *stored, const gw_config *config, int head, int64_t *fit) {
    gw_config other;
    gw_parameters list;
    *fit = 0;
    GW_TRY(list_of_head(config, head, &other, &list));
    for (int i = 0; i < gw_checkpoint_count(stored); i++) {
        bool alias;
        const gw_parameter *parameter = stored_parameter(&list, gw_checkpoint_at(stored, i)->name, &alias);
        if (parameter && !parameter->of_encoder) *fit += INT32_MAX;
    }
    for (int i = 0; i < list.count; i++) *fit -= !list.list[i].of_encoder;
    gw_parameters_free(&list);
    return GW_OK;
}

// Rows of a head's logits as they are stored.
static gw_status stored_labels(const gw_checkpoint *stored, const gw_config *config, gw_head head, int64_t *labels) {
    gw_config other;
    gw_parameters list;
    *labels = 0;
    if (!gw_head_of(head)->labels) return GW_OK;
    GW_TRY(list_of_head(config, (int)head, &other, &list));
    const gw_parameter *logits = gw_parameters_role(&list, GW_ROLE_LOGITS, 0, false);
    for (int i = 0; logits && i < gw_checkpoint_count(stored); i++) {
        const gw_stored_tensor *tensor = gw_checkpoint_at(stored, i);
        bool alias;
        if (stored_parameter(&list, tensor->name, &alias) == logits && tensor->dimensions == 2)
            *labels = tensor->shape[0];
    }
    gw_parameters_free(&list);
    return GW_OK;
}

// The head of a folder whose config.json names no architecture: the one most of whose tensors are there, and how many
// labels they have; 0 where the head has none. Several heads that call theirs alike are an error.
static gw_status choose_head(const gw_checkpoint *stored, const char *folder, const gw_config *config, gw_head *out,
                             int64_t *labels) {
    gw_string names = {0};
    gw_status status = GW_OK;
    int64_t fit, best = INT64_MIN;
    int heads = 0;
    char name[64];
    for (int head = 0; status == GW_OK && head < gw_head_count(); head++) {
        if (!gw_family_has_head(config->family, (gw_head)head)) continue;
        status = fit_of(stored, config, head, &fit);
        if (fit < best) continue;
        if (fit > best) {
            gw_string_clear(&names);
            heads = 0;
        }
        best = fit;
        heads++;
        *out = (gw_head)head;
        gw_architecture_name(config->family, (gw_head)head, name);
        gw_string_printf(&names, "%s%s", names.length > 0 ? ", " : "", name);
    }
    if (status == GW_OK) status = gw_string_status(&names);
    if (status == GW_OK && heads > 1)
        status = gw_fail(GW_ERR_UNSUPPORTED, "%s: config.json names no architecture, and by its tensors it may be %s",
                         folder, names.data);
    gw_string_free(&names);
    return status == GW_OK ? stored_labels(stored, config, *out, labels) : status;
}

// The layers' tensors, each once and of the size that config.json asks for.
static gw_status find_layers(const gw_checkpoint *stored, const char *folder, const gw_layout *sizes,
                             const gw_stored_tensor **tensors) {
    for (int i = 0; i < gw_checkpoint_count(stored); i++) {
        const gw_stored_tensor *tensor = gw_checkpoint_at(stored, i);
        int layer;
        if (!is_layout(tensor->name, &layer)) continue;
        if (layer < 0 || layer >= sizes->layers || tensors[layer])
            return gw_fail(GW_ERR_MISMATCH, "%s: %s is not the only layout of one of the %d layers", tensor->file,
                           tensor->name, sizes->layers);
        if (tensor->dimensions != 3 || tensor->shape[0] != sizes->heads || tensor->shape[1] != sizes->blocks ||
            tensor->shape[2] != sizes->blocks)
            return gw_fail(GW_ERR_MISMATCH,
                           "%s: the layout %s has not the shape [%d, %d, %d] that config.json asks for", tensor->file,
                           tensor->name, sizes->heads, sizes->blocks, sizes->blocks);
        tensors[layer] = tensor;
    }
    for (int layer = 0; layer < sizes->layers; layer++)
        if (!tensors[layer])
            return gw_fail(
                GW_ERR_UNSUPPORTED,
                "%s: the weights hold no layout of sparse attention (encoder.layer.%d...master_layout), and it "
                "cannot be reproduced: it was drawn at random when the model was made",
                folder, layer);
    return GW_OK;
}

// Layouts of sparse attention as DeepSpeed keeps them: a buffer [heads][blocks][blocks] of 0 and 1 of every layer,
// whose name ends in "master_layout"; blocks are positions / block.
static gw_status read_layout(const gw_checkpoint *stored, const char *folder, gw_model *model) {
    const gw_config *config = &model->config;
    const gw_layout sizes = {.layers = (int)config->layers,
                             .heads = (int)config->heads,
                             .blocks = (int)(config->positions / config->pattern.block)};
    const int64_t per_layer = (int64_t)sizes.heads * sizes.blocks * sizes.blocks;
    const gw_stored_tensor **tensors = gw_alloc(sizes.layers, sizeof *tensors);
    int64_t *values = NULL;
    if (!tensors) return GW_ERR_MEMORY;
    gw_status status = find_layers(stored, folder, &sizes, tensors);
    if (status == GW_OK) {
        values = gw_alloc(per_layer, sizeof *values);
        status = values ? gw_layout_make(&sizes, &model->layout) : GW_ERR_MEMORY;
    }
    for (int layer = 0; status == GW_OK && layer < sizes.layers; layer++) {
        status = gw_checkpoint_read_int(stored, tensors[layer], values);
        for (int64_t i = 0; status == GW_OK && i < per_layer; i++) {
            if (values[i] != 0 && values[i] != 1)
                status = gw_fail(GW_ERR_FORMAT, "%s: the layout %s holds %lld, expected 0 and 1", tensors[layer]->file,
                                 tensors[layer]->name, (long long)values[i]);
            model->layout->cell[layer * per_layer + i] = (uint8_t)values[i];
        }
    }
    free(values);
    free(tensors);
    return status;
}

typedef struct {
    const char *folder;
    gw_checkpoint *stored;
    gw_model *model;
    int member, members;              // which of how many the model is; 0 of 0: it is whole
    const gw_parameter **sorted;      // [parameters] by stored name and part
    const gw_stored_tensor **tensors; // [parameters] in order of the list; NULL: not found
    const gw_stored_tensor *fused;    // that was read last, whose values are
    float *values;                    // these; or NULL
    gw_string surplus;                // names of tensors of other heads
    int surplus_count;
} loader;

enum { NAMES_SHOWN = 4 };

static int by_name(const void *a, const void *b) {
    const gw_parameter *p = *(const gw_parameter *const *)a, *q = *(const gw_parameter *const *)b;
    const int order = strcmp(p->stored, q->stored);
    return order != 0 ? order : (p->part > q->part) - (p->part < q->part);
}

// A tensor that is none of the model's: the layout that is read apart, another head's, or unknown.
static gw_status pass_over(loader *l, const gw_stored_tensor *tensor) {
    const gw_config *config = &l->model->config;
    bool known = false;
    int layer;
    if (gw_config_has_layout(config) && is_layout(tensor->name, &layer)) return GW_OK;
    if (l->members == 0) GW_TRY(find_other_head(config, tensor->name, &known));
    if (!known)
        return gw_fail(GW_ERR_MISMATCH, "%s: tensor %s does not belong to the model that config.json describes",
                       tensor->file, tensor->name);
    if (l->surplus_count < NAMES_SHOWN)
        gw_string_printf(&l->surplus, "%s%s", l->surplus_count > 0 ? ", " : "", tensor->name);
    l->surplus_count++;
    return GW_OK;
}

// What a tensor is called in its own network; *member is which one that is.
static const char *own_name(const loader *l, const gw_stored_tensor *tensor, int *member) {
    *member = 0;
    if (l->members == 0) return tensor->name;
    for (; *member < l->members; ++*member) {
        char prefix[GW_PARAMETER_NAME];
        gw_member_name(*member, "", prefix);
        if (strncmp(tensor->name, prefix, strlen(prefix)) == 0) return tensor->name + strlen(prefix);
    }
    return NULL;
}

// Says that a parameter is in a stored tensor. Two tensors of one parameter are tied, or stored twice.
static gw_status match_parameter(loader *l, const gw_stored_tensor *tensor, const gw_parameter *parameter, bool exact) {
    const gw_stored_tensor **slot = &l->tensors[parameter - l->model->parameters.list];
    if (*slot && !gw_checkpoint_same(l->stored, *slot, tensor))
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: %s differs from %s; only tied weights can be run", tensor->file,
                       tensor->name, (*slot)->name);
    if (!*slot || exact) *slot = tensor;
    return GW_OK;
}

// Finds the parameters of a stored tensor, or passes it over.
static gw_status match_tensor(loader *l, const gw_stored_tensor *tensor) {
    const int count = l->model->parameters.count;
    int member;
    bool alias;
    const char *own = own_name(l, tensor, &member);
    if (!own) return pass_over(l, tensor);
    if (is_buffer(&l->model->config, own) || member != l->member) return GW_OK;
    const gw_parameter *found = stored_parameter(&l->model->parameters, own, &alias);
    if (!found) return pass_over(l, tensor);
    const int64_t first = GW_FIRST_NOT(k, count, strcmp(l->sorted[k]->stored, found->stored) < 0);
    for (int64_t i = first; i < count && strcmp(l->sorted[i]->stored, found->stored) == 0; i++)
        GW_TRY(match_parameter(l, tensor, l->sorted[i], strcmp(own, found->stored) == 0));
    return GW_OK;
}

// A pooler that no head reads may be absent: it then is not a parameter. One of which a file holds a part must be
// whole.
static void drop_pooler(loader *l) {
    gw_parameters *list = &l->model->parameters;
    int kept = 0, found = 0;
    for (int i = 0; i < list->count; i++) found += list->list[i].role == GW_ROLE_POOLER && l->tensors[i];
    for (int i = 0; i < list->count; i++) {
        if (list->list[i].role == GW_ROLE_POOLER && list->list[i].optional && found == 0) continue;
        list->list[kept] = list->list[i];
        if (list->list[i].role == GW_ROLE_POOLER) list->list[kept].optional = false;
        l->tensors[kept++] = l->tensors[i];
    }
    list->count = kept;
    gw_parameters_set_offsets(list);
}

static gw_status check_missing(const loader *l) {
    const gw_parameters *list = &l->model->parameters;
    gw_string names = {0};
    int missing = 0;
    for (int i = 0; i < list->count; i++)
        if (!l->tensors[i] && !list->list[i].optional && missing++ < NAMES_SHOWN)
            gw_string_printf(&names, "%s%s", missing > 1 ? ", " : "", list->list[i].name);
    gw_status status = gw_string_status(&names);
    if (status == GW_OK && missing == 1)
        status = gw_fail(GW_ERR_MISMATCH, "%s: tensor %s is missing", l->folder, names.data);
    else if (status == GW_OK && missing > 0)
        status = gw_fail(GW_ERR_MISMATCH, "%s: %d tensors are missing: %s%s", l->folder, missing, names.data,
                         missing > NAMES_SHOWN ? ", ..." : "");
    gw_string_free(&names);
    return status;
}

static void shape_text(const int64_t *shape, int dimensions, char text[96]) {
    int used = snprintf(text, 96, "[");
    for (int i = 0; i < dimensions && used < 70; i++)
        used += snprintf(text + used, (size_t)(96 - used), "%s%lld", i > 0 ? ", " : "", (long long)shape[i]);
    snprintf(text + used, (size_t)(96 - used), "]");
}

static gw_status check_shape(const gw_stored_tensor *tensor, const gw_parameter *parameter) {
    int64_t shape[3];
    gw_parameter_stored_shape(parameter, shape);
    bool same = tensor->dimensions == parameter->dimensions;
    for (int i = 0; same && i < tensor->dimensions; i++) same = tensor->shape[i] == shape[i];
    if (same) return GW_OK;
    char found[96], expected[96];
    shape_text(tensor->shape, tensor->dimensions, found);
    shape_text(shape, parameter->dimensions, expected);
    return gw_fail(GW_ERR_MISMATCH, "%s: tensor %s has shape %s, config.json asks for %s", tensor->file, tensor->name,
                   found, expected);
}

static gw_status match_all(loader *l) {
    const gw_parameters *list = &l->model->parameters;
    l->sorted = gw_alloc(list->count, sizeof *l->sorted);
    l->tensors = gw_alloc(list->count, sizeof *l->tensors);
    if (!l->sorted || !l->tensors) return GW_ERR_MEMORY;
    for (int i = 0; i < list->count; i++) l->sorted[i] = &list->list[i];
    qsort(l->sorted, (size_t)list->count, sizeof *l->sorted, by_name);
    for (int i = 0; i < gw_checkpoint_count(l->stored); i++) GW_TRY(match_tensor(l, gw_checkpoint_at(l->stored, i)));
    drop_pooler(l);
    GW_TRY(check_missing(l));
    for (int i = 0; i < list->count; i++)
        if (l->tensors[i]) GW_TRY(check_shape(l->tensors[i], &list->list[i]));
    if (l->surplus_count == 0) return GW_OK;
    GW_TRY(gw_string_status(&l->surplus));
    char architecture[64];
    gw_architecture_name(l->model->config.family, l->model->config.head, architecture);
    gw_warn("%s: left out tensors that %s does not have: %s%s (%d tensors)", l->folder, architecture, l->surplus.data,
            l->surplus_count > NAMES_SHOWN ? ", ..." : "", l->surplus_count);
    return GW_OK;
}

static gw_status read_tensor(loader *l, const gw_stored_tensor *tensor, const gw_parameter *p, float *out) {
    if (p->parts > 1) { // a fused tensor is read whole for all of its parts, as they follow each other
        if (l->fused != tensor) {
            free(l->values);
            l->fused = NULL;
            l->values = gw_alloc(p->parts * p->count, sizeof(float));
            if (!l->values) return GW_ERR_MEMORY;
            GW_TRY(gw_checkpoint_read(l->stored, tensor, l->values));
            l->fused = tensor;
        }
        memcpy(out, l->values + p->part * p->count, (size_t)p->count * sizeof(float));
        return GW_OK;
    }
    if (!p->taps_last) return gw_checkpoint_read(l->stored, tensor, out);
    float *values = gw_alloc(p->count, sizeof *values);
    const gw_status status = values ? gw_checkpoint_read(l->stored, tensor, values) : GW_ERR_MEMORY;
    if (status == GW_OK) gw_parameter_from_file(p, values, out);
    free(values);
    return status;
}

static gw_status read_all(loader *l) {
    const gw_parameters *list = &l->model->parameters;
    GW_TRY(gw_model_allocate(l->model));
    for (int i = 0; i < list->count; i++) {
        const gw_parameter *p = &list->list[i];
        if (l->tensors[i]) GW_TRY(read_tensor(l, l->tensors[i], p, list->weight + p->offset));
        else gw_parameter_begin(p, list->weight + p->offset); // what a file may lack
    }
    return gw_config_has_layout(&l->model->config) ? read_layout(l->stored, l->folder, l->model) : GW_OK;
}

static gw_status load_one(const char *folder, gw_tokenizer *tokenizer, const gw_config *config, int member, int members,
                          gw_model **out) {
    loader l = {.folder = folder, .member = member, .members = members};
    gw_status status = gw_model_begin(config, tokenizer, &l.model);
    if (status != GW_OK) return gw_fail_in(status, "%s", folder);
    status = gw_checkpoint_open(folder, &l.stored);
    if (status == GW_OK) status = gw_parameters_make(&l.model->config, &l.model->parameters);
    if (status == GW_OK) status = match_all(&l);
    if (status == GW_OK) status = read_all(&l);
    gw_checkpoint_close(l.stored);
    gw_string_free(&l.surplus);
    free(l.sorted);
    free(l.tensors);
    free(l.values);
    if (status == GW_OK) *out = l.model;
    else gw_model_free(l.model);
    return status;
}

static gw_status load_members(const char *folder, gw_tokenizer *tokenizer, const gw_config *config, gw_model **out) {
    gw_model *members[GW_MOST_MEMBERS];
    gw_config each = *config;
    const int count = (int)config->members;
    gw_status status = GW_OK;
    int done = 0;
    for (each.members = 0; status == GW_OK && done < count; done += status == GW_OK) {
        gw_tokenizer *copy = NULL;
        if (tokenizer) status = gw_tokenizer_copy(tokenizer, &copy);
        if (status == GW_OK) status = load_one(folder, copy, &each, done, count, &members[done]);
    }
    gw_tokenizer_free(tokenizer);
    if (status == GW_OK) return gw_model_join(members, count, out);
    while (done > 0) gw_model_free(members[--done]);
    return status;
}

static gw_status load(const char *folder, gw_tokenizer *tokenizer, const gw_config *config, gw_model **out) {
    gw_preparing("loading the model %s", folder);
    if (config->members > 1) return load_members(folder, tokenizer, config, out);
    return load_one(folder, tokenizer, config, 0, 0, out);
}

// Reads a config.json again that leaves the head to the weights at `path`.
static gw_status settle_head(const char *path, const char *file, gw_config *config) {
    gw_checkpoint *stored;
    gw_head head = GW_HEAD_NONE;
    int64_t labels = 0;
    gw_status status = gw_checkpoint_open(path, &stored);
    if (status == GW_OK) status = choose_head(stored, path, config, &head, &labels);
    gw_checkpoint_close(stored);
    gw_config_free(config);
    return status == GW_OK ? gw_config_load_headed(file, head, labels, config) : status;
}

static bool holds_state_dicts(const char *folder) {
    DIR *entries = opendir(folder);
    bool found = false;
    for (const struct dirent *e; entries && !found && (e = readdir(entries));) found = gw_has_suffix(e->d_name, ".pt");
    if (entries) closedir(entries);
    return found;
}

// The folder of the weights, which may be named by their file.
static gw_status load_config(const char *path, gw_config *out) {
    char *folder;
    GW_TRY(gw_checkpoint_folder(path, &folder));
    char *file = gw_join_path(folder, "config.json");
    gw_status status = file ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && !gw_file_exists(file) && holds_state_dicts(folder))
        status = gw_fail(GW_ERR_FORMAT,
                         "%s holds state dicts (*.pt) and no config.json: `godwit convert --from openspliceai -m %s -o "
                         "splice` makes a model of OpenSpliceAI's",
                         folder, folder);
    if (status == GW_OK) status = gw_config_load(file, out);
    if (status == GW_OK && out->head_open) status = settle_head(path, file, out);
    free(file);
    free(folder);
    return status;
}

gw_status gw_model_load_weights(const char *folder, gw_model **out) {
    gw_config config;
    *out = NULL;
    GW_TRY(load_config(folder, &config));
    const gw_status status = load(folder, NULL, &config, out);
    gw_config_free(&config);
    return status;
}

gw_status gw_model_load(const char *folder, gw_model **out) {
    gw_config config;
    gw_tokenizer *tokenizer;
    *out = NULL;
    GW_TRY(load_config(folder, &config));
    char *place = NULL;
    gw_status status = gw_checkpoint_folder(folder, &place);
    if (status == GW_OK) status = gw_tokenizer_load(place, &tokenizer);
    free(place);
    if (status == GW_OK) status = load(folder, tokenizer, &config, out);
    gw_config_free(&config);
    return status;
}
