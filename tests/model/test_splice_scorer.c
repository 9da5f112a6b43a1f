// SPDX-License-Identifier: MIT
// Scores of splicing against the plain way: two windows an allele and gene, each run alone through each member of a
// network of random weights, with rows laid as SpliceAI's own formulas have them. What alleles share of REF changes no
// bit.
#include "base/parallel.h"
#include "base/random.h"
#include "fixtures.h"
#include "label/base_classes.h"
#include "model/config_reader.h"
#include "model/model.h"
#include "network/base_network.h"
#include "score/allele_scorer.h"
#include "score/splice_scorer.h"
#include "tests/unit/sanitizer.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { WIDTH = 8, LENGTH = 900, MEMBERS = 2, DISTANCE = 12, FLANK = 8, COVER = 2 * DISTANCE + 1 };
enum { VALUES = GW_SPLICE_VALUES, EACH = 3 * VALUES }; // of a gene; of an allele in the three genes of a place
enum { MOST_BASES = 400, WINDOW = 2 * FLANK + COVER };

TestSuite(splice_scorer, .init = scratch_enter, .fini = scratch_leave);

static char contig[LENGTH + 1];

static const char *stem = "letters:8+skip+leaky-unit:3@1,3+skip"; // FLANK

static gw_model *make_member(uint64_t seed) {
    static char *names[] = {(char *)"none", (char *)"acceptor", (char *)"donor"};
    gw_config config = gw_config_defaults(GW_FAMILY_SPLICE);
    gw_tokenizer *letters;
    gw_model *model;
    config.label_names = names;
    config.head = GW_HEAD_TOKEN, config.task = GW_TASK_TOKEN, config.problem = GW_PROBLEM_SINGLE_LABEL;
    config.width = config.rotary = config.feed_forward = WIDTH;
    config.heads = 1, config.layers = 0, config.labels = GW_SPLICE_CLASSES, config.positions = 1 << 16;
    config.dropout = config.classifier_dropout = 0, config.vocabulary = 0;
    config.pad = config.separator = config.begin = GW_CONFIG_OPEN;
    cr_assert_eq(gw_config_use_stem(&config, stem), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_tokenizer_letters(&letters), GW_OK);
    cr_assert_eq(gw_model_new(&config, letters, seed, &model), GW_OK, "%s", gw_message());
    gw_random random = gw_random_at(seed, GW_SITE_TEST, 3, 0);
    for (int64_t i = 0; i < model->parameters.floats; i++)
        model->parameters.weight[i] += (float)(0.4 * gw_random_normal(&random));
    return model;
}

// The classes of a base are summed in a place of that size, whatever a folder says.
Test(splice_scorer, more_classes_than_sets_have_label_no_bases) {
    gw_model *model = make_member(1);
    cr_expect(gw_model_labels_bases(model));
    model->config.labels = GW_BASE_CLASSES + 1;
    cr_expect(gw_model_labels_bases(model));
    model->config.labels++;
    cr_expect(!gw_model_labels_bases(model));
    model->config.labels = GW_SPLICE_CLASSES;
    gw_model_free(model);
}

static gw_model *make_model(void) {
    gw_model *members[MEMBERS], *made, *model;
    for (int i = 0; i < MEMBERS; i++) members[i] = make_member((uint64_t)i + 1);
    cr_assert_eq(gw_model_join(members, MEMBERS, &made), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_save(made, "model"), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_load("model", &model), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_freeze(model, GW_F32), GW_OK);
    gw_model_free(made);
    return model;
}

static gw_genome *make_genome(void) {
    gw_random random = gw_random_at(7, GW_SITE_TEST, 0, 0);
    char text[LENGTH + 8];
    gw_genome *genome;
    for (int i = 0; i < LENGTH; i++) contig[i] = "ACGT"[gw_random_below(&random, 4)];
    memset(contig + 710, 'N', 5);
    snprintf(text, sizeof text, ">c\n%s\n", contig);
    scratch_text("g.fa", text);
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    scratch_text("genes.txt", "#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END\n"
                              "A\tc\t+\t0\t300\t0,100,\t60,300,\n"
                              "B\tc\t-\t200\t700\t200,500\t320,700\n"
                              "C\tc\t+\t240\t260\t240\t260\n"
                              "D\tc\t-\t800\t900\t800\t900\n");
    return genome;
}

