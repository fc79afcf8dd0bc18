#!/usr/bin/env bash
# usage: build-image.sh FOLDER NODE NPM. FOLDER is kept for the next time, since its base takes a minute.
# Builds the image without a registry: a bare Debian with this Node and npm gets the name of the image's base.
# Prints the root of a container, and the image's settings as JSON.
set -euo pipefail
kept=$1 base=$1/base name=$(sed -n 's/^FROM \([^ ]*\).*/\1/p' Dockerfile | tail -n 1)
buildah() { command buildah --root "$kept/store" --runroot "$kept/run" "$@"; }
{
	if ! buildah images -q "$name"; then
		rm -rf "$base"
		mirror=$(awk '/^deb /{for (i = 2; i <= NF; i++) if ($i ~ /^https?:/) {print $i; exit}} /^URIs:/{print $2; exit}' \
			/etc/apt/sources.list /etc/apt/sources.list.d/* 2> /dev/null | head -n 1 || true)
		debootstrap --variant=minbase --include=ca-certificates bookworm "$base" "$mirror"
		chroot "$base" useradd -u 1000 -U -m node
		cp "$2" "$base/usr/local/bin/node"
		cp -a "$3" "$base/usr/local/lib/npm"
		ln -s ../lib/npm/bin/npm-cli.js "$base/usr/local/bin/npm"
		cp -L --remove-destination /etc/ssl/certs/ca-certificates.crt "$base/etc/ssl/certs/"
		echo 127.0.0.1 localhost > "$base/etc/hosts"
		bare=$(buildah from scratch)
		buildah copy -q "$bare" "$base" /
		buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$bare"
		buildah commit -q "$bare" "$name"
	fi
	buildah rm --all
	buildah build -q --format docker --isolation chroot --pull-never -t site .
} >&2
buildah mount "$(buildah from --pull-never localhost/site)"
buildah inspect --type image localhost/site
