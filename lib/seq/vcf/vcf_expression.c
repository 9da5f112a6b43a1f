// SPDX-License-Identifier: MIT
// libc's expressions take time and memory that grow as 2 to the number of repetitions; these give up before.
#include "base/memory.h"
#include "base/parse.h"
#include "file/lines.h"
#include "seq/vcf/vcf_expression_private.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <ctype.h>
#include <math.h>
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1000000, HEAP_KIB = 64 << 10, MESSAGE = 128 };

struct gw_vcf_pattern {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
};

static gw_status fail(gw_status status, int error) {
    PCRE2_UCHAR what[MESSAGE];
    pcre2_get_error_message(error, what, sizeof what);
    return gw_fail(status, "%s", (const char *)what);
}

static gw_status make(gw_vcf_pattern *p, const char *pattern, bool any_case) {
    int error = 0;
    size_t at = 0;
    const uint32_t options = PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF | (any_case ? PCRE2_CASELESS : 0);
    p->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &error, &at, NULL);
    if (!p->code) return fail(error == PCRE2_ERROR_HEAP_FAILED ? GW_ERR_MEMORY : GW_ERR_FORMAT, error);
    p->match = pcre2_match_data_create(1, NULL);
    p->context = pcre2_match_context_create(NULL);
    if (!p->match || !p->context) return gw_fail(GW_ERR_MEMORY, "out of memory for a regular expression");
    pcre2_set_match_limit(p->context, MOST_STEPS);
    pcre2_set_heap_limit(p->context, HEAP_KIB);
    return GW_OK;
}

gw_status gw_vcf_pattern_new(const char *pattern, bool any_case, gw_vcf_pattern **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    const gw_status status = make(*out, pattern, any_case);
    if (status == GW_OK) return GW_OK;
    gw_vcf_pattern_free(*out);
    *out = NULL;
    return status;
}

void gw_vcf_pattern_free(gw_vcf_pattern *p) {
    if (!p) return;
    pcre2_match_data_free(p->match);
    pcre2_match_context_free(p->context);
    pcre2_code_free(p->code);
    free(p);
}

gw_status gw_vcf_pattern_matches(const gw_vcf_pattern *p, const char *text, bool *yes) {
    const int found = pcre2_match(p->code, (PCRE2_SPTR)text, strlen(text), 0, 0, p->match, p->context);
    *yes = found >= 0;
    return found >= 0 || found == PCRE2_ERROR_NOMATCH ? GW_OK : fail(GW_ERR_RANGE, found);
}

// Recursive descent over the text of an expression; a rule of the grammar is a function.

typedef struct {
    gw_vcf_expression *e;
    const char *at;
    int depth;
} parser;

enum { DEEPEST = 100, MOST_NAMES = 200 };

static gw_status refuse(const parser *p, const char *at, const char *what) {
    return gw_fail(GW_ERR_FORMAT, "filter expression '%.200s', column %d: %s", p->e->source,
                   (int)(at - p->e->source) + 1, what);
}

static void skip_blanks(parser *p) {
    while (isspace((unsigned char)*p->at)) p->at++;
}

static bool take(parser *p, const char *token) {
    skip_blanks(p);
    if (strncmp(p->at, token, strlen(token)) != 0) return false;
    p->at += strlen(token);
    return true;
}

static gw_status add(parser *p, node n, int *out) {
    gw_vcf_expression *e = p->e;
    const gw_status status = gw_reserve(&e->nodes, &e->capacity, e->count + 1, sizeof *e->nodes);
    if (status != GW_OK) {
        free(n.text);
        return status;
    }
    *out = (int)e->count;
    if (n.left >= 0) e->nodes[n.left].above = *out;
    e->nodes[e->count++] = n;
    return GW_OK;
}

bool gw_vcf_node_is_text(const gw_vcf_expression *e, int index) {
    const node *n = &e->nodes[index];
    if (n->kind == NODE_TEXT) return true;
    if (n->kind != NODE_FIELD) return false;
    return n->field != FIELD_POS && n->field != FIELD_QUAL && n->field != FIELD_N_ALT && n->field != FIELD_INFO &&
           n->field != FIELD_INFO_FLAG;
}

