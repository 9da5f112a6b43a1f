// SPDX-License-Identifier: MIT
// godwit pretrain: trains a model on token shards, or directly on genomes.
#include "task/masked/pretrain.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "file/lines.h"
#include "model/config_reader.h"
#include "model/family.h"
#include "model/head.h"
#include "run/ranks.h"
#include "store/checkpoint.h"
#include "tools/cli/cli.h"
#include "tools/cli/common.h"
#include "tools/cli/device.h"
#include "tools/picture/loss_picture.h"
#include "tools/shared_options.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_pretrain_options of;
    const char *fasta, *regions, *repeats, *valid_regions, *config, *size, *stem, *pattern, *device, *preset;
    double dropout;
    bool soft_masked, no_pairs;
} pretrain_arguments;

static const pretrain_arguments defaults = {.of = {.steps = 100000,
                                                   .tokens_per_step = 32768,
                                                   .warmup = -1,
                                                   .save_every = 1000,
                                                   .seed = 1,
                                                   .rate = 1e-4,
                                                   .optimiser = GW_OPTIMISER_DEFAULTS,
                                                   .mask_rate = 0.15,
                                                   .repeat_weight = 1,
                                                   .valid_bases = 32768,
                                                   .mixer = GW_MIXER_OPTIONS_DEFAULTS},
                                            .dropout = -1};

enum { GRACE_SECONDS = 600 };

