// SPDX-License-Identifier: MIT
// Rows of an annotation with their attributes, and the features made from them.
//
// Rows of the best group so far are kept; those of a worse group are dropped when a better one appears. A GFF3 row
// without the requested attribute takes it from its ancestors, which may be anywhere in the file: rows that can be
// parents are stored with their parent and name, and names are looked up at the end.
#include "seq/genes/gff.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/number.h"
#include "base/parse.h"
#include "file/lines.h"
#include "seq/genome/contig_names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Columns of GFF3 and GTF, and of SGD's table.
enum { SEQID, SOURCE, TYPE, START, END, SCORE, STRAND, PHASE, ATTRIBUTES, GFF_COLUMNS };
enum {
    SGD_ID,
    SGD_TYPE,
    SGD_QUALIFIER,
    SGD_FEATURE,
    SGD_GENE,
    SGD_PARENT = 6,
    SGD_CHROMOSOME = 8,
    SGD_START,
    SGD_STOP,
    SGD_STRAND,
    SGD_LEAST
};

static const char *column_of(const char *line, int column) {
    while (column-- > 0) line = strchr(line, '\t') + 1;
    return line;
}

const char *gw_gff_kind_name(gw_gff_kind kind) {
    static const char *const names[] = {"unknown", "GFF3", "GTF", "SGD's table"};
    return names[kind];
}

gw_gff_kind gw_gff_kind_of(const char *line) {
    int count = 1;
    for (const char *c = line; *c; c++) count += *c == '\t';
    if (count >= SGD_LEAST) {
        const char strand = *column_of(line, SGD_STRAND);
        return line[0] == 'S' && strchr("WC\t", strand) ? GW_GFF_SGD : GW_GFF_UNKNOWN;
    }
    if (count != GFF_COLUMNS) return GW_GFF_UNKNOWN;
    // There is a number where features start or one of the strands' signs in column 7; a mistake in the other is told
    // where the row is parsed.
    const char *strand = column_of(line, STRAND);
    if (!isdigit((unsigned char)*column_of(line, START)) && !(strchr("+-.?", strand[0]) && strand[1] == '\t'))
        return GW_GFF_UNKNOWN;
    const char *attributes = column_of(line, ATTRIBUTES); // GTF writes key "value"; GFF3 key=value
    const size_t key = strcspn(attributes, " =;\"\t");
    return attributes[key] == ' ' && key > 0 && !strchr("=;", attributes[key + 1]) ? GW_GTF : GW_GFF3;
}

// 1-based inclusive, in either order.
static gw_status take_span(gw_gff_row *row, const char *start, const char *end, bool ordered) {
    int64_t from, to;
    if (gw_parse_int(start, 1, INT64_MAX / 4, &from) != GW_OK) return gw_fail_in(GW_ERR_FORMAT, "the start");
    if (gw_parse_int(end, 1, INT64_MAX / 4, &to) != GW_OK) return gw_fail_in(GW_ERR_FORMAT, "the end");
    if (ordered && from > to)
        return gw_fail(GW_ERR_FORMAT, "the feature starts at %lld, behind its end %lld", (long long)from,
                       (long long)to);
    row->begin = gw_min(from, to) - 1;
    row->end = gw_max(from, to);
    return GW_OK;
}

static gw_status parse_gff(gw_gff_row *row) {
    if (row->count != GFF_COLUMNS)
        return gw_fail(GW_ERR_FORMAT, "expected nine columns separated by tabs, found %d", row->count);
    const char *strand = row->columns[STRAND];
    if (strlen(strand) != 1 || !strchr("+-.?", strand[0]))
        return gw_fail(GW_ERR_FORMAT, "column 7, the strand: expected +, -, . or ?, found '%s'", strand);
    row->strand = strand[0] == '?' ? '.' : strand[0];
    row->type = row->columns[TYPE];
    row->placed = true;
    gw_string decoded = {0};
    gw_string_put_decoded(&decoded, row->columns[SEQID], strlen(row->columns[SEQID]));
    gw_status status = gw_string_status(&decoded);
    if (status == GW_OK && (decoded.length == 0 || decoded.length >= (int64_t)sizeof row->contig))
        status = gw_fail(GW_ERR_FORMAT, "column 1, the contig, has %lld letters", (long long)decoded.length);
    if (status == GW_OK) memcpy(row->contig, decoded.data, (size_t)decoded.length + 1);
    gw_string_free(&decoded);
    return status == GW_OK ? take_span(row, row->columns[START], row->columns[END], true) : status;
}

