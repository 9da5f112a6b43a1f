// SPDX-License-Identifier: MIT
// Reads the request, makes alleles of it, scores them in parts, and writes what became of each.
#include "serve/service.h"

#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "score/score_keys.h"
#include "seq/genome/regions.h"
#include "seq/vcf/variant_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 256, DIGITS = 9 };

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
    // of the request
    question *questions;
    gw_allele *alleles; // [count]
    int64_t count, capacity, allele_capacity;
    bool too_large;
};

gw_status gw_answerer_new(gw_model *model, gw_genome *genome, const gw_answerer_options *options, gw_answerer **out) {
    gw_answerer *a = gw_alloc(1, sizeof *a);
    *out = NULL;
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

static void clear(gw_answerer *a) {
    for (int64_t i = 0; i < a->count; i++) {
        gw_written_alleles_free(&a->questions[i].written);
        free(a->questions[i].text);
        free(a->questions[i].fault);
    }
    a->count = 0;
    a->too_large = false;
}

void gw_answerer_free(gw_answerer *a) {
    if (!a) return;
    clear(a);
    gw_allele_scorer_free(a->scorer);
    free(a->questions);
    free(a->alleles);
    free(a);
}

static bool ends_service(gw_status status) {
    return status == GW_ERR_MEMORY || status == GW_ERR_INTERRUPTED;
}

// Takes over the text.
static gw_status add_question(gw_answerer *a, char *text) {
    gw_status status = text ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_reserve(&a->questions, &a->capacity, a->count + 1, sizeof *a->questions);
    if (status == GW_OK) status = gw_reserve(&a->alleles, &a->allele_capacity, a->count + 1, sizeof *a->alleles);
    if (status == GW_OK) a->questions[a->count++] = (question){.text = text};
    else free(text);
    return status;
}

static gw_status too_many(gw_answerer *a, int64_t asked) {
    a->too_large = true;
    return gw_fail(GW_ERR_RANGE, "%lld variants, and a request may have %lld", (long long)asked,
                   (long long)a->most_variants);
}

static gw_status take_list(gw_answerer *a, const json_t *list) {
    if (!json_is_array(list)) return gw_fail(GW_ERR_FORMAT, "\"variants\" is no list");
    if ((int64_t)json_array_size(list) > a->most_variants) return too_many(a, (int64_t)json_array_size(list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text) return gw_fail(GW_ERR_FORMAT, "\"variants\": item %zu is no text", i + 1);
        GW_TRY(add_question(a, gw_strdup(text)));
    }
    return GW_OK;
}

static gw_status add_changes(gw_answerer *a, int contig, int64_t position) {
    char base;
    GW_TRY(gw_genome_fetch(a->genome, contig, position, position + 1, &base));
    for (const char *alt = "ACGT"; *alt && base != 'N'; alt++)
        if (*alt != base)
            GW_TRY(add_question(a, gw_strprintf("%s:%lld:%c:%c", gw_genome_name(a->genome, contig),
                                                (long long)position + 1, base, *alt)));
    return GW_OK;
}

static gw_status take_regions(gw_answerer *a, const gw_regions *regions) {
    int64_t asked = 0;
    for (int64_t i = 0; i < regions->count; i++) asked += 3 * (regions->items[i].end - regions->items[i].begin);
    if (asked > a->most_variants) return too_many(a, asked);
    for (int64_t i = 0; i < regions->count; i++)
        for (int64_t at = regions->items[i].begin; at < regions->items[i].end; at++)
            GW_TRY(add_changes(a, regions->items[i].contig, at));
    return GW_OK;
}

static gw_status take_region(gw_answerer *a, const json_t *text) {
    gw_regions regions = {0};
    if (!json_is_string(text)) return gw_fail(GW_ERR_FORMAT, "\"region\" is no text");
    gw_status status = gw_regions_parse(&regions, a->genome, json_string_value(text));
    if (status == GW_OK) status = take_regions(a, &regions);
    gw_regions_free(&regions);
    return status;
}

static gw_status take_request(gw_answerer *a, const json_t *request) {
    const json_t *variants = json_object_get(request, "variants"), *region = json_object_get(request, "region");
    if (!variants == !region) return gw_fail(GW_ERR_FORMAT, "expected \"variants\" or \"region\"");
    return variants ? take_list(a, variants) : take_region(a, region);
}

// What cannot be read is not scored, and says why.
static gw_status read_question(gw_answerer *a, int64_t i) {
    question *q = &a->questions[i];
    gw_allele *allele = &a->alleles[i];
    *allele = (gw_allele){.status = GW_ALLELE_NOCONTIG};
    const gw_status status = gw_variant_text_read(q->text, a->genome, a->transcripts, &q->written);
    if (ends_service(status)) return status;
    if (status != GW_OK) return (q->fault = gw_strdup(gw_message())) ? GW_OK : GW_ERR_MEMORY;
    GW_TRY(gw_allele_of(a->genome, q->written.contig, q->written.position, q->written.ref, q->written.alt, allele));
    allele->site = -1;
    return GW_OK;
}

static gw_status answer_too_large(gw_answerer *a) {
    a->too_large = true;
    return gw_fail(GW_ERR_RANGE, "the answer would have more than %lld bytes: ask for fewer variants in a request",
                   (long long)a->most_answer);
}

// A short text may say that a million bases change: the answer's bytes are counted before more of them are read.
static gw_status read_questions(gw_answerer *a) {
    int64_t bytes = 0;
    for (int64_t i = 0; i < a->count; i++) {
        const question *q = &a->questions[i];
        GW_TRY(gw_check_interrupt());
        GW_TRY(read_question(a, i));
        bytes += (int64_t)strlen(q->text);
        if (!q->fault) bytes += (int64_t)(strlen(q->written.ref) + strlen(q->written.alt));
        if (bytes > a->most_answer) return answer_too_large(a);
    }
    return GW_OK;
}

static gw_status score(gw_answerer *a) {
    for (int64_t i = 0; i < a->count; i += PART) {
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_allele_scorer_run(a->scorer, a->alleles + i, a->count - i < PART ? a->count - i : PART, NULL));
    }
    return GW_OK;
}

