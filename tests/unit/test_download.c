// SPDX-License-Identifier: MIT
// Downloads from a server that sends nothing, and what the hub's headers say.
#include "file/download.h"
#include "tests/unit/scratch.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

TestSuite(download, .init = scratch_enter, .fini = scratch_leave);

// A process that answers one request with the text, and then keeps the line open.
static pid_t serve(const char *text, char url[64]) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    const int server = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert(bind(server, (struct sockaddr *)&at, sizeof at) == 0 && listen(server, 1) == 0 &&
              getsockname(server, (struct sockaddr *)&at, &size) == 0);
    snprintf(url, 64, "http://127.0.0.1:%d/x", ntohs(at.sin_port));
    const pid_t process = fork();
    if (process == 0) {
        const int client = accept(server, NULL, NULL);
        if (write(client, text, strlen(text)) < 0) _exit(1);
        pause();
        _exit(0);
    }
    close(server);
    return process;
}

static void expect_stalled(const char *text, const char *message) {
    char url[64];
    gw_download_result result;
    const pid_t server = serve(text, url);
    const gw_download_options options = {.url = url,
                                         .folder = open(".", O_RDONLY | O_DIRECTORY),
                                         .part = "x.part",
                                         .name = "x",
                                         .bytes = -1,
                                         .most = 1000,
                                         .stalled_seconds = 1};
    const gw_status status = gw_download(&options, &result);
    kill(server, SIGKILL);
    close(options.folder);
    if (status == GW_ERR_UNSUPPORTED) cr_skip_test("no libcurl");
    cr_expect_eq(status, GW_ERR_IO);
    cr_expect(strstr(gw_message(), message), "%s", gw_message());
    cr_expect(strstr(gw_message(), "Operation too slow"), "%s", gw_message());
}

Test(download, servers_that_send_nothing_are_left, .timeout = 120) {
    expect_stalled("", "cannot fetch http://127.0.0.1:");
    expect_stalled("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", " broke off after 3 bytes: ");
}

typedef struct {
    const char *lines[8];
    int64_t bytes;
    const char *hash;
} answers;

#define SHA1 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SHA256 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define OTHER "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

Test(download, headers_of_the_hub) {
    static const answers cases[] = {
        {{"HTTP/1.1 200 OK", "ETag: \"" SHA1 "\"\r\n"}, -1, SHA1},
        {{"HTTP/2 200", "etag: W/\"" SHA1 "\""}, -1, SHA1},
        {{"HTTP/2 200", "ETag: \"5f-1a2b\""}, -1, ""},
        {{"HTTP/2 302", "Location: https://cdn.example/x", "X-Linked-Size: 12", "X-Linked-ETag: \"" SHA256 "\"",
          "HTTP/2 200", "ETag: \"" OTHER "\"", "X-Linked-Size: 5"},
         12,
         SHA256},
        {{"HTTP/2 302", "Location: //cdn.example/x", "ETag: \"" SHA1 "\"", "HTTP/2 200", "ETag: \"" OTHER "\""},
         -1,
         SHA1},
        {{"HTTP/2 307", "Location: https://hub.example/new", "HTTP/2 200", "ETag: \"" SHA1 "\""}, -1, SHA1},
        {{"HTTP/2 307", "Location: /new", "ETag: \"" OTHER "\"", "HTTP/2 200"}, -1, ""},
        {{"HTTP/2 307", "Location: https://hub.example.org/new", "HTTP/2 200", "ETag: \"" SHA1 "\""}, -1, ""},
        {{"HTTP/2 200", "X-Linked-Size: -5", "X-Linked-Size: 99999999999999999999"}, -1, ""},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        gw_hub_headers headers;
        gw_hub_headers_begin(&headers, "https://hub.example/a/b");
        for (int i = 0; i < 8 && cases[c].lines[i]; i++)
            gw_hub_headers_add(&headers, cases[c].lines[i], (int64_t)strlen(cases[c].lines[i]));
        cr_expect_eq(headers.bytes, cases[c].bytes, "case %d: %lld", (int)c, (long long)headers.bytes);
        cr_expect_str_eq(headers.hash, cases[c].hash, "case %d: '%s'", (int)c, headers.hash);
    }
}