static bool is_condition(const parser *p, int index) {
    const node_kind kind = p->e->nodes[index].kind;
    return kind == NODE_OR || kind == NODE_AND || kind == NODE_COMPARE;
}

static gw_status parse_or(parser *p, int *out);
static gw_status parse_sum(parser *p, int *out);

static gw_status parse_text(parser *p, int *out) {
    const char quote = *p->at, *begin = p->at + 1, *end = strchr(begin, quote);
    if (!end) return refuse(p, p->at, "a text without its closing quote");
    node n = {.kind = NODE_TEXT, .left = -1, .right = -1, .column = (int)(p->at - p->e->source) + 1};
    n.text = gw_strndup(begin, (size_t)(end - begin));
    p->at = end + 1;
    return n.text ? add(p, n, out) : GW_ERR_MEMORY;
}

static gw_status parse_number(parser *p, int *out) {
    char *end;
    const node n = {.kind = NODE_NUMBER, .left = -1, .right = -1, .number = strtod(p->at, &end)};
    p->at = end;
    return add(p, n, out);
}

static gw_status find_info(const parser *p, const char *at, const char *key, node *n) {
    const bcf_hdr_t *header = p->e->reader->header;
    const int id = bcf_hdr_id2int(header, BCF_DT_ID, key);
    if (id < 0 || !bcf_hdr_idinfo_exists(header, BCF_HL_INFO, id)) {
        char text[160];
        const bool format = id >= 0 && bcf_hdr_idinfo_exists(header, BCF_HL_FMT, id);
        snprintf(text, sizeof text, "'%.60s' is %s", key,
                 format ? "a key of samples, which are not looked at" : "no INFO key that the header declares");
        return refuse(p, at, text);
    }
    const int type = (int)bcf_hdr_id2type(header, BCF_HL_INFO, id);
    n->field = type == BCF_HT_FLAG ? FIELD_INFO_FLAG : type == BCF_HT_STR ? FIELD_INFO_TEXT : FIELD_INFO;
    n->single = n->field == FIELD_INFO_TEXT && bcf_hdr_id2length(header, BCF_HL_INFO, id) == BCF_VL_FIXED &&
                bcf_hdr_id2number(header, BCF_HL_INFO, id) == 1;
    n->text = gw_strdup(key);
    return n->text ? GW_OK : GW_ERR_MEMORY;
}

static gw_status find_field(const parser *p, const char *at, const char *name, node *n) {
    static const char *const names[] = {"CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "TYPE", "N_ALT"};
    for (int f = FIELD_CHROM; f <= FIELD_N_ALT; f++) {
        if (strcmp(name, names[f]) != 0) continue;
        n->field = (field_kind)f;
        return GW_OK;
    }
    static const char *const of_samples[] = {"FORMAT/",   "FMT/",      "GT",     "N_SAMPLES",
                                             "N_MISSING", "F_MISSING", "N_PASS", "F_PASS"};
    for (size_t i = 0; i < sizeof of_samples / sizeof of_samples[0]; i++)
        if (strcmp(name, of_samples[i]) == 0 || (i < 2 && strncmp(name, of_samples[i], strlen(of_samples[i])) == 0))
            return refuse(p, at, "of samples nothing is looked at");
    return find_info(p, at, strncmp(name, "INFO/", 5) == 0 ? name + 5 : name, n);
}

static gw_status parse_index(parser *p, node *n) {
    char *end;
    n->index = -1;
    if (!take(p, "[")) return GW_OK;
    if (!take(p, "*")) {
        n->index = strtol(p->at, &end, 10);
        if (end == p->at || n->index < 0) return refuse(p, p->at, "expected an index from 0, or *");
        p->at = end;
    }
    return take(p, "]") ? GW_OK : refuse(p, p->at, "expected ]");
}

static gw_status parse_function(parser *p, const char *at, const char *name, int *out) {
    static const struct {
        const char *name;
        char op;
    } functions[] = {{"MAX", 'M'},  {"MIN", 'm'}, {"SUM", 'S'},   {"AVG", 'A'},
                     {"MEAN", 'A'}, {"ABS", 'a'}, {"STRLEN", 's'}};
    node n = {.kind = NODE_FUNCTION, .right = -1};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcasecmp(name, functions[i].name) == 0) n.op = functions[i].op;
    if (!n.op) return refuse(p, at, "no such function: MAX, MIN, SUM, AVG, MEAN, ABS and STRLEN are known");
    GW_TRY(parse_sum(p, &n.left));
    if (!take(p, ")")) return refuse(p, p->at, "expected )");
    if (gw_vcf_node_is_text(p->e, n.left) != (n.op == 's') || p->e->nodes[n.left].kind == NODE_TEXT)
        return refuse(p, at, n.op == 's' ? "STRLEN is of a column of text" : "the function is of numbers");
    return add(p, n, out);
}