// Adds the mean over the members of softmax(logits) of one sequence, on its strand, to rows in the order of bases.
static void run_plainly(gw_model *model, const char *bases, int64_t length, char strand, double *rows) {
    static int32_t token[MOST_BASES];
    static const char letters[] = "ACGTN";
    int64_t start[2] = {0, length};
    memset(rows, 0, (size_t)((length - 2 * FLANK) * GW_SPLICE_CLASSES) * sizeof *rows);
    for (int64_t i = 0; i < length; i++) {
        const char base = bases[strand == '-' ? length - 1 - i : i];
        const int letter = (int)(strchr(letters, base) - letters);
        token[i] = 5 + (strand == '-' && letter < 4 ? 3 - letter : letter);
    }
    for (int m = 0; m < MEMBERS; m++) {
        gw_network *network;
        const gw_network_options options = {.tokens = length, .sequences = 1, .plain = true};
        cr_assert_eq(gw_network_new(model->members[m], &options, &network), GW_OK, "%s", gw_message());
        const gw_batch batch = {.of = {[GW_ROWS_TOKENS] = {.sequences = 1, .start = start, .token = token}}};
        cr_assert_eq(gw_network_forward(network, &batch, NULL), GW_OK, "%s", gw_message());
        const float *z = gw_network_output(network, GW_ROWS_TOKENS) + FLANK * GW_SPLICE_CLASSES;
        for (int64_t i = 0; i < length - 2 * FLANK; i++, z += GW_SPLICE_CLASSES) {
            double *to = rows + (strand == '-' ? length - 2 * FLANK - 1 - i : i) * GW_SPLICE_CLASSES;
            const double sum = exp((double)z[0]) + exp((double)z[1]) + exp((double)z[2]);
            for (int c = 0; c < GW_SPLICE_CLASSES; c++) to[c] += exp((double)z[c]) / sum / MEMBERS;
        }
        gw_network_free(network);
    }
}

// Bases [begin, end) where they lie in the gene, N elsewhere.
static void cut(const gw_gene_model *gene, int64_t begin, int64_t end, char *out) {
    for (int64_t i = begin; i < end; i++) out[i - begin] = i >= gene->begin && i < gene->end ? contig[i] : 'N';
}

// SpliceAI's scores, for alleles of which one is a single base.
static void score_plainly(gw_model *model, const gw_gene_model *gene, const gw_variant *v, double values[VALUES]) {
    static double ref[MOST_BASES * 3], alt[MOST_BASES * 3], laid[MOST_BASES * 3];
    char x[MOST_BASES], y[MOST_BASES];
    const int64_t before = DISTANCE + FLANK, behind = before + v->ref_length, rest = WINDOW - behind;
    cut(gene, v->position - before, v->position + before + 1, x);
    memcpy(y, x, (size_t)before);
    memcpy(y + before, v->alt, (size_t)v->alt_length);
    memcpy(y + before + v->alt_length, x + behind, (size_t)rest);
    run_plainly(model, x, WINDOW, gene->strand, ref);
    run_plainly(model, y, WINDOW - v->ref_length + v->alt_length, gene->strand, alt);
    for (int64_t row = 0; row < COVER; row++)
        for (int c = 0; c < 3; c++) {
            const int64_t in = row - DISTANCE, r = v->ref_length, a = v->alt_length;
            double most = alt[row * 3 + c];
            if (in >= a && in < r) most = 0;
            else if (in >= r) most = alt[(row - r + a) * 3 + c];
            for (int64_t i = 1; in == 0 && i < a; i++) most = fmax(most, alt[(row + i) * 3 + c]);
            laid[row * 3 + c] = most - ref[row * 3 + c];
        }
    for (int i = 0; i < 4; i++) {
        const int sign = i % 2 ? -1 : 1, c = i < 2 ? 1 : 2;
        int64_t best = 0;
        for (int64_t row = 1; row < COVER; row++)
            if (sign * laid[row * 3 + c] > sign * laid[best * 3 + c]) best = row;
        values[i] = sign * laid[best * 3 + c];
        values[4 + i] = (double)(best - DISTANCE);
        values[8 + i] = ref[best * 3 + c];
        values[12 + i] = ref[best * 3 + c] + laid[best * 3 + c];
    }
}

