#!/usr/bin/env bash
# Builds the image without a registry: a bare Debian with this Node and npm goes by the name of the image's base.
# usage: build-image.sh FOLDER NODE NPM    FOLDER is kept for the next time: its base takes a minute or two
# Prints the root of a container, and the image's settings as JSON.
set -euo pipefail
kept=$1 node=$2 npm=$3
name=$(sed -n 's/^FROM //p' Dockerfile)
buildah() { command buildah --root "$kept/store" --runroot "$kept/run" "$@"; }
if [ ! -e "$kept/base/.whole" ]; then
	rm -rf "$kept/base"
	mkdir -p "$kept"
	mirror=$(awk '/^deb /{for (i = 2; i <= NF; i++) if ($i ~ /^https?:/) {print $i; exit}} /^URIs:/{print $2; exit}' \
		/etc/apt/sources.list /etc/apt/sources.list.d/* 2> /dev/null | head -n 1 || true)
	debootstrap --variant=minbase --include=ca-certificates bookworm "$kept/base" "$mirror" >&2
	chroot "$kept/base" sh -c 'groupadd -g 1000 node && useradd -u 1000 -g node -m node'
	cp "$node" "$kept/base/usr/local/bin/node"
	cp -a "$npm" "$kept/base/usr/local/lib/npm"
	ln -s ../lib/npm/bin/npm-cli.js "$kept/base/usr/local/bin/npm"
	cp -L --remove-destination /etc/ssl/certs/ca-certificates.crt "$kept/base/etc/ssl/certs/"
	echo 127.0.0.1 localhost > "$kept/base/etc/hosts"
	touch "$kept/base/.whole"
fi
{
	buildah rm --all
	if ! buildah images -q "$name"; then
		bare=$(buildah from scratch)
		buildah copy -q "$bare" "$kept/base" /
		buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$bare"
		buildah commit -q --rm "$bare" "$name"
	fi
	buildah build -q --format docker --isolation chroot --pull-never -t site .
} >&2
buildah mount "$(buildah from --pull-never localhost/site)"
buildah inspect --type image localhost/site
