// SPDX-License-Identifier: MIT
// The shared library as another program uses it, for tests/cli/test_library.sh. C99, the public header alone.
//   library predict MODEL STRANDS THREADS INPUT...   a line each: probabilities as `godwit predict` writes them
//   library logits MODEL INPUT...                    a line each: whether the logits are those of the probabilities
//   library embed MODEL POOLING LAYER ATTENTION DTYPE PAD_TO INPUT...
//                                                    rows as bytes
//   library hidden MODEL INPUT                       rows as bytes
//   library masked MODEL INPUT                       a line for each token: what the model gives it when it is hidden
//   library score MODEL FASTA SITES WINDOW PHASES    lines CONTIG POS REF ALT in; the same with the values of its
//   results library misuse MODEL FASTA                       every call with what it must refuse library together MODEL
//   INPUT...                  two threads with a predictor each
#include <godwit.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int status) {
    if (status == GW_ERROR_NONE) return;
    fprintf(stderr, "library: %d: %s\n", status, gw_message());
    exit(1);
}

static float *capacity(int64_t floats) {
    float *memory = malloc((size_t)floats * sizeof *memory + 1);
    if (!memory) exit(1);
    return memory;
}

static gw_predictor *open_model(const char *folder, int64_t threads) {
    gw_predictor_options options = {.size = sizeof options};
    gw_predictor *predictor;
    options.threads = threads;
    if (getenv("TEMPERATURE")) options.temperature = strtod(getenv("TEMPERATURE"), NULL);
    check(gw_predictor_open(folder, &options, &predictor));
    return predictor;
}

static const char *const *inputs(char **arguments) {
    return (const char *const *)arguments;
}

static void predict(const char *folder, int strands, int threads, char **bases, int count) {
    gw_predictor *predictor = open_model(folder, threads);
    const int64_t labels = gw_predictor_labels(predictor);
    float *probability = capacity(count * labels);
    check(gw_predictor_predict(predictor, inputs(bases), NULL, count, strands, probability, NULL));
    printf("row");
    for (int64_t l = 0; l < labels; l++) printf("\t%s", gw_predictor_label(predictor, l));
    for (int i = 0; i < count; i++) {
        printf("\n%d", i + 1);
        for (int64_t l = 0; l < labels; l++) printf("\t%.7g", (double)probability[i * labels + l]);
    }
    printf("\n");
    free(probability);
    gw_predictor_close(predictor);
}

static void logits(const char *folder, char **bases, int count) {
    gw_predictor *predictor = open_model(folder, 0);
    const int64_t labels = gw_predictor_labels(predictor);
    float *p = capacity(count * labels), *z = capacity(count * labels), *alone = capacity(count * labels);
    check(gw_predictor_predict(predictor, inputs(bases), NULL, count, GW_STRAND_BOTH, p, z));
    check(gw_predictor_predict(predictor, inputs(bases), NULL, count, GW_STRAND_BOTH, NULL, alone));
    for (int64_t i = 0; i < count * labels; i++)
        printf("%d\n", fabs(log((double)p[i] / (1 - (double)p[i])) - (double)z[i]) < 1e-5 && z[i] == alone[i]);
    free(p);
    free(z);
    free(alone);
    gw_predictor_close(predictor);
}

// settings: POOLING LAYER ATTENTION DTYPE PAD_TO, empty where not given.
static void embed(const char *folder, char **settings, char **bases, int count) {
    gw_predictor_options options = {.size = sizeof options};
    gw_predictor *predictor;
    options.attention = *settings[2] ? settings[2] : NULL;
    options.dtype = *settings[3] ? settings[3] : NULL;
    options.pad_to = atoi(settings[4]);
    check(gw_predictor_open(folder, &options, &predictor));
    const int64_t floats = count * gw_predictor_width(predictor);
    float *rows = capacity(floats);
    check(gw_predictor_embed(predictor, inputs(bases), NULL, count, atoi(settings[0]), atoi(settings[1]), rows));
    fwrite(rows, sizeof *rows, (size_t)floats, stdout);
    free(rows);
    gw_predictor_close(predictor);
}