typedef struct {
    gw_genome *genome;
    gw_model *model;
    gw_gene_models genes;
    gw_score_options options;
    gw_splice_scorer *scorer;
} bench;

static void set_up(bench *b, int64_t tokens) {
    *b = (bench){.genome = make_genome(), .model = make_model()};
    cr_assert_eq(gw_gene_models_read("genes.txt", b->genome, &b->genes), GW_OK, "%s", gw_message());
    cr_assert(gw_model_splices(b->model));
    cr_assert_eq(gw_base_flank(b->model), FLANK);
    b->options = (gw_score_options){.distance = DISTANCE, .batch_tokens = tokens, .plain = tokens > 0};
    cr_assert_eq(gw_splice_scorer_new(b->model, b->genome, &b->genes, &b->options, &b->scorer), GW_OK, "%s",
                 gw_message());
    cr_assert_eq(gw_splice_scorer_window(b->scorer), WINDOW);
}

static void tear_down(bench *b) {
    gw_splice_scorer_free(b->scorer);
    gw_gene_models_free(&b->genes);
    gw_model_free(b->model);
    gw_genome_close(b->genome);
}

enum { ALLELES = 40 };
static char texts[ALLELES][2][2 * LENGTH];

// An allele at a place whose REF has so many bases and whose ALT has others.
static gw_allele make_allele(const bench *b, int i, int64_t position, int64_t r, int64_t a) {
    gw_allele allele;
    char *ref = texts[i][0], *alt = texts[i][1];
    memcpy(ref, contig + position, (size_t)r);
    ref[r] = alt[a] = 0;
    gw_random random = gw_random_at(9, GW_SITE_TEST, (uint64_t)i, 0);
    for (int64_t k = 0; k < a; k++) alt[k] = "ACGT"[gw_random_below(&random, 4)];
    alt[0] = r > 1 || a > 1 ? ref[0] : ref[0] == 'A' ? 'C' : 'A';
    if (r > 1 && a > 1) alt[0] = ref[0] == 'G' ? 'T' : 'G', alt[a - 1] = ref[r - 1] == 'A' ? 'C' : 'A';
    cr_assert_eq(gw_allele_of(b->genome, 0, position, ref, alt, &allele), GW_OK);
    cr_assert_eq(allele.status, GW_ALLELE_PASS);
    return allele;
}

static void expect_plain(bench *b, const gw_allele *allele, const float *values) {
    const int64_t each = gw_splice_scorer_values(b->scorer);
    int64_t slot = 0;
    for (int64_t g = -1; (g = gw_gene_models_next(&b->genes, 0, allele->variant.position, g)) >= 0; slot++) {
        double expected[VALUES];
        score_plainly(b->model, &b->genes.items[g], &allele->variant, expected);
        for (int i = 0; i < VALUES; i++)
            cr_expect_float_eq(values[slot * VALUES + i], expected[i], i / 4 == 1 ? 0 : 2e-6,
                               "POS %d gene %s value %d: %g, %g", (int)allele->variant.position, b->genes.items[g].name,
                               i, (double)values[slot * VALUES + i], expected[i]);
    }
    cr_expect(slot > 0);
    for (int64_t i = slot * VALUES; i < each; i++) cr_expect(isnan(values[i]));
}