static gw_status parse_sgd(gw_gff_row *row) {
    if (row->count < SGD_LEAST)
        return gw_fail(GW_ERR_FORMAT, "expected the 16 columns of SGD's table, found %d", row->count);
    row->type = row->columns[SGD_TYPE];
    row->placed = row->columns[SGD_CHROMOSOME][0] && row->columns[SGD_START][0] && row->columns[SGD_STOP][0];
    if (!row->placed) return GW_OK;
    const char strand = row->columns[SGD_STRAND][0];
    row->strand = strand == 'W' ? '+' : strand == 'C' ? '-' : '.';
    // 1 .. 16 are I .. XVI, 17 is the mitochondrion; other names stay.
    int64_t number = 0;
    char letters[16] = "Mito";
    const bool numbered = gw_parse_int(row->columns[SGD_CHROMOSOME], 1, 17, &number) == GW_OK;
    if (numbered && number < 17) gw_roman_numeral(number, letters);
    snprintf(row->contig, sizeof row->contig, "%s%s", numbered ? "chr" : "",
             numbered ? letters : row->columns[SGD_CHROMOSOME]);
    return take_span(row, row->columns[SGD_START], row->columns[SGD_STOP], false);
}

static bool sgd_attribute(const gw_gff_row *row, const char *key, size_t length, gw_string *out) {
    static const struct {
        const char *name;
        int column;
    } names[] = {{"feature", SGD_FEATURE}, {"gene", SGD_GENE},     {"SGDID", SGD_ID},
                 {"ID", SGD_FEATURE},      {"Parent", SGD_PARENT}, {"Name", SGD_GENE}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i].name) == length && strncmp(names[i].name, key, length) == 0)
            gw_string_puts(out, row->columns[names[i].column]);
    return out->length > 0;
}

gw_status gw_gff_next_row(gw_line_reader *lines, gw_gff_kind *kind, const char *needs, gw_gff_row *row, bool *got) {
    char *line;
    int64_t length;
    *got = false;
    do {
        GW_TRY(gw_lines_next(lines, &line, &length));
        if (!line || strncmp(line, "##FASTA", 7) == 0 || line[0] == '>') return GW_OK;
    } while (length == 0 || line[0] == '#');
    if (*kind == GW_GFF_UNKNOWN && (*kind = gw_gff_kind_of(line)) == GW_GFF_UNKNOWN)
        return gw_lines_fail(lines, GW_ERR_FORMAT,
                             "neither GFF3 nor GTF (nine columns, separated by tabs) nor SGD's table of features%s",
                             needs);
    *row = (gw_gff_row){.kind = *kind};
    row->count = gw_split(line, '\t', row->columns, GW_GFF_COLUMNS);
    const gw_status status = *kind == GW_GFF_SGD ? parse_sgd(row) : parse_gff(row);
    if (status != GW_OK) return gw_lines_fail(lines, status, "%s", gw_message());
    *got = true;
    return GW_OK;
}

bool gw_gff_is_dubious(const gw_gff_row *row) {
    return row->kind == GW_GFF_SGD && strstr(row->columns[SGD_QUALIFIER], "Dubious") != NULL;
}

bool gw_gff_attribute(const gw_gff_row *row, const char *key, int64_t length, gw_string *out) {
    gw_string_clear(out);
    const size_t size = (size_t)length;
    if (row->kind == GW_GFF_SGD) return sgd_attribute(row, key, size, out);
    const bool gtf = row->kind == GW_GTF;
    for (const char *entry = row->columns[ATTRIBUTES]; *entry;) {
        entry += strspn(entry, " ");
        // Entries are separated by ';', which a GTF value may hold between quotes.
        const char *end = entry;
        for (bool quoted = false; *end && (quoted || *end != ';'); end++) quoted ^= gtf && *end == '"';
        if (strncmp(entry, key, size) == 0 && entry[size] == (gtf ? ' ' : '=')) {
            const char *value = entry + size + 1 + strspn(entry + size + 1, gtf ? " \"" : " ");
            while (end > value && strchr(gtf ? " \"" : " ", end[-1])) end--;
            if (gtf) gw_string_append(out, value, end - value);
            else gw_string_put_decoded(out, value, (size_t)(end - value));
            return out->length > 0;
        }
        entry = *end ? end + 1 : end;
    }
    return false;
}

