# SPDX-License-Identifier: MIT
"""godwit's figures of question sets beside those of the sets' official scripts, on the same predictions.

    question_metrics.py GODWIT DATA     DATA: a folder of question sets, with their scripts in the folder official

Predictions are right ones, near ones, ones with odd characters, and none; scores and probabilities have ties.
"""
import contextlib
import gzip
import importlib.util
import io
import json
import math
import random
import subprocess
import sys
import types

godwit, data = sys.argv[1:3]
official = data + "/official/"
random.seed(20200728)

ODD = ["the\u2013end a\u2014an", "THE \u039f\u0394\u039f\u03a3 \u039f\u03a3\u03a4\u0399\u03a3", "\u0130stanbul", "a\u0301 the\u0301 an_ _the",
       "x\u001cy\u0085z\u00a0w\u2003v\u3000u", "\u2018quoted\u2019 \u00b4n\u00b4 `done`", "\u01c4 \u1e9e \u216b \u24b6", "the the the", "", " ",
       "!!!", "the", "A.N. a-n the,the", "yes", "No.", "noanswer", "\u00b2 \u00bd the\u00b2 \u0967the",
       "\u03a3 a\u03a3 a\u03a3.b \u03a3a a\u0345\u03a3 a:\u03a3 \u02b0\u03a3", "under_score the_end", "\U0001d400 \U0001f130\u03a3",
       "\u2160\u03a3 \u00adthe\u00ad \u200bthe\u200b", "\ufeffthe", "\u0e01\u0e33the"]


def module(name, path):
    spec = importlib.util.spec_from_file_location(name, official + path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


def stand_ins():
    """Modules that the scripts import and that their figures do not need."""
    sys.modules["ujson"] = json
    flags = types.ModuleType("absl.flags")
    flags.FLAGS = types.SimpleNamespace()
    flags.DEFINE_integer = flags.DEFINE_string = flags.DEFINE_bool = lambda name, value, *_: setattr(flags.FLAGS, name, value)
    logging = types.ModuleType("absl.logging")
    logging.info = lambda *_: None
    absl = types.ModuleType("absl")
    absl.flags, absl.logging, absl.app = flags, logging, types.ModuleType("absl.app")
    six = types.ModuleType("six")
    six.iteritems = lambda d: d.items()
    sys.modules.update({"absl": absl, "absl.flags": flags, "absl.logging": logging, "absl.app": absl.app, "six": six})
    if importlib.util.find_spec("numpy") is None:
        sys.modules["numpy"] = types.ModuleType("numpy")


def rate(metric, sets, *options):
    call = [godwit, "eval", "--metric", metric, "--predictions", "predictions.json", *options]
    for path in sets:
        call += ["-d", path]
    out = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if out.returncode != 0:
        sys.exit("%s: %s" % (metric, out.stderr))
    return {name: float(value) for name, value in (line.split("\t") for line in out.stdout.splitlines()[1:])}


def compare(what, ours, theirs):
    missing = set(theirs) - set(ours)
    wrong = {k: (ours[k], theirs[k]) for k in theirs if k in ours and not math.isclose(ours[k], theirs[k], rel_tol=1e-12, abs_tol=1e-12)}
    if missing or wrong:
        sys.exit("%s: missing %s, different %s" % (what, missing, wrong))
    print("%s: %d figures" % (what, len(theirs)))


def save(path, value):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f, ensure_ascii=random.random() < 0.5)


def vary(answer):
    """A prediction near an answer."""
    words = answer.split()
    kind = random.randrange(8)
    if kind == 0:
        return answer
    if kind == 1:
        return " ".join(words[: random.randrange(len(words) + 1)])
    if kind == 2:
        return "The " + answer.upper() + "."
    if kind == 3:
        return random.choice(ODD)
    if kind == 4:
        return answer + " " + random.choice(ODD)
    if kind == 5:
        return ""
    if kind == 6:
        return "\u2013".join(words) + "\u00a0an"
    random.shuffle(words)
    return "  ".join(words + words[:1])


def squad(name, path, limit):
    script = module("squad_script", "evaluate-v2.0.py")
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as f:
        articles = json.load(f)["data"]
    kept, seen = [], 0
    for article in articles:
        for p in article["paragraphs"]:
            for qa in p["qas"]:
                qa["answers"] = qa.get("answers", [])
                if random.random() < 0.1:
                    qa["answers"] = qa["answers"] + [{"text": random.choice(ODD), "answer_start": 0}]
                qa["id"] = str(qa["id"])
                seen += 1
        kept.append(article)
        if seen >= limit:
            break
    save("set.json", {"version": "2.0", "data": kept})
    answers = {qa["id"]: [a["text"] for a in qa["answers"]] for x in kept for p in x["paragraphs"] for qa in p["qas"]}
    predictions = {k: vary(random.choice(v)) if v else random.choice(["", "", "what", *ODD]) for k, v in answers.items()}
    save("predictions.json", predictions)
    na = {k: random.choice([0, 0.25, 0.5, 1, random.random()]) for k in random.sample(sorted(answers), len(answers))}
    save("na.json", na)
    for options in ([], ["-n", "na.json"], ["-n", "na.json", "-t", "0.5"]):
        sys.argv = ["evaluate", "set.json", "predictions.json", *options]
        script.OPTS = script.parse_args()
        with contextlib.redirect_stdout(io.StringIO()) as out:
            script.main()
        theirs = json.loads(out.getvalue())
        if options:
            script.plot_pr_curve = lambda *_: None
            exact, f1 = script.get_raw_scores(kept, predictions)
            script.run_precision_recall_analysis(theirs, exact, f1, na, script.make_qid_to_has_ans(kept), ".")
        ours = [x.replace("-n", "--no-answer").replace("-t", "--no-answer-threshold") if x.startswith("-") else x for x in options]
        compare("%s %s" % (name, " ".join(options)), rate("squad", ["set.json"], *ours), theirs)


