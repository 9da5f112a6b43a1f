// SPDX-License-Identifier: MIT
// Opens the model, the genome and the records that the options name.
#include "tools/variants.h"

#include "task/trained_on.h"

gw_status gw_variants_open(const gw_variant_arguments *arguments, gw_model **model, gw_genome **genome) {
    *model = NULL;
    *genome = NULL;
    GW_TRY(gw_score_options_check(&arguments->score, NULL));
    GW_TRY(gw_device_apply(arguments->inference.device));
    GW_TRY(gw_model_load(arguments->score.model_folder, model));
    GW_TRY(gw_inference_apply(&arguments->inference, *model));
    GW_TRY(gw_genome_open(arguments->fasta, genome));
    if (arguments->chr_map) GW_TRY(gw_genome_read_aliases(*genome, arguments->chr_map));
    return gw_trained_on_check(arguments->score.model_folder, *model, *genome);
}
