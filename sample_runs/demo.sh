#!/bin/sh
# Real results on the sample collection: `make demo`, or `sh sample_runs/demo.sh PROGRAM`.
set -eu
program=$(cd "$(dirname "${1:-confint}")" && pwd)/$(basename "${1:-confint}")
cd "$(dirname "$0")/.."

show() {
    printf '\n$ confint'
    printf ' %s' "$@"
    printf '\n'
    "$program" "$@"
}

show interval -q sample_runs/qrels.txt -m AP -f table --method bootstrap-t sample_runs/runs/*.run
show interval -m map,P_10 -f table sample_runs/trec_eval/*.eval
show interval -m map -f table --method all --level 0.95,0.999 sample_runs/trec_eval/hybrid.eval
show coverage -m map -f table sample_runs/trec_eval/*.eval
show compare -m map -f table --baseline bm25 sample_runs/trec_eval/*.eval
show bayes -m map -f table --baseline bm25 --classical sample_runs/trec_eval/bm25.eval \
    sample_runs/trec_eval/bm25-rm3.eval
show risk -m map -f table --baseline bm25 --method t,bootstrap-t sample_runs/trec_eval/bm25.eval \
    sample_runs/trec_eval/hybrid.eval
show rank -q sample_runs/qrels.txt -m AP,P@10 -f table sample_runs/runs/*.run
show compare --labels '{collection}/{run}.run' -q 'sample_runs/suite/{collection}/qrels.txt' \
    -m nDCG@10 -f table --baseline bm25 sample_runs/suite/*/*.run
show compare --groups '{group}_{}' -q sample_runs/conversations/qrels.txt -m nDCG@10 -f table \
    --baseline bm25 sample_runs/conversations/*.run
show compare --labels '{run}.seed{repeat}.eval' -m map -f table --baseline dense \
    sample_runs/seeds/*.seed*.eval
show describe -m map,recip_rank -f table sample_runs/trec_eval/*.eval
show interval -m map -f table --method t --standardize all sample_runs/trec_eval/*.eval
show plan -m map -f table --half-width 0.03 --difference 0.03 sample_runs/trec_eval/*.eval
show methods bootstrap-t
show score -q sample_runs/qrels.txt -m AP,nDCG@10 --every 10 -f table \
    sample_runs/runs/bm25.run sample_runs/runs/hybrid.run
show score -m MSnDCG@10 --every 10 sample_runs/ntcireval/hybrid.nev
mkdir -p demo
show interval -q sample_runs/qrels.txt -m AP -f table --method t,bootstrap-t \
    --plot demo/forest.png sample_runs/runs/*.run
show report -q sample_runs/qrels.txt -m AP,nDCG@10,P@10 --baseline bm25 -o demo/report.html \
    sample_runs/runs/*.run
show report -q sample_runs/judges/human.qrels --judge-qrels sample_runs/judges/llm.qrels \
    -m nDCG@10,AP --baseline bm25 -o demo/judges.html sample_runs/judges/runs/
printf '\nopen demo/forest.png, demo/report.html and demo/judges.html to see a figure and two pages\n'
