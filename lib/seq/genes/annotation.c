// SPDX-License-Identifier: MIT
// Rows may be in any order: they are stored, and joined at the end.
//
// Parts are sorted by begin. With the largest end of all earlier parts, bisection finds the first part that can overlap
// a range.
#include "seq/genes/annotation.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "seq/genes/annotation_private.h"

#include <stdlib.h>
#include <string.h>

// A transcript of GTF need not say what it is. A gene of GFF3 that has CDS straight below it, as annotations of
// bacteria have it, is its own transcript.
static void choose_biotypes(gw_annotation_reader *r) {
    const gw_biotype *coding = gw_biotype_of("protein_coding"), *other = gw_biotype_of("processed_transcript");
    for (int64_t i = 0; r->kind == GW_GFF3 && i < r->out->count; i++) {
        gw_annotated *t = &r->out->items[i];
        const bool by_cds = !t->biotype && t->strand;
        const int64_t gene = by_cds ? gw_names_find(&r->genes, r->transcripts.items[i]) : -1;
        if (gene < 0) continue;
        t->biotype = coding;
        t->bacterial = true;
        r->noted[i].gene = gene;
    }
    if (r->kind != GW_GTF) return;
    for (int64_t i = 0; i < r->part_count; i++) {
        gw_annotated *t = &r->out->items[r->parts[i].part.transcript];
        if (!t->biotype && !r->noted[r->parts[i].part.transcript].has_biotype && r->parts[i].kind == GW_CDS_PART)
            t->biotype = coding;
    }
    for (int64_t i = 0; i < r->out->count; i++)
        if (!r->out->items[i].biotype && !r->noted[i].has_biotype) r->out->items[i].biotype = other;
}

static bool is_used(const gw_annotated *t) {
    return t->biotype && t->contig >= 0;
}

// What ends up on no contig, or beyond its end, is left out.
static gw_status put_on_genome(gw_annotation_reader *r) {
    int64_t used = 0, unknown = 0, off = 0;
    const char *first = NULL;
    for (int64_t i = 0; i < r->out->count; i++) {
        gw_annotated *t = &r->out->items[i];
        if (!t->biotype) continue;
        r->without_strand += t->strand == '.';
        if (t->strand == '.') continue;
        t->contig = gw_genome_find(r->genome, r->noted[i].contig, -1);
        const bool beyond = t->contig >= 0 && t->end > gw_genome_length(r->genome, t->contig);
        if (t->contig < 0 && unknown++ == 0) first = r->noted[i].contig;
        off += beyond;
        if (beyond) t->contig = -1;
        used += t->contig >= 0;
    }
    const char *genome = gw_genome_path(r->genome);
    if (off > 0)
        gw_warn("%s: %lld transcripts end past the end of their contig and are left out: is %s its assembly?", r->path,
                (long long)off, genome);
    if (unknown > 0)
        gw_warn("%s: %lld transcripts lie on contigs that %s lacks, such as '%s', and are left out: --chr-map gives "
                "names",
                r->path, (long long)unknown, genome, first);
    if (r->unknown_biotypes > 0)
        gw_warn("%s: %lld transcripts, or other features below genes, whose biotype has no consequences, such as '%s', "
                "are left out",
                r->path, (long long)r->unknown_biotypes, r->biotype);
    if (r->without_strand > 0)
        gw_warn("%s: %lld transcripts without a strand are left out", r->path, (long long)r->without_strand);
    if (used > 0) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "%s has no transcript that lies on %s", r->path, genome);
}

static int by_place(const void *a, const void *b) {
    const gw_gene_part *x = a, *y = b;
    if (x->contig != y->contig) return x->contig - y->contig;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end) return x->end > y->end ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

// A stop codon of GTF that stands next to its CDS is one stretch with it.
static void join_touching(gw_annotated *t) {
    int64_t kept = 0;
    if (t->cds_count > 1) qsort(t->cds, (size_t)t->cds_count, sizeof *t->cds, by_place);
    for (int64_t i = 0; i < t->cds_count; i++) {
        gw_gene_part *last = kept > 0 ? &t->cds[kept - 1] : NULL;
        if (!last || t->cds[i].begin > last->end) {
            t->cds[kept++] = t->cds[i];
            continue;
        }
        if (t->strand == '-') last->phase = t->cds[i].phase;
        last->end = gw_max(last->end, t->cds[i].end);
    }
    t->cds_count = kept;
}

static gw_status push(gw_gene_part_index *index, gw_gene_part part, const gw_annotated *t) {
    GW_TRY(gw_reserve(&index->items, &index->capacity, index->count + 1, sizeof *index->items));
    part.contig = t->contig;
    part.order = index->count;
    index->items[index->count++] = part;
    return GW_OK;
}