#define FIELD(name) offsetof(pretrain_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_LIST, 'd', "data", "PREFIX", FIELD(of.data), "token shards (see encode); may be repeated"},
    {GW_OPTION_STRING, 'f', "fasta", "FILE[,FILE]", FIELD(fasta),
     "genomes instead: windows of single bases at random offsets and on random strands"},
    {GW_OPTION_STRING, 'R', "regions-file", "BED[,BED]", FIELD(regions),
     "regions of each genome that windows lie in (all contigs)"},
    {GW_OPTION_STRING, 0, "unlike", "BED", FIELD(of.unlike),
     "held-out regions of the first genome: what shares 24 bases with them is left out of the others, 1 kb around too"},
    {GW_OPTION_FLAG, 0, "species", NULL, FIELD(of.species),
     "a token of its own for each genome but the first; all other commands run the model as of the first"},
    {GW_OPTION_STRING, 0, "repeats", "BED[,BED]", FIELD(repeats),
     "repeats of each genome; self: bases in 31-mers that occur twice in it, on either strand"},
    {GW_OPTION_FLAG, 0, "soft-masked", NULL, FIELD(soft_masked), "lower-case bases are repeats too"},
    {GW_OPTION_STRING, 0, "valid", "PREFIX", FIELD(of.valid), "shards whose loss is computed at each save"},
    {GW_OPTION_STRING, 0, "valid-regions", "BED[,BED]", FIELD(valid_regions),
     "regions of each genome that are left out of training; bits per base on them is computed at each save"},
    {GW_OPTION_INT, 0, "valid-bases", "N", FIELD(of.valid_bases), "bases of these, about, in evenly spaced windows",
     .min = 1, .max = 1e15},
    {GW_OPTION_NAMED, 0, "keep", "WHICH", FIELD(of.keep), "weights that make the model, where there is validation",
     .choices = GW_KEEPS},
    {GW_OPTION_STRING, 'o', "output", "MODEL", FIELD(of.model), "model folder to write", .required = true,
     .writes = true},
    {GW_OPTION_ROW_CHECKPOINTS(FIELD(of.checkpoints), "which stays there")},
    {GW_OPTION_INT, 0, "save-every", "N", FIELD(of.save_every),
     "steps between saves (0: at the end alone); the training state is saved every ten minutes in any case", .min = 0,
     .max = 4e9},
    {GW_OPTION_ROW_RESUME(FIELD(of.resume))},
    {GW_OPTION_GROUP, .help = "Model"},
    {GW_OPTION_STRING, 'm', "model", "MODEL", FIELD(of.start),
     "folder whose weights training goes on from, in a run of its own"},
    {GW_OPTION_CHOICE, 0, "size", "SIZE", FIELD(size),
     "size of the model (base, of genomes dna-tiny); dna-...: of single bases", .choices = GW_CONFIG_SIZES},
    {GW_OPTION_STRING, 'c', "config", "FILE", FIELD(config), "config.json to take instead of a size"},
    {GW_OPTION_INT, 0, "length", "N", FIELD(of.length),
     "tokens of a sequence, the model's positions (0: the size's own)", .min = 0, .max = GW_MOST_ROTATED},
    {GW_OPTION_STRING, 'p', "pattern", "SPEC", FIELD(pattern),
     "attention pattern (see graph; the size's own is itc), or a mixer such as linear (docs/reference/patterns.md)"},
    {GW_OPTION_STRING, 0, "stem", "TEXT", FIELD(stem),
     "convolutional stem of a model of single bases (see graph; a dna- size has one of its own)"},
    {GW_OPTION_REAL, 0, "dropout", "P", FIELD(dropout), "dropout (-1: the size's own, 0.1; of dna- sizes 0)", .min = -1,
     .max = 0.9},
    {GW_OPTION_GROUP, .help = "Training"},
    {GW_OPTION_CHOICE, 0, "preset", "NAME", FIELD(preset),
     "settings where nothing else is said. paper-pretrain, BigBird's Table 21: 1000000 steps of 256 sequences of 4096 "
     "tokens, warm-up 10000; the size base is its model. dna: 500 steps of 32 sequences of 512 tokens, one cycle to a "
     "rate of 0.002, beta2 0.98, a fifth masked, saved every 100",
     .choices = "paper-pretrain|dna"},
    {GW_OPTION_INT, 0, "steps", "N", FIELD(of.steps), "updates of the weights", .min = 1, .max = 4e9},
    {GW_OPTION_INT, 0, "batch-tokens", "N", FIELD(of.tokens_per_step), "tokens of an update, computed at a time",
     .min = 1, .max = 1e9, .alias = "tokens-per-batch"},
    {GW_OPTION_ROW_DTYPE(FIELD(of.precision))},
    {GW_OPTION_FLAG, 0, "recompute", NULL, FIELD(of.recompute),
     "keep of each layer its result alone and compute it again: less memory, the same bits"},
    {GW_OPTION_ROW_GROUPS(FIELD(of.groups))},
    {GW_OPTION_ROW_ALL_REDUCE(FIELD(of.all_reduce))},
    {GW_OPTION_ROW_SPLIT(FIELD(of.optimiser.split))},
    {GW_OPTION_ROW_RATE(FIELD(of.rate))},
    {GW_OPTION_ROW_SCHEDULE(FIELD(of.schedule))},
    {GW_OPTION_ROW_AVERAGE(FIELD(of.average_decay))},
    {GW_OPTION_ROW_WARMUP(FIELD(of.warmup))},
    {GW_OPTION_REAL, 0, "weight-decay", "X", FIELD(of.optimiser.decay), "decoupled weight decay of matrices", .min = 0,
     .max = 10},
    {GW_OPTION_REAL, 0, "clip", "NORM", FIELD(of.optimiser.clip), "largest norm of the gradient (0: any)", .min = 0,
     .max = 1e9},
    {GW_OPTION_REAL, 0, "beta2", "X", FIELD(of.optimiser.beta2), "decay of Adam's second moment", .min = 0.5,
     .max = 0.999999},
    {GW_OPTION_REAL, 0, "mask-rate", "X", FIELD(of.mask_rate), "share of the tokens that is masked", .min = 0.01,
     .max = 0.9},
    {GW_OPTION_FLAG, 0, "whole-words", NULL, FIELD(of.whole_words),
     "all tokens of a word are masked or none (texts whose vocabulary shows where words begin)"},
    {GW_OPTION_FLAG, 0, "no-pairs", NULL, FIELD(no_pairs),
     "masked tokens alone, where the model would also have a head for pairs of sentences"},
    {GW_OPTION_REAL, 0, "contrast", "W", FIELD(of.contrast),
     "of -p etc on shards: sentences are masked whole, and their global tokens predict their encoding; weight of that "
     "loss, masked tokens have 1 - W (ETC: 0.2; 0: none)",
     .min = 0, .max = 0.9},
    {GW_OPTION_REAL, 0, "repeat-weight", "W", FIELD(of.repeat_weight), "weight of the loss of repeats (0: not counted)",
     .min = 0, .max = 1},
    {GW_OPTION_INT, 0, "seed", "N", FIELD(of.seed), "seed of weights, order, pairs, masks and dropout", .min = 0,
     .max = 9e15},
    {GW_OPTION_ROW_DEVICE(FIELD(device))},
    GW_OPTION_ROWS_MIXERS(FIELD(of.mixer), 0),
    {.help = NULL},
};

