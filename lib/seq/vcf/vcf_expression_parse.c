// SPDX-License-Identifier: MIT
// Recursive descent over the text of an expression, with one function for each rule of the grammar.
#include "base/memory.h"
#include "base/parse.h"
#include "file/lines.h"
#include "seq/vcf/vcf_expression_private.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1000000, HEAP_KIB = 64 << 10, MESSAGE = 128 };

gw_status gw_vcf_pattern_fail(gw_status status, int error) {
    PCRE2_UCHAR what[MESSAGE];
    pcre2_get_error_message(error, what, sizeof what);
    return gw_fail(status, "%s", (const char *)what);
}

static void free_pattern(gw_vcf_pattern *p) {
    if (!p) return;
    pcre2_match_data_free(p->match);
    pcre2_match_context_free(p->context);
    pcre2_code_free(p->code);
    free(p);
}

// GW_ERR_FORMAT: it is none, or too large a one.
static gw_status new_pattern(const char *text, bool any_case, gw_vcf_pattern **out) {
    const uint32_t options = PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF | (any_case ? PCRE2_CASELESS : 0);
    int error = 0;
    size_t at = 0;
    gw_vcf_pattern *p = gw_alloc(1, sizeof *p);
    *out = NULL;
    if (!p) return GW_ERR_MEMORY;
    gw_status status = GW_OK;
    p->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options, &error, &at, NULL);
    if (!p->code) status = gw_vcf_pattern_fail(error == PCRE2_ERROR_HEAP_FAILED ? GW_ERR_MEMORY : GW_ERR_FORMAT, error);
    p->match = pcre2_match_data_create(1, NULL);
    p->context = pcre2_match_context_create(NULL);
    if (status == GW_OK && (!p->match || !p->context))
        status = gw_fail(GW_ERR_MEMORY, "out of memory for a regular expression");
    if (status == GW_OK) {
        pcre2_set_match_limit(p->context, MOST_STEPS);
        pcre2_set_heap_limit(p->context, HEAP_KIB);
        *out = p;
    } else {
        free_pattern(p);
    }
    return status;
}

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

static gw_status find_info(const parser *p, const char *at, const char *key, node *n) {
    const bcf_hdr_t *header = p->e->reader->header;
    const int id = bcf_hdr_id2int(header, BCF_DT_ID, key);
    if (id < 0 || !bcf_hdr_idinfo_exists(header, BCF_HL_INFO, id)) {
        char text[160];
        const bool format = id >= 0 && bcf_hdr_idinfo_exists(header, BCF_HL_FMT, id);
        snprintf(text, sizeof text, "'%.60s' is %s", key,
                 format ? "a key of samples, which are not read" : "not an INFO key that the header declares");
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
            return refuse(p, at, "samples are not read");
    return find_info(p, at, strncmp(name, "INFO/", 5) == 0 ? name + 5 : name, n);
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
    gw_status status = GW_OK;
    n.index = -1;
    if (take(p, "[")) {
        char *end = NULL;
        if (!take(p, "*")) {
            n.index = strtol(p->at, &end, 10);
            if (end == p->at || n.index < 0) status = refuse(p, p->at, "expected an index from 0, or *");
            else p->at = end;
        }
        if (status == GW_OK && !take(p, "]")) status = refuse(p, p->at, "expected ]");
    }
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
    } else if (*at == '"' || *at == '\'') {
        const char *end = strchr(at + 1, *at);
        node text = {.kind = NODE_TEXT, .left = -1, .right = -1, .column = (int)(at - p->e->source) + 1};
        if (!end) status = refuse(p, at, "a text without its closing quote");
        else if (!(text.text = gw_strndup(at + 1, (size_t)(end - at - 1)))) status = GW_ERR_MEMORY;
        else {
            p->at = end + 1;
            status = add(p, text, out);
        }
    } else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
        char *end;
        const node number = {.kind = NODE_NUMBER, .left = -1, .right = -1, .number = strtod(at, &end)};
        p->at = end;
        status = add(p, number, out);
    } else status = parse_name(p, out);
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
    const gw_status status = pattern ? new_pattern(pattern, any_case, &n->pattern) : GW_ERR_MEMORY;
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
    gw_string_printf(&what, "'%.*s' is not a FILTER that the header declares, which are PASS", (int)length, name);
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

gw_status gw_vcf_expression_new(const char *text, const gw_vcf_reader *reader, gw_vcf_expression **out) {
    gw_vcf_expression *e = gw_alloc(1, sizeof *e);
    *out = NULL;
    if (!e) return GW_ERR_MEMORY;
    e->reader = reader;
    e->source = gw_strdup(text);
    e->alleles = bcf_init();
    gw_status status = e->source ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && !e->alleles) status = gw_fail(GW_ERR_MEMORY, "out of memory for an expression");
    parser p = {e, e->source, 0};
    if (status == GW_OK) status = parse_or(&p, &e->root);
    if (status == GW_OK) skip_blanks(&p);
    if (status == GW_OK && *p.at) status = refuse(&p, p.at, "expected an operator or the end");
    if (status == GW_OK && !is_condition(&p, e->root))
        status = refuse(&p, e->source, "not a comparison, such as QUAL>20");
    if (status == GW_OK) *out = e;
    else gw_vcf_expression_free(e);
    return status;
}

void gw_vcf_expression_free(gw_vcf_expression *e) {
    if (!e) return;
    for (int64_t i = 0; i < e->count; i++) {
        free(e->nodes[i].text);
        free_pattern(e->nodes[i].pattern);
    }
    free(e->nodes);
    free(e->source);
    gw_string_free(&e->text);
    gw_string_free(&e->list);
    if (e->alleles) bcf_destroy(e->alleles);
    free(e);
}