static void hidden(const char *folder, const char *bases) {
    gw_predictor *predictor = open_model(folder, 0);
    const int32_t *tokens;
    int64_t count;
    check(gw_predictor_tokenize(predictor, bases, -1, &tokens, &count));
    const int64_t floats = count * gw_predictor_width(predictor);
    float *rows = capacity(floats);
    check(gw_predictor_hidden(predictor, tokens, count, rows));
    fwrite(rows, sizeof *rows, (size_t)floats, stdout);
    free(rows);
    gw_predictor_close(predictor);
}

// Every token at once and each alone must be the same; probabilities sum to 1 and are the softmax of the logits.
static void masked(const char *folder, const char *bases) {
    gw_predictor *predictor = open_model(folder, 0);
    const int64_t vocabulary = gw_predictor_vocabulary(predictor);
    const int32_t *tokens;
    int64_t count;
    check(gw_predictor_tokenize(predictor, bases, (int64_t)strlen(bases), &tokens, &count));
    int64_t *positions = malloc((size_t)count * sizeof *positions);
    if (!positions) exit(1);
    for (int64_t i = 0; i < count; i++) positions[i] = i;
    float *p = capacity(count * vocabulary), *z = capacity(count * vocabulary), *alone = capacity(vocabulary);
    check(gw_predictor_predict_masked(predictor, tokens, count, positions, count, p, z));
    for (int64_t i = 0; i < count; i++) {
        double sum = 0, ratio = log((double)p[i * vocabulary + 1] / (double)p[i * vocabulary]);
        check(gw_predictor_predict_masked(predictor, tokens, count, &positions[i], 1, alone, NULL));
        const int same = memcmp(alone, p + i * vocabulary, (size_t)vocabulary * sizeof *p) == 0;
        for (int64_t v = 0; v < vocabulary; v++) sum += (double)p[i * vocabulary + v];
        const double difference = (double)z[i * vocabulary + 1] - (double)z[i * vocabulary];
        printf("%s\t%.6f\t%d\n", gw_predictor_token(predictor, tokens[i]), (double)p[i * vocabulary + tokens[i]],
               same && fabs(sum - 1) < 1e-5 && fabs(ratio - difference) < 1e-4);
    }
    free(positions);
    free(p);
    free(z);
    free(alone);
    gw_predictor_close(predictor);
}

// ---- variants

enum { MOST = 1000, LABELS = 16 };
static char contig[MOST][32], ref[MOST][64], alt[MOST][64];
static const char *contigs[MOST], *refs[MOST], *alts[MOST];
static int64_t position[MOST];

static int64_t read_variants(void) {
    int64_t count = 0;
    long long pos;
    while (count < MOST && scanf("%31s %lld %63s %63s", contig[count], &pos, ref[count], alt[count]) == 4) {
        contigs[count] = contig[count];
        refs[count] = ref[count];
        alts[count] = alt[count];
        position[count++] = pos;
    }
    return count;
}

static gw_scorer_variants variants_of(int64_t count) {
    const gw_scorer_variants variants = {sizeof variants, count, contigs, position, refs, alts};
    return variants;
}

static int32_t status[MOST], top[MOST], site[MOST];
static float diff[MOST], logit[MOST], mean[MOST], pref[MOST], palt[MOST], llr[MOST], sd[MOST],
    profiles[MOST * 2 * LABELS];

// Values as a VCF has them: '.' where there is none.
static void print_value(float value) {
    if (value == value) printf("\t%.6g", (double)value);
    else printf("\t.");
}

static void print_name(const char *name) {
    printf("\t%s", *name ? name : ".");
}

