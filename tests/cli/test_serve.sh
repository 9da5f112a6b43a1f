# godwit serve: answers beside what score writes; requests that are none; limits; a socket with several clients.
. "$ROOT/tests/cli/lib.sh"
prepared small
command -v python3 >/dev/null || { echo "needs python3 to read JSON" && exit 77; }
serve() { "$GODWIT" serve -q -f g.fa --window 60 "$@"; }
r=$(awk '/^>/ { contig++; next } contig == 1 { s = s $0 } END { print substr(s, 1005, 1) }' g.fa)

# A region's changes as mutate writes them, and their numbers as score does, whatever the model.
numbers() { # MODEL KEY [OPTION...]: position ALT value
    python3 -c 'import json, sys
for line in sys.stdin:
    answer = json.loads(line)
    assert answer["id"] == ["any", 1] and answer["status"] == "ok", line
    for r in answer["results"]:
        assert r["status"] == "PASS" and r["contig"] == "c1", r
        print(r["position"], r["alt"], *("%.4g" % r[key] for key in sys.argv[1:]))' "$@"
}
for model in "model llr LLR" "profiles diff DIFF"; do
    # shellcheck disable=SC2086 # three words
    set -- $model
    echo '{"id": ["any", 1], "region": "c1:1001-1010"}' | serve -m "$1" | numbers "$2" >found
    "$GODWIT" score -q -m "$1" -f g.fa --window 60 in.vcf | grep -v '^#' | tr ';' '\t' |
        awk -v key="GW_$3=" '{ for (i = 8; i <= NF; i++) if (index($i, key) == 1) printf "%s %s %.4g\n", $2, $5, substr($i, length(key) + 1) }' >expected
    equal "$(wc -l <found)" 30 changes
    same found expected
done

# A base of a transcript.
printf 'c1\tx\texon\t1001\t1050\t.\t+\t.\tgene_id "G"; transcript_id "T";\n' >genes.gtf
printf '{"variants":["T:n.5%s>%s"]}\n' "$r" "$([ "$r" = A ] && echo C || echo A)" | serve -m model --genes genes.gtf >found
grep -q '"position":1005' found || die "no position 1005: $(cat found)"

# One variant that cannot be read leaves the others; a service lives on after requests that are none.
{
    printf '{"id":1,"variants":["c1:1005:%s:T","c1:1005:N","c9:1:A:C","c1:g.1005del"]}\n' "$r"
    printf '\n  \nnonsense\n{"id":2}\n{"id":3,"variants":[1]}\n{"id":4,"region":"c1:1-99"}\n{"id":5,"region":"c1:999999"}\n'
    printf '{"id":6,"variants":[%0200d]}\n[1]\n{"id":7,"variants":"c1:1005:A:C"}\n{"id":8,"variants":[]}\n' 1
    printf '{"id":9,"variants":["c1:1:A:C","c1:1:A:C","c1:1:A:C","c1:1:A:C","c1:1:A:C","c1:1:A:C"]}\n{"id":null,"variants":["c1:1005:%s:C"]}' "$r"
} >requests
serve -m model --most-bytes 150 --most-variants 5 <requests >answers
python3 - answers <<'PY'
import json, sys
answers = [json.loads(line) for line in open(sys.argv[1])]
one = answers[0]["results"]
assert [r["status"] for r in one][1:3] == ["UNREAD", "UNREAD"], one
assert "expected chr17:43045711:G:A" in one[1]["message"] and "no contig 'c9'" in one[2]["message"], one
assert one[3]["status"] == "PASS" and len(one[3]["ref"]) == 2, one
found = [(a["id"], a["status"]) for a in answers]
assert found == [(1, "ok"), (None, "bad-request"), (2, "bad-request"), (3, "bad-request"), (4, "too-large"),
    (5, "bad-request"), (None, "too-large"), (None, "bad-request"), (7, "bad-request"), (8, "ok"), (9, "too-large"),
    (None, "ok")], found
PY
equal "$(serve -m model </dev/null | wc -c)" 0 answers

# An id comes back as it was written.
cat >ids <<'EOT'
1764336000.123456
12345678901234567890123456789
-0
1E400
[1e400, "a, \"id\": 1}"]
{"id": [ 1.50 ]}
"\u0041\\\"\u00e4 \/"
null
true
EOT
while IFS= read -r id; do printf '{"variants":[], "\\u0069d" : %s , "x":{"id":2}}\n' "$id"; done <ids >requests
serve -m model <requests >answers
while IFS= read -r id; do printf '{"id":%s,"status":"ok","results":[]}\n' "$id"; done <ids >expected
same answers expected
for id in 01 1. -; do printf '{"id":%s,"variants":[]}\n' "$id"; done | serve -m model >answers
equal "$(grep -c '^{"id":null,"status":"bad-request"' answers)" 3 "numbers that are none"

# An answer is bounded, before long alleles are made.
printf '{"id":1.0,"variants":["c1:g.1_900inv","c1:g.1_901inv","c1:g.1_902inv"]}\n{"id":2,"variants":["c1:1005:N"]}\n' |
    serve -m model --most-answer 3000 >answers
