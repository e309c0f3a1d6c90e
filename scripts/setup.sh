#!/bin/sh
# Makes the environment: .venv/, js/node_modules and the built front end. A second run only looks.
#   scripts/setup.sh        everything, for development
#   scripts/setup.sh docs   what builds the site, too
#   scripts/setup.sh demo   what `make demo` needs
# PYTHON names another interpreter for .venv/.
set -eu
cd "$(dirname "$0")/.."
extra=${1:-dev}

stop() {
    echo "acp-widget: $*" >&2
    exit 1
}

python_is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1
}

find_python() {
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python3.10 python}; do
        if python_is_new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
}

# --- what must be there -------------------------------------------------------------------------------------------------

for tool in find mkdir rm touch; do
    command -v $tool >/dev/null || stop "$tool is missing. Install it: sudo apt-get install coreutils findutils"
done

if [ ! -x .venv/bin/python ]; then
    python=$(find_python)
    [ -n "$python" ] || stop "Python 3.10 or newer is missing. Install it: sudo apt-get install python3 python3-venv"
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        stop "Python's venv module is missing. Install it: sudo apt-get install python3-venv"
fi

node_help="sudo apt-get install nodejs npm, or from https://nodejs.org where that is older"
command -v node >/dev/null || stop "Node.js 20 or newer is missing. Install it: $node_help"
node=$(node --version)
major=${node#v}
[ "${major%%.*}" -ge 20 ] 2>/dev/null || stop "Node.js $node is too old, 20 or newer is needed. Install it: $node_help"
command -v npm >/dev/null || stop "npm is missing. Install it: sudo apt-get install npm"

# --- Python -------------------------------------------------------------------------------------------------------------

if [ ! -x .venv/bin/python ]; then
    echo "Making .venv/ with $("$python" --version) …"
    if ! "$python" -m venv .venv; then
        rm -rf .venv # a broken half would be taken for the whole next time
        stop "$python -m venv failed, see above. Usually this helps: sudo apt-get install python3-venv"
    fi
fi
python_is_new_enough .venv/bin/python ||
    stop ".venv/ holds a Python older than 3.10, or a broken one. Remove it (make clean) and try again."

stamp=.venv/.installed-$extra
[ "$extra" = demo ] && [ -e .venv/.installed-dev ] && stamp=.venv/.installed-dev && extra=dev
if [ ! "$stamp" -nt pyproject.toml ] || [ ! "$stamp" -nt hatch_build.py ]; then
    echo "Installing the Python packages …"
    # The front end is built below, where its output can be seen.
    ACP_WIDGET_SKIP_JS=1 .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[$extra]" ||
        stop "The Python packages could not be installed; see above."
    touch "$stamp"
fi

# --- the front end ------------------------------------------------------------------------------------------------------

built=acp_widget/static/widget.js
packages=js/node_modules/.installed
if [ ! "$packages" -nt js/package-lock.json ]; then
    echo "Installing the front end's packages …"
    (cd js && npm ci --no-audit --no-fund --loglevel=error) || stop "The front end's packages could not be installed; see above."
    touch "$packages"
fi
if [ ! -e "$built" ] || [ -n "$(find js/src js/scripts js/package.json js/package-lock.json -newer "$built")" ]; then
    echo "Building the front end …"
    (cd js && npm run --silent build) || stop "The front end could not be built; see above."
fi