static gw_status parse_name(parser *p, int *out) {
    char name[256];
    const char *begin = p->at;
    size_t length = 0;
    static const char *const prefixes[] = {"INFO/", "FORMAT/", "FMT/"}; // elsewhere '/' divides
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0] && length == 0; i++)
        if (strncmp(begin, prefixes[i], strlen(prefixes[i])) == 0) length = strlen(prefixes[i]);
    while (isalnum((unsigned char)begin[length]) || (begin[length] && strchr("_.", begin[length]))) length++;
    if (length == 0 || length >= sizeof name) return refuse(p, begin, "expected a name, a number or a text");
    memcpy(name, begin, length);
    name[length] = 0;
    p->at += length;
    if (take(p, "(")) return parse_function(p, begin, name, out);
    node n = {.kind = NODE_FIELD, .left = -1, .right = -1, .column = (int)(begin - p->e->source) + 1};
    GW_TRY(find_field(p, begin, name, &n));
    const gw_status status = parse_index(p, &n);
    if (status == GW_OK) return add(p, n, out);
    free(n.text);
    return status;
}

static gw_status parse_unary(parser *p, int *out) {
    skip_blanks(p);
    if (++p->depth > DEEPEST) return refuse(p, p->at, "too deep");
    gw_status status;
    node n = {.kind = NODE_NEGATE, .right = -1};
    const char *at = p->at;
    if (take(p, "-")) {
        status = parse_unary(p, &n.left);
        if (status == GW_OK && gw_vcf_node_is_text(p->e, n.left)) status = refuse(p, at, "- is of numbers");
        if (status == GW_OK) status = add(p, n, out);
    } else if (take(p, "(")) {
        status = parse_sum(p, out);
        if (status == GW_OK && !take(p, ")")) status = refuse(p, p->at, "expected )");
    } else if (*at == '"' || *at == '\'') status = parse_text(p, out);
    else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
        status = parse_number(p, out);
    else status = parse_name(p, out);
    p->depth--;
    return status;
}

// Operators of one letter each, from the left.
static gw_status parse_chain(parser *p, const char *operators, gw_status (*operand)(parser *, int *), int *out) {
    GW_TRY(operand(p, out));
    for (;;) {
        skip_blanks(p);
        if (!*p->at || !strchr(operators, *p->at)) return GW_OK;
        const char *at = p->at;
        node n = {.kind = NODE_ARITHMETIC, .op = *p->at++, .left = *out};
        GW_TRY(operand(p, &n.right));
        if (gw_vcf_node_is_text(p->e, n.left) || gw_vcf_node_is_text(p->e, n.right))
            return refuse(p, at, "arithmetic is of numbers");
        GW_TRY(add(p, n, out));
    }
}

static gw_status parse_product(parser *p, int *out) {
    return parse_chain(p, "*/%", parse_unary, out);
}

static gw_status parse_sum(parser *p, int *out) {
    return parse_chain(p, "+-", parse_product, out);
}

