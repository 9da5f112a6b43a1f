// SPDX-License-Identifier: MIT
// Reads a request, makes alleles from it, scores them in batches with those of other requests, and writes the results.
#include "serve/answer.h"

#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "score/score_keys.h"
#include "seq/genome/regions.h"
#include "seq/vcf/variant_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 32, DIGITS = 9 };

// A variant that was asked for.
typedef struct {
    char *text, *fault; // as it was written; what is wrong with it, or NULL
    gw_written_alleles written;
} question;

struct gw_answerer {
    gw_model *model;
    gw_genome *genome;
    gw_allele_scorer *scorer;
    int64_t most_variants, most_answer;
    const gw_gene_models *transcripts;
    const gw_score_key_row *fields[GW_SCORE_KEYS]; // of an allele
    int field_count;
    gw_allele *batch; // of several requests
    int64_t batch_capacity;
};

struct gw_request {
    gw_answerer *answerer;
    char *id; // as it was written
    question *questions;
    gw_allele *alleles; // [count]
    int64_t count, capacity, allele_capacity;
    int64_t scored; // alleles
    int64_t taken;  // of the batch that is scored
    bool too_large;
    const char *refusal; // a status, or NULL
    char *message;       // of a refusal
};

gw_status gw_answerer_new(gw_model *model, gw_genome *genome, const gw_answerer_options *options, gw_answerer **out) {
    *out = NULL;
    GW_TRY(gw_check_one_row(model));
    gw_answerer *a = gw_alloc(1, sizeof *a);
    if (!a) return GW_ERR_MEMORY;
    a->model = model;
    a->genome = genome;
    a->most_variants = options->most_variants;
    a->most_answer = options->most_answer;
    a->transcripts = options->transcripts;
    const gw_status status = gw_allele_scorer_new(model, genome, options->scoring, &a->scorer);
    a->field_count = gw_score_fields(model, options->scoring, a->fields);
    if (status == GW_OK) *out = a;
    else free(a);
    return status;
}

void gw_answerer_free(gw_answerer *a) {
    if (!a) return;
    gw_allele_scorer_free(a->scorer);
    free(a->batch);
    free(a);
}

void gw_request_free(gw_request *r) {
    if (!r) return;
    for (int64_t i = 0; i < r->count; i++) {
        gw_written_alleles_free(&r->questions[i].written);
        free(r->questions[i].text);
        free(r->questions[i].fault);
    }
    free(r->questions);
    free(r->alleles);
    free(r->message);
    free(r->id);
    free(r);
}

static bool ends_service(gw_status status) {
    return status == GW_ERR_MEMORY || status == GW_ERR_INTERRUPTED;
}

// Takes over the text.
static gw_status add_question(gw_request *r, char *text) {
    gw_status status = text ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_reserve(&r->questions, &r->capacity, r->count + 1, sizeof *r->questions);
    if (status == GW_OK) status = gw_reserve(&r->alleles, &r->allele_capacity, r->count + 1, sizeof *r->alleles);
    if (status == GW_OK) r->questions[r->count++] = (question){.text = text};
    else free(text);
    return status;
}

static gw_status too_many(gw_request *r, int64_t asked) {
    r->too_large = true;
    return gw_fail(GW_ERR_RANGE, "%lld variants; a request may have at most %lld", (long long)asked,
                   (long long)r->answerer->most_variants);
}

static gw_status take_list(gw_request *r, const json_t *list) {
    if (!json_is_array(list)) return gw_fail(GW_ERR_FORMAT, "\"variants\" is not a list");
    if ((int64_t)json_array_size(list) > r->answerer->most_variants) return too_many(r, (int64_t)json_array_size(list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text) return gw_fail(GW_ERR_FORMAT, "\"variants\": item %zu is not text", i + 1);
        GW_TRY(add_question(r, gw_strdup(text)));
    }
    return GW_OK;
}