static void print_profile(gw_predictor *predictor, gw_scorer *scorer, int64_t i) {
    const int64_t labels = gw_predictor_labels(predictor);
    const float *row = profiles + i * 2 * labels;
    print_value(diff[i]);
    print_value(logit[i]);
    if (top[i] < 0) print_name("");
    else printf("\t%d", top[i]);
    print_value(mean[i]);
    print_value(pref[i]);
    print_value(palt[i]);
    print_name(site[i] >= 0 ? gw_scorer_site(scorer, site[i]) : gw_predictor_label(predictor, top[i]));
    if (top[i] >= 0 && (row[top[i]] != pref[i] || row[labels + top[i]] != palt[i])) exit(1);
}

static void score(const char *folder, const char *fasta, const char *sites, int window, int phases) {
    gw_predictor *predictor = open_model(folder, 0);
    gw_scorer_options options = {sizeof options, window, *sites ? sites : NULL, NULL, phases};
    gw_scorer *scorer;
    check(gw_scorer_open(predictor, fasta, &options, &scorer));
    const gw_scorer_variants variants = variants_of(read_variants());
    gw_scorer_results results = {.size = sizeof results};
    results.status = status;
    results.site = site;
    results.diff = diff;
    results.logit = logit;
    results.mean = mean;
    results.pref = pref;
    results.palt = palt;
    results.top = top;
    results.profiles = profiles;
    if (gw_predictor_labels(predictor) == 0) {
        const gw_scorer_results pretrained = {.size = sizeof results, .status = status, .llr = llr};
        results = pretrained;
    }
    results.sd = sd;
    check(gw_scorer_run(scorer, &variants, &results));
    for (int64_t i = 0; i < variants.count; i++) {
        printf("%s\t%lld\t%s\t%s", contig[i], (long long)position[i], ref[i], alt[i]);
        if (gw_predictor_labels(predictor) == 0) print_value(llr[i]);
        else print_profile(predictor, scorer, i);
        if (phases > 1) print_value(sd[i]);
        printf("\t%s\n", gw_scorer_status(status[i]));
    }
    gw_scorer_close(scorer);
    gw_predictor_close(predictor);
}

// ---- misuse

static void expect(int status, enum gw_error wanted, const char *text, int line) {
    if (status == (int)wanted && strstr(gw_message(), text)) return;
    fprintf(stderr, "library.c:%d: status %d, expected %d; message '%s', expected '%s'\n", line, status, (int)wanted,
            gw_message(), text);
    exit(1);
}
#define EXPECT(call, kind, text) expect(call, GW_ERROR_##kind, text, __LINE__)

static void misuse_of_open(const char *folder) {
    gw_predictor *p = (gw_predictor *)&p;
    struct {
        gw_predictor_options known;
        int64_t later;
    } longer = {{.size = sizeof longer}, 0};
    gw_predictor_options options = {0};
    EXPECT(gw_predictor_open(folder, NULL, NULL), RANGE, "out is NULL");
    EXPECT(gw_predictor_open(NULL, NULL, &p), RANGE, "folder is NULL");
    if (p) exit(1);
    EXPECT(gw_predictor_open("nowhere", NULL, &p), IO, "no model 'nowhere' is installed, and there is no such folder");
    EXPECT(gw_predictor_open("no/where", NULL, &p), IO, "no/where/config.json");
    check(gw_predictor_open("yeast", NULL, &p)); // installed beside the library
    gw_predictor_close(p);
    EXPECT(gw_predictor_open(folder, &options, &p), RANGE, "options.size is 0");
    options.size = sizeof options;
    options.threads = -1;
    EXPECT(gw_predictor_open(folder, &options, &p), RANGE, "options.threads is -1");
    options.threads = 0;
    options.dtype = "f8";
    EXPECT(gw_predictor_open(folder, &options, &p), RANGE, "'f8'");
    options.dtype = "f32";
    options.attention = "flash";
    EXPECT(gw_predictor_open(folder, &options, &p), RANGE, "'flash'");
    options.attention = NULL;
    options.pad_to = 1000;
    EXPECT(gw_predictor_open(folder, &options, &p), RANGE, "options.pad_to is 1000, not 0 to 128");
    options.pad_to = 0;
    options.temperature = -1;
    EXPECT(gw_predictor_open(folder, &options, &p), RANGE, "options.temperature: -1, expected 0.0001 to 10000");
    check(gw_predictor_open(folder, &longer.known, &p)); // of a later version, but nothing in it is set
    gw_predictor_close(p);
    longer.later = 1;
    EXPECT(gw_predictor_open(folder, &longer.known, &p), UNSUPPORTED, "does not know");
}

