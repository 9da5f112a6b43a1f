// SPDX-License-Identifier: MIT
// godwit design: edits sequences towards a wanted prediction of a model.
#include "score/design.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"
#include "base/random.h"
#include "file/lines.h"
#include "seq/genome/genome.h"
#include "tools/shared_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *model, *fasta, *output, *goal, *keep, *gc;
    gw_target_options target;
    gw_design_options of;
    int64_t random, length, beside, memory;
    gw_inference_arguments inference;
} design_arguments;

static const design_arguments defaults = {.goal = "max",
                                          .of = {.edits = 10, .tolerance = 1e-3, .beam = 4, .steps = 100, .seed = 1},
                                          .random = 1,
                                          .beside = 200,
                                          .memory = 2000};

#define FIELD(name) offsetof(design_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_STRING, 'm', "model", "FOLDER", FIELD(model), "fine-tuned model", .required = true},
    {GW_OPTION_STRING, 't', "target", "NAME", FIELD(target.name), "label or track, as of `godwit explain`"},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta), "sequences to begin with (default: random ones)"},
    {GW_OPTION_INT, 0, "random", "N", FIELD(random), "begin with N random sequences", .min = 1, .max = 100000},
    {GW_OPTION_INT, 0, "length", "N", FIELD(length), "bases of random sequences (0: the model's window)", .min = 0,
     .max = 1000000},
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(output), "table to write (default: stdout)", .writes = true,
     .endings = GW_TABLE_ENDINGS},
    {GW_OPTION_GROUP, .help = "Goal and search"},
    {GW_OPTION_STRING, 0, "goal", "max|min|VALUE", FIELD(goal), "what the target is to be"},
    {GW_OPTION_NAMED, 0, "search", "NAME", FIELD(of.search), "how edits are chosen", .choices = GW_DESIGN_SEARCHES},
    {GW_OPTION_INT, 'k', "edits", "K", FIELD(of.edits), "single-base edits at most", .min = 1, .max = 1000000},
    {GW_OPTION_REAL, 0, "tolerance", "X", FIELD(of.tolerance),
     "greedy and beam: end behind a step that improves the goal by no more", .min = 0, .max = 1e300},
    {GW_OPTION_INT, 0, "beam", "N", FIELD(of.beam), "beam: sequences that are kept", .min = 1, .max = 1000},
    {GW_OPTION_INT, 0, "steps", "N", FIELD(of.steps), "anneal: edits that are drawn", .min = 1, .max = 1000000},
    {GW_OPTION_REAL, 0, "temperature", "T", FIELD(of.temperature),
     "anneal: of the first draw, in units of the target (0: the mean size of what one edit changes)", .min = 0,
     .max = 1e300},
    {GW_OPTION_INT, 0, "seed", "N", FIELD(of.seed), "seed of random sequences and draws", .min = 0, .max = 9e15},
    {GW_OPTION_GROUP, .help = "Constraints"},
    {GW_OPTION_STRING, 0, "keep", "LIST", FIELD(keep), "bases that stay: 1-20,61-80 (1-based, of every sequence)"},
    {GW_OPTION_LIST, 0, "forbid", "SITE", FIELD(of.forbid),
     "letters of IUPAC that may not occur on either strand, such as GGTCTC; may be repeated"},
    {GW_OPTION_STRING, 0, "gc", "FROM-TO", FIELD(gc), "percent of G and C, such as 40-60"},
    {GW_OPTION_INT, 0, "homopolymer", "N", FIELD(of.homopolymer), "at most N times the same base in a row (0: any)",
     .min = 0, .max = 60},
    {GW_OPTION_GROUP, .help = "Computing"},
    {GW_OPTION_INT, 0, "beside", "N", FIELD(beside), "compare with N random sequences (0: none)", .min = 0,
     .max = 1000000},
    {GW_OPTION_INT, 0, "memory", "MB", FIELD(memory), "memory for what edited sequences share", .min = 1, .max = 1e9},
    {GW_OPTION_INT, 0, "batch-tokens", "N", FIELD(target.batch_tokens), "tokens computed at a time (0: the default)",
     .min = 0, .max = 1e8},
    GW_OPTION_ROWS_INFERENCE(FIELD(inference)),
    {.help = NULL},
};

static gw_status read_goal(design_arguments *a) {
    a->of.goal = strcmp(a->goal, "max") == 0   ? GW_DESIGN_MAX
                 : strcmp(a->goal, "min") == 0 ? GW_DESIGN_MIN
                                               : GW_DESIGN_VALUE;
    if (a->of.goal == GW_DESIGN_VALUE && gw_parse_double(a->goal, -1e300, 1e300, &a->of.value) != GW_OK)
        return gw_fail(GW_ERR_USAGE, "--goal %s is neither max, nor min, nor a number", a->goal);
    if (!a->gc) return GW_OK;
    char text[64], *ends[2];
    snprintf(text, sizeof text, "%s", a->gc);
    bool good = gw_split(text, '-', ends, 2) == 2;
    for (int i = 0; good && i < 2; i++) good = gw_parse_double(ends[i], 0, 100, &a->of.gc[i]) == GW_OK;
    if (!good) return gw_fail(GW_ERR_USAGE, "--gc %s is not a range of percents, such as 40-60", a->gc);
    a->of.gc[0] /= 100;
    a->of.gc[1] /= 100;
    return GW_OK;
}

