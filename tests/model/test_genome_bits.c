// SPDX-License-Identifier: MIT
// Bits per base of a genome against the rule said again in plain loops: one base at a time, one sequence a batch.
#include "base/log.h"
#include "network/network.h"
#include "task/masked/evaluate_genome.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

TestSuite(genome_bits, .init = scratch_enter, .fini = scratch_leave);

enum { POSITIONS = 33, W = POSITIONS - 2, H = W / 2, Q = (W - H) / 2, LONGEST = 400 };

static gw_model *tiny_model(void) {
    gw_config config;
    gw_tokenizer *letters;
    gw_model *model;
    cr_assert_eq(gw_config_preset("tiny", &config), GW_OK);
    cr_assert_eq(gw_tokenizer_letters(&letters), GW_OK);
    config.width = 32;
    config.layers = 2;
    config.heads = 2;
    config.feed_forward = 48;
    config.positions = POSITIONS;
    config.head = GW_HEAD_MASKED;
    config.initializer_range = 0.3;
    cr_assert_eq(gw_model_new(&config, letters, 5, &model), GW_OK, "%s", gw_message());
    gw_config_free(&config);
    return model;
}

// The window in whose middle half base `at` of a region of `length` bases lies, at the ends the outermost one.
static int64_t window_of(int64_t at, int64_t length, int64_t *begin) {
    const int64_t windows = length <= W ? 1 : 1 + (length - W + H - 1) / H;
    int64_t k = (at - Q) >= 0 ? (at - Q) / H : 0;
    if (k >= windows) k = windows - 1;
    *begin = k * H + W <= length ? k * H : length > W ? length - W : 0;
    return length < W ? length : W;
}

// Adds the probabilities of A C G T for base `at` of a region: its window on one strand, every seventh base of it
// masked, as one sequence.
static void add_strand(gw_model *model, gw_network *network, const char *region, int64_t length, int64_t at,
                       bool reverse, double p[4]) {
    int64_t begin, start[2] = {0};
    int32_t token[POSITIONS] = {2}, row = 0, count = 1;
    const int64_t size = window_of(at, length, &begin);
    for (int64_t j = 0; j < size; j++) {
        const int64_t i = reverse ? size - 1 - j : j;
        const int letter = toupper(region[begin + i]);
        const bool masked = i % 7 == (at - begin) % 7 && letter != 'N';
        if (begin + i == at) row = count;
        token[count++] =
            masked ? 4 : 5 + (int32_t)(strchr(reverse ? "TGCAN" : "ACGTN", letter) - (reverse ? "TGCAN" : "ACGTN"));
    }
    token[count++] = 3;
    start[1] = count;
    gw_batch batch = {0};
    batch.of[GW_ROWS_TOKENS] = (gw_rows){.count = count, .sequences = 1, .start = start, .token = token};
    batch.of[GW_ROWS_MASKED] = (gw_rows){.count = 1, .row = &row};
    cr_assert_eq(gw_network_forward(network, &batch, NULL), GW_OK, "%s", gw_message());
    const float *z = gw_network_output(network, GW_ROWS_MASKED);
    double sum = 0;
    for (int v = 0; v < model->config.vocabulary; v++) sum += exp((double)z[v]);
    for (int x = 0; x < 4; x++) p[x] += exp((double)z[5 + (reverse ? 3 - x : x)]) / sum;
}

// What was said of progress: how often, of how many windows, and the last number of those that are done.
static struct {
    int calls;
    int64_t last, total;
} told;

static void hear(const char *what, int64_t done, int64_t total, const char *unit, const char *detail) {
    cr_assert_str_eq(what, "evaluate");
    cr_assert_str_eq(unit, "windows");
    cr_assert_not_null(detail, "windows are counted before any of their bases is answered");
    cr_assert_gt(done, told.last);
    told.calls++;
    told.last = done;
    told.total = total;
}