const char *const gw_gff_transcripts[] = {"mRNA,transcript", "exon", NULL};
const char *const gw_gff_genes[] = {"gene,ncRNA_gene,pseudogene,ORF,tRNA_gene,rRNA_gene,snRNA_gene,snoRNA_gene,"
                                    "telomerase_RNA_gene,transposable_element_gene,blocked_reading_frame",
                                    "mRNA,transcript", "exon", "CDS", NULL};

typedef struct {
    char *id, *parent, *name; // parent, name: may be NULL
} possible_parent;

typedef struct {
    const char *name;
    int64_t count; // of its rows
} type_count;

typedef struct {
    const gw_gff_options *options;
    gw_features *features;
    int group; // of the rows kept
    possible_parent *parents;
    int64_t parent_count, parent_capacity;
    gw_names types; // all that the file has
    type_count *type_counts;
    int64_t type_capacity;
    uint64_t *coding_starts; // hashes of the first bases of CDS rows
    int64_t coding_count, coding_capacity;
    gw_string value;
} gff_reader;

// Whether a comma-separated list names this word.
static bool lists(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; at; at = gw_next_item(at, ','))
        if (strncmp(at, word, length) == 0 && strchr(",", at[length])) return length > 0;
    return false;
}

// The first attribute of the list that the row has, as a fresh string; NULL where it has none.
static gw_status find_name(gff_reader *r, const gw_gff_row *row, const char *list, char **name) {
    *name = NULL;
    for (const char *at = list; at; at = gw_next_item(at, ',')) {
        if (!gw_gff_attribute(row, at, (int64_t)strcspn(at, ","), &r->value)) continue;
        *name = gw_strdup(r->value.data);
        return *name ? GW_OK : GW_ERR_MEMORY;
    }
    return gw_string_status(&r->value);
}

// The first value of Parent.
static gw_status find_parent(gff_reader *r, const gw_gff_row *row, char **parent) {
    *parent = NULL;
    if (row->kind != GW_GFF3) return GW_OK;
    GW_TRY(find_name(r, row, "Parent", parent));
    if (*parent) (*parent)[strcspn(*parent, ",")] = 0;
    return GW_OK;
}

// Parts of transcripts, which are most rows of a file, are nobody's parents.
static gw_status note_parent(gff_reader *r, const gw_gff_row *row, const char *id) {
    static const char parts[] = "exon,CDS,five_prime_UTR,three_prime_UTR,intron,start_codon,stop_codon";
    if (row->kind != GW_GFF3 || lists(parts, row->type)) return GW_OK;
    possible_parent p = {0};
    GW_TRY(find_name(r, row, "ID", &p.id));
    if (!p.id) return GW_OK;
    gw_status status = gw_reserve(&r->parents, &r->parent_capacity, r->parent_count + 1, sizeof *r->parents);
    if (status == GW_OK) status = find_parent(r, row, &p.parent);
    if (status == GW_OK) status = find_name(r, row, id, &p.name);
    if (status == GW_OK) {
        r->parents[r->parent_count++] = p;
        return GW_OK;
    }
    free(p.id);
    free(p.parent);
    return status;
}

static void free_feature(gw_feature *f) {
    free(f->contig);
    free(f->name);
    free(f->parent);
    free(f->transcript);
}

static void drop_features(gw_features *features) {
    for (int64_t i = 0; i < features->count; i++) free_feature(&features->items[i]);
    features->count = 0;
}

static gw_status add_feature(gff_reader *r, const gw_gff_row *row, const char *id, int64_t line) {
    gw_features *all = r->features;
    gw_feature f = {.begin = row->begin, .end = row->end, .strand = row->strand, .line = line};
    gw_status status = row->kind == GW_GTF ? find_name(r, row, "transcript_id", &f.transcript) : GW_OK;
    // A further exon of the transcript read last widens it.
    gw_feature *last = all->count > 0 ? &all->items[all->count - 1] : NULL;
    const bool joined = status == GW_OK && f.transcript && last && strcmp(row->type, "exon") == 0 && last->transcript &&
                        strcmp(last->transcript, f.transcript) == 0 && strcmp(last->contig, row->contig) == 0;
    if (joined) {
        last->begin = gw_min(last->begin, row->begin);
        last->end = gw_max(last->end, row->end);
    } else if (status == GW_OK) {
        f.contig = gw_strdup(row->contig);
        status = f.contig ? find_name(r, row, id, &f.name) : GW_ERR_MEMORY;
        if (status == GW_OK) status = find_parent(r, row, &f.parent);
        if (status == GW_OK) status = gw_reserve(&all->items, &all->capacity, all->count + 1, sizeof f);
        if (status == GW_OK) {
            all->items[all->count++] = f;
            return GW_OK;
        }
    }
    free_feature(&f);
    return status;
}

