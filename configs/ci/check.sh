#!/usr/bin/env bash
# Counts what models execute with SME2 off and on, holds it against a file of your repository, and leaves what a CI server shows.
#   check.sh COUNTS.json OUT MODEL.pte...
# COUNTS.json is made by 'sme2lab baseline write' and committed; where it is not there yet, it is written, and the job passes.
# OUT gets a folder for each model, with a comment for the pull request, and of all a page and JUnit. SME2LAB names the program, THRESHOLD the
# percentage that figures may grow by (0). Exits as 'sme2lab baseline check' does: 3 where a figure grew, after naming the operator.
set -uo pipefail
[ $# -ge 3 ] || { sed -n '3s/^#  *//p' "$0" >&2; exit 2; }
counts=$1 out=$2
shift 2
sme2lab=${SME2LAB:-sme2lab}
mkdir -p "$out"

runs=()
for model in "$@"; do
  name=$(basename "$model" .pte)
  [ "$name" != model ] || name=$(basename "$(dirname "$(realpath "$model")")")
  case " ${runs[*]} " in
    *" $out/$name "*) echo "check.sh: two models are called $name: give their files different names" >&2; exit 2 ;;
  esac
  "$sme2lab" run "$model" --device counted --runtime own --name "$name" --out "$out/$name" --force -q || exit
  "$sme2lab" report "$out/$name" --format comment --force -q || exit
  runs+=("$out/$name")
done
"$sme2lab" report "${runs[@]}" --format junit,html --output "$out" --force -q || exit
if [ ! -e "$counts" ]; then
  "$sme2lab" baseline write "$counts" "${runs[@]}" || exit
  echo "$counts is new: commit it, and later builds are held against it"
  exit 0
fi
"$sme2lab" baseline check "$counts" "${runs[@]}" --threshold "${THRESHOLD:-0}" | tee "$out/baseline.txt"
code=${PIPESTATUS[0]}
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  { cat "$out"/*/report.comment.md; echo '```'; cat "$out/baseline.txt"; echo '```'; } >>"$GITHUB_STEP_SUMMARY"
fi
if [ "$code" -ne 0 ] && [ -n "${GITHUB_ACTIONS:-}" ]; then
  echo "::error title=sme2lab::$(tail -n 1 "$out/baseline.txt")"
fi
exit "$code"