// Every single-base change of the regions of a text.
static gw_status take_region(gw_request *r, const json_t *text) {
    gw_genome *genome = r->answerer->genome;
    gw_regions regions = {0};
    int64_t asked = 0;
    if (!json_is_string(text)) return gw_fail(GW_ERR_FORMAT, "\"region\" is not text");
    gw_status status = gw_regions_parse(&regions, genome, json_string_value(text));
    for (int64_t i = 0; i < regions.count; i++) asked += 3 * (regions.items[i].end - regions.items[i].begin);
    if (status == GW_OK && asked > r->answerer->most_variants) status = too_many(r, asked);
    for (int64_t i = 0; i < regions.count && status == GW_OK; i++) {
        const gw_region *of = &regions.items[i];
        for (int64_t at = of->begin; status == GW_OK && at < of->end; at++) {
            char base;
            status = gw_genome_fetch(genome, of->contig, at, at + 1, &base);
            for (const char *alt = "ACGT"; *alt && status == GW_OK && base != 'N'; alt++)
                if (*alt != base)
                    status = add_question(r, gw_strprintf("%s:%lld:%c:%c", gw_genome_name(genome, of->contig),
                                                          (long long)at + 1, base, *alt));
        }
    }
    gw_regions_free(&regions);
    return status;
}

static gw_status answer_too_large(gw_request *r) {
    r->too_large = true;
    return gw_fail(GW_ERR_RANGE, "the answer would have more than %lld bytes: ask for fewer variants in a request",
                   (long long)r->answerer->most_answer);
}

// What cannot be read is not scored, and says why. A short text may say that a million bases change: the answer's bytes
// are counted before more of them are read.
static gw_status read_questions(gw_request *r) {
    const gw_answerer *a = r->answerer;
    int64_t bytes = 0;
    for (int64_t i = 0; i < r->count; i++) {
        question *q = &r->questions[i];
        gw_allele *allele = &r->alleles[i];
        GW_TRY(gw_check_interrupt());
        *allele = (gw_allele){.status = GW_ALLELE_NOCONTIG};
        bytes += (int64_t)strlen(q->text);
        const gw_status status = gw_variant_text_read(q->text, a->genome, a->transcripts, &q->written);
        if (ends_service(status)) return status;
        if (status != GW_OK) {
            if (!(q->fault = gw_strdup(gw_message()))) return GW_ERR_MEMORY;
        } else {
            const gw_written_alleles *w = &q->written;
            GW_TRY(gw_allele_of(a->genome, w->contig, w->position, w->ref, w->alt, allele));
            allele->site = -1;
            bytes += (int64_t)(strlen(w->ref) + strlen(w->alt));
        }
        if (bytes > a->most_answer) return answer_too_large(r);
    }
    return GW_OK;
}

static gw_status refuse(gw_request *r, const char *status) {
    r->refusal = status;
    return (r->message = gw_strdup(gw_message())) ? GW_OK : GW_ERR_MEMORY;
}

// Scores what each request has taken, as one batch.
static gw_status score_taken(gw_answerer *a, gw_request *const *requests, int count) {
    int64_t at = 0;
    for (int i = 0; i < count; i++) {
        const gw_request *r = requests[i];
        GW_TRY(gw_reserve(&a->batch, &a->batch_capacity, at + r->taken, sizeof *a->batch));
        if (r->taken > 0) memcpy(a->batch + at, r->alleles + r->scored, (size_t)r->taken * sizeof *a->batch);
        at += r->taken;
    }
    GW_TRY(gw_allele_scorer_run(a->scorer, a->batch, at, NULL));
    at = 0;
    for (int i = 0; i < count; i++) {
        gw_request *r = requests[i];
        if (r->taken > 0) memcpy(r->alleles + r->scored, a->batch + at, (size_t)r->taken * sizeof *a->batch);
        at += r->taken;
        r->scored += r->taken;
    }
    return GW_OK;
}

gw_status gw_requests_score(gw_answerer *a, gw_request *const *requests, int count) {
    int64_t room = BATCH;
    for (int i = 0; i < count; i++) { // equal shares; what one leaves is for those behind it
        const int64_t share = room / (count - i) > 1 ? room / (count - i) : 1;
        const int64_t left = gw_request_is_done(requests[i]) ? 0 : requests[i]->count - requests[i]->scored;
        requests[i]->taken = left < share ? left : share;
        room -= requests[i]->taken;
    }
    gw_status status = score_taken(a, requests, count);
    if (status == GW_OK || ends_service(status)) return status;
    for (int i = 0; i < count; i++) { // which of them it is
        status = score_taken(a, &requests[i], 1);
        if (ends_service(status)) return status;
        if (status != GW_OK) GW_TRY(refuse(requests[i], "failed"));
    }
    return GW_OK;
}

