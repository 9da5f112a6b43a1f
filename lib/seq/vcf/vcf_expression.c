// SPDX-License-Identifier: MIT
// Evaluates an expression for a record. Numbers are lists of doubles, each in a stack frame; NaN is missing.
#include "seq/vcf/vcf_expression.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"
#include "file/lines.h"
#include "seq/vcf/vcf_expression_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A list of numbers; count 0: the key is absent.
typedef struct {
    double *items;
    int64_t count, capacity;
} numbers;

static gw_status put(numbers *list, double value) {
    GW_TRY(gw_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items));
    list->items[list->count++] = value;
    return GW_OK;
}

// The field as text into e->text; false where it is absent.
static bool text_of(gw_vcf_expression *e, const node *n, const gw_vcf_record *record) {
    gw_string *out = &e->text;
    gw_string_clear(out);
    switch (n->field) {
    case FIELD_CHROM: gw_string_puts(out, record->contig); return true;
    case FIELD_ID: gw_string_puts(out, record->id); break;
    case FIELD_REF: gw_string_puts(out, record->ref); return true;
    case FIELD_ALT:
        for (int i = 0; i < record->alts; i++) gw_string_printf(out, "%s%s", i > 0 ? "," : "", record->alt[i]);
        if (record->alts == 0) gw_string_putc(out, '.');
        break;
    case FIELD_FILTER: gw_vcf_filters(e->reader, record, out); break;
    default:
        if (!gw_vcf_info(e->reader, record, n->text, out)) return false;
    }
    return out->length > 0 && strcmp(out->data, ".") != 0;
}

static gw_status read_numbers(gw_vcf_expression *e, const node *n, numbers *out) {
    gw_string_clear(&e->list);
    gw_string_puts(&e->list, e->text.data);
    GW_TRY(gw_string_status(&e->list));
    char *rest = e->list.data;
    int64_t index = 0;
    for (char *one; (one = strsep(&rest, ",")) != NULL; index++) {
        if (n->index >= 0 && index != n->index) continue;
        char *end;
        const double value = strtod(one, &end);
        GW_TRY(put(out, *end || end == one ? (double)NAN : value));
    }
    return GW_OK;
}

static gw_status field_numbers(gw_vcf_expression *e, const node *n, const gw_vcf_record *record, numbers *out) {
    switch (n->field) {
    case FIELD_POS: return put(out, (double)(record->position + 1));
    case FIELD_N_ALT: return put(out, record->alts);
    case FIELD_INFO_FLAG: return put(out, gw_vcf_info(e->reader, record, n->text, &e->text));
    case FIELD_QUAL: gw_vcf_qual(record, &e->text); break;
    default:
        if (!gw_vcf_info(e->reader, record, n->text, &e->text)) return GW_OK;
    }
    GW_TRY(gw_string_status(&e->text));
    return e->text.length > 0 ? read_numbers(e, n, out) : GW_OK;
}

// Pairs values of two lists, of which one may have a single value; 0: a list is empty, -1: the lists do not fit.
static int64_t pairs(const numbers *a, const numbers *b) {
    if (a->count == 0 || b->count == 0) return 0;
    if (a->count != b->count && a->count != 1 && b->count != 1) return -1;
    return gw_max(a->count, b->count);
}

static double value_at(const numbers *list, int64_t i) {
    return list->items[list->count == 1 ? 0 : i];
}

static gw_status misfit(const gw_vcf_expression *e, const gw_vcf_record *record, const numbers *a, const numbers *b) {
    return gw_vcf_fail(e->reader, record, GW_ERR_FORMAT, "filter expression '%s': lists of %lld and %lld values",
                       e->source, (long long)a->count, (long long)b->count);
}

static gw_status string_lengths(gw_vcf_expression *e, const node *n, const gw_vcf_record *record, numbers *out) {
    const bool present = text_of(e, n, record);
    GW_TRY(gw_string_status(&e->text));
    if (!present) return GW_OK;
    if (n->single) return n->index > 0 ? GW_OK : put(out, (double)e->text.length);
    int64_t index = 0;
    for (const char *at = e->text.data; at; at = gw_next_item(at, ','), index++)
        if (n->index < 0 || n->index == index) GW_TRY(put(out, (double)strcspn(at, ",")));
    return GW_OK;
}

static void reduce(char op, numbers *list) {
    double result = (double)NAN;
    int64_t known = 0;
    for (int64_t i = 0; i < list->count; i++) {
        const double value = list->items[i];
        if (op == 'a') list->items[i] = fabs(value);
        if (isnan(value)) continue;
        if (known++ == 0) result = value;
        else if (op == 'M') result = fmax(result, value);
        else if (op == 'm') result = fmin(result, value);
        else result += value;
    }
    if (op == 'a' || list->count == 0) return;
    list->items[0] = op == 'A' && known > 0 ? result / (double)known : result;
    list->count = 1;
}