static void misuse_of_inputs(gw_predictor *p, float *out) {
    const char *const good[] = {"ACGT", "acgu"}, *const bad[] = {"ACGT", "hello world"}, *const none[] = {"ACGT", NULL};
    const char *const binary[] = {"AC\xffT"};
    const int64_t lengths[] = {4, 0}, negative[] = {-1, 4};
    EXPECT(gw_predictor_predict(NULL, good, NULL, 2, 0, out, NULL), RANGE, "predictor is NULL");
    EXPECT(gw_predictor_predict(p, NULL, NULL, 2, 0, out, NULL), RANGE, "bases is NULL");
    EXPECT(gw_predictor_predict(p, good, NULL, -1, 0, out, NULL), RANGE, "the count of inputs is -1");
    EXPECT(gw_predictor_predict(p, good, NULL, 2, 3, out, NULL), RANGE, "strands is 3");
    EXPECT(gw_predictor_predict(p, good, NULL, 2, 0, NULL, NULL), RANGE, "probabilities and logits");
    EXPECT(gw_predictor_predict(p, none, NULL, 2, 0, out, NULL), RANGE, "input 1 is NULL");
    EXPECT(gw_predictor_predict(p, good, lengths, 2, 0, out, NULL), RANGE, "input 1: its length is 0");
    EXPECT(gw_predictor_predict(p, good, negative, 2, 0, out, NULL), RANGE, "input 0: its length is -1");
    EXPECT(gw_predictor_predict(p, bad, NULL, 2, 0, out, NULL), RANGE,
           "input 1: 'e' at offset 1 is not a nucleotide letter");
    EXPECT(gw_predictor_predict(p, binary, NULL, 1, 0, out, NULL), RANGE, "input 0: byte 255 at offset 2");
    EXPECT(gw_predictor_embed(p, bad, NULL, 2, 0, -1, out), RANGE, "input 1: 'e' at offset 1");
    EXPECT(gw_predictor_embed(p, good, NULL, 2, 5, -1, out), RANGE, "pooling is 5");
    EXPECT(gw_predictor_embed(p, good, NULL, 2, 0, 9, out), RANGE, "layer 9");
    EXPECT(gw_predictor_embed(p, good, NULL, 2, 0, -1, NULL), RANGE, "rows is NULL");
    check(gw_predictor_predict(p, good, NULL, 0, 0, out, NULL)); // nothing to do
    check(gw_predictor_embed(p, good, NULL, 0, 0, -1, out));
}

static void misuse_of_long_inputs(gw_predictor *p, float *out) {
    char bases[1001] = {0};
    const char *const inputs_of[] = {"ACGT", bases};
    memset(bases, 'A', sizeof bases - 1);
    EXPECT(gw_predictor_predict(p, inputs_of, NULL, 2, 1, out, NULL), RANGE, "window 1");
    EXPECT(gw_predictor_embed(p, inputs_of, NULL, 2, 0, -1, out), RANGE, "input 1: 1000 letters make ");
    check(gw_predictor_predict(p, inputs_of, NULL, 1, 1, out, NULL)); // still in order after failures
    check(gw_predictor_embed(p, inputs_of, NULL, 1, 0, -1, out));
}