static bool take_comparison(parser *p, char *op) {
    static const struct {
        const char *token;
        char op;
    } tokens[] = {{"==", '='}, {"=", '='},  {"!=", '!'}, {"!~", 'n'}, {"<=", 'l'},
                  {"<", '<'},  {">=", 'g'}, {">", '>'},  {"~", '~'}};
    for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
        if (!take(p, tokens[i].token)) continue;
        *op = tokens[i].op;
        return true;
    }
    return false;
}

static gw_status compile_pattern(const parser *p, const char *at, node *n, const node *text) {
    const size_t length = strlen(text->text);
    const bool any_case = length > 2 && strcmp(text->text + length - 2, "/i") == 0;
    char *pattern = gw_strndup(text->text, length - (any_case ? 2 : 0));
    const gw_status status = pattern ? gw_vcf_pattern_new(pattern, any_case, &n->pattern) : GW_ERR_MEMORY;
    free(pattern);
    if (status != GW_ERR_FORMAT) return status;
    char what[128];
    snprintf(what, sizeof what, "not a regular expression: %s", gw_message());
    return refuse(p, at, what);
}

static gw_status find_type(const parser *p, const char *at, node *n, const node *text) {
    static const struct {
        const char *name;
        int type;
    } types[] = {{"ref", VCF_REF},     {"snp", VCF_SNP},        {"snps", VCF_SNP},    {"mnp", VCF_MNP},
                 {"mnps", VCF_MNP},    {"bnd", VCF_BND},        {"indel", VCF_INDEL}, {"indels", VCF_INDEL},
                 {"other", VCF_OTHER}, {"overlap", VCF_OVERLAP}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcasecmp(text->text, types[i].name) != 0) continue;
        n->type = types[i].type;
        return GW_OK;
    }
    return refuse(p, at, "TYPE is snp, mnp, indel, bnd, overlap, ref or other");
}

static gw_status refuse_filter(const parser *p, const char *at, const char *name, size_t length) {
    const bcf_hdr_t *header = p->e->reader->header;
    gw_string what = {0};
    gw_string_printf(&what, "'%.*s' is no FILTER that the header declares, which are PASS", (int)length, name);
    for (int i = 0; i < header->nhrec; i++) {
        const int key = header->hrec[i]->type == BCF_HL_FLT ? bcf_hrec_find_key(header->hrec[i], "ID") : -1;
        if (key < 0 || strcmp(header->hrec[i]->vals[key], "PASS") == 0) continue;
        gw_string_printf(&what, ", %s", header->hrec[i]->vals[key]);
        if (what.length > MOST_NAMES) {
            gw_string_puts(&what, " ...");
            break;
        }
    }
    const gw_status status = what.failed ? gw_string_status(&what) : refuse(p, at, what.data);
    gw_string_free(&what);
    return status;
}

// Each name must be declared, as bcftools has it: of one that is not, a slip of the pen say, no record would be chosen
// without a word.
static gw_status check_filters(const parser *p, const char *at, const char *names) {
    const bcf_hdr_t *header = p->e->reader->header;
    if (strcmp(names, ".") == 0) return GW_OK;
    for (const char *name = names; name; name = gw_next_item(name, ';')) {
        const size_t length = strcspn(name, ";");
        char *one = gw_strndup(name, length);
        if (!one) return GW_ERR_MEMORY;
        const int id = bcf_hdr_id2int(header, BCF_DT_ID, one);
        free(one);
        if (id < 0 || !bcf_hdr_idinfo_exists(header, BCF_HL_FLT, id)) return refuse_filter(p, at, name, length);
    }
    return GW_OK;
}

