// SPDX-License-Identifier: MIT
// Names of variables and functions are the standard's (FIPS 180-4, 6.1).
#include "file/sha1.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 80, BLOCK = 64, LENGTH_AT = 56 };

static uint32_t rotl(uint32_t x, int n) {
    return x << n | x >> (32 - n);
}

static void compress(uint32_t state[5], const unsigned char block[BLOCK]) {
    static const uint32_t k[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t w[ROUNDS], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               block[4 * t + 3];
    for (int t = 16; t < ROUNDS; t++) w[t] = rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    for (int t = 0; t < ROUNDS; t++) {
        const uint32_t choose = (b & c) ^ (~b & d), parity = b ^ c ^ d, majority = (b & c) ^ (b & d) ^ (c & d);
        const uint32_t f = t < 20 ? choose : t >= 40 && t < 60 ? majority : parity;
        const uint32_t next = rotl(a, 5) + f + e + k[t / 20] + w[t];
        e = d, d = c, c = rotl(b, 30), b = a, a = next;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

void gw_sha1_start(gw_sha1 *sha) {
    *sha = (gw_sha1){.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};
}

void gw_sha1_add(gw_sha1 *sha, const void *bytes, int64_t count) {
    const unsigned char *from = bytes;
    while (count > 0) {
        const int64_t held = (int64_t)(sha->bytes % BLOCK), capacity = BLOCK - held,
                      taken = count < capacity ? count : capacity;
        memcpy(sha->block + held, from, (size_t)taken);
        sha->bytes += (uint64_t)taken;
        from += taken;
        count -= taken;
        if (taken == capacity) compress(sha->state, sha->block);
    }
}

void gw_sha1_finish(gw_sha1 *sha, char hex[GW_SHA1_HEX]) {
    static const unsigned char padding[BLOCK] = {0x80};
    const uint64_t bits = sha->bytes * 8;
    const int64_t held = (int64_t)(sha->bytes % BLOCK);
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
    gw_sha1_add(sha, padding, held < LENGTH_AT ? LENGTH_AT - held : BLOCK + LENGTH_AT - held);
    gw_sha1_add(sha, length, sizeof length);
    for (int i = 0; i < 5; i++) snprintf(hex + 8 * i, 9, "%08x", sha->state[i]);
}