static void each_base_once(bool both_strands) {
    // Regions shorter than a window, as long, a base longer, and such that the last window overlaps more or less.
    static const int64_t lengths[] = {5, W - 1, W, W + 1, W + H, W + H + 1, 3 * H + W, LONGEST, 1};
    gw_genome_text text = {0};
    char bases[9 * LONGEST];
    gw_text_region regions[9];
    for (int r = 0; r < 9; r++) {
        regions[r] = (gw_text_region){.contig = r, .end = lengths[r], .first = text.count};
        for (int64_t i = 0; i < lengths[r]; i++, text.count++)
            bases[text.count] = "ACGTacgtN"[(uint32_t)(text.count * 2654435761u) >> 7 & 7];
    }
    for (int64_t i = 200; i < 215; i++) bases[i] = 'N';
    bases[regions[7].first + 390] = 'n';
    text.bases = bases;
    text.regions = regions;
    text.region_count = 9;

    gw_model *model = tiny_model();
    gw_network *network;
    const gw_network_options options = {.tokens = POSITIONS, .sequences = 1, .masked = 1};
    cr_assert_eq(gw_network_new(model, &options, &network), GW_OK, "%s", gw_message());
    gw_base_sums want = {0}, got;
    for (int r = 0; r < 9; r++)
        for (int64_t at = 0; at < lengths[r]; at++) {
            const char base = bases[regions[r].first + at];
            double p[4] = {0};
            if (toupper(base) == 'N') continue;
            for (int strand = 0; strand <= both_strands; strand++)
                add_strand(model, network, bases + regions[r].first, lengths[r], at, strand == 1, p);
            const int truth = (int)(strchr("ACGT", toupper(base)) - "ACGT");
            int right = 1;
            for (int x = 0; x < 4; x++) right = right && p[x] <= p[truth];
            want.nats[islower(base) != 0] -= log(p[truth] / (1 + both_strands));
            want.bases[islower(base) != 0]++;
            want.right[islower(base) != 0] += right;
        }
    gw_genome_tiles tiles;
    cr_assert_eq(gw_genome_window_length(model), W);
    cr_assert_eq(gw_genome_tiles_make(&tiles, &text, W), GW_OK);
    cr_assert_eq(gw_genome_bits(model, &tiles, &(gw_genome_bits_options){.both_strands = both_strands}, &got), GW_OK,
                 "%s", gw_message());
    for (int part = 0; part < 2; part++) {
        cr_assert_gt(want.bases[part], 100);
        cr_assert_eq(got.bases[part], want.bases[part]);
        cr_assert_eq(got.right[part], want.right[part]);
        cr_assert_float_eq(got.nats[part], want.nats[part], 1e-4 * want.nats[part]);
    }
    cr_assert_float_eq(gw_bits_per_base(&got) * M_LN2 * (double)(got.bases[0] + got.bases[1]),
                       got.nats[0] + got.nats[1], 1e-9 * want.nats[0]);
    // A sample is some of the tiles.
    gw_base_sums some;
    gw_set_log_hooks(&(gw_log_hooks){.progress = hear});
    memset(&told, 0, sizeof told);
    cr_assert_eq(gw_genome_bits(model, &tiles, &(gw_genome_bits_options){.sample = 5}, &some), GW_OK);
    gw_set_log_hooks(NULL);
    cr_assert(told.calls == 1 && told.last == 5 && told.total == 5, "of one batch");
    cr_assert(some.bases[0] + some.bases[1] > 0 && some.bases[0] < got.bases[0]);
    // Outputs that are no numbers are an error, not bits.
    model->parameters.weight[0] = NAN;
    cr_assert_eq(gw_genome_bits(model, &tiles, &(gw_genome_bits_options){.sample = 5}, &some), GW_ERR_RANGE);
    gw_genome_tiles_free(&tiles);
    gw_network_free(network);
    gw_model_free(model);
}

Test(genome_bits, each_base_once_as_in_plain_loops) {
    each_base_once(false);
}

Test(genome_bits, on_both_strands_too) {
    each_base_once(true);
}