def hotpot():
    script = module("hotpot_script", "hotpot_evaluate_v1.py")
    with open(data + "/hotpot/hotpot_dev_distractor_first60.json", encoding="utf-8") as f:
        gold = json.load(f)
    for turn in range(5):
        answer, facts = {}, {}
        for q in gold:
            answer[q["_id"]] = random.choice(["yes", "no", "noanswer", vary(q["answer"]), vary(q["answer"])])
            given = [list(x) for x in q["supporting_facts"] if random.random() < 0.8]
            facts[q["_id"]] = given + given[:1] + [[q["context"][0][0], random.randrange(3)]] * random.randrange(2)
        if turn == 4:
            for q in gold[:5]:
                del answer[q["_id"]]
            for q in gold[3:9]:
                del facts[q["_id"]]
        save("predictions.json", {"answer": answer, "sp": facts})
        with contextlib.redirect_stdout(io.StringIO()) as out:
            script.eval("predictions.json", data + "/hotpot/hotpot_dev_distractor_first60.json")
        theirs = eval(out.getvalue().splitlines()[-1])
        ours = rate("hotpotqa", [data + "/hotpot/hotpot_dev_distractor_first60.json"])
        compare("hotpotqa %d" % turn, ours, theirs)


def trivia():
    package = types.ModuleType("utils")
    sys.modules["utils"] = package
    package.utils = module("utils.utils", "utils.py")
    package.dataset_utils = module("utils.dataset_utils", "dataset_utils.py")
    script = module("trivia_script", "triviaqa_evaluation.py")
    with open(data + "/triviaqa_sample.json", encoding="utf-8") as f:
        sample = json.load(f)
    for domain in ("Web", "Wikipedia"):
        for verified in (False, True):
            for q in sample["Data"]:
                q["QuestionPartOfVerifiedEval"] = q is sample["Data"][0] or random.random() < 0.7
                for page in q["EntityPages"] + q["SearchResults"]:
                    page["DocPartOfVerifiedEval"] = page is q["EntityPages"][0] if q["EntityPages"] else True
                q["Answer"]["HumanAnswers"] = [random.choice(ODD)] if random.random() < 0.5 else []
            sample.update(Domain=domain, VerifiedEval=verified)
            save("set.json", sample)
            keys = package.dataset_utils.get_key_to_ground_truth(package.dataset_utils.read_triviaqa_data("set.json"))
            predictions = {k: vary(random.choice(a["Aliases"] + ODD)) for k, a in keys.items() if random.random() < 0.9}
            predictions["of-another-set"] = "x"
            save("predictions.json", predictions)
            theirs = script.evaluate_triviaqa(keys, predictions, mute=True)
            compare("triviaqa %s%s" % (domain, " verified" if verified else ""), rate("triviaqa", ["set.json"]), theirs)


def natural_questions():
    module("eval_utils", "eval_utils.py")
    script = module("nq_script", "nq_eval.py")

    def span(null=0.3, token_only=0.3):
        if random.random() < null:
            return dict(start_token=-1, end_token=-1, start_byte=-1, end_byte=-1)
        start = random.randrange(6)
        made = dict(start_token=start, end_token=start + 1 + random.randrange(2))
        made.update(start_byte=10 * start, end_byte=10 * made["end_token"])
        if random.random() < token_only:
            made.update(start_byte=-1, end_byte=-1)
        return made

    def answers():
        made = {"long_answer": span(), "short_answers": [span() for _ in range(random.randrange(3))], "yes_no_answer": "NONE"}
        if random.random() < 0.2:
            made.update(short_answers=[], yes_no_answer=random.choice(["YES", "NO"]))
        return made

    for turn in range(4):
        predictions = []
        files = ["nq-dev-0%d.jsonl.gz" % k for k in range(2)]
        for k, path in enumerate(files):
            with gzip.open(path, "wt") as f:
                for i in range(300):
                    gold = [answers() for _ in range(5)]
                    found = random.choice(gold + [answers()])
                    score = lambda: random.choice([-1.5, 0, 2, random.gauss(0, 3)])
                    number = random.choice([-1, 1]) * (7 + 10**15 * i + k)
                    f.write(json.dumps({"example_id": number, "annotations": gold}) + "\n")
                    made = dict(found, example_id=number, long_answer_score=score(), short_answers_score=score())
                    if random.random() < 0.2:
                        del made["long_answer"]
                    predictions.append(made)
        save("predictions.json", {"predictions": predictions})
        util = sys.modules["eval_utils"]
        gold = {}
        for path in files:
            gold.update(util.read_annotation_from_one_split(path))
        stats = script.score_answers(gold, util.read_prediction_json("predictions.json"))
        theirs = script.get_metrics_with_answer_stats(*stats)
        theirs.update(script.compute_final_f1(*stats))
        compare("natural questions %d" % turn, rate("natural-questions", files), theirs)


stand_ins()
squad("squad 1.1", data + "/squad.json", 10**9)
squad("squad 2.0", data + "/squad2.json", 10**9)
squad("covid-qa", data + "/long/covidqa.json.gz", 400)
squad("policyqa", data + "/long/policyqa_dev.json.gz", 1000)
hotpot()
trivia()
natural_questions()
