#!/bin/sh
# Creates the secrets that compose.yaml mounts. Existing ones stay.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
random() { head -c 32 /dev/urandom | base64 | tr -d '\n=' | tr '+/' '-_'; }
make() { [ -s "secrets/$1" ] || printf '%s\n' "$2" >"secrets/$1"; }
make master_key "$(random)"
make admin_access_key "pdk_$(random)"
make mongodb_root_password "$(random)"
make mongodb_password "$(random)"
make redis_password "$(random)"
make s3_secret "$(random)"
make seals_secret "$(random)"
make grafana_password "$(random)"
make mongodb_url "mongodb://proofdesk:$(cat secrets/mongodb_password)@mongodb:27017/proofdesk?authSource=proofdesk"
make redis_url "redis://proofdesk:$(cat secrets/redis_password)@redis:6379"
make s3_url "http://proofdesk:$(cat secrets/s3_secret)@s3:7070/files"
make seals_url "http://proofdesk-seals:$(cat secrets/seals_secret)@s3-seals:7070/seals"
# The containers read them as another user; the folder keeps others out.
chmod 700 secrets
chmod 644 secrets/*
echo "The first admin key is in $(pwd)/secrets/admin_access_key. Keep a copy of secrets/master_key apart from every backup."
