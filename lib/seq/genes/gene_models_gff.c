// SPDX-License-Identifier: MIT
// Rows may be in any order. Exons and attributes of transcripts and genes are stored, and joined by their identifiers
// at the end. After sorting, exons of one transcript are adjacent, and so are transcripts of one gene; all of them are
// used, or the canonical one.
#include "seq/genes/gene_models_private.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"
#include "file/lines.h"

#include <stdlib.h>
#include <string.h>

enum { MANE, CANONICAL, OTHER }; // how a transcript is tagged, best first

// A row that is no exon and no CDS: what a parent says of itself.
typedef struct {
    char *id, *parent, *name, *old; // old: locus tags that it had; parent, name, old: or NULL
    int tag;
    bool dubious; // of SGD's table
} noted_row;

typedef struct {
    char *transcript, *gene, *name; // gene, name: of GTF, or NULL
    // if all transcripts are wanted: its locus tag and gene; of a CDS the protein's identifier; or NULL
    char *locus, *symbol, *protein;
    char *contig;
    int64_t begin, end; // 0-based half-open
    char strand;
    bool coding; // a CDS, else an exon
    int tag;     // of GTF
    int code;    // of a CDS: its genetic code, or 0
    int64_t line;
} noted_exon;

// Exons [first, last) of the reader, CDS behind them.
typedef struct {
    const char *id, *gene, *name;
    int64_t first, exons, last;
    int tag;
    bool canonical, one_of_several; // one_of_several: CDS of other proteins have the same parent
    int64_t coding, length, line;   // bases; the first row's
} transcript;

typedef struct {
    gw_gene_file *file;
    gw_gff_kind kind;
    gw_line_reader *lines;
    noted_row *rows;
    int64_t row_count, row_capacity;
    noted_exon *exons;
    int64_t exon_count, exon_capacity;
    transcript *transcripts;
    int64_t transcript_count, transcript_capacity;
    int64_t without_strand;
    gw_string value;
} reader;

// The first of the attributes that the row has, as a fresh string; NULL: none.
static gw_status take_attribute(reader *r, const gw_gff_row *row, const char *const *keys, char **out) {
    *out = NULL;
    for (; *keys; keys++) {
        if (!gw_gff_attribute(row, *keys, (int64_t)strlen(*keys), &r->value)) continue;
        *out = gw_strdup(r->value.data);
        return *out ? GW_OK : GW_ERR_MEMORY;
    }
    return GW_OK;
}

// Tags are one attribute of several values, or of GTF several attributes; NCBI writes a blank.
static int tag_of(const gw_gff_row *row) {
    const char *attributes = row->columns[row->count - 1];
    if (strstr(attributes, "MANE_Select") || strstr(attributes, "MANE Select")) return MANE;
    return strstr(attributes, "Ensembl_canonical") ? CANONICAL : OTHER;
}

static gw_status note_row(reader *r, const gw_gff_row *row) {
    static const char *const ids[][2] = {{"ID", NULL}, {"transcript_id", NULL}}, *const parent[] = {"Parent", NULL},
                             *const name[] = {"gene_name", "Name", "gene", NULL},
                             *const old[] = {"old_locus_tag", NULL};
    GW_TRY(gw_reserve(&r->rows, &r->row_capacity, r->row_count + 1, sizeof *r->rows));
    noted_row *noted = &r->rows[r->row_count];
    *noted = (noted_row){.tag = tag_of(row), .dubious = gw_gff_is_dubious(row)};
    GW_TRY(take_attribute(r, row, ids[r->kind == GW_GTF], &noted->id));
    if (!noted->id) return GW_OK;
    r->row_count++;
    GW_TRY(take_attribute(r, row, parent, &noted->parent));
    if (r->file->models->each) GW_TRY(take_attribute(r, row, old, &noted->old));
    return take_attribute(r, row, name, &noted->name);
}

// What variants may be named by, and what proteins are told from.
static gw_status note_names(reader *r, const gw_gff_row *row, noted_exon *exon) {
    static const char *const locus[] = {"locus_tag", NULL}, *const symbol[] = {"gene", NULL},
                             *const protein[] = {"protein_id", NULL};
    static const char code[] = "transl_table";
    int64_t number;
    GW_TRY(take_attribute(r, row, locus, &exon->locus));
    GW_TRY(take_attribute(r, row, symbol, &exon->symbol));
    if (!exon->coding) return GW_OK;
    const bool coded = gw_gff_attribute(row, code, (int64_t)strlen(code), &r->value);
    if (coded && gw_parse_int(r->value.data, 1, INT16_MAX, &number) == GW_OK) exon->code = (int)number;
    return take_attribute(r, row, protein, &exon->protein);
}

