// SPDX-License-Identifier: MIT
// Bytes as lines of requests to a resident scorer, as they come in two pieces: each line that is not blank has one
// answer, which is an object of JSON with a status.
#include "base/json.h"
#include "model/model.h"
#include "serve/service.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

enum { MOST_BYTES = 4000, MOST_ANSWER = 100000, MOST_VARIANTS = 20, REPEAT = 50000 };

// With a contig of one base, along which changes shift: work without end ends at the limit of time.
static gw_genome *open_genome(void) {
    static const char short_ones[] = ">chr1\nCCACGTTTTGACACACATNGGGATCCTTAA\n>MT\nACGTACGTAACCGGTTTTTT\n>A\n";
    static char fasta[sizeof short_ones + REPEAT];
    gw_genome *genome;
    char path[64];
    memset(fasta, 'A', sizeof fasta);
    memcpy(fasta, short_ones, sizeof short_ones - 1);
    fasta[sizeof fasta - 1] = '\n';
    if (gw_genome_open(fuzz_file(path, "g.fa", fasta, sizeof fasta), &genome) != GW_OK) abort();
    return genome;
}

static gw_model *make_model(void) {
    gw_config config;
    gw_tokenizer *letters;
    gw_model *model;
    if (gw_config_preset("tiny", &config) != GW_OK || gw_tokenizer_letters(&letters) != GW_OK) abort();
    config.width = config.feed_forward = 16;
    config.layers = config.heads = 1;
    config.positions = 16;
    config.head = GW_HEAD_MASKED;
    if (gw_model_new(&config, letters, 5, &model) != GW_OK) abort();
    gw_config_free(&config);
    return model;
}

static gw_answerer *answerer_once(void) {
    static gw_answerer *answerer;
    static const gw_score_options scoring = {.window = 10, .batch_tokens = 256, .phases = 1};
    const gw_answerer_options options = {
        .scoring = &scoring, .most_variants = MOST_VARIANTS, .most_answer = MOST_ANSWER};
    if (!answerer && gw_answerer_new(make_model(), open_genome(), &options, &answerer) != GW_OK) abort();
    return answerer;
}

static void answer(const char *line, int64_t length) {
    gw_string out = {0};
    gw_request *request = NULL;
    gw_status status = line ? gw_request_new(answerer_once(), line, length, &request)
                            : gw_answer_refusal("too-large", "the request is too large", &out);
    while (status == GW_OK && request && !gw_request_is_done(request))
        status = gw_requests_score(answerer_once(), &request, 1);
    if (status == GW_OK && request) status = gw_request_answer(request, &out);
    if (status != GW_OK || out.length < 2 || out.data[out.length - 1] != '\n') abort();
    json_error_t error; // an id may be a number that jansson has no room for
    json_t *object = json_loadb(out.data, (size_t)out.length, 0, &error);
    if (!object && json_error_code(&error) != json_error_numeric_overflow) abort();
    if (object && !json_is_string(json_object_get(object, "status"))) abort();
    json_decref(object);
    gw_request_free(request);
    gw_string_free(&out);
}

static void answer_lines(gw_request_lines *lines, bool ended) {
    const char *line;
    int64_t length;
    for (bool found = true; found;) {
        if (gw_request_lines_next(lines, ended, &found, &line, &length) != GW_OK) abort();
        if (found) answer(line, length);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gw_request_lines lines = {.most = MOST_BYTES};
    const int64_t half = (int64_t)size / 2;
    gw_request_lines_add(&lines, (const char *)data, half);
    answer_lines(&lines, false);
    gw_request_lines_add(&lines, (const char *)data + half, (int64_t)size - half);
    answer_lines(&lines, false);
    answer_lines(&lines, true);
    gw_request_lines_free(&lines);
    return 0;
}
