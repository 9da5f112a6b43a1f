// SPDX-License-Identifier: MIT
// Reads a gene table row by row, sorts genes of any file by contig, and writes a gene table.
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/lines.h"
#include "file/table.h"
#include "seq/genes/gene_models_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_table *table;
    gw_gene_file *file;
    int name, contig, strand, start, end, exon_start, exon_end; // columns
} table_reader;

static gw_status read_number(table_reader *r, int column, int64_t least, int64_t *out) {
    const char *text;
    GW_TRY(gw_table_text(r->table, column, &text));
    if (gw_parse_int(text, least, INT64_MAX / 4, out) == GW_OK) return GW_OK;
    return gw_table_fail(r->table, GW_ERR_FORMAT, "%s is '%.40s', expected a number from %lld",
                         gw_table_name(r->table, column), text, (long long)least);
}

// Numbers joined by commas, the last of which may be followed by one too, plus `shift`, to the gene's boundaries.
static gw_status read_boundaries(table_reader *r, int column, int64_t shift, gw_gene_model *gene) {
    const char *text;
    GW_TRY(gw_table_text(r->table, column, &text));
    int64_t capacity = gene->boundary_count;
    for (const char *at = text; *at;) {
        char word[24];
        const size_t length = strcspn(at, ",");
        GW_TRY(gw_reserve(&gene->boundaries, &capacity, gene->boundary_count + 1, sizeof *gene->boundaries));
        memcpy(word, at, length < sizeof word ? length : 0);
        word[length < sizeof word ? length : 0] = 0;
        int64_t *value = &gene->boundaries[gene->boundary_count];
        if (gw_parse_int(word, 0, INT64_MAX / 4, value) != GW_OK)
            return gw_table_fail(r->table, GW_ERR_FORMAT, "%s is '%.40s', expected numbers joined by commas",
                                 gw_table_name(r->table, column), text);
        *value += shift;
        if (*value < gene->begin || *value >= gene->end)
            return gw_table_fail(r->table, GW_ERR_FORMAT, "%s holds %s, beyond the gene's ends",
                                 gw_table_name(r->table, column), word);
        gene->boundary_count++;
        at += length + (at[length] == ',');
    }
    return GW_OK;
}

static gw_status read_gene(table_reader *r, gw_gene_model *gene) {
    const char *name, *strand;
    GW_TRY(read_number(r, r->start, 0, &gene->begin));
    GW_TRY(read_number(r, r->end, 1, &gene->end));
    if (gene->begin >= gene->end)
        return gw_table_fail(r->table, GW_ERR_FORMAT, "TX_START %lld is not below TX_END %lld (starts are 0-based)",
                             (long long)gene->begin, (long long)gene->end);
    GW_TRY(gw_table_text(r->table, r->strand, &strand));
    if (strcmp(strand, "+") != 0 && strcmp(strand, "-") != 0)
        return gw_table_fail(r->table, GW_ERR_FORMAT, "STRAND is '%.40s', expected + or -", strand);
    gene->strand = *strand;
    GW_TRY(read_boundaries(r, r->exon_start, 0, gene));
    const int64_t starts = gene->boundary_count;
    GW_TRY(read_boundaries(r, r->exon_end, -1, gene));
    const int64_t ends = gene->boundary_count - starts;
    if (starts == 0 || starts != ends)
        return gw_table_fail(r->table, GW_ERR_FORMAT, "%lld starts of exons and %lld ends, expected as many, and one",
                             (long long)starts, (long long)ends);
    for (int64_t i = 0; i < starts; i++)
        if (gene->boundaries[i] > gene->boundaries[starts + i])
            return gw_table_fail(r->table, GW_ERR_FORMAT, "exon %lld begins at %lld and ends at %lld", (long long)i + 1,
                                 (long long)gene->boundaries[i], (long long)gene->boundaries[starts + i] + 1);
    GW_TRY(gw_table_text(r->table, r->name, &name));
    gene->canonical = true;
    return (gene->name = gw_strdup(name)) ? GW_OK : GW_ERR_MEMORY;
}