static gw_status add_exon(reader *r, const gw_gff_row *row, const char *of, noted_exon **out) {
    GW_TRY(gw_reserve(&r->exons, &r->exon_capacity, r->exon_count + 1, sizeof *r->exons));
    noted_exon *exon = &r->exons[r->exon_count++];
    *exon = (noted_exon){.transcript = gw_strdup(of),
                         .contig = gw_strdup(row->contig),
                         .begin = row->begin,
                         .end = row->end,
                         .strand = row->strand,
                         .coding = strcmp(row->type, "exon") != 0,
                         .tag = OTHER,
                         .line = gw_lines_number(r->lines)};
    *out = exon;
    if (!exon->transcript || !exon->contig) return GW_ERR_MEMORY;
    return r->file->models->each ? note_names(r, row, exon) : GW_OK;
}

static gw_status note_exon(reader *r, const gw_gff_row *row) {
    static const char *const parent[] = {"Parent", NULL}, *const id[] = {"transcript_id", NULL},
                             *const itself[] = {"ID", NULL}, *const gene[] = {"gene_id", NULL},
                             *const name[] = {"gene_name", "gene_id", NULL};
    noted_exon *exon = NULL;
    const bool gtf = r->kind == GW_GTF;
    char *of;
    r->without_strand += row->strand == '.';
    if (row->strand == '.') return GW_OK;
    GW_TRY(take_attribute(r, row, gtf ? id : parent, &of));
    if (!of && !gtf && strcmp(row->type, "CDS") == 0) { // of bacteria: its own transcript
        GW_TRY(note_row(r, row));
        GW_TRY(take_attribute(r, row, itself, &of));
    }
    if (!of)
        return gw_lines_fail(r->lines, GW_ERR_FORMAT, "%s without %s, which must name its transcript", row->type,
                             gtf ? *id : *parent);
    gw_status status = GW_OK;
    for (char *next, *at = of; at && status == GW_OK; at = next) { // an exon of GFF3 may be of several transcripts
        if ((next = gtf ? NULL : strchr(at, ','))) *next++ = 0;
        status = add_exon(r, row, at, &exon);
    }
    if (status == GW_OK && gtf) {
        exon->tag = tag_of(row);
        status = take_attribute(r, row, gene, &exon->gene);
    }
    if (status == GW_OK && gtf) status = take_attribute(r, row, name, &exon->name);
    free(of);
    return status;
}

static gw_status read_rows(reader *r) {
    const bool stops = r->file->models->of_coding; // CDS of GTF ends before the stop codon
    gw_gff_row row;
    for (bool got = true; got;) {
        GW_TRY(gw_gff_next_row(r->lines, &r->kind, "", &row, &got));
        if (!got || !row.placed) continue;
        const bool exon = strcmp(row.type, "exon") == 0 || strcmp(row.type, "CDS") == 0;
        if (exon || (stops && r->kind == GW_GTF && strcmp(row.type, "stop_codon") == 0)) GW_TRY(note_exon(r, &row));
        else if (r->kind != GW_GTF || strcmp(row.type, "transcript") == 0) GW_TRY(note_row(r, &row));
    }
    return GW_OK;
}

static int by_id(const void *a, const void *b) {
    return strcmp(((const noted_row *)a)->id, ((const noted_row *)b)->id);
}

static const noted_row *find_row(const reader *r, const char *id) {
    const noted_row key = {.id = (char *)(uintptr_t)id};
    return id && r->row_count > 0 ? bsearch(&key, r->rows, (size_t)r->row_count, sizeof key, by_id) : NULL;
}