// What may be compared, and by which operators.
static gw_status check_comparison(parser *p, const char *at, node *n) {
    const node *left = &p->e->nodes[n->left], *right = &p->e->nodes[n->right];
    const bool text = gw_vcf_node_is_text(p->e, n->left), literal = right->kind == NODE_TEXT;
    const bool missing =
        literal && strcmp(right->text, ".") == 0 && left->kind == NODE_FIELD && left->field != FIELD_TYPE;
    if (is_condition(p, n->left) || is_condition(p, n->right))
        return refuse(p, at, "conditions are joined by && and ||");
    if (missing && (n->op == '=' || n->op == '!')) return GW_OK;
    if (!text && (n->op == '~' || n->op == 'n')) return refuse(p, at, "~ is of texts");
    if (text != gw_vcf_node_is_text(p->e, n->right)) return refuse(p, at, "numbers are compared with texts");
    if (!text) return GW_OK;
    if (left->kind != NODE_FIELD || !literal) return refuse(p, at, "a text stands right of a column");
    if (!strchr("=!~n", n->op)) return refuse(p, at, "texts are compared by =, != and ~");
    if (left->field == FIELD_TYPE) return find_type(p, at, n, right);
    if (left->field == FIELD_FILTER) return check_filters(p, at, right->text);
    return n->op == '~' || n->op == 'n' ? compile_pattern(p, at, n, right) : GW_OK;
}

static gw_status parse_compare(parser *p, int *out) {
    skip_blanks(p);
    if (*p->at == '(') { // of conditions, unless it turns out to be of numbers
        const char *begin = p->at++;
        if (++p->depth > DEEPEST) return refuse(p, begin, "too deep");
        const gw_status status = parse_or(p, out);
        p->depth--;
        if (status == GW_OK && is_condition(p, *out)) return take(p, ")") ? GW_OK : refuse(p, p->at, "expected )");
        if (status != GW_OK) return status;
        p->at = begin;
    }
    GW_TRY(parse_sum(p, out));
    node n = {.kind = NODE_COMPARE, .left = *out};
    skip_blanks(p);
    const char *at = p->at;
    if (!take_comparison(p, &n.op)) return GW_OK; // a number in brackets, or a fault that the caller sees
    GW_TRY(parse_sum(p, &n.right));
    GW_TRY(check_comparison(p, at, &n));
    return add(p, n, out);
}

static gw_status parse_joined(parser *p, const char *twice, node_kind kind, gw_status (*operand)(parser *, int *),
                              int *out) {
    const char once[] = {twice[0], 0};
    GW_TRY(operand(p, out));
    for (;;) {
        skip_blanks(p);
        const char *at = p->at;
        if (!take(p, twice) && !take(p, once)) return GW_OK;
        node n = {.kind = kind, .left = *out};
        GW_TRY(operand(p, &n.right));
        if (!is_condition(p, n.left) || !is_condition(p, n.right))
            return refuse(p, at, "joins comparisons, such as QUAL>20");
        GW_TRY(add(p, n, out));
    }
}

static gw_status parse_and(parser *p, int *out) {
    return parse_joined(p, "&&", NODE_AND, parse_compare, out);
}

static gw_status parse_or(parser *p, int *out) {
    return parse_joined(p, "||", NODE_OR, parse_and, out);
}

gw_status gw_vcf_expression_parse(gw_vcf_expression *e) {
    parser p = {e, e->source, 0};
    GW_TRY(parse_or(&p, &e->root));
    skip_blanks(&p);
    if (*p.at) return refuse(&p, p.at, "expected an operator or the end");
    return is_condition(&p, e->root) ? GW_OK : refuse(&p, e->source, "not a comparison, such as QUAL>20");
}

// Runs an expression on a record. Numbers are lists of doubles in a stack frame each, NaN for a missing one.

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

gw_status gw_vcf_expression_new(const char *text, const gw_vcf_reader *reader, gw_vcf_expression **out) {
    gw_vcf_expression *e = gw_alloc(1, sizeof *e);
    *out = NULL;
    if (!e) return GW_ERR_MEMORY;
    e->reader = reader;
    e->source = gw_strdup(text);
    e->alleles = bcf_init();
    gw_status status = e->source ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && !e->alleles) status = gw_fail(GW_ERR_MEMORY, "out of memory for an expression");
    if (status == GW_OK) status = gw_vcf_expression_parse(e);
    if (status == GW_OK) *out = e;
    else gw_vcf_expression_free(e);
    return status;
}