static gw_status read_rows(table_reader *r) {
    const struct {
        const char *name;
        int *column;
    } columns[] = {{"#NAME|NAME", &r->name},  {"CHROM", &r->contig}, {"STRAND", &r->strand},
                   {"TX_START", &r->start},   {"TX_END", &r->end},   {"EXON_START", &r->exon_start},
                   {"EXON_END", &r->exon_end}};
    const char *contig;
    bool found = true;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        GW_TRY(gw_table_column(r->table, columns[i].name, columns[i].column));
    for (;;) {
        gw_gene_model gene = {0};
        GW_TRY(gw_table_next(r->table, &found));
        if (!found) return GW_OK;
        gw_status status = read_gene(r, &gene);
        if (status == GW_OK) status = gw_table_text(r->table, r->contig, &contig);
        if (status == GW_OK) status = gw_gene_file_take(r->file, contig, &gene);
        else gw_gene_model_free(&gene);
        GW_TRY(status);
    }
}

static gw_status read_table(gw_gene_file *file) {
    const gw_table_options options = {.fields = true};
    table_reader r = {.file = file};
    GW_TRY(gw_table_open(file->path, &options, &r.table));
    const gw_status status = read_rows(&r);
    gw_table_close(r.table);
    return status;
}

// Stable: genes of a contig stay in the file's order.
static gw_status sort_by_contig(gw_gene_models *m, int contigs) {
    gw_gene_model *sorted = gw_alloc(m->count, sizeof *sorted);
    m->first = gw_alloc(contigs + 1, sizeof *m->first);
    if (!sorted || !m->first) {
        free(sorted);
        return GW_ERR_MEMORY;
    }
    for (int64_t i = 0; i < m->count; i++) m->first[m->items[i].contig + 1]++;
    for (int contig = 0; contig < contigs; contig++) m->first[contig + 1] += m->first[contig];
    for (int64_t i = 0; i < m->count; i++) sorted[m->first[m->items[i].contig]++] = m->items[i];
    for (int contig = contigs; contig > 0; contig--) m->first[contig] = m->first[contig - 1]; // each was its end now
    m->first[0] = 0;
    memcpy(m->items, sorted, (size_t)m->count * sizeof *sorted);
    free(sorted);
    return GW_OK;
}

// What the first row that is no comment is of; a table's head may look like one.
static gw_status find_kind(const char *path, gw_gff_kind *kind) {
    gw_line_reader *lines;
    char *line = NULL;
    int64_t length;
    *kind = GW_GFF_UNKNOWN;
    if (strcmp(path, "-") == 0) return GW_OK; // is read once
    GW_TRY(gw_lines_open(path, &lines));
    gw_status status = gw_lines_next(lines, &line, &length);
    while (status == GW_OK && line && (line[0] == '#' || length == 0)) status = gw_lines_next(lines, &line, &length);
    if (status == GW_OK && line) *kind = gw_gff_kind_of(line);
    gw_lines_close(lines);
    return status;
}

bool gw_is_gene_table(const char *path) {
    gw_line_reader *lines;
    char *line = NULL;
    int64_t length;
    if (strcmp(path, "-") == 0 || gw_lines_open(path, &lines) != GW_OK) return false;
    const bool read = gw_lines_next(lines, &line, &length) == GW_OK && line;
    const bool table = read && gw_has_prefix(line + (line[0] == '#'), "NAME\tCHROM\t");
    gw_lines_close(lines);
    return table;
}

// Nearly all introns of nearly all genomes begin with GT or GC and end with AG. Where most of some genes do not, these
// are of another assembly.
static gw_status check_introns(const gw_gene_models *m, gw_genome *genome, const char *path) {
    enum { GENES = 100, INTRONS = 400, SHORTEST = 20, FEWEST = 20 };
    const int64_t step = gw_max(m->count / GENES, 1);
    int64_t introns = 0, usual = 0;
    for (int64_t i = 0; i < m->count && introns < INTRONS; i += step) {
        const gw_gene_model *gene = &m->items[i];
        const int64_t exons = gene->boundary_count / 2, *first = gene->boundaries, *last = gene->boundaries + exons;
        for (int64_t e = 0; e + 1 < exons; e++) {
            const int64_t begin = last[e] + 1, end = first[e + 1];
            char ends[4], turned[4];
            if (end - begin < SHORTEST) continue;
            GW_TRY(gw_genome_fetch(genome, gene->contig, begin, begin + 2, ends));
            GW_TRY(gw_genome_fetch(genome, gene->contig, end - 2, end, ends + 2));
            gw_reverse_complement(ends, 4, turned);
            const char *read = gene->strand == '-' ? turned : ends;
            introns += !memchr(read, 'N', 4);
            usual += read[0] == 'G' && (read[1] == 'T' || read[1] == 'C') && read[2] == 'A' && read[3] == 'G';
        }
    }
    if (introns >= FEWEST && 2 * usual < introns)
        gw_warn(
            "%s: of %lld introns %lld begin with GT or GC and end with AG on %s, and nearly all should: the genes are "
            "probably of another assembly",
            path, (long long)introns, (long long)usual, gw_genome_path(genome));
    return GW_OK;
}

