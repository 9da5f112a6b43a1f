// SPDX-License-Identifier: MIT
// The constants are the first 32 bits of the fractions of square and cube roots of primes (FIPS 180-4, 4.2.2, 5.3.3);
// names of variables and functions are the standard's.
#include "file/sha256.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 64, BLOCK = 64, LENGTH_AT = 56 };

static const uint32_t k[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotr(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}

static void schedule(const unsigned char block[BLOCK], uint32_t w[ROUNDS]) {
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               block[4 * t + 3];
    for (int t = 16; t < ROUNDS; t++) {
        const uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
        const uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
}

static void compress(uint32_t state[8], const unsigned char block[BLOCK]) {
    uint32_t w[ROUNDS], v[8]; // v: a to h
    schedule(block, w);
    memcpy(v, state, sizeof v);
    for (int t = 0; t < ROUNDS; t++) {
        const uint32_t sigma1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25);
        const uint32_t sigma0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22);
        const uint32_t ch = (v[4] & v[5]) ^ (~v[4] & v[6]), maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        const uint32_t t1 = v[7] + sigma1 + ch + k[t] + w[t];
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + sigma0 + maj;
    }
    for (int i = 0; i < 8; i++) state[i] += v[i];
}

void gw_sha256_start(gw_sha256 *sha) {
    *sha = (gw_sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void gw_sha256_add(gw_sha256 *sha, const void *bytes, int64_t count) {
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

void gw_sha256_finish(gw_sha256 *sha, char hex[GW_SHA256_HEX]) {
    static const unsigned char padding[BLOCK] = {0x80};
    const uint64_t bits = sha->bytes * 8;
    const int64_t held = (int64_t)(sha->bytes % BLOCK);
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
    gw_sha256_add(sha, padding, held < LENGTH_AT ? LENGTH_AT - held : BLOCK + LENGTH_AT - held);
    gw_sha256_add(sha, length, sizeof length);
    for (int i = 0; i < 8; i++) snprintf(hex + 8 * i, 9, "%08x", sha->state[i]);
}