// What a config.json leaves open is the tokenizer's, not Hugging Face's default. A bare encoder gets the heads that
// pretraining needs.
static gw_status load_config(const char *path, gw_config *config) {
    json_t *json;
    GW_TRY(gw_config_load(path, config));
    const gw_status status = gw_json_load(path, &json);
    if (status != GW_OK) {
        gw_config_free(config);
        return status;
    }
    if (!json_object_get(json, "vocab_size")) config->vocabulary = 0;
    if (!json_object_get(json, "pad_token_id"))
        config->pad = gw_family_of(config->family)->first_position ? 0 : GW_CONFIG_OPEN;
    if (!json_object_get(json, "sep_token_id")) config->separator = GW_CONFIG_OPEN;
    if (!json_object_get(json, "bos_token_id")) config->begin = GW_CONFIG_OPEN;
    if (gw_head_of(config->head)->bare) config->head = gw_config_defaults(config->family).head;
    json_decref(json);
    return GW_OK;
}

// The config of the model that training goes on from, as an encoder with the head that is trained.
static gw_status load_start(const char *folder, gw_config *config) {
    char *place;
    GW_TRY(gw_checkpoint_folder(folder, &place));
    char *path = gw_join_path(place, "config.json");
    const gw_status status = path ? gw_config_load(path, config) : GW_ERR_MEMORY;
    free(place);
    free(path);
    GW_TRY(status);
    gw_config_forget_labels(config);
    config->window = config->bin = 0;
    config->tss_offset = -1;
    config->task = GW_TASK_PRETRAIN;
    config->stored_as = NULL;
    if (!gw_head_of(config->head)->masked) config->head = gw_config_defaults(config->family).head;
    return GW_OK;
}

static gw_status choose_config(const pretrain_arguments *a, gw_config *config) {
    GW_TRY(a->of.start ? load_start(a->of.start, config)
           : a->config ? load_config(a->config, config)
                       : gw_config_preset(a->size    ? a->size
                                          : a->fasta ? "dna-tiny"
                                                     : "base",
                                          config));
    gw_status status = GW_OK;
    if (!a->of.start && a->of.length > 0) config->positions = a->of.length;
    else if (config->rotary > 0 && a->of.length > config->positions)
        status = gw_config_use_positions(config, a->of.length);
    if (a->dropout >= 0) config->dropout = a->dropout;
    if (a->fasta || a->no_pairs) config->head = GW_HEAD_MASKED;
    if (status == GW_OK && !gw_config_predicts_masked(config)) {
        char name[64];
        gw_architecture_name(config->family, config->head, name);
        status =
            gw_fail(GW_ERR_UNSUPPORTED, "%s is the config of %s, which has no head for masked tokens", a->config, name);
    }
    if (status == GW_OK && a->stem) status = gw_config_use_stem(config, a->stem);
    if (status == GW_OK && a->pattern) status = gw_config_use_pattern(config, a->pattern);
    if (status != GW_OK) gw_config_free(config);
    return status;
}

#define UNLESS_GIVEN(field, value)                                                                                     \
    do {                                                                                                               \
        if (!gw_option_given(FIELD(of.field))) o->field = (value);                                                     \
    } while (0)

// BigBird's Table 21; the learning rate and dropout are the defaults.
static void apply_paper(gw_pretrain_options *o) {
    const int64_t sequences = 256, length = o->length > 0 ? o->length : 4096;
    UNLESS_GIVEN(steps, 1000000);
    UNLESS_GIVEN(tokens_per_step, sequences * length);
    if (o->steps > 10000) UNLESS_GIVEN(warmup, 10000);
}