equal "$(sed 's/"message.*//' answers | head -1)" '{"id":1.0,"status":"too-large",' answer
grep -q "more than 3000 bytes" answers || die "$(cat answers)"
grep -q '^{"id":2,"status":"ok"' answers || die "the service does not go on: $(cat answers)"

# Damaged requests get an answer each, whatever was done to them.
python3 - "$r" >requests <<'PY'
import random, sys
random.seed(1)
good = [b'{"id":1,"variants":["c1:1005:%c:T","c1:g.1005del"]}' % ord(sys.argv[1]), b'{"id":[{}],"region":"c1:1001-1002"}']
def damaged(text):
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(text))
        by = bytes(random.choice(b'{}[]",:0\\u\x80\xff\x00 ae-_') for _ in range(random.randint(0, 3)))
        text = text[:at] + by + text[at + random.randint(0, 4) :] + b" "
    return b"x" + text if not text.strip() else text
for i in range(2000):
    sys.stdout.buffer.write(damaged(good[i % 2]) + b"\n")
PY
serve -m model <requests >answers
equal "$(python3 -c 'import json, sys; print(sum(json.loads(line)["status"] != "" for line in sys.stdin))' <answers)" 2000 answers
fails 1 "promoter" "$GODWIT" serve -q -m promoter -f g.fa

# A socket: several clients, one of them slow and one that goes; nobody else's; removed at the end.
listen() { ${background:+exec} "$GODWIT" serve -q -m model -f g.fa --window 60 --socket "$PWD/s"; }
answers() { python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("s")' 2>/dev/null; }
start listen
trap 'kill $run 2>/dev/null || true' EXIT
await answers
equal "$(stat -c %a s)" 600 permissions
fails 1 "served by another process" "$GODWIT" serve -q -m model -f g.fa --window 60 --socket "$PWD/s"
python3 - "$r" <<'PY'
import json, socket, sys
def connect():
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect("s")
    return s, s.makefile("r")
request = json.dumps({"id": "x", "variants": [f"c1:1005:{sys.argv[1]}:{alt}" for alt in "ACGT" if alt != sys.argv[1]]}) + "\n"
clients = [connect() for _ in range(3)]
slow, slow_lines = clients[0]
slow.sendall(request[:10].encode())
gone, _ = connect()
gone.sendall(request.encode())
gone.close()
answers = []
for s, lines in clients[1:]:
    s.sendall((request * 3).encode())
    answers += [lines.readline() for _ in range(3)]
slow.sendall(request[10:].encode())
answers.append(slow_lines.readline())
assert len(set(answers)) == 1 and json.loads(answers[0])["status"] == "ok", answers
many = [connect() for _ in range(64)]
busy = json.loads(many[-1][1].readline())
assert busy["status"] == "busy", busy
for s, _ in many + clients:
    s.close()
s, lines = connect()
s.sendall(request.encode() + b"\n")
s.shutdown(socket.SHUT_WR)
assert lines.readlines() == answers[:1]
PY

# Side by side: a short request is answered before a long one that came first; one who reads nothing holds nobody up and gets all his
# answers later; for one who has left nothing is computed.
python3 - "$r" "$run" <<'PY'
import json, select, socket, sys, time
def connect():
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect("s")
    return s
def processor():
    fields = open(f"/proc/{sys.argv[2]}/stat").read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])
long = b'{"id":"long","region":"c1:101-3000"}\n'
short = b'{"id":"short","variants":["c1:1005:%s:%s"]}\n' % (sys.argv[1].encode(), b"A" if sys.argv[1] != "A" else b"C")

begin = processor()
left = connect()
left.sendall(long)
left.close()
used, before = processor(), -1
while used != before:
    time.sleep(0.3)
    before, used = used, processor()
first, second = connect(), connect()
first.sendall(long)
second.sendall(short)
assert second in select.select([first, second], [], [], 60)[0], "the long request goes first"
assert json.loads(second.makefile().readline())["id"] == "short"
assert len(json.loads(first.makefile().readline())["results"]) == 8700
assert used - begin < (processor() - used) / 2, "computing goes on for a client that has left"

idle = connect()
idle.sendall(long * 3)
for _ in range(50):
    second.sendall(short)
    assert second.recv(1000)
time.sleep(0.1)
lines = idle.makefile()
assert [json.loads(lines.readline())["id"] for _ in range(3)] == ["long"] * 3
PY
ends() {
    kill "$run"
    wait "$run" || true
    [ ! -e s ] || die "the socket is left"
}
ends

# One of a service that was killed outright is taken over; a file is not.
start listen
await answers
kill -9 "$run"
wait "$run" 2>/dev/null || true
[ -S s ] || die "no socket to take over"
start listen
await answers
ends
# The socket of another service in its place stays when the first one ends.
start listen
await answers
first=$run
mv s moved
start listen
await answers
kill "$first"
wait "$first" 2>/dev/null || true
answers || die "the other service's socket was removed"
ends
rm -f moved
echo x >file
fails 1 "cannot listen at file" "$GODWIT" serve -q -m model -f g.fa --socket file
equal "$(cat file)" x "a file in the socket's place"