static gw_status read_models(const char *path, gw_genome *genome, gw_gene_models *out) {
    gw_gene_file file = {.path = path, .genome = genome, .models = out};
    gw_gff_kind kind;
    GW_TRY(find_kind(path, &kind));
    const bool annotation = kind == GW_GFF3 || kind == GW_GTF || (kind == GW_GFF_SGD && out->of_coding);
    gw_status status = annotation ? gw_gene_file_read_annotation(&file, kind) : read_table(&file);
    const char *where = gw_genome_path(genome);
    if (status == GW_OK && file.off_contig > 0)
        gw_warn("%s: %lld genes end past the end of their contig and are left out: is %s the table's assembly?", path,
                (long long)file.off_contig, where);
    if (status == GW_OK && file.no_contig > 0)
        gw_warn("%s: %lld of %lld genes lie on contigs that %s lacks, such as '%s', and are left out: --chr-map gives "
                "names",
                path, (long long)file.no_contig, (long long)file.rows, where, file.unknown);
    if (status == GW_OK && out->count == 0)
        status = gw_fail(GW_ERR_MISMATCH, "%s: none of its %lld genes lies on %s", path, (long long)file.rows, where);
    if (status == GW_OK) status = sort_by_contig(out, gw_genome_contigs(genome));
    if (status == GW_OK) status = check_introns(out, genome, path);
    for (int64_t i = 0; status == GW_OK && !out->each && i < out->count;
         i++) { // most genes share the first base of one
        const gw_gene_model *gene = &out->items[i];
        int64_t depth = 0;
        for (int64_t at = -1; (at = gw_gene_models_next(out, gene->contig, gene->begin, at)) >= 0;) depth++;
        out->deepest = gw_max(out->deepest, depth);
    }
    free(file.unknown);
    return status;
}

gw_status gw_gene_models_read(const char *path, gw_genome *genome, gw_gene_models *out) {
    *out = (gw_gene_models){0};
    return read_models(path, genome, out);
}

gw_status gw_coding_genes_read(const char *path, gw_genome *genome, gw_gene_models *out) {
    *out = (gw_gene_models){.of_coding = true};
    return read_models(path, genome, out);
}

gw_status gw_transcripts_read(const char *path, gw_genome *genome, gw_gene_models *out) {
    *out = (gw_gene_models){.of_coding = true, .each = true};
    return read_models(path, genome, out);
}

static gw_status write_boundaries(gw_text_writer *writer, const int64_t *boundaries, int64_t count, int shift) {
    for (int64_t i = 0; i < count; i++) GW_TRY(gw_writer_printf(writer, "%lld,", (long long)boundaries[i] + shift));
    return GW_OK;
}

static gw_status write_genes(const gw_gene_models *models, const gw_genome *genome, gw_text_writer *writer) {
    GW_TRY(gw_writer_printf(writer, "#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END\n"));
    for (int64_t i = 0; i < models->count; i++) {
        const gw_gene_model *gene = &models->items[i];
        const int64_t exons = gene->boundary_count / 2;
        GW_TRY(gw_writer_printf(writer, "%s\t%s\t%c\t%lld\t%lld\t", gene->name, gw_genome_name(genome, gene->contig),
                                gene->strand, (long long)gene->begin, (long long)gene->end));
        GW_TRY(write_boundaries(writer, gene->boundaries, exons, 0));
        GW_TRY(gw_writer_printf(writer, "\t"));
        GW_TRY(write_boundaries(writer, gene->boundaries + exons, exons, 1));
        GW_TRY(gw_writer_printf(writer, "\n"));
    }
    return GW_OK;
}

gw_status gw_gene_models_write(const gw_gene_models *models, const gw_genome *genome, const char *path) {
    gw_text_writer *writer;
    GW_TRY(gw_writer_open(path, &writer));
    return gw_writers_close(write_genes(models, genome, writer), writer, NULL);
}
