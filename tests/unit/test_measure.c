// SPDX-License-Identifier: MIT
// Measures against graphs whose values are known in closed form.
#include "graph/build.h"
#include "graph/measure.h"
#include "graph/pattern.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>

typedef bool (*reads_rule)(int n, int row, int column);

static gw_graph_measures measured(int n, reads_rule reads) {
    gw_block_lists lists = {.block = 64, .blocks = n};
    int32_t row[256];
    for (int r = 0; r < n; r++) {
        int count = 0;
        for (int c = 0; c < n; c++)
            if (reads(n, r, c)) row[count++] = c;
        cr_assert_eq(gw_block_lists_add(&lists, row, count), GW_OK);
    }
    gw_graph *graph;
    gw_graph_measures measures;
    cr_assert_eq(gw_graph_build(&lists, &graph), GW_OK);
    cr_assert_eq(gw_graph_measure(graph, &measures), GW_OK);
    gw_graph_free(graph);
    gw_block_lists_free(&lists);
    return measures;
}

static void expect_near(double found, double wanted, const char *what) {
    cr_assert(fabs(found - wanted) < 1e-9, "%s: %.12g, expected %.12g", what, found, wanted);
}

static bool complete(int n, int row, int column) {
    (void)n, (void)row, (void)column;
    return true;
}
// Each node reads itself and the k / 2 nearest on both sides of a ring.
static bool ring2(int n, int row, int column) {
    const int apart = (row - column + n) % n;
    return apart <= 1 || apart == n - 1;
}
static bool ring4(int n, int row, int column) {
    const int apart = (row - column + n) % n;
    return apart <= 2 || apart >= n - 2;
}
static bool star(int n, int row, int column) {
    (void)n;
    return row == 0 || column == 0;
}
static bool path(int n, int row, int column) {
    (void)n;
    return row == column || row == column + 1 || row == column - 1;
}
static bool causal_path(int n, int row, int column) {
    (void)n;
    return row == column || row == column + 1;
}
static bool halves(int n, int row, int column) {
    return (row < n / 2) == (column < n / 2);
}
static bool itself(int n, int row, int column) {
    (void)n;
    return row == column;
}

// K_n: eigenvalues 1 and -1 / (n - 1).
Test(measure, complete_graph) {
    const gw_graph_measures m = measured(100, complete);
    cr_assert(m.blocks == 100 && m.edges == 10000 && m.listed == 10000 && m.density == 1);
    cr_assert(m.mean_path == 1 && m.longest_path == 1 && m.unreachable == 0);
    expect_near(m.clustering, 1, "clustering");
    expect_near(m.spectral_gap, 1 + 1.0 / 99, "spectral gap");
}

// C_n: mean distance n^2 / (4 (n - 1)) for even n, second eigenvalue cos(2 pi / n), twice.
Test(measure, cycle) {
    const gw_graph_measures m = measured(130, ring2);
    cr_assert_eq(m.edges, 390);
    expect_near(m.density, 3.0 / 130, "density");
    expect_near(m.mean_path, 130.0 * 130 / (4 * 129), "mean path");
    cr_assert(m.longest_path == 65 && m.unreachable == 0);
    expect_near(m.clustering, 0, "clustering");
    expect_near(m.spectral_gap, 1 - cos(2 * acos(-1) / 130), "spectral gap");
}

// Watts and Strogatz's ring lattice: clustering 3 (k - 2) / (4 (k - 1)), k = 4.
Test(measure, ring_lattice) {
    const gw_graph_measures m = measured(40, ring4);
    expect_near(m.clustering, 0.5, "clustering");
    const double angle = 2 * acos(-1) / 40;
    expect_near(m.spectral_gap, 1 - (cos(angle) + cos(2 * angle)) / 2, "spectral gap");
    cr_assert_eq(m.longest_path, 10);
    expect_near(m.mean_path, (4 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9) + 3 * 10) / 39.0, "mean path");
}

// The hub's neighbours are not linked; eigenvalues 1, 0 and -1: the smallest must not count as the second.
Test(measure, star) {
    const gw_graph_measures m = measured(70, star);
    cr_assert_eq(m.edges, 139);
    expect_near(m.mean_path, 2 - 2.0 / 70, "mean path");
    cr_assert_eq(m.longest_path, 2);
    expect_near(m.clustering, 0, "clustering");
    expect_near(m.spectral_gap, 1, "spectral gap");
}

// P_n: mean distance (n + 1) / 3; the normalised eigenvalues are cos(pi k / (n - 1)).
Test(measure, path) {
    const gw_graph_measures m = measured(200, path);
    expect_near(m.mean_path, 67, "mean path");
    cr_assert_eq(m.longest_path, 199);
    expect_near(m.spectral_gap, 1 - cos(acos(-1) / 199), "spectral gap");
}

// Paths follow the direction of reading, links do not.
Test(measure, one_way_path) {
    const gw_graph_measures m = measured(5, causal_path);
    cr_assert_eq(m.unreachable, 10);
    expect_near(m.mean_path, 2, "mean path");
    cr_assert_eq(m.longest_path, 4);
    expect_near(m.spectral_gap, 1 - cos(acos(-1) / 4), "spectral gap");
}

Test(measure, graphs_that_fall_apart) {
    gw_graph_measures m = measured(10, halves);
    cr_assert(m.mean_path == 1 && m.unreachable == 50 && m.clustering == 1 && m.spectral_gap == 0);
    m = measured(3, itself);
    cr_assert(m.edges == 3 && m.mean_path == 0 && m.longest_path == 0 && m.unreachable == 6);
    cr_assert(m.clustering == 0 && m.spectral_gap == 0);
}

Test(measure, smallest_graphs) {
    gw_graph_measures m = measured(1, complete);
    cr_assert(m.density == 1 && m.mean_path == 0 && m.unreachable == 0 && m.clustering == 0 && m.spectral_gap == 0);
    m = measured(2, complete);
    expect_near(m.spectral_gap, 2, "spectral gap");
    cr_assert(m.mean_path == 1 && m.clustering == 0);
}

// Layer 1 of 1,024 tokens lists some blocks twice: edges count once, listings twice.
Test(measure, repeats) {
    const gw_graph_shape shape = gw_graph_square(1024);
    gw_pattern pattern;
    gw_graph *graph;
    gw_graph_measures m;
    cr_assert_eq(gw_pattern_parse("itc", &pattern), GW_OK);
    cr_assert_eq(gw_pattern_graph(&pattern, &shape, 1, 0, 12, 4096, &graph), GW_OK);
    cr_assert_eq(gw_graph_measure(graph, &m), GW_OK);
    cr_assert(m.listed == 142 && m.edges < 142 && m.longest_path == 2 && m.unreachable == 0);
    expect_near(m.mean_path, 1 + (double)(256 - m.edges) / 240, "every pair is one or two steps apart");
    gw_graph_free(graph);
}
