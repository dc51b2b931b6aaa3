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

show score -q sample_runs/qrels.txt -m AP,nDCG@10 --every 10 -f table \
    sample_runs/runs/bm25.run sample_runs/runs/hybrid.run
show score -m map --every 16 -f table \
    sample_runs/trec_eval/dense.eval sample_runs/trec_eval/early-stop.eval
show score -m MSnDCG@10 --every 10 sample_runs/ntcireval/hybrid.nev
show measures nDCG@10
show formats -f table