static void apply_dna(gw_pretrain_options *o) {
    const int64_t sequences = 32, length = 512;
    UNLESS_GIVEN(length, length);
    UNLESS_GIVEN(steps, 500);
    UNLESS_GIVEN(tokens_per_step, sequences * (o->length > 0 ? o->length : length));
    UNLESS_GIVEN(save_every, 100);
    UNLESS_GIVEN(rate, 2e-3);
    UNLESS_GIVEN(schedule, GW_SCHEDULE_ONE_CYCLE);
    UNLESS_GIVEN(optimiser.beta2, 0.98);
    UNLESS_GIVEN(mask_rate, 0.2);
}

enum { MOST_GENOMES = 256 };

// Genomes with what else is named for each of them, in memory that free_genomes() frees.
typedef struct {
    char *text[4]; // names of FASTA files, regions, what is left out and repeats, cut at commas
    gw_genome_source part[MOST_GENOMES];
    int count;
} genome_list;

// Cuts `list` at commas. An empty field is NULL; so is every field of no list.
static gw_status cut_list(const char *option, const char *list, char **copy, int *count, char **fields) {
    for (int i = 0; i < MOST_GENOMES; i++) fields[i] = NULL;
    if (!list) return GW_OK;
    *copy = gw_strdup(list);
    if (!*copy) return GW_ERR_MEMORY;
    const int found = gw_split(*copy, ',', fields, MOST_GENOMES);
    if (*count > 0 && found != *count)
        return gw_fail(GW_ERR_USAGE,
                       "%s names %d files for %d genomes; a genome without one has an empty name (a.bed,,)", option,
                       found, *count);
    *count = found;
    for (int i = 0; i < found; i++)
        if (!fields[i][0]) fields[i] = NULL;
    return GW_OK;
}

static gw_status read_genomes(const pretrain_arguments *a, genome_list *genomes) {
    char *fasta[MOST_GENOMES], *regions[MOST_GENOMES], *without[MOST_GENOMES], *repeats[MOST_GENOMES];
    GW_TRY(cut_list("--fasta", a->fasta, &genomes->text[0], &genomes->count, fasta));
    GW_TRY(cut_list("--regions-file", a->regions, &genomes->text[1], &genomes->count, regions));
    GW_TRY(cut_list("--valid-regions", a->valid_regions, &genomes->text[2], &genomes->count, without));
    GW_TRY(cut_list("--repeats", a->repeats, &genomes->text[3], &genomes->count, repeats));
    for (int i = 0; i < genomes->count; i++) {
        if (!fasta[i]) return gw_fail(GW_ERR_USAGE, "--fasta %s: an empty name", a->fasta);
        genomes->part[i] = (gw_genome_source){fasta[i], regions[i], without[i], repeats[i], a->soft_masked};
    }
    return GW_OK;
}

static gw_status choose_device(const void *arguments) {
    return gw_device_apply(((const pretrain_arguments *)arguments)->device);
}

static gw_status train_to(pretrain_arguments *a, const char *checkpoints) {
    gw_config config;
    GW_TRY(choose_config(a, &config));
    char *model = gw_without_last_slashes(a->of.model);
    a->of.model = model;
    a->of.checkpoints = checkpoints;
    a->of.config = &config;
    a->of.command = gw_command_line();
    gw_grace_seconds = GRACE_SECONDS;
    genome_list genomes = {0};
    gw_status status = model ? read_genomes(a, &genomes) : GW_ERR_MEMORY;
    a->of.genomes = genomes.part;
    a->of.genome_count = genomes.count;
    if (status == GW_OK) status = gw_pretrain(&a->of);
    if (status == GW_OK && gw_is_first_rank()) status = gw_draw_run(a->of.model, "Pretraining");
    for (int i = 0; i < 4; i++) free(genomes.text[i]);
    free(model);
    gw_config_free(&config);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    (void)operands, (void)count;
    pretrain_arguments *a = arguments;
    char *checkpoints;
    // Options that were given stay.
    if (a->preset && strcmp(a->preset, "dna") == 0) apply_dna(&a->of);
    else if (a->preset) apply_paper(&a->of);
    const gw_pretrain_options *o = &a->of;
    if ((o->data.count > 0) == (a->fasta != NULL))
        return gw_fail(GW_ERR_USAGE, "give either token shards (-d PREFIX) or genomes (-f FILE)");
    if (!a->fasta && (a->regions || a->valid_regions || o->species || a->repeats || a->soft_masked))
        return gw_fail(GW_ERR_USAGE,
                       "--regions-file, --valid-regions, --species, --repeats and --soft-masked are for genomes");
    if (a->fasta && o->valid) return gw_fail(GW_ERR_USAGE, "--valid goes with token shards (-d)");
    if (a->fasta && o->contrast > 0)
        return gw_fail(GW_ERR_USAGE, "--contrast goes with token shards (-d), whose documents have sentences");
    if (a->fasta && o->whole_words) return gw_fail(GW_ERR_USAGE, "--whole-words goes with token shards (-d) of texts");
    if (a->fasta && a->no_pairs) return gw_fail(GW_ERR_USAGE, "--no-pairs goes with token shards (-d)");
    const int64_t warmup = o->warmup >= 0 ? o->warmup : 0;
    if (warmup >= o->steps)
        return gw_fail(GW_ERR_USAGE, "--warmup %lld leaves no step of %lld", (long long)warmup, (long long)o->steps);
    if (o->start && (a->config || a->size || a->stem))
        return gw_fail(GW_ERR_USAGE, "--size, --config and --stem are for a new model only");
    if (a->config && a->size) return gw_fail(GW_ERR_USAGE, "give either --size or --config, not both");
    GW_TRY(gw_check_training_precision(a->of.precision));
    GW_TRY(gw_checkpoints_folder(a->of.checkpoints, a->of.model, a->of.resume, &checkpoints));
    const gw_status status = train_to(a, checkpoints);
    free(checkpoints);
    return status;
}