// "1-20,61": bases that stay, of a sequence.
static gw_status read_kept(const char *list, int64_t length, bool *kept) {
    char *text = gw_strdup(list ? list : ""), *part = text;
    gw_status status = text ? GW_OK : GW_ERR_MEMORY;
    while (status == GW_OK && part && *part) {
        char *next = strchr(part, ','), *ends[2];
        int64_t from, to;
        if (next) *next++ = 0;
        const int count = gw_split(part, '-', ends, 2);
        if (gw_parse_int(ends[0], 1, INT64_MAX, &from) != GW_OK ||
            gw_parse_int(ends[count - 1], from, INT64_MAX, &to) != GW_OK)
            status = gw_fail(GW_ERR_USAGE, "--keep %s is not a list such as 1-20,61-80", list);
        else if (to > length)
            status = gw_fail(GW_ERR_MISMATCH, "--keep %s: the sequence has %lld bases", list, (long long)length);
        for (int64_t i = from - 1; status == GW_OK && i < to; i++) kept[i] = true;
        part = next;
    }
    free(text);
    return status;
}

static void draw_bases(uint64_t seed, uint64_t index, int64_t length, char *out) {
    gw_random random = gw_random_at(seed, GW_SITE_DESIGN, index, 1);
    for (int64_t i = 0; i < length; i++) out[i] = "ACGT"[gw_random_below(&random, 4)];
    out[length] = 0;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// What random sequences of the length have, and what the model learnt from.
static gw_status compare(const design_arguments *a, const gw_model *model, gw_target *target, int64_t length,
                         double low, double high) {
    double *values = gw_alloc(a->beside + 1, sizeof *values);
    char *bases = gw_alloc(length + 1, 1);
    gw_status status = values && bases ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < a->beside; i++) {
        draw_bases(a->of.seed ^ 0x5eed, (uint64_t)i, length, bases);
        status = gw_target_run(target, bases, length, NULL, 0, &values[i]);
    }
    if (status == GW_OK && a->beside > 0) {
        qsort(values, (size_t)a->beside, sizeof *values, by_value);
        gw_note("%s: designed %.4g to %.4g; %lld random sequences %.4g to %.4g, median %.4g", gw_target_name(target),
                low, high, (long long)a->beside, values[0], values[a->beside - 1], values[a->beside / 2]);
    }
    const gw_config *config = &model->config;
    for (int64_t l = 0; status == GW_OK && gw_config_has_numbers(config) && config->numbers.mean && l < config->labels;
         l++)
        if (config->label_names && strcmp(config->label_names[l], gw_target_name(target)) == 0)
            gw_note("the model was trained on numbers of mean %.4g and standard deviation %.4g",
                    config->numbers.mean[l], config->numbers.deviation[l]);
    if (status == GW_OK)
        gw_warn("a prediction for a designed sequence is not a measurement: designed sequences are often far from the "
                "training data. Measure designs, and check them with a second model");
    free(values);
    free(bases);
    return status;
}

typedef struct {
    design_arguments *of;
    gw_target *target;
    gw_text_writer *out;
    bool *kept;
    int64_t kept_capacity, done;
    int64_t length; // of the longest
    double low, high;
} designing;

static gw_status write_row(designing *d, const char *name, const char *start, int64_t length, const gw_design *made) {
    gw_string path = {0};
    int64_t edits = 0, gc = 0;
    for (int64_t i = 0; i < length; i++) {
        edits += made->bases[i] != start[i];
        gc += made->bases[i] == 'G' || made->bases[i] == 'C';
    }
    for (int64_t i = 0; i < made->step_count; i++) {
        const gw_design_step *s = &made->steps[i];
        gw_string_printf(&path, "%s%lld%c", i > 0 ? "," : "", (long long)s->change.at + 1, s->change.base);
        if (isfinite(s->value)) gw_string_printf(&path, ":%.6g", s->value);
    }
    gw_status status = gw_string_status(&path);
    if (status == GW_OK)
        status = gw_writer_printf(d->out, "%s\t%.7g\t%.7g\t%lld\t%lld\t%.1f\t%s\t%s\n", name, made->first, made->value,
                                  (long long)edits, (long long)made->saturations, 100 * (double)gc / (double)length,
                                  path.data ? path.data : ".", made->bases);
    gw_string_free(&path);
    return status;
}