Test(splice_scorer, alleles_score_as_in_two_windows_alone) {
    gw_allele alleles[ALLELES];
    float values[ALLELES * EACH];
    for (int64_t tokens = 0; tokens <= 1; tokens++) { // what is shared; whole windows, in as many batches as can be
        bench b;
        set_up(&b, tokens);
        cr_assert_eq(gw_splice_scorer_values(b.scorer), EACH);
        for (int i = 0; i < ALLELES; i++) {
            const int64_t r = i % 4 == 1 ? 1 + i % 13 : 1, a = i % 4 == 2 ? 2 + i : 1;
            alleles[i] = make_allele(&b, i, 30 + (i * 17) % 640, r, a);
        }
        cr_assert_eq(gw_splice_scorer_run(b.scorer, alleles, ALLELES, values), GW_OK, "%s", gw_message());
        for (int i = 0; i < ALLELES; i++) {
            cr_expect_eq(alleles[i].status, GW_ALLELE_PASS);
            expect_plain(&b, &alleles[i], values + i * EACH);
            cr_expect_leq(fabs((double)alleles[i].shift), DISTANCE);
        }
        tear_down(&b);
    }
}

Test(splice_scorer, what_others_leave_out_is_scored_and_marked) {
    gw_allele alleles[6];
    float values[6 * EACH];
    bench b;
    set_up(&b, 0);
    alleles[0] = make_allele(&b, 0, 10, 1, 1);   // the window begins before the contig
    alleles[1] = make_allele(&b, 1, 880, 1, 4);  // and ends behind it
    alleles[2] = make_allele(&b, 2, 400, 5, 3);  // neither is one base
    alleles[3] = make_allele(&b, 3, 400, 40, 1); // longer than 2 D
    alleles[4] = make_allele(&b, 4, 750, 1, 1);  // between genes
    alleles[5] = make_allele(&b, 5, 400, 40, 90);
    cr_assert_eq(gw_splice_scorer_run(b.scorer, alleles, 6, values), GW_OK, "%s", gw_message());
    const gw_allele_status expected[] = {GW_ALLELE_PADDED, GW_ALLELE_PADDED, GW_ALLELE_COMPLEX,
                                         GW_ALLELE_LONG,   GW_ALLELE_NOGENE, GW_ALLELE_COMPLEX};
    for (int i = 0; i < 6; i++) {
        cr_expect_eq(alleles[i].status, expected[i], "allele %d is %s", i, gw_allele_status_name(alleles[i].status));
        cr_expect_eq(gw_allele_is_scored(alleles[i].status), i != 4);
        cr_expect_eq(isfinite(values[i * EACH]), i != 4);
    }
    expect_plain(&b, &alleles[0], values);
    expect_plain(&b, &alleles[1], values + EACH);
    tear_down(&b);
}

// Where no gene is, both strands of the contig; where one is, the same as ever.
Test(splice_scorer, anywhere_is_both_strands) {
    gw_allele alleles[3];
    float values[3 * EACH];
    bench b;
    set_up(&b, 0);
    cr_assert_eq(gw_gene_models_add_strands(&b.genes, b.genome), GW_OK);
    cr_expect_eq(gw_splice_scorer_values(b.scorer), EACH);
    alleles[0] = make_allele(&b, 0, 750, 1, 1);
    alleles[1] = make_allele(&b, 1, 400, 1, 1);
    alleles[2] = make_allele(&b, 2, 752, 3, 5);
    cr_assert_eq(gw_splice_scorer_run(b.scorer, alleles, 3, values), GW_OK, "%s", gw_message());
    cr_expect_eq(alleles[0].status, GW_ALLELE_OUTSIDE);
    cr_expect_eq(alleles[1].status, GW_ALLELE_PASS);
    cr_expect_eq(alleles[2].status, GW_ALLELE_COMPLEX);
    expect_plain(&b, &alleles[0], values);
    expect_plain(&b, &alleles[1], values + EACH);
    cr_expect(values[0] != values[VALUES], "both strands score %g", (double)values[0]);
    cr_expect(isfinite(values[2 * EACH + VALUES]));
    tear_down(&b);
}

