// SPDX-License-Identifier: MIT
// SHA-256 and SHA-1 on the standard's examples (FIPS 180-4, NIST's example values), whatever the pieces.
#include "file/digest.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect(const char *text, int64_t repeats, const char *hex) {
    gw_sha256 sha;
    char found[GW_SHA256_HEX];
    gw_sha256_start(&sha);
    for (int64_t i = 0; i < repeats; i++) gw_sha256_add(&sha, text, (int64_t)strlen(text));
    gw_sha256_finish(&sha, found);
    cr_expect_str_eq(found, hex);
}

Test(sha256, examples) {
    expect("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    expect("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
           10000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void expect_sha1(const char *text, int64_t repeats, const char *hex) {
    gw_sha1 sha;
    char found[GW_SHA1_HEX];
    gw_sha1_start(&sha);
    for (int64_t i = 0; i < repeats; i++) gw_sha1_add(&sha, text, (int64_t)strlen(text));
    gw_sha1_finish(&sha, found);
    cr_expect_str_eq(found, hex);
}

Test(sha256, examples_of_sha1) {
    expect_sha1("", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    expect_sha1("abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d");
    expect_sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    expect_sha1("a", 1000000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}