static gw_status evaluate(gw_vcf_expression *e, int index, const gw_vcf_record *record, numbers *out);

static gw_status evaluate_one(gw_vcf_expression *e, const node *n, const gw_vcf_record *record, numbers *out) {
    if (n->kind == NODE_NUMBER) return put(out, n->number);
    if (n->kind == NODE_FIELD) return field_numbers(e, n, record, out);
    if (n->kind == NODE_FUNCTION && n->op == 's') return string_lengths(e, &e->nodes[n->left], record, out);
    GW_TRY(evaluate(e, n->left, record, out));
    if (n->kind == NODE_FUNCTION) reduce(n->op, out);
    for (int64_t i = 0; n->kind == NODE_NEGATE && i < out->count; i++) out->items[i] = -out->items[i];
    return GW_OK;
}

// `left` on the left of an arithmetic node becomes its result.
static gw_status combine(gw_vcf_expression *e, const node *n, const gw_vcf_record *record, numbers *left) {
    numbers right = {0}, result = {0};
    gw_status status = evaluate(e, n->right, record, &right);
    const int64_t count = pairs(left, &right);
    if (status == GW_OK && count < 0) status = misfit(e, record, left, &right);
    for (int64_t i = 0; status == GW_OK && i < count; i++) {
        const double a = value_at(left, i), b = value_at(&right, i);
        double value;
        switch (n->op) {
        case '+': value = a + b; break;
        case '-': value = a - b; break;
        case '*': value = a * b; break;
        case '/': value = a / b; break;
        default: value = b != 0 ? fmod(a, b) : (double)NAN;
        }
        status = put(&result, value);
    }
    free(right.items);
    free(left->items);
    *left = result;
    return status;
}

// A chain of operators hangs to the left, as deep as it is long: it is gone through in a loop. What stands on the right
// of one is no deeper than the parser allows.
static gw_status evaluate(gw_vcf_expression *e, int index, const gw_vcf_record *record, numbers *out) {
    int at = index;
    while (e->nodes[at].kind == NODE_ARITHMETIC) at = e->nodes[at].left;
    GW_TRY(evaluate_one(e, &e->nodes[at], record, out));
    while (at != index) {
        at = e->nodes[at].above;
        GW_TRY(combine(e, &e->nodes[at], record, out));
    }
    return GW_OK;
}

static bool holds(char op, double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? op == '=' : op == '!';
    switch (op) {
    case '=': return a == b;
    case '!': return a != b;
    case '<': return a < b;
    case 'l': return a <= b;
    case '>': return a > b;
    default: return a >= b;
    }
}

// The values of one side; a single missing one where there are none.
static gw_status side(gw_vcf_expression *e, int index, const gw_vcf_record *record, numbers *out) {
    GW_TRY(evaluate(e, index, record, out));
    return out->count > 0 ? GW_OK : put(out, (double)NAN);
}

static gw_status compare_numbers(gw_vcf_expression *e, const node *n, const gw_vcf_record *record, bool *yes) {
    numbers a = {0}, b = {0};
    gw_status status = side(e, n->left, record, &a);
    if (status == GW_OK) status = side(e, n->right, record, &b);
    const int64_t count = pairs(&a, &b);
    if (status == GW_OK && count < 0) status = misfit(e, record, &a, &b);
    *yes = false;
    for (int64_t i = 0; i < count && !*yes; i++) *yes = holds(n->op, value_at(&a, i), value_at(&b, i));
    free(a.items);
    free(b.items);
    return status;
}

static char *next_value(const node *field, char **rest, int64_t *at) {
    char *one = strsep(rest, ",");
    if (field->single && field->index == 0) return one;
    while (one && field->index >= 0 && (*at)++ < field->index) one = strsep(rest, ",");
    if (field->index >= 0) *rest = NULL;
    return one;
}

// Whether a field has a value that is missing, or is absent; and whether it has one that is known.
static gw_status look_for_missing(gw_vcf_expression *e, const node *field, const gw_vcf_record *record, bool *missing,
                                  bool *known) {
    *missing = *known = false;
    if (gw_vcf_node_is_text(e, (int)(field - e->nodes))) {
        char *rest = text_of(e, field, record) ? e->text.data : NULL;
        int64_t at = 0;
        GW_TRY(gw_string_status(&e->text));
        for (char *one; (one = next_value(field, &rest, &at)) != NULL;)
            *(strcmp(one, ".") == 0 ? missing : known) = true;
    } else {
        numbers list = {0};
        const gw_status status = field_numbers(e, field, record, &list);
        for (int64_t i = 0; i < list.count; i++) *(isnan(list.items[i]) ? missing : known) = true;
        free(list.items);
        GW_TRY(status);
    }
    *missing = *missing || !*known;
    return GW_OK;
}

