// SPDX-License-Identifier: MIT
// Assemblies by the length of chromosome 1 and by what headers say, and the command that takes a VCF between them.
#include "seq/genome/assemblies.h"

#include <criterion/criterion.h>

// Lengths of NC_000001.10 and NC_000001.11.
static const int64_t grch37 = 249250621, grch38 = 248956422;

static void expect_named(const char *header, const char *name) {
    const gw_assembly *found = gw_assembly_of_header(header);
    cr_assert_str_eq(found ? gw_assembly_name(found) : "", name, "%s", header);
}

Test(assemblies, by_length) {
    cr_assert_str_eq(gw_assembly_name(gw_assembly_of_length(grch37)), "GRCh37");
    cr_assert_str_eq(gw_assembly_name(gw_assembly_of_length(grch38)), "GRCh38");
    cr_assert_null(gw_assembly_of_length(grch38 + 1));
}

Test(assemblies, by_header) {
    expect_named("##fileformat=VCFv4.2\n##reference=file:///ref/human_g1k_v37.fasta\n#CHROM\n", "GRCh37");
    expect_named("##fileformat=VCFv4.2\n##contig=<ID=1,assembly=b37,length=5>\n#CHROM\n", "GRCh37");
    expect_named("##reference=hg38.fa\n", "GRCh38");
    expect_named("##reference=hg190.fa\n", "");
    expect_named("##source=made for hg19\n#CHROM\n", "");
    expect_named("", "");
}

static void expect_command(const gw_assembly *from, const gw_assembly *to, const char *vcf, const char *command) {
    gw_string text = {0};
    gw_assembly_put_liftover(from, to, vcf, "my genome.fa", &text);
    cr_assert_eq(gw_string_status(&text), GW_OK);
    cr_assert_str_eq(text.data, command);
    gw_string_free(&text);
}

Test(assemblies, command) {
    const gw_assembly *old = gw_assembly_of_length(grch37), *new = gw_assembly_of_length(grch38);
    expect_command(old, new, "in.vcf", "godwit liftover --vcf -c hg19ToHg38.over.chain.gz -f 'my genome.fa' in.vcf");
    expect_command(new, old, "-", "godwit liftover --vcf -c hg38ToHg19.over.chain.gz -f 'my genome.fa'");
    expect_command(NULL, new, "in.vcf", "godwit liftover --vcf -c OLD-TO-NEW.over.chain.gz -f 'my genome.fa' in.vcf");
}