void gw_vcf_expression_free(gw_vcf_expression *e) {
    if (!e) return;
    for (int64_t i = 0; i < e->count; i++) {
        free(e->nodes[i].text);
        gw_vcf_pattern_free(e->nodes[i].pattern);
    }
    free(e->nodes);
    free(e->source);
    gw_string_free(&e->text);
    gw_string_free(&e->list);
    if (e->alleles) bcf_destroy(e->alleles);
    free(e);
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

static double apply(char op, double a, double b) {
    switch (op) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return a / b;
    default: return b != 0 ? fmod(a, b) : (double)NAN;
    }
}

// Pairs values of two lists, of which one may have a single value; 0: a list is empty, -1: the lists do not fit.
static int64_t pairs(const numbers *a, const numbers *b) {
    if (a->count == 0 || b->count == 0) return 0;
    if (a->count != b->count && a->count != 1 && b->count != 1) return -1;
    return a->count > b->count ? a->count : b->count;
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
    for (int64_t i = 0; status == GW_OK && i < count; i++)
        status = put(&result, apply(n->op, value_at(left, i), value_at(&right, i)));
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

static bool filter_holds(char op, const char *found, const char *wanted) {
    const bool contains = all_among(wanted, found);
    const bool match = op == '~' || op == 'n' ? contains : contains && all_among(found, wanted);
    return match == (op == '=' || op == '~');
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

static gw_status one_holds(const gw_vcf_expression *e, const node *n, const node *text, char *word, bool *yes) {
    if (!n->pattern) {
        *yes = is_among(word, strlen(word), text->text, ',') == (n->op == '=');
        return GW_OK;
    }
    const gw_status status = gw_vcf_pattern_matches(n->pattern, word, yes);
    *yes = *yes == (n->op == '~');
    return status == GW_OK ? GW_OK : gw_fail_in(status, "filter expression '%.200s' on \"%.60s\"", e->source, word);
}

static gw_status compare_texts(gw_vcf_expression *e, const node *n, const gw_vcf_record *record, bool *yes) {
    const node *field = &e->nodes[n->left], *text = &e->nodes[n->right];
    if (field->field == FIELD_TYPE) return type_holds(e, n, record, yes);
    const bool present = text_of(e, field, record);
    GW_TRY(gw_string_status(&e->text));
    if (field->field == FIELD_FILTER) {
        *yes = filter_holds(n->op, e->text.data, text->text);
        return GW_OK;
    }
    char *rest = present ? e->text.data : NULL;
    int64_t at = 0, values = 0;
    *yes = false; // what stood before this comparison is not part of it
    for (char *one; !*yes && (one = next_value(field, &rest, &at)) != NULL; values++)
        GW_TRY(one_holds(e, n, text, one, yes));
    if (values == 0) *yes = n->op == '!' || n->op == 'n';
    return GW_OK;
}

static gw_status compare(gw_vcf_expression *e, const node *n, const gw_vcf_record *record, bool *yes) {
    const node *right = &e->nodes[n->right];
    if (right->kind == NODE_TEXT && strcmp(right->text, ".") == 0 && (n->op == '=' || n->op == '!')) {
        bool missing, known;
        GW_TRY(look_for_missing(e, &e->nodes[n->left], record, &missing, &known));
        *yes = n->op == '=' ? missing : known;
        return GW_OK;
    }
    return gw_vcf_node_is_text(e, n->left) ? compare_texts(e, n, record, yes) : compare_numbers(e, n, record, yes);
}

// As evaluate(): chains of && and || in a loop.
static gw_status test(gw_vcf_expression *e, int index, const gw_vcf_record *record, bool *yes) {
    int at = index;
    while (e->nodes[at].kind != NODE_COMPARE) at = e->nodes[at].left;
    GW_TRY(compare(e, &e->nodes[at], record, yes));
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