// Exons are joined by their transcripts, which only GTF names in each of them.
static bool is_wanted(const gff_reader *r, int group, gw_gff_kind kind) {
    return group == 0 || kind == GW_GTF || strcmp(r->options->groups[group], "exon") != 0;
}

// The first base of a feature in the direction of its strand, with contig and strand, as one number.
static uint64_t hash_start(const char *contig, char strand, int64_t begin, int64_t end) {
    const int64_t start = strand == '-' ? end - 1 : begin;
    uint64_t hash = gw_hash_bytes(GW_HASH_START, contig, (int64_t)strlen(contig));
    hash = gw_hash_bytes(hash, &strand, 1);
    return gw_hash_bytes(hash, &start, sizeof start);
}

static gw_status take_row(gff_reader *r, const gw_gff_row *row, int64_t line) {
    const gw_gff_options *o = r->options;
    const int64_t known = r->types.count;
    int64_t type;
    GW_TRY(gw_names_add(&r->types, row->type, &type));
    GW_TRY(gw_reserve(&r->type_counts, &r->type_capacity, r->types.count, sizeof *r->type_counts));
    if (type == known) r->type_counts[type] = (type_count){.name = r->types.items[type]};
    r->type_counts[type].count++;
    if (o->coding && row->placed && strcmp(row->type, "CDS") == 0) {
        GW_TRY(gw_reserve(&r->coding_starts, &r->coding_capacity, r->coding_count + 1, sizeof *r->coding_starts));
        r->coding_starts[r->coding_count++] = hash_start(row->contig, row->strand, row->begin, row->end);
    }
    int group = 0;
    while (o->groups[group] && !lists(o->groups[group], row->type)) group++;
    if (!o->groups[group]) group = GW_GFF_MOST_GROUPS;
    const char *id = o->id;
    if (!id && row->kind == GW_GFF_SGD) id = "feature";
    else if (!id && row->kind == GW_GTF) // of a gene or a transcript
        id = lists(o->groups[group < GW_GFF_MOST_GROUPS ? group : 0], "gene") ? "gene_id" : "transcript_id";
    else if (!id) id = "ID";
    GW_TRY(note_parent(r, row, id));
    const bool wanted = group < GW_GFF_MOST_GROUPS && is_wanted(r, group, row->kind);
    if (!wanted || group > r->group || !row->placed) return GW_OK;
    if (group < r->group) drop_features(r->features);
    r->group = group;
    r->features->types = o->groups[group];
    return add_feature(r, row, id, line);
}

static gw_status read_rows(gff_reader *r, gw_line_reader *lines) {
    gw_gff_row row;
    for (bool got = true; got;) {
        GW_TRY(gw_gff_next_row(lines, &r->features->kind, "", &row, &got));
        const gw_status status = got ? take_row(r, &row, gw_lines_number(lines)) : GW_OK;
        if (status != GW_OK)
            return gw_fail_in(status, "%s:%lld", gw_lines_path(lines), (long long)gw_lines_number(lines));
    }
    return GW_OK;
}

static int compare_parents(const void *a, const void *b) {
    return strcmp(((const possible_parent *)a)->id, ((const possible_parent *)b)->id);
}

static const possible_parent *find_possible(const gff_reader *r, const char *id) {
    const possible_parent key = {.id = (char *)id};
    if (r->parent_count == 0) return NULL;
    return bsearch(&key, r->parents, (size_t)r->parent_count, sizeof key, compare_parents);
}

// A line of ancestors that comes back to itself is left after this many.
enum { MOST_ANCESTORS = 16 };

static gw_status name_all(gff_reader *r) {
    if (r->parent_count > 1) qsort(r->parents, (size_t)r->parent_count, sizeof *r->parents, compare_parents);
    for (int64_t i = 0; i < r->features->count; i++) {
        gw_feature *f = &r->features->items[i];
        r->features->orphans += f->parent && !find_possible(r, f->parent);
        const char *id = f->parent;
        for (int k = 0; id && !f->name && k < MOST_ANCESTORS; k++) {
            const possible_parent *p = find_possible(r, id);
            if (!p) break;
            if (p->name && !(f->name = gw_strdup(p->name))) return GW_ERR_MEMORY;
            id = p->parent;
        }
        r->features->unnamed += !f->name;
    }
    return GW_OK;
}

