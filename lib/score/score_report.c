// SPDX-License-Identifier: MIT
// What a run says of the alleles that it saw.
#include "score/score_run.h"

#include "base/log.h"

enum { ENOUGH_COMPARED = 1000 };

void gw_score_warn_of_mismatches(gw_score_run *s, bool at_end) {
    const int64_t wrong = s->counts[GW_ALLELE_REFMISMATCH];
    if (s->warned || 10 * wrong <= s->compared || (!at_end && s->compared < ENOUGH_COMPARED)) return;
    s->warned = true;
    gw_warn("REF differs from the reference in %lld of %lld alleles: are %s and %s of the same genome build?",
            (long long)wrong, (long long)s->compared, gw_vcf_path(s->reader), gw_genome_path(s->genome));
}

// Nothing else tells that a file was not scored because the names of its contigs are others, so it is said under -q
// too.
static void warn_of_contigs(const gw_score_run *s) {
    int64_t alleles = 0;
    for (int i = 0; i < GW_ALLELE_STATUSES; i++) alleles += s->counts[i];
    if (2 * s->counts[GW_ALLELE_NOCONTIG] <= alleles || alleles == 0) return;
    gw_warn("%lld of %lld alleles lie on contigs that %s lacks (NOCONTIG), such as '%s'; it has '%s' and %d others: "
            "--chr-map gives names",
            (long long)s->counts[GW_ALLELE_NOCONTIG], (long long)alleles, gw_genome_path(s->genome), s->unknown,
            gw_genome_name(s->genome, 0), gw_genome_contigs(s->genome) - 1);
}

static int64_t scored_alleles(const gw_score_run *s) {
    int64_t scored = 0;
    for (int i = 0; i < GW_ALLELE_STATUSES; i++)
        if (gw_allele_is_scored((gw_allele_status)i)) scored += s->counts[i];
    return scored;
}

static void note_counts(const gw_score_run *s) {
    gw_string text = {0};
    gw_string_printf(&text, "%lld records: %lld alleles scored", (long long)s->done_records,
                     (long long)scored_alleles(s));
    for (int i = GW_ALLELE_PASS + 1; i < GW_ALLELE_STATUSES; i++)
        if (s->counts[i] > 0)
            gw_string_printf(&text, ", %lld %s", (long long)s->counts[i], gw_allele_status_name((gw_allele_status)i));
    if (!text.failed) gw_note("%s", text.data);
    gw_string_free(&text);
}

void gw_score_report(const gw_score_run *s) {
    if (s->resumed > 0)
        gw_note("%lld records had been scored by a run that was stopped (%s)", (long long)s->resumed,
                gw_score_journal_path(s->journal));
    if (s->known)
        gw_note("%lld alleles had been scored before (%s)", (long long)gw_score_known_taken(s->known),
                gw_score_known_path(s->known));
    if (s->left_out > 0)
        gw_warn("%lld records whose REF differs from the reference were left out", (long long)s->left_out);
    if (s->crowded > 0)
        gw_note("%lld insertions and deletions have fewer than %lld places for neutral ones within %d kb",
                (long long)s->crowded, (long long)s->options->indel_null, GW_NULL_REACH / 1000);
    if (s->haplotypes.cut > 0)
        gw_warn("%lld times variants of one haplotype stood more densely than can be joined: each is scored, but "
                "together only with those within %lld bases",
                (long long)s->haplotypes.cut, (long long)gw_score_longest_haplotype(s));
    if (s->options->shifts)
        gw_note(
            "%lld insertions and deletions could be written at several places; %lld of them do not stand leftmost, as "
            "bcftools norm would have them",
            (long long)s->movable, (long long)s->moved);
    note_counts(s);
    warn_of_contigs(s);
}