static bool is_among(const char *word, size_t length, const char *list, char separator) {
    for (const char *at = list; at; at = gw_next_item(at, separator)) {
        const char *end = strchr(at, separator);
        const size_t size = end ? (size_t)(end - at) : strlen(at);
        if (size == length && memcmp(at, word, length) == 0) return true;
    }
    return false;
}

// Whether all names of one list joined by ';' are in the other.
static bool all_among(const char *names, const char *list) {
    for (const char *at = names; at; at = gw_next_item(at, ';'))
        if (!is_among(at, strcspn(at, ";"), list, ';')) return false;
    return true;
}

static gw_status type_holds(gw_vcf_expression *e, const node *n, const gw_vcf_record *record, bool *yes) {
    bcf_clear(e->alleles);
    const char **all = gw_alloc(record->alts + 1, sizeof *all);
    if (!all) return GW_ERR_MEMORY;
    all[0] = record->ref;
    for (int i = 0; i < record->alts; i++) all[i + 1] = record->alt[i];
    const int result = bcf_update_alleles(e->reader->header, e->alleles, all, record->alts + 1);
    free(all);
    if (result != 0) return gw_fail(GW_ERR_MEMORY, "out of memory for alleles");
    const int types = bcf_get_variant_types(e->alleles);
    const bool contains = n->type == VCF_REF ? types == VCF_REF : (types & n->type) != 0;
    const bool match = n->op == '~' || n->op == 'n' ? contains : types == n->type;
    *yes = match == (n->op == '=' || n->op == '~');
    return GW_OK;
}

static gw_status compare_texts(gw_vcf_expression *e, const node *n, const gw_vcf_record *record, bool *yes) {
    const node *field = &e->nodes[n->left], *text = &e->nodes[n->right];
    if (field->field == FIELD_TYPE) return type_holds(e, n, record, yes);
    const bool present = text_of(e, field, record);
    GW_TRY(gw_string_status(&e->text));
    if (field->field == FIELD_FILTER) {
        const bool contains = all_among(text->text, e->text.data);
        const bool match = n->op == '~' || n->op == 'n' ? contains : contains && all_among(e->text.data, text->text);
        *yes = match == (n->op == '=' || n->op == '~');
        return GW_OK;
    }
    char *rest = present ? e->text.data : NULL;
    int64_t at = 0, values = 0;
    *yes = false; // what stood before this comparison is not part of it
    for (char *one; !*yes && (one = next_value(field, &rest, &at)) != NULL; values++) {
        if (n->pattern) {
            const gw_vcf_pattern *p = n->pattern;
            const int found = pcre2_match(p->code, (PCRE2_SPTR)one, strlen(one), 0, 0, p->match, p->context);
            if (found < 0 && found != PCRE2_ERROR_NOMATCH) // it goes back and forth over the text too often
                return gw_fail_in(gw_vcf_pattern_fail(GW_ERR_RANGE, found), "filter expression '%.200s' on \"%.60s\"",
                                  e->source, one);
            *yes = (found >= 0) == (n->op == '~');
        } else {
            *yes = is_among(one, strlen(one), text->text, ',') == (n->op == '=');
        }
    }
    if (values == 0) *yes = n->op == '!' || n->op == 'n';
    return GW_OK;
}

// As evaluate(): chains of && and || in a loop.
static gw_status test(gw_vcf_expression *e, int index, const gw_vcf_record *record, bool *yes) {
    int at = index;
    while (e->nodes[at].kind != NODE_COMPARE) at = e->nodes[at].left;
    const node *n = &e->nodes[at], *right = &e->nodes[n->right];
    if (right->kind == NODE_TEXT && strcmp(right->text, ".") == 0 && (n->op == '=' || n->op == '!')) {
        bool missing, known;
        GW_TRY(look_for_missing(e, &e->nodes[n->left], record, &missing, &known));
        *yes = n->op == '=' ? missing : known;
    } else if (gw_vcf_node_is_text(e, n->left)) GW_TRY(compare_texts(e, n, record, yes));
    else GW_TRY(compare_numbers(e, n, record, yes));
    while (at != index) {
        at = e->nodes[at].above;
        if (*yes != (e->nodes[at].kind == NODE_OR)) GW_TRY(test(e, e->nodes[at].right, record, yes));
    }
    return GW_OK;
}

gw_status gw_vcf_expression_test(gw_vcf_expression *expression, const gw_vcf_record *record, bool *yes) {
    *yes = false;
    return test(expression, expression->root, record, yes);
}