const gw_command gw_command_pretrain = {
    .common = "data|fasta|regions-file|valid|valid-regions|output|resume|model|size|config|length|pattern|preset|steps|"
              "batch-tokens|dtype|lr|seed|device",
    .name = "pretrain",
    .group = "Models",
    .summary = "a model from token shards or genomes: masked tokens and next sentences, or masked bases",
    .usage = "-d PREFIX|-f FILE -o MODEL [options]",
    .description =
        "Token shards (-d): a sequence has sentences of a document, [CLS] A [SEP] B [SEP]. In half of the examples "
        "B follows A; in the other half it comes from another document, elsewhere on the genome. Of the tokens "
        "without N 15 % are masked (80 % [MASK], 10 % random, 10 % unchanged).\n\n"
        "Genomes (-f): a sequence is [CLS] bases [SEP], --length tokens in all, of a window in the regions at a "
        "random offset and on a random strand. A model of single bases learns masked bases alone. N is never masked "
        "and never counted. Genomes are in memory, a byte a base. Repeats are masked like other bases; "
        "--repeat-weight is the chance that a masked one counts in the loss. Several genomes (-f a.fa,b.fa) need as "
        "many BED files (-R a.bed,b.bed; an empty name: all contigs).\n\n"
        "With validation (--valid, --valid-regions) the best save makes the model, unless --keep last is given. -m "
        "MODEL starts from the weights of any folder with the same tokens, also to give a finished run more steps. "
        "It is a new run with a fresh schedule and moments.\n\n"
        "MODEL is a Hugging Face folder with metrics.jsonl and loss.png beside the weights. The training state is "
        "outside it. --resume continues a run that was stopped, killed or lost its MODEL folder, bit for bit. A "
        "finished run stays as it is. Without --resume an existing MODEL is refused. MODEL.lock lets one run at a "
        "time write MODEL.\n\n"
        "mpirun -n N trains on N processes that share each step's examples. With --groups G the bits are those of G "
        "groups of examples, for any N up to G, also if a run continues with another N. Rank 0 writes. SIGUSR1 "
        "saves and ends with status 75.\n\n"
        "--dtype bf16 rounds the operands of the linear layers (forward and backward) and of attention (forward) to "
        "bf16 and sums in f32. Weights, moments and all else stay f32. A resumed run keeps its type.",
    .examples = "godwit pretrain -f genome.fa.gz -R train.bed --valid-regions valid.bed --preset dna -o model\n"
                "godwit pretrain -d shards/train --valid shards/valid -o model --size tiny --length 512 --steps 10000\n"
                "godwit pretrain -d shards/train -o model --size base --resume\n"
                "mpirun -n 4 godwit pretrain -d shards/train -o model --size base --groups 12",
    GW_COMMAND_TAKES(0, 0),
    .ranks = true,
    .choose_device = choose_device,
    .run = run,
};