// Alleles of every kind at places all over a contig with N and ends, in genes of both strands.
enum { RANDOM = 300 };
static char random_text[RANDOM][2][64];

static void make_random_alleles(const bench *b, gw_allele alleles[RANDOM]) {
    for (int i = 0; i < RANDOM; i++) {
        gw_random random = gw_random_at(11, GW_SITE_TEST, (uint64_t)i, 0);
        const int kind = i % 5;
        const int64_t r = kind == 1 || kind == 3 ? 1 + (int64_t)gw_random_below(&random, 40) : 1;
        const int64_t a = kind == 2 || kind == 3 ? 1 + (int64_t)gw_random_below(&random, 40) : 1;
        const int64_t position = (int64_t)gw_random_below(&random, (uint32_t)(LENGTH - r));
        char *ref = random_text[i][0], *alt = random_text[i][1];
        memcpy(ref, contig + position, (size_t)r);
        for (int64_t k = 0; k < a; k++) alt[k] = "ACGT"[gw_random_below(&random, 4)];
        if (kind == 1 || kind == 2) alt[0] = ref[0];
        cr_assert_eq(gw_allele_of(b->genome, 0, position, ref, alt, &alleles[i]), GW_OK);
    }
}

static gw_splice_scorer *make_scorer(const bench *b, const gw_score_options *options) {
    gw_splice_scorer *scorer;
    cr_assert_eq(gw_splice_scorer_new(b->model, b->genome, &b->genes, options, &scorer), GW_OK, "%s", gw_message());
    return scorer;
}

// Statuses and the bits of all numbers.
static void expect_same(gw_splice_scorer *scorer, const gw_allele *alleles, const gw_allele *scored,
                        const float *values, const int *order, int count, const char *what) {
    gw_allele own[RANDOM];
    float *found = calloc((size_t)count * EACH, sizeof *found);
    for (int i = 0; i < count; i++) own[i] = alleles[order[i]];
    cr_assert_eq(gw_splice_scorer_run(scorer, own, count, found), GW_OK, "%s: %s", what, gw_message());
    for (int i = 0; i < count; i++) {
        cr_expect_eq(own[i].status, scored[order[i]].status, "%s: allele %d", what, order[i]);
        cr_expect(memcmp(found + i * EACH, values + order[i] * EACH, EACH * sizeof *found) == 0,
                  "%s: allele %d, POS %d, %d for %d bases: %g, %g", what, order[i], (int)own[i].variant.position,
                  (int)own[i].variant.alt_length, (int)own[i].variant.ref_length, (double)found[i * EACH],
                  (double)values[order[i] * EACH]);
    }
    free(found);
}

static void expect_no_bit_changed(int64_t distance) {
    gw_allele alleles[RANDOM], scored[RANDOM];
    int order[RANDOM], scores = 0;
    static float values[RANDOM * EACH];
    bench b;
    gw_set_threads(1); // launches are small
    set_up(&b, 0);
    make_random_alleles(&b, alleles);
    for (int i = 0; i < RANDOM; i++) order[i] = (i * 7 + 3) % RANDOM;
    memcpy(scored, alleles, sizeof scored);
    gw_splice_scorer *plain = make_scorer(&b, &(gw_score_options){.distance = distance, .plain = true});
    gw_splice_scorer *shared = make_scorer(&b, &(gw_score_options){.distance = distance});
    gw_splice_scorer *little = make_scorer(&b, &(gw_score_options){.distance = distance, .memory = 1});
    cr_assert_eq(gw_splice_scorer_run(plain, scored, RANDOM, values), GW_OK, "%s", gw_message());
    expect_same(shared, alleles, scored, values, order, RANDOM, "all at once");
    expect_same(little, alleles, scored, values, order, RANDOM, "little memory");
    for (int i = 0; i < RANDOM; i += 10) expect_same(shared, alleles, scored, values, order + i, 1, "alone");
    for (int i = 0; i < RANDOM; i++) scores += gw_allele_is_scored(scored[i].status);
    cr_expect_gt(scores, RANDOM / 2);
    gw_splice_scorer_free(little);
    gw_splice_scorer_free(shared);
    gw_splice_scorer_free(plain);
    tear_down(&b);
}