bool gw_request_is_done(const gw_request *request) {
    return request->refusal || request->scored == request->count;
}

static json_t *result_of(const gw_request *r, int64_t i) {
    const gw_answerer *a = r->answerer;
    const gw_config *config = &a->model->config;
    const question *q = &r->questions[i];
    const gw_allele *allele = &r->alleles[i];
    json_t *out = json_object();
    json_object_set_new(out, "variant", json_string(q->text));
    json_object_set_new(out, "status", json_string(q->fault ? "UNREAD" : gw_allele_status_name(allele->status)));
    if (q->fault) {
        json_object_set_new(out, "message", json_string(q->fault));
        return out;
    }
    json_object_set_new(out, "contig", json_string(gw_genome_name(a->genome, q->written.contig)));
    json_object_set_new(out, "position", json_integer(q->written.position + 1));
    json_object_set_new(out, "ref", json_string(q->written.ref));
    json_object_set_new(out, "alt", json_string(q->written.alt));
    if (!gw_allele_is_scored(allele->status)) return out;
    for (int k = 0; k < a->field_count; k++) {
        const gw_score_key_row *row = a->fields[k];
        const double value = gw_score_field(row, allele);
        json_object_set_new(out, row->field,
                            row->kind != GW_INFO_FLOAT ? json_integer((json_int_t)value)
                            : isfinite(value)          ? json_real(value)
                                                       : json_null()); // JSON has no NaN
    }
    if (config->labels > 0 && config->label_names)
        json_object_set_new(out, "profile", json_string(config->label_names[allele->top]));
    return out;
}

// Whether the string that begins here is this key, however its letters are written.
static bool is_key(const char *begin, const char *end, const char *key) {
    const char *at = begin + 1;
    while (at < end && *at != '"') at += *at == '\\' ? 2 : 1;
    json_t *text = json_loadb(begin, (size_t)(at + 1 - begin), JSON_DECODE_ANY, NULL);
    const bool same = text && strcmp(json_string_value(text), key) == 0;
    json_decref(text);
    return same;
}

static int64_t count_digits(const char *text, int64_t length) {
    int64_t count = 0;
    while (count < length && text[count] >= '0' && text[count] <= '9') count++;
    return count;
}

// Bytes of the number of JSON that begins here; 0: none does.
static int64_t number_length(const char *text, int64_t length) {
    int64_t at = length > 0 && text[0] == '-', digits = count_digits(text + at, length - at);
    if (digits == 0 || (digits > 1 && text[at] == '0')) return 0;
    at += digits;
    if (at < length && text[at] == '.') {
        digits = count_digits(text + at + 1, length - at - 1);
        if (digits == 0) return 0;
        at += 1 + digits;
    }
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        at += at < length && (text[at] == '+' || text[at] == '-');
        digits = count_digits(text + at, length - at);
        if (digits == 0) return 0;
        at += digits;
    }
    return at;
}

// The value of the request's "id" as it is written; the request is a valid object. No id: null.
static char *find_id(const char *request, int64_t length) {
    const char *at = memchr(request, '{', (size_t)length), *end = request + length, *begin = NULL; // of the value
    bool in_string = false, is_id = false;
    for (int depth = 0; at && at < end; at++) {
        if (in_string && *at == '\\') at++;
        else if (*at == '"') in_string = !in_string;
        if (in_string && depth == 1 && !begin && *at == '"') is_id = is_key(at, end, "id");
        if (in_string) continue;
        if (*at == ':' && depth == 1) begin = at + 1;
        if (is_id && begin && depth == 1 && (*at == ',' || *at == '}')) {
            const char *last = at;
            while (strchr(" \t\r", *begin)) begin++;
            while (strchr(" \t\r", last[-1])) last--;
            return gw_strndup(begin, (size_t)(last - begin));
        }
        if (*at == ',' && depth == 1) begin = NULL;
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
    }
    return gw_strdup("null");
}