static int by_transcript(const void *a, const void *b) {
    const noted_exon *x = a, *y = b;
    const int order = strcmp(x->transcript, y->transcript);
    if (order) return order;
    const int contig = strcmp(x->contig, y->contig);
    if (contig) return contig;
    if (x->coding != y->coding) return x->coding - y->coding;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

// Exons [first, end) of one transcript on one contig.
static gw_status add_transcript(reader *r, int64_t first, int64_t end) {
    GW_TRY(gw_reserve(&r->transcripts, &r->transcript_capacity, r->transcript_count + 1, sizeof *r->transcripts));
    transcript t = {
        .id = r->exons[first].transcript, .first = first, .exons = first, .last = end, .tag = OTHER, .line = INT64_MAX};
    for (int64_t i = first; i < end; i++) {
        const noted_exon *exon = &r->exons[i];
        *(exon->coding ? &t.coding : &t.length) += exon->end - exon->begin;
        if (!exon->coding) t.exons++;
        t.tag = (int)gw_min(t.tag, exon->tag);
        t.line = gw_min(t.line, exon->line);
    }
    const noted_exon *x = &r->exons[first];
    const noted_row *own = find_row(r, t.id);
    if (own && own->dubious) return GW_OK;
    if (t.exons == first && !r->file->models->of_coding) return GW_OK; // no exon, a CDS alone
    // Of GFF3 the parents say whose it is and how it is tagged; one without a gene stands for itself.
    const noted_row *gene = own ? find_row(r, own->parent) : NULL;
    t.gene = x->gene ? x->gene : gene ? gene->id : t.id;
    t.name = x->name ? x->name : gene && gene->name ? gene->name : own && own->name ? own->name : t.gene;
    if (own) t.tag = (int)gw_min(own->tag, t.tag);
    r->transcripts[r->transcript_count++] = t;
    return GW_OK;
}

static int by_protein(const void *a, const void *b) {
    const noted_exon *x = a, *y = b;
    const int order = strcmp(x->protein, y->protein);
    return order ? order : by_transcript(a, b);
}

// Each of them is a transcript.
static gw_status add_proteins(reader *r, int64_t first, int64_t end) {
    qsort(&r->exons[first], (size_t)(end - first), sizeof *r->exons, by_protein);
    for (int64_t next; first < end; first = next) {
        for (next = first + 1; next < end; next++)
            if (strcmp(r->exons[next].protein, r->exons[first].protein) != 0) break;
        const int64_t before = r->transcript_count;
        GW_TRY(add_transcript(r, first, next));
        if (r->transcript_count > before) r->transcripts[before].one_of_several = true;
    }
    return GW_OK;
}

static gw_status join_exons(reader *r) {
    if (r->row_count > 1) qsort(r->rows, (size_t)r->row_count, sizeof *r->rows, by_id);
    if (r->exon_count > 1) qsort(r->exons, (size_t)r->exon_count, sizeof *r->exons, by_transcript);
    for (int64_t first = 0, end; first < r->exon_count; first = end) {
        const noted_exon *x = &r->exons[first];
        for (end = first + 1; end < r->exon_count; end++)
            if (strcmp(r->exons[end].transcript, x->transcript) || strcmp(r->exons[end].contig, x->contig)) break;
        // A gene of bacteria may have CDS of several proteins, which begin at other starts.
        bool named = true, several = false;
        for (int64_t i = first; i < end && named; i++) {
            named = r->exons[i].coding && r->exons[i].protein;
            several = several || (named && strcmp(r->exons[i].protein, x->protein) != 0);
        }
        GW_TRY(named && several ? add_proteins(r, first, end) : add_transcript(r, first, end));
    }
    return GW_OK;
}

// Transcripts of a gene next to each other, the canonical one first.
static int by_gene(const void *a, const void *b) {
    const transcript *x = a, *y = b;
    const int order = strcmp(x->gene, y->gene);
    if (order) return order;
    if (x->tag != y->tag) return x->tag - y->tag;
    if (x->coding != y->coding) return x->coding > y->coding ? -1 : 1;
    if (x->length != y->length) return x->length > y->length ? -1 : 1;
    return strcmp(x->id, y->id);
}

static int by_line(const void *a, const void *b) {
    const transcript *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

// The first transcript of each gene is the canonical one. Where it alone is wanted it stands at the first row of its
// gene. In the order of the file.
static void choose_transcripts(reader *r) {
    transcript *t = r->transcripts;
    int64_t kept = 0;
    if (r->transcript_count > 1) qsort(t, (size_t)r->transcript_count, sizeof *t, by_gene);
    for (int64_t i = 0; i < r->transcript_count; i++) t[i].canonical = i == 0 || strcmp(t[i - 1].gene, t[i].gene) != 0;
    for (int64_t i = 0; !r->file->models->each && i < r->transcript_count; i++) {
        if (t[i].canonical) t[kept++] = t[i];
        else t[kept - 1].line = gw_min(t[kept - 1].line, t[i].line);
    }
    if (!r->file->models->each) r->transcript_count = kept;
    if (r->transcript_count > 1) qsort(t, (size_t)r->transcript_count, sizeof *t, by_line);
}

// Rows that touch, as a stop codon does, are one stretch.
static gw_status take_coding(const noted_exon *rows, int64_t count, gw_gene_model *gene) {
    if (count == 0) return GW_OK;
    gene->coding = gw_alloc(2 * count, sizeof *gene->coding);
    if (!gene->coding) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        int64_t *last = gene->coding + 2 * gene->coding_count;
        if (gene->coding_count == 0 || rows[i].begin > last[-1]) {
            last[0] = rows[i].begin, last[1] = rows[i].end;
            gene->coding_count++;
        } else if (rows[i].end > last[-1]) {
            last[-1] = rows[i].end;
        }
    }
    return GW_OK;
}

// Locus tags that it had are joined by commas.
static gw_status take_names(const reader *r, const transcript *t, gw_gene_model *gene) {
    const noted_exon *rows = &r->exons[t->first], *coding = t->exons < t->last ? &r->exons[t->exons] : NULL;
    const noted_row *of = find_row(r, t->gene);
    gw_string aliases = {0};
    gw_string_printf(&aliases, "%s\t", t->gene);
    if (rows->locus) gw_string_printf(&aliases, "%s\t", rows->locus);
    if (rows->symbol) gw_string_printf(&aliases, "%s\t", rows->symbol);
    for (const char *c = of && of->old ? of->old : ""; *c; c++) gw_string_putc(&aliases, *c == ',' ? '\t' : *c);
    if (of && of->old) gw_string_putc(&aliases, '\t');
    if (gw_string_status(&aliases) != GW_OK) {
        gw_string_free(&aliases);
        return GW_ERR_MEMORY;
    }
    gene->aliases = aliases.data;
    gene->code = coding ? coding->code : 0;
    gene->transcript = gw_strdup(t->one_of_several && coding->protein ? coding->protein : t->id);
    if (coding && coding->protein && !(gene->protein = gw_strdup(coding->protein))) return GW_ERR_MEMORY;
    return gene->transcript ? GW_OK : GW_ERR_MEMORY;
}

static gw_status take_transcript(reader *r, const transcript *t) {
    const noted_exon *rows = &r->exons[t->first];
    const int64_t exons = t->exons - t->first, all = t->last - t->first;
    gw_gene_model gene = {
        .name = gw_strdup(t->name), .canonical = t->canonical, .strand = rows[0].strand, .begin = rows[0].begin};
    gw_status status = gene.name ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && r->file->models->each) status = take_names(r, t, &gene);
    // First and last bases of the exons.
    const int64_t count = exons > 0 ? exons : all;
    if (status == GW_OK && !(gene.boundaries = gw_alloc(2 * count, sizeof *gene.boundaries))) status = GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < count; i++) {
        gene.boundaries[i] = rows[i].begin;
        gene.boundaries[count + i] = rows[i].end - 1;
        gene.boundary_count = 2 * count;
        gene.end = gw_max(gene.end, rows[i].end);
    }
    if (status == GW_OK) status = take_coding(rows + exons, all - exons, &gene);
    if (status == GW_OK) return gw_gene_file_take(r->file, rows[0].contig, &gene);
    gw_gene_model_free(&gene);
    return status;
}