static gw_status design_one(designing *d, const char *name, const char *bases, int64_t length) {
    gw_design made = {0};
    if (length == 0) return gw_fail(GW_ERR_FORMAT, "%s: the sequence is empty", name);
    for (int64_t i = 0; i < length; i++)
        if (bases[i] == 'N')
            return gw_fail(GW_ERR_FORMAT, "%s: base %lld is N; a design begins with A, C, G and T", name,
                           (long long)i + 1);
    GW_TRY(gw_reserve(&d->kept, &d->kept_capacity, length, sizeof *d->kept));
    memset(d->kept, 0, (size_t)length * sizeof *d->kept);
    GW_TRY(read_kept(d->of->keep, length, d->kept));
    gw_design_options of = d->of->of;
    of.kept = d->kept;
    of.seed += (uint64_t)d->done;
    gw_status status = gw_design_run(d->target, bases, length, &of, &made);
    if (status == GW_OK) status = write_row(d, name, bases, length, &made);
    else status = gw_fail_in(status, "%s", name);
    d->low = d->done == 0 ? made.value : fmin(d->low, made.value);
    d->high = d->done == 0 ? made.value : fmax(d->high, made.value);
    d->length = gw_max(d->length, length);
    d->done++;
    gw_design_free(&made);
    return status;
}

static gw_status design_records(designing *d) {
    gw_genome *genome;
    GW_TRY(gw_genome_open(d->of->fasta, &genome));
    gw_status status = GW_OK;
    for (int c = 0; status == GW_OK && c < gw_genome_contigs(genome); c++) {
        const int64_t length = gw_genome_length(genome, c);
        char *bases = gw_alloc(length + 1, 1);
        status = bases ? gw_genome_fetch(genome, c, 0, length, bases) : GW_ERR_MEMORY;
        if (status == GW_OK) status = design_one(d, gw_genome_name(genome, c), bases, length);
        gw_progress("design", c + 1, gw_genome_contigs(genome), "sequences", NULL);
        free(bases);
    }
    gw_progress_end();
    gw_genome_close(genome);
    return status;
}

static gw_status design_random(designing *d) {
    const int64_t length = d->of->length > 0 ? d->of->length : gw_target_window(d->target);
    if (length == 0) return gw_fail(GW_ERR_USAGE, "the model names no window: give --length");
    char *bases = gw_alloc(length + 1, 1);
    gw_status status = bases ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < d->of->random; i++) {
        char name[32];
        snprintf(name, sizeof name, "random%lld", (long long)i + 1);
        draw_bases(d->of->of.seed, (uint64_t)i, length, bases);
        status = design_one(d, name, bases, length);
        gw_progress("design", i + 1, d->of->random, "sequences", NULL);
    }
    gw_progress_end();
    free(bases);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    design_arguments *a = arguments;
    designing d = {.of = a};
    gw_model *model = NULL;
    gw_status status = GW_OK;
    (void)operands, (void)count;
    a->target.memory = a->memory * 1000000;
    GW_TRY(read_goal(a));
    GW_TRY(gw_design_check(&a->of));
    GW_TRY(gw_device_apply(a->inference.device));
    GW_TRY_GOTO(status, gw_model_load(a->model, &model), done);
    GW_TRY_GOTO(status, gw_target_choose(model, a->target.name), done);
    GW_TRY_GOTO(status, gw_inference_apply(&a->inference, model), done);
    GW_TRY_GOTO(status, gw_target_new(model, &a->target, &d.target), done);
    GW_TRY_GOTO(status, gw_writer_open(a->output, &d.out), done);
    status = gw_writer_printf(d.out, "name\tstart\tdesigned\tedits\tsaturations\tgc\tpath\tsequence\n");
    if (status == GW_OK) status = a->fasta ? design_records(&d) : design_random(&d);
    status = gw_writers_close(status, d.out, NULL);
    if (status == GW_OK) status = compare(a, model, d.target, d.length, d.low, d.high);
done:
    free(d.kept);
    gw_target_free(d.target);
    gw_model_free(model);
    return status;
}

const gw_command gw_command_design = {
    .name = "design",
    .group = "Variants",
    .summary = "edit sequences towards a prediction",
    .usage = "-m FOLDER [-f sequences.fa] [--target NAME] [--goal max|min|VALUE] [options] > designs.tsv",
    .description =
        "Begins with sequences, or with random ones, and edits single bases until the target is as large, as small or "
        "as near a value as --edits allows. Each step computes every possible edit at once, exactly.\n\n"
        "Searches: greedy takes the edit that improves most, and ends where none does; beam keeps the best --beam "
        "sequences of each step; anneal draws edits, the better the likelier, at a falling temperature.\n\n"
        "Constraints hold for the design: a start that breaks some is mended first. --keep leaves bases as they are."
        "\n\n"
        "The table has a row for each sequence: the target at the start and of the design, edits, saturations that "
        "were computed, percent of G and C, the edits in their order (place, base, the target behind it), and the "
        "sequence. Random sequences and the training numbers are named beside it. A model's optimum is not a "
        "measurement."
        "\n\n" GW_INFERENCE_HELP,
    .examples = "godwit design -m yeast-expression -t complex --random 10 -k 12 > designs.tsv\n"
                "godwit design -m yeast-expression -t complex -f promoters.fa --goal 8 --forbid GGTCTC --gc 35-50 "
                "--search beam -o designs.tsv",
    GW_COMMAND_TAKES(0, 0),
    .run = run,
    .common =
        "model|target|fasta|random|length|output|goal|search|edits|beam|seed|keep|forbid|gc|homopolymer|beside|dtype",
};