Test(splice_scorer, what_is_shared_changes_no_bit) {
    expect_no_bit_changed(0);
    expect_no_bit_changed(50);
    expect_no_bit_changed(500);
}

// A gene whose levels would take 600 MB, with an allele every 120 bases.
enum { LONG_GENE = 2400000, STEP = 120, LONG_ALLELES = LONG_GENE / STEP };

static int64_t most_kilobytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

Test(splice_scorer, a_long_gene_takes_bounded_memory) {
    gw_set_threads(1); // launches are small
    char *text = calloc(LONG_GENE + 16, 1);
    gw_random random = gw_random_at(13, GW_SITE_TEST, 0, 0);
    memcpy(text, ">c\n", 3);
    for (int64_t i = 0; i < LONG_GENE; i++) text[3 + i] = "ACGT"[gw_random_below(&random, 4)];
    text[3 + LONG_GENE] = '\n';
    scratch_text("g.fa", text);
    scratch_text("genes.txt", "#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END\n"
                              "A\tc\t-\t0\t2400000\t0,\t2400000,\n");
    bench b = {.model = make_model()};
    cr_assert_eq(gw_genome_open("g.fa", &b.genome), GW_OK);
    cr_assert_eq(gw_gene_models_read("genes.txt", b.genome, &b.genes), GW_OK, "%s", gw_message());
    gw_allele *alleles = calloc(LONG_ALLELES, sizeof *alleles);
    float *values = calloc(LONG_ALLELES * GW_SPLICE_VALUES, sizeof *values), *found = values;
    for (int64_t i = 0; i < LONG_ALLELES; i++) {
        const int64_t position = i * STEP + STEP / 2;
        const int ref = (int)(strchr("ACGT", text[3 + position]) - "ACGT");
        static const char *const letter[] = {"A", "C", "G", "T"};
        cr_assert_eq(gw_allele_of(b.genome, 0, position, letter[ref], letter[(ref + 1) % 4], &alleles[i]), GW_OK);
    }
    gw_splice_scorer *scorer = make_scorer(&b, &(gw_score_options){.distance = DISTANCE, .memory = 4000000});
    gw_splice_scorer *plain = make_scorer(&b, &(gw_score_options){.distance = DISTANCE, .plain = true});
    const int64_t before = most_kilobytes();
    cr_assert_eq(gw_splice_scorer_run(scorer, alleles, LONG_ALLELES, values), GW_OK, "%s", gw_message());
    if (!UNDER_SANITIZER) cr_expect_lt(most_kilobytes() - before, 150000);
    for (int64_t i = 0; i < LONG_ALLELES; i += 997) {
        float expected[GW_SPLICE_VALUES];
        gw_allele allele = alleles[i];
        allele.status = GW_ALLELE_PASS;
        cr_assert_eq(gw_splice_scorer_run(plain, &allele, 1, expected), GW_OK);
        cr_expect(memcmp(expected, found + i * GW_SPLICE_VALUES, sizeof expected) == 0, "allele %d", (int)i);
    }
    gw_splice_scorer_free(plain);
    gw_splice_scorer_free(scorer);
    free(values);
    free(alleles);
    free(text);
    tear_down(&b);
}

Test(splice_scorer, nothing_else_runs_several_networks_as_one) {
    gw_model *model = make_model(), *tuned;
    gw_network *network;
    const gw_network_options options = {.tokens = 10, .sequences = 1};
    cr_expect_eq(gw_network_new(model, &options, &network), GW_ERR_UNSUPPORTED);
    cr_expect_not_null(strstr(gw_message(), "the model is 2 networks"), "%s", gw_message());
    cr_expect_eq(gw_model_with_classifier(model, &model->config, 1, &tuned), GW_ERR_UNSUPPORTED);
    gw_model_free(model);
}