static int compare_transcripts(const void *a, const void *b) {
    const gw_feature *x = a, *y = b;
    int order = strcmp(x->transcript ? x->transcript : "", y->transcript ? y->transcript : "");
    if (order == 0) order = strcmp(x->contig, y->contig);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int compare_lines(const void *a, const void *b) {
    const gw_feature *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

// Exons of one transcript that do not stand together in the file.
static void join_exons(gw_features *features) {
    qsort(features->items, (size_t)features->count, sizeof *features->items, compare_transcripts);
    int64_t kept = 0;
    for (int64_t i = 0; i < features->count; i++) {
        gw_feature *f = &features->items[i], *last = kept > 0 ? &features->items[kept - 1] : NULL;
        const bool same = last && f->transcript && last->transcript && strcmp(f->transcript, last->transcript) == 0 &&
                          strcmp(f->contig, last->contig) == 0;
        if (!same) {
            features->items[kept++] = *f;
            continue;
        }
        last->begin = gw_min(last->begin, f->begin);
        last->end = gw_max(last->end, f->end);
        free_feature(f);
    }
    features->count = kept;
    qsort(features->items, (size_t)features->count, sizeof *features->items, compare_lines);
}

static int compare_hashes(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int compare_counts(const void *a, const void *b) {
    const type_count *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

static gw_status say_what_there_is(gff_reader *r, const char *path) {
    enum { SHOWN = 8 };
    gw_string wanted = {0}, there = {0};
    for (int g = 0; r->options->groups[g]; g++)
        if (is_wanted(r, g, r->features->kind))
            gw_string_printf(&wanted, "%s%s", g ? ", or " : "", r->options->groups[g]);
    const int64_t count = r->types.count;
    if (count > 1) qsort(r->type_counts, (size_t)count, sizeof *r->type_counts, compare_counts);
    for (int64_t i = 0; i < count && i < SHOWN; i++)
        gw_string_printf(&there, "%s%s (%lld)", i ? ", " : "", r->type_counts[i].name,
                         (long long)r->type_counts[i].count);
    gw_status status = gw_first_failure(gw_string_status(&wanted), gw_string_status(&there));
    if (status == GW_OK && count == 0) status = gw_fail(GW_ERR_FORMAT, "%s holds no feature", path);
    if (status == GW_OK)
        status = gw_fail(GW_ERR_MISMATCH, "%s has no feature of type %s; it has %s%s", path, wanted.data, there.data,
                         count > SHOWN ? ", ..." : "");
    gw_string_free(&wanted);
    gw_string_free(&there);
    return status;
}

gw_status gw_features_read(const char *path, const gw_gff_options *options, gw_features *features) {
    *features = (gw_features){0};
    gff_reader r = {.options = options, .features = features, .group = GW_GFF_MOST_GROUPS};
    gw_line_reader *lines;
    GW_TRY(gw_lines_open(path, &lines));
    gw_status status = read_rows(&r, lines);
    if (status == GW_OK && features->count == 0) status = say_what_there_is(&r, gw_lines_path(lines));
    if (status == GW_OK && strcmp(features->types, "exon") == 0 && features->kind == GW_GTF) join_exons(features);
    if (status == GW_OK) {
        if (r.coding_count > 0) qsort(r.coding_starts, (size_t)r.coding_count, sizeof(uint64_t), compare_hashes);
        for (int64_t i = 0; r.coding_count > 0 && i < features->count; i++) {
            const gw_feature *f = &features->items[i];
            const uint64_t start = hash_start(f->contig, f->strand, f->begin, f->end);
            features->coding +=
                bsearch(&start, r.coding_starts, (size_t)r.coding_count, sizeof start, compare_hashes) != NULL;
        }
        features->genes_alone = lists(features->types, "gene") || lists(features->types, "ORF");
        for (int64_t i = 0; i < r.types.count; i++)
            if (lists(gw_gff_transcripts[0], r.types.items[i])) features->genes_alone = false;
        status = name_all(&r);
    }
    gw_lines_close(lines);
    for (int64_t i = 0; i < r.parent_count; i++) {
        free(r.parents[i].id);
        free(r.parents[i].parent);
        free(r.parents[i].name);
    }
    free(r.parents);
    gw_names_free(&r.types);
    free(r.type_counts);
    free(r.coding_starts);
    gw_string_free(&r.value);
    if (status != GW_OK) gw_features_free(features);
    return status;
}

void gw_features_free(gw_features *features) {
    drop_features(features);
    free(features->items);
    *features = (gw_features){0};
}