static void misuse_of_tokens(gw_predictor *p, float *out) {
    const int32_t *tokens, outside[] = {2, 1000, 3};
    int64_t count;
    const int64_t position = 0;
    EXPECT(gw_predictor_tokenize(p, "AC GT", -1, &tokens, &count), RANGE, "' ' at offset 2");
    EXPECT(gw_predictor_tokenize(p, NULL, 4, &tokens, &count), RANGE, "input 0 is NULL");
    EXPECT(gw_predictor_tokenize(p, "A", 1, NULL, &count), RANGE, "tokens is NULL");
    EXPECT(gw_predictor_hidden(p, outside, 3, out), RANGE, "token 1000");
    EXPECT(gw_predictor_hidden(p, outside, 0, out), RANGE, "0 tokens; the model takes 1 to 128");
    EXPECT(gw_predictor_hidden(NULL, outside, 3, out), RANGE, "predictor is NULL");
    EXPECT(gw_predictor_predict_masked(p, outside, 1, &position, 1, out, NULL), UNSUPPORTED, "no head");
}

static void misuse_of_questions(gw_predictor *p) {
    gw_found_span span;
    int64_t count;
    gw_ask_options options = {.size = sizeof options, .stride = -1};
    EXPECT(gw_predictor_ask(p, "?", "text", -1, NULL, &span, &count), UNSUPPORTED, "does not answer questions");
    EXPECT(gw_predictor_ask(p, "?", "text", -1, &options, &span, &count), RANGE, "options.stride is -1");
    EXPECT(gw_predictor_ask(p, "?", "\377", 1, NULL, &span, &count), FORMAT, "text is not UTF-8");
    EXPECT(gw_predictor_ask(p, "?", "a\0b", 3, NULL, &span, &count), FORMAT, "text is not UTF-8");
    EXPECT(gw_predictor_ask(p, NULL, "text", -1, NULL, &span, &count), RANGE, "question is NULL");
    EXPECT(gw_predictor_ask(p, "?", "text", -1, NULL, NULL, &count), RANGE, "spans is NULL");
    EXPECT(gw_predictor_ask(NULL, "?", "text", -1, NULL, &span, &count), RANGE, "predictor is NULL");
}

static void misuse_of_scorer(gw_predictor *p, const char *fasta) {
    gw_scorer *s = (gw_scorer *)&s;
    gw_scorer_options options = {sizeof options, 7, NULL, NULL, 0};
    EXPECT(gw_scorer_open(p, fasta, NULL, NULL), RANGE, "out is NULL");
    EXPECT(gw_scorer_open(NULL, fasta, NULL, &s), RANGE, "predictor is NULL");
    if (s) exit(1);
    EXPECT(gw_scorer_open(p, NULL, NULL, &s), RANGE, "fasta is NULL");
    EXPECT(gw_scorer_open(p, "nowhere.fa", NULL, &s), IO, "nowhere.fa");
    EXPECT(gw_scorer_open(p, fasta, &options, &s), MISMATCH, "windows of 60 bp, not 7");
    options.window = 0;
    options.phases = 17;
    EXPECT(gw_scorer_open(p, fasta, &options, &s), RANGE, "options.phases is 17, not 0 to 16");
    options.phases = 0;
    options.sites = "nowhere.bed";
    EXPECT(gw_scorer_open(p, fasta, &options, &s), UNSUPPORTED, "TSS offset");
    check(gw_scorer_open(p, fasta, NULL, &s));
    if (gw_scorer_window(s) != 60 || gw_scorer_window(NULL) != 0 || *gw_scorer_status(-1) || *gw_scorer_site(s, 0) ||
        strcmp(gw_scorer_column(s, 5), "top") != 0 || *gw_scorer_column(s, 6) || *gw_scorer_column(s, -1))
        exit(1);

    gw_scorer_variants variants = variants_of(1);
    gw_scorer_results results = {.size = sizeof results};
    results.status = status;
    contigs[0] = "c1";
    refs[0] = "A";
    alts[0] = "";
    EXPECT(gw_scorer_run(NULL, &variants, &results), RANGE, "scorer is NULL");
    EXPECT(gw_scorer_run(s, NULL, &results), RANGE, "variants is NULL");
    EXPECT(gw_scorer_run(s, &variants, &results), RANGE, "variant 0: an empty ALT");
    alts[0] = NULL;
    EXPECT(gw_scorer_run(s, &variants, &results), RANGE, "variant 0: its contig, REF or ALT is NULL");
    alts[0] = "C";
    position[0] = INT64_MAX;
    EXPECT(gw_scorer_run(s, &variants, &results), RANGE, "position");
    position[0] = INT64_MAX / 2;
    check(gw_scorer_run(s, &variants, &results));
    if (strcmp(gw_scorer_status(status[0]), "REFMISMATCH") != 0) exit(1);
    results.llr = llr;
    EXPECT(gw_scorer_run(s, &variants, &results), UNSUPPORTED, "llr needs a pretrained");
    results.llr = NULL;
    variants.ref = NULL;
    EXPECT(gw_scorer_run(s, &variants, &results), RANGE, "variants.ref is NULL");
    variants.count = 0;
    check(gw_scorer_run(s, &variants, &results));
    gw_scorer_close(s);
    gw_scorer_close(NULL);
}