static gw_status read_annotation(reader *r) {
    GW_TRY(gw_lines_open(r->file->path, &r->lines));
    GW_TRY(read_rows(r));
    GW_TRY(join_exons(r));
    choose_transcripts(r);
    if (r->without_strand > 0)
        gw_warn("%s: %lld exons without a strand are left out", r->file->path, (long long)r->without_strand);
    if (r->transcript_count == 0)
        return gw_fail(GW_ERR_FORMAT, "%s has no exons, and genes are made from exons", r->file->path);
    for (int64_t i = 0; i < r->transcript_count; i++) GW_TRY(take_transcript(r, &r->transcripts[i]));
    return GW_OK;
}

gw_status gw_gene_file_read_annotation(gw_gene_file *file, gw_gff_kind kind) {
    reader r = {.file = file, .kind = kind};
    const gw_status status = read_annotation(&r);
    gw_lines_close(r.lines);
    for (int64_t i = 0; i < r.row_count; i++) {
        free(r.rows[i].id);
        free(r.rows[i].parent);
        free(r.rows[i].name);
        free(r.rows[i].old);
    }
    for (int64_t i = 0; i < r.exon_count; i++) {
        free(r.exons[i].transcript);
        free(r.exons[i].gene);
        free(r.exons[i].name);
        free(r.exons[i].locus);
        free(r.exons[i].symbol);
        free(r.exons[i].protein);
        free(r.exons[i].contig);
    }
    free(r.rows);
    free(r.exons);
    free(r.transcripts);
    gw_string_free(&r.value);
    return status;
}