// JSON has no NaN.
static json_t *number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static void put_values(const gw_answerer *a, const gw_allele *allele, json_t *out) {
    const gw_config *config = &a->model->config;
    for (int i = 0; i < a->field_count; i++) {
        const gw_score_key_row *row = a->fields[i];
        const double value = gw_score_field(row, allele);
        json_object_set_new(out, row->field,
                            row->kind == GW_INFO_FLOAT ? number(value) : json_integer((json_int_t)value));
    }
    if (config->labels > 0 && config->label_names)
        json_object_set_new(out, "profile", json_string(config->label_names[allele->top]));
}

static json_t *result_of(const gw_answerer *a, int64_t i) {
    const question *q = &a->questions[i];
    const gw_allele *allele = &a->alleles[i];
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
    if (gw_allele_is_scored(allele->status)) put_values(a, allele, out);
    return out;
}

static json_t *results_of(const gw_answerer *a) {
    json_t *list = json_array();
    for (int64_t i = 0; i < a->count; i++) json_array_append_new(list, result_of(a, i));
    return list;
}

// A text within a request.
typedef struct {
    const char *text;
    int64_t length;
} written_id;

static const written_id no_id = {"null", 4};

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
static written_id find_id(const char *request, int64_t length) {
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
            return (written_id){begin, last - begin};
        }
        if (*at == ',' && depth == 1) begin = NULL;
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
    }
    return no_id;
}

// Appends a line: the id, then the fields of the answer, which it takes over.
static gw_status put_line(written_id id, json_t *answer, gw_string *out) {
    char *text = json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    json_decref(answer);
    if (!text) return gw_fail(GW_ERR_MEMORY, "out of memory for an answer");
    gw_string_puts(out, "{\"id\":");
    gw_string_append(out, id.text, id.length);
    gw_string_printf(out, ",%s\n", text + 1);
    free(text);
    return gw_string_status(out);
}

static json_t *begin_answer(const char *status) {
    json_t *answer = json_object();
    json_object_set_new(answer, "status", json_string(status));
    return answer;
}

static gw_status refuse(written_id id, const char *status, const char *message, gw_string *out) {
    json_t *answer = begin_answer(status), *text = json_string(message);
    json_object_set_new(answer, "message", text ? text : json_string("the request is no UTF-8"));
    return put_line(id, answer, out);
}

gw_status gw_answer_refusal(const char *status, const char *message, gw_string *out) {
    return refuse(no_id, status, message, out);
}

static gw_status answer_parsed(gw_answerer *a, written_id id, const json_t *request, gw_string *out) {
    const int64_t begin = out->length;
    gw_status status = take_request(a, request);
    if (status == GW_OK) status = read_questions(a);
    if (ends_service(status)) return status;
    if (status != GW_OK) return refuse(id, a->too_large ? "too-large" : "bad-request", gw_message(), out);
    status = score(a);
    if (ends_service(status)) return status;
    if (status != GW_OK) return refuse(id, "failed", gw_message(), out);
    json_t *answer = begin_answer("ok");
    json_object_set_new(answer, "results", results_of(a));
    GW_TRY(put_line(id, answer, out));
    if (out->length - begin <= a->most_answer) return GW_OK;
    gw_string_cut(out, begin);
    answer_too_large(a);
    return refuse(id, "too-large", gw_message(), out);
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

gw_status gw_answer(gw_answerer *a, const char *request, int64_t length, gw_string *out) {
    json_t *json;
    gw_status status = parse_request(request, length, &json);
    if (ends_service(status)) return status;
    if (status != GW_OK) return refuse(no_id, "bad-request", gw_message(), out);
    status = answer_parsed(a, find_id(request, length), json, out);
    clear(a);
    json_decref(json);
    return status;
}
