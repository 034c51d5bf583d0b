#!/usr/bin/env bash
# Builds FerretDB, once for each version of the files here, and prints the path of the program. The first time takes
# about two minutes; other callers wait for it.
set -euo pipefail
cd "$(dirname "$0")"
version=$(cat build.sh main.go go.mod go.sum patch/where_ids.go | sha256sum | cut -c 1-16)
folder="${XDG_CACHE_HOME:-$HOME/.cache}/proofdesk"
program="$folder/ferretdb-$version"
export GOTOOLCHAIN=auto

# FerretDB with SQLite reads a whole collection for each document that it looks up or changes: its index of ids is on
# another expression than its queries, and it does not look up the id where a filter has more than that. In a collection
# of 3,000 documents it changes 10 a second. Both are changed in its source, and several ids are looked up too
# (patch/where_ids.go). A filter is still compared as a whole afterwards.
replace() {
  grep -q -- "$1" "$3" || { echo "FerretDB has changed: $3 has no $1" >&2; exit 1; }
  sed -i -- "s/$1/$2/" "$3"
}

build() {
  local source="$program.source"
  rm -rf "$source"
  go mod download github.com/FerretDB/FerretDB
  cp -r "$(go list -m -f '{{.Dir}}' github.com/FerretDB/FerretDB)" "$source"
  chmod -R u+w "$source"
  local sqlite="$source/internal/backends/sqlite"
  replace "->'[$][.]_id'" "->'_id'" "$sqlite/metadata/metadata.go"
  replace 'params.Filter.Len() == 1' 'params.Filter != nil \&\& params.Filter.Has("_id")' "$sqlite/collection.go"
  replace 'q += whereClause' 'whereClause, args = whereIDs(params.Filter, whereClause, args)\n\t&' "$sqlite/collection.go"
  cp patch/where_ids.go "$sqlite/"
  cp go.mod "$program.mod"
  cp go.sum "$program.sum"
  go mod edit -replace "github.com/FerretDB/FerretDB=$source" "$program.mod"
  go build -modfile "$program.mod" -trimpath -buildvcs=false -ldflags='-s -w' -o "$program.unfinished" .
  mv "$program.unfinished" "$program"
  rm -rf "$source" "$program.mod" "$program.sum"
}

if [ ! -x "$program" ]; then
  mkdir -p "$folder"
  exec 9>"$program.lock"
  flock 9
  [ -x "$program" ] || build >&2
fi
echo "$program"
