#!/usr/bin/env bash
# make wheel: builds the sdist and the wheel of the last commit into dist, and tries the wheel where no checkout is in sight.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pip="-m pip install -qq --disable-pip-version-check"

test -z "$(git status --porcelain)" || echo "Not committed, so not in it: $(git status --porcelain | cut -c4- | tr '\n' ' ')"
mkdir "$work/source"
git archive HEAD | tar -x -C "$work/source"

echo "Building"
"$python" -m venv "$work/tools"
"$work/tools/bin/python" $pip build twine
rm -rf dist
# The first wheel is made from the sdist, the second from the checkout: they must hold the same files.
"$work/tools/bin/python" -m build --outdir dist "$work/source" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
"$work/tools/bin/python" -m build --wheel --outdir "$work/direct" "$work/source" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
"$work/tools/bin/twine" check --strict dist/*
names() { "$python" -m zipfile -l "$1" | awk 'NR > 1 {print $1, $NF}' | sort; }
diff <(names dist/*.whl) <(names "$work"/direct/*.whl) || { echo "The sdist lacks files of the checkout"; exit 1; }

echo "Trying the wheel in an environment of its own"
"$python" -m venv "$work/clean"
wheel=$(ls dist/*.whl)
"$work/clean/bin/python" $pip -c constraints.txt "$wheel"
cp tests/core_alone.py "$work"
(cd "$work" && "$work/clean/bin/python" core_alone.py)
"$work/clean/bin/python" $pip -c constraints.txt "$wheel[docedit,formfactory]"
cp tests/wheel_smoke.py "$work"
mkdir "$work/elsewhere"
(cd "$work/elsewhere" && env -u FORMGYM_DATA -u PYTHONPATH "$work/clean/bin/python" "$work/wheel_smoke.py")

echo "Sizes"
size() { du -h --apparent-size "$@" | sort -rh | sed "s#$work/clean/lib/python3[.0-9]*/site-packages/##"; }
size dist/*
size -d 1 --exclude=__pycache__ "$work"/clean/lib/python3*/site-packages/formgym
size -s "$work/clean" | sed "s#$work/clean#the environment with all dependencies#"
echo "Done: $(ls dist | tr '\n' ' ')in $here/dist"