static void misuse(const char *folder, const char *fasta) {
    misuse_of_open(folder);
    gw_predictor *p = open_model(folder, 2);
    float *out = capacity(1 << 16);
    misuse_of_inputs(p, out);
    misuse_of_long_inputs(p, out);
    misuse_of_tokens(p, out);
    misuse_of_questions(p);
    misuse_of_scorer(p, fasta);
    if (*gw_predictor_label(p, -1) || *gw_predictor_label(p, 1000) || *gw_predictor_token(p, -1)) exit(1);
    if (gw_predictor_width(NULL) || gw_predictor_labels(NULL) || *gw_predictor_label(NULL, 0)) exit(1);
    free(out);
    gw_predictor_close(p);
    gw_predictor_close(NULL);
    printf("%s\n", gw_version());
}

// ---- threads

typedef struct {
    gw_predictor *predictor;
    char **bases;
    int64_t count;
    float *probability;
    int failed;
} worker;

static void *work(void *argument) {
    worker *w = argument;
    for (int i = 0; i < 20 && !w->failed; i++)
        w->failed =
            gw_predictor_predict(w->predictor, inputs(w->bases), NULL, w->count, GW_STRAND_BOTH, w->probability, NULL);
    w->failed |= gw_predictor_predict(NULL, NULL, NULL, 0, 0, NULL, NULL) == 0; // messages are each thread's own
    return NULL;
}

static void together(const char *folder, char **bases, int count) {
    worker workers[2];
    pthread_t threads[2];
    int64_t floats = 0;
    for (int i = 0; i < 2; i++) {
        gw_predictor *predictor = open_model(folder, i + 1);
        floats = count * gw_predictor_labels(predictor);
        const worker made = {predictor, bases, count, capacity(floats), 0};
        workers[i] = made;
    }
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0) exit(1);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d\n", !workers[0].failed && !workers[1].failed &&
                       memcmp(workers[0].probability, workers[1].probability, (size_t)floats * sizeof(float)) == 0);
    for (int i = 0; i < 2; i++) {
        free(workers[i].probability);
        gw_predictor_close(workers[i].predictor);
    }
}

int main(int argc, char **argv) {
    const char *what = argc > 2 ? argv[1] : "";
    if (strcmp(what, "predict") == 0) predict(argv[2], atoi(argv[3]), atoi(argv[4]), argv + 5, argc - 5);
    else if (strcmp(what, "logits") == 0) logits(argv[2], argv + 3, argc - 3);
    else if (strcmp(what, "embed") == 0) embed(argv[2], argv + 3, argv + 8, argc - 8);
    else if (strcmp(what, "hidden") == 0) hidden(argv[2], argv[3]);
    else if (strcmp(what, "masked") == 0) masked(argv[2], argv[3]);
    else if (strcmp(what, "score") == 0) score(argv[2], argv[3], argv[4], atoi(argv[5]), atoi(argv[6]));
    else if (strcmp(what, "misuse") == 0) misuse(argv[2], argv[3]);
    else if (strcmp(what, "together") == 0) together(argv[2], argv + 3, argc - 3);
    else return 2;
    return 0;
}