// Of GTF: what an exon has on either side of the coding sequence.
static gw_status push_utrs_of_exon(gw_annotation_reader *r, const gw_gene_part *exon) {
    const gw_annotated *t = &r->out->items[exon->transcript];
    if (t->cds_count == 0) return GW_OK;
    const int64_t begin = t->cds[0].begin, end = t->cds[t->cds_count - 1].end;
    gw_gene_part left = *exon, right = *exon;
    left.end = gw_min(left.end, begin);
    right.begin = gw_max(right.begin, end);
    left.five = t->strand == '+';
    right.five = !left.five;
    if (left.begin < left.end) GW_TRY(push(&r->out->index[GW_UTR_PART], left, t));
    return right.begin < right.end ? push(&r->out->index[GW_UTR_PART], right, t) : GW_OK;
}

static int by_begin(const void *a, const void *b) {
    const gw_gene_part *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

// The i-th stretch in the transcript's direction.
static gw_gene_part *stretch(gw_annotated *t, int64_t i) {
    return &t->cds[t->strand == '-' ? t->cds_count - 1 - i : i];
}

static int64_t bases_of(const gw_gene_part *p) {
    return p->end - p->begin;
}

// Cuts bases from the side where the transcript's direction begins, or ends.
static void cut(const gw_annotated *t, gw_gene_part *p, int64_t bases, bool at_start) {
    if ((t->strand == '-') != at_start) p->begin += bases;
    else p->end -= bases;
}

// The frame of a transcript's CDS. The phase of the first stretch, in the direction of the strand, are bases of a codon
// that begins before the transcript does: they are cut. The others must agree with the bases before them. What is left
// over at the end is cut too.
static gw_status settle_frame(gw_annotated *t) {
    if (t->cds_count == 0) return GW_OK;
    qsort(t->cds, (size_t)t->cds_count, sizeof *t->cds, by_begin);
    int64_t left = gw_max(stretch(t, 0)->phase, 0);
    if (left > 0) {
        t->starts_late = true;
        stretch(t, 0)->phase = 0;
    }
    for (int64_t i = 0; i < t->cds_count && left > 0; i++) {
        const int64_t bases = gw_min(left, bases_of(stretch(t, i)));
        cut(t, stretch(t, i), bases, true);
        left -= bases;
        if (left == 0 && bases_of(stretch(t, i)) > 0) stretch(t, i)->phase = 0;
    }
    int64_t before = 0;
    for (int64_t i = 0; i < t->cds_count; i++) {
        const gw_gene_part *p = stretch(t, i);
        const int64_t expected = (3 - before % 3) % 3;
        if (p->phase >= 0 && bases_of(p) > 0 && p->phase != expected)
            return gw_fail(GW_ERR_FORMAT,
                           "transcript %s: CDS at %lld-%lld has phase %d, and the bases before it leave %lld", t->id,
                           (long long)p->begin + 1, (long long)p->end, p->phase, (long long)expected);
        before += bases_of(p);
    }
    left = before % 3;
    t->coding_length = before - left;
    t->ends_early = left > 0;
    for (int64_t i = t->cds_count - 1; i >= 0 && left > 0; i--) {
        const int64_t bases = gw_min(left, bases_of(stretch(t, i)));
        cut(t, stretch(t, i), bases, false);
        left -= bases;
    }
    before = 0;
    for (int64_t i = 0; i < t->cds_count; i++) {
        t->cds[i].index = i;
        t->cds[i].place = before;
        before += bases_of(&t->cds[i]);
    }
    return GW_OK;
}

// Transcripts whose frame contradicts itself are left out.
static gw_status settle(gw_annotation_reader *r) {
    int64_t contradict = 0;
    char *first = NULL;
    for (int64_t i = 0; i < r->out->count; i++) {
        gw_annotated *t = &r->out->items[i];
        if (!is_used(t)) continue;
        if (r->kind == GW_GTF) join_touching(t);
        if (settle_frame(t) == GW_OK) continue;
        t->contig = -1;
        if (contradict++ == 0 && !(first = gw_strdup(gw_message()))) return GW_ERR_MEMORY;
    }
    if (contradict > 0)
        gw_warn("%s: %lld transcripts are left out since phases of their CDS contradict each other: %s", r->path,
                (long long)contradict, first);
    free(first);
    return GW_OK;
}

static gw_status push_parts(gw_annotation_reader *r) {
    gw_gene_part_index *index = r->out->index;
    for (int64_t i = 0; i < r->out->count; i++) {
        const gw_annotated *t = &r->out->items[i];
        if (!is_used(t)) continue;
        GW_TRY(push(&index[GW_WHOLE_PART], (gw_gene_part){.transcript = i, .begin = t->begin, .end = t->end}, t));
        for (int64_t k = 0; k < t->cds_count; k++)
            if (t->cds[k].begin < t->cds[k].end) GW_TRY(push(&index[GW_CDS_PART], t->cds[k], t));
    }
    for (int64_t i = 0; i < r->part_count; i++) {
        const gw_noted_part *noted = &r->parts[i];
        const gw_annotated *t = &r->out->items[noted->part.transcript];
        gw_gene_part part = noted->part;
        if (!is_used(t) || noted->kind == GW_CDS_PART) continue;
        if (noted->kind == GW_EXON_PART && r->kind == GW_GTF) GW_TRY(push_utrs_of_exon(r, &part));
        if (noted->kind == GW_EXON_PART) {
            part.begin -= GW_SPLICE_REACH;
            part.end += GW_SPLICE_REACH;
        }
        GW_TRY(push(&index[noted->kind], part, t));
    }
    return GW_OK;
}

static gw_status sort_index(gw_gene_part_index *index, int contigs) {
    index->first = gw_alloc(contigs + 1, sizeof *index->first);
    index->reach = gw_alloc(index->count + 1, sizeof *index->reach);
    if (!index->first || !index->reach) return GW_ERR_MEMORY;
    if (index->count > 1) qsort(index->items, (size_t)index->count, sizeof *index->items, by_place);
    int64_t at = 0;
    for (int contig = 0; contig < contigs; contig++) {
        index->first[contig] = at;
        for (int64_t furthest = 0; at < index->count && index->items[at].contig == contig; at++) {
            furthest = gw_max(furthest, index->items[at].end);
            index->reach[at] = furthest;
        }
    }
    index->first[contigs] = at;
    return GW_OK;
}

static gw_status join(gw_annotation_reader *r) {
    choose_biotypes(r);
    for (int64_t i = 0; i < r->part_count; i++) { // a transcript reaches as far as its parts
        const gw_gene_part *part = &r->parts[i].part;
        gw_annotated *t = &r->out->items[part->transcript];
        t->begin = gw_min(t->begin, part->begin);
        t->end = gw_max(t->end, part->end);
    }
    GW_TRY(put_on_genome(r));
    for (int64_t i = 0; i < r->out->count; i++) {
        gw_annotated *t = &r->out->items[i];
        const int64_t gene = r->noted[i].gene;
        const char *name = gene < 0 ? t->id : r->gene_names[gene] ? r->gene_names[gene] : r->genes.items[gene];
        if (!(t->gene = gw_strdup(name))) return GW_ERR_MEMORY;
    }
    for (int64_t i = 0; i < r->part_count; i++) {
        const gw_noted_part *noted = &r->parts[i];
        gw_annotated *t = &r->out->items[noted->part.transcript];
        if (!is_used(t) || noted->kind != GW_CDS_PART) continue;
        if (noted->strand != t->strand)
            return gw_fail(GW_ERR_FORMAT, "%s: CDS of transcript %s lies on the other strand", r->path, t->id);
        GW_TRY(gw_reserve(&t->cds, &t->cds_capacity, t->cds_count + 1, sizeof *t->cds));
        t->cds[t->cds_count++] = noted->part;
    }
    GW_TRY(settle(r));
    GW_TRY(push_parts(r));
    for (int kind = 0; kind < GW_GENE_PARTS; kind++)
        GW_TRY(sort_index(&r->out->index[kind], gw_genome_contigs(r->genome)));
    return GW_OK;
}

gw_status gw_annotation_read(const char *path, gw_genome *genome, gw_annotation *out) {
    gw_annotation_reader r = {.path = path, .genome = genome, .out = out};
    *out = (gw_annotation){0};
    gw_status status = gw_lines_open(path, &r.lines);
    gw_gff_row row;
    for (bool got = true; status == GW_OK && got;) {
        status = gw_gff_next_row(r.lines, &r.kind, ": consequences need a file that tells coding sequence", &row, &got);
        if (status == GW_OK && got && row.placed) status = gw_annotation_note_row(&r, &row);
    }
    if (status == GW_OK && r.part_count + out->count == 0)
        status = gw_fail(GW_ERR_FORMAT, "%s has no transcripts, and consequences need transcripts", path);
    if (status == GW_OK) status = join(&r);
    gw_lines_close(r.lines);
    gw_names_free(&r.transcripts);
    gw_names_free(&r.genes);
    for (int64_t i = 0; i < r.gene_known; i++) free(r.gene_names[i]);
    free(r.gene_names);
    free(r.noted);
    free(r.parts);
    gw_string_free(&r.value);
    return status;
}

void gw_annotation_free(gw_annotation *a) {
    for (int64_t i = 0; i < a->count; i++) {
        free(a->items[i].id);
        free(a->items[i].gene);
        free(a->items[i].cds);
    }
    free(a->items);
    for (int kind = 0; kind < GW_GENE_PARTS; kind++) {
        free(a->index[kind].items);
        free(a->index[kind].first);
        free(a->index[kind].reach);
    }
    *a = (gw_annotation){0};
}

const gw_gene_part *gw_annotation_next(const gw_annotation *annotation, gw_gene_part_kind kind, int contig,
                                       int64_t begin, int64_t end, int64_t *at) {
    const gw_gene_part_index *index = &annotation->index[kind];
    if (contig < 0 || !index->first) return NULL;
    const int64_t last = index->first[contig + 1];
    int64_t i = *at + 1;
    if (*at < 0) {
        const int64_t first = index->first[contig];
        i = first + GW_FIRST_NOT(k, last - first, index->reach[first + k] <= begin);
    }
    for (; i < last && index->items[i].begin < end; i++) {
        if (index->items[i].end <= begin) continue;
        *at = i;
        return &index->items[i];
    }
    return NULL;
}