// Appends a line: the id, then the fields of the answer, which it takes over.
static gw_status put_line(const char *id, json_t *answer, gw_string *out) {
    char *text = json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    json_decref(answer);
    if (!text) return gw_fail(GW_ERR_MEMORY, "out of memory for an answer");
    gw_string_printf(out, "{\"id\":%s,", id);
    gw_string_puts(out, text + 1);
    gw_string_putc(out, '\n');
    free(text);
    return gw_string_status(out);
}

static json_t *begin_answer(const char *status) {
    json_t *answer = json_object();
    json_object_set_new(answer, "status", json_string(status));
    return answer;
}

static gw_status put_refusal(const char *id, const char *status, const char *message, gw_string *out) {
    json_t *answer = begin_answer(status), *text = json_string(message);
    json_object_set_new(answer, "message", text ? text : json_string("the request is no UTF-8"));
    return put_line(id, answer, out);
}

gw_status gw_answer_refusal(const char *status, const char *message, gw_string *out) {
    return put_refusal("null", status, message, out);
}

gw_status gw_request_answer(gw_request *r, gw_string *out) {
    const int64_t begin = out->length;
    if (r->refusal) return put_refusal(r->id, r->refusal, r->message, out);
    json_t *answer = begin_answer("ok");
    json_t *results = json_array();
    for (int64_t i = 0; i < r->count; i++) json_array_append_new(results, result_of(r, i));
    json_object_set_new(answer, "results", results);
    GW_TRY(put_line(r->id, answer, out));
    if (out->length - begin <= r->answerer->most_answer) return GW_OK;
    gw_string_cut(out, begin);
    answer_too_large(r);
    return put_refusal(r->id, "too-large", gw_message(), out);
}

// Numbers may be of any size in an id, which comes back as it was written, and stand nowhere else: where the parser
// refuses one, it is given 0 in the place of each.
static gw_status parse_request(const char *request, int64_t length, json_t **out) {
    gw_string text = {0};
    bool in_string = false;
    gw_status status = gw_json_parse("request", request, length, out);
    if (status == GW_OK || ends_service(status)) return status;
    for (int64_t at = 0, end; at < length; at = end) {
        end = at + 1;
        if (request[at] == '"') in_string = !in_string;
        else if (in_string && request[at] == '\\' && end < length) end++;
        const int64_t number = in_string ? 0 : number_length(request + at, length - at);
        if (number > 0) end = at + number;
        gw_string_append(&text, number > 0 ? "0" : request + at, number > 0 ? 1 : end - at);
    }
    status = gw_string_status(&text);
    if (status == GW_OK) status = gw_json_parse("request", text.data, text.length, out);
    gw_string_free(&text);
    return status == GW_OK || ends_service(status) ? status : gw_json_parse("request", request, length, out);
}

static gw_status read_request(gw_request *r, const char *line, int64_t length) {
    json_t *json;
    gw_status status = parse_request(line, length, &json);
    r->id = status == GW_OK ? find_id(line, length) : gw_strdup("null");
    const json_t *variants = json_object_get(json, "variants"), *region = json_object_get(json, "region");
    if (status == GW_OK && !variants == !region) status = gw_fail(GW_ERR_FORMAT, "expected \"variants\" or \"region\"");
    if (status == GW_OK) status = variants ? take_list(r, variants) : take_region(r, region);
    if (status == GW_OK) status = read_questions(r);
    json_decref(json);
    if (!r->id) return GW_ERR_MEMORY;
    if (status == GW_OK || ends_service(status)) return status;
    return refuse(r, r->too_large ? "too-large" : "bad-request");
}

gw_status gw_request_new(gw_answerer *answerer, const char *line, int64_t length, gw_request **out) {
    gw_request *r = gw_alloc(1, sizeof *r);
    *out = NULL;
    if (!r) return GW_ERR_MEMORY;
    r->answerer = answerer;
    const gw_status status = read_request(r, line, length);
    if (status == GW_OK) *out = r;
    else gw_request_free(r);
    return status;
}
