#!/bin/sh
# What `npm run online` does on a server, as root. Each step says what it does and can be run again, so after whatever cut
# it off, the next run goes on. Until a new release has answered, visitors have the old one.
#
#   release   puts the release online that this script came with
#   undo      puts the one before it online again
#   list      says what each release changed
#   look      says what the laptop needs to know
#   mine      gives her words, photo and settings back, as a tar
#   desk …    runs the desk as the site's own user
set -eu
umask 022
name=blueprint-operations
place=/opt/$name      # node_modules by lock file, releases by number, and current, which leads to the one that's online
state=/var/lib/$name  # messages, mails, backups
trial_port=8079
here=$(cd "$(dirname "$0")/.." && pwd)
export DEBIAN_FRONTEND=noninteractive

say() { printf '%s\n' "$*"; }
fail() { say "$*"; exit 1; }
current() { readlink "$place/current" 2>/dev/null | sed 's|.*/||' || true; }

# Goes on when the laptop is closed or its network is cut.
detached() {
  log=$(mktemp "$place/log.XXXXXX")
  setsid sh "$0" "really-$1" >"$log" 2>&1 </dev/null &
  tail --pid=$! -n +1 -f "$log" || true
  code=0; wait $! || code=$?
  rm -f "$log"
  [ $code -lt 128 ] || say "It was cut off on the server. Run the same command again: it goes on."
  exit $code
}

one_at_a_time() {
  exec 9>"/run/lock/$name"
  flock -n 9 || { say "Another run is busy on the server; waiting for it …"; flock 9; }
  # What an earlier run left. Nobody else is here now.
  find "$place" -maxdepth 1 -name 'log.*' -mmin +60 -delete
  find "$place/incoming" -mindepth 1 -maxdepth 1 ! -path "$here" -mmin +60 -exec rm -rf {} + 2>/dev/null || true
  rm -rf "$place"/packages/*.new "$place"/releases/*.new
  systemctl stop "$name-trial.service" 2>/dev/null || true
}

check_machine() {
  command -v apt-get >/dev/null && [ -d /run/systemd/system ] || fail "This server isn't a Debian or Ubuntu with systemd. Order one with Debian 12 or 13."
  [ ! -e "$place/package.json" ] || fail "A site that was set up by hand is in $place on this server, so nothing was changed. Take a backup, and put the site on a new server with it."
  free=$(df -Pm /opt | awk 'NR == 2 {print $4}')
  [ "$free" -gt 300 ] && { [ "$free" -gt 1500 ] || [ -n "$(current)" ]; } || fail "The server's disk is nearly full: $free MB are free, and 300 are needed, 1500 the first time. Nothing was changed."
  if command -v caddy >/dev/null && ! grep -qs "^# $name" /etc/caddy/Caddyfile && dpkg -V caddy | grep -q Caddyfile; then
    fail "A Caddy with other sites is on this server already, so nothing was changed. This site needs a server of its own."
  fi
  others=$(ss -Hltnp '( sport = :80 or sport = :443 )' 2>/dev/null | grep -v '"caddy"' | sed 's/.*(("\([^"]*\)".*/\1/' | sort -u | tr '\n' ' ' || true)
  [ -z "$others" ] || fail "On this server, $others has port 80 or 443 already, so nothing was changed. This site needs a server of its own."
}

install_programs() {
  if ! dpkg -s caddy curl iproute2 ca-certificates >/dev/null 2>&1 || [ -n "$(dpkg --audit)" ]; then
    say "Installing Caddy, which fetches the certificate …"
    dpkg --configure -a
    apt-get -o DPkg::Lock::Timeout=300 -q update >/dev/null
    apt-get -o DPkg::Lock::Timeout=300 -q install -y --no-install-recommends caddy curl iproute2 ca-certificates >/dev/null 2>&1
  fi
  id -u blueprint >/dev/null 2>&1 || useradd --system --user-group --no-create-home --home-dir "$state" --shell /usr/sbin/nologin blueprint
  install -d -m 700 -o blueprint -g blueprint "$state"
}

# fetch NAME: a package that .online/tools lists with its checksum, into the folder NAME
fetch() {
  line=$(awk -v name="$1" -v cpu="$(uname -m)" '$1 == name && ($2 == cpu || $2 == "any")' "$here/.online/tools")
  [ -n "$line" ] || fail "There is no $1 for this server's processor ($(uname -m)). Order one with x86 or ARM, 64 bits."
  set -- $line
  curl -fsSL --retry 3 -o "$1.tgz" "$(cat "$here/.online/registry")$3/-/$3-$4.tgz"
  echo "$5  $1.tgz" | sha512sum --quiet --check
  mkdir "$1" && tar -xzf "$1.tgz" -C "$1" --strip-components=1 --no-same-owner && rm "$1.tgz"
}

install_packages() {
  packages=$place/packages/$(cat "$here/package-lock.json" "$here/.online/tools" | sha256sum | cut -c 1-16)
  if [ ! -d "$packages" ]; then
    say "Installing Node and the site's packages …"
    mkdir -p "$packages.new" && cd "$packages.new"
    fetch node
    fetch npm
    cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" .
    PATH="$PWD/node/bin:$PATH" HOME=/root node npm/bin/npm-cli.js ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error --registry="$(cat "$here/.online/registry")" >/dev/null
    rm -rf npm && ln -sf ../../node/bin/node node_modules/.bin/node
    sync -f . && cd / && mv "$packages.new" "$packages"
  fi
}

# The folder that all of it was unpacked in becomes the next number.
place_release() {
  last=$(find "$place/releases" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n | tail -n 1)
  number=$((${last:-0} + 1))
  new=$place/releases/$number
  ln -s "$packages/node_modules" "$here/node_modules"
  chown -R root:root "$here"
  chmod -R u=rwX,go=rX "$here"
  touch "$here/.env" && chown root:blueprint "$here/.env" && chmod 640 "$here/.env"
  if [ -e "$here/.online/messages.db" ]; then
    mv "$here/.online/messages.db" "$state/arrived.db" && chown blueprint: "$state/arrived.db" && chmod 600 "$state/arrived.db"
  fi
  if [ -n "$(current)" ]; then
    "$packages/node/bin/node" "$here/desk/online/what-changed.ts" "$place/current/" "$here/" >"$here/.online/changed"
  else
    say "the first one" >"$here/.online/changed"
  fi
  mv "$here" "$new"
  say "Release $number: $(cat "$new/.online/changed")"
}

# Only where nobody has written yet.
bring_messages() {
  [ -e "$state/arrived.db" ] || return 0
  if has_messages "$new"; then
    say "There are messages on the server already, so those that you sent along stay in $state/arrived.db."
  else
    say "Bringing the messages …"
    desk_of "$new" restore "$state/arrived.db"
    rm -f "$state/arrived.db"
  fi
}

# has_messages RELEASE, which looks
has_messages() { [ -e "$state/contact.db" ] && [ "$(desk_of "$1" list --json --limit 1 | tr -d '[:space:]')" != '[]' ]; }

# desk_of RELEASE …: as the site's user, with the site's settings
desk_of() (
  cd "$1" && shift && set -a && . ./deploy/server.env && set +a && umask 077 &&
  DESK_ON_SERVER=1 PORT=${TRY_PORT:-$PORT} HOME=$state setpriv --reuid=blueprint --regid=blueprint --init-groups \
    node_modules/.bin/node --max-semi-space-size=1 desk/desk-command.ts "$@"
)

# ready PORT UNIT
ready() {
  for _ in $(seq 100); do
    [ "$(curl -s -m 10 -o /dev/null -w '%{http_code}' "http://127.0.0.1:$1/readyz")" = 200 ] && return 0
    case $(systemctl is-active "$2") in failed | inactive) return 1 ;; esac
    sleep 0.3
  done
  return 1
}

# try_out RELEASE: beside the one that's online, with the same fences and the same database
try_out() {
  say "Trying it out, unseen …"
  unit=$name-trial.service
  mkdir -p /run/systemd/system
  works=yes
  sed -e "s|$place/current|$1|g" -e "s|^ExecStart=|&/usr/bin/env PORT=$trial_port |" -e 's/^Restart=.*/Restart=no/' "$1/deploy/$name.service" >"/run/systemd/system/$unit"
  systemctl daemon-reload
  systemctl start "$unit" || works=no
  if ! ready $trial_port "$unit"; then
    works=no
    say "It doesn't answer. Its last words:"
    journalctl -q -n 15 --no-pager -o cat "_SYSTEMD_INVOCATION_ID=$(systemctl show -p InvocationID --value "$unit")"
  elif ! findings=$(TRY_PORT=$trial_port desk_of "$1" doctor settings database disk file-rights server page 2>&1); then
    works=no
    say "The doctor finds something wrong:" && say "$findings"
  fi
  systemctl stop "$unit" || true
  rm -f "/run/systemd/system/$unit" && systemctl daemon-reload
  [ $works = yes ]
}

put_online() {
  # Each step by && since the shell looks over failures in what an “if” calls.
  ln -sfn "releases/$1" "$place/current.new" && sync -f "$place" && mv -T "$place/current.new" "$place/current" || return 1
  for unit in "$place/current/deploy/$name"*; do
    cmp -s "$unit" "/etc/systemd/system/${unit##*/}" || cp "$unit" /etc/systemd/system/ || return 1
  done
  systemctl daemon-reload && systemctl enable -q --now "$name.socket" "$name-backup.timer" &&
    systemctl enable -q "$name.service" && systemctl restart "$name.service" && ready 8080 "$name.service"
}

# switch_to NUMBER, or back
switch_to() {
  before=$(current)
  if [ -n "$before" ] && ! diff -rq -x mine -x dist -x .env -x .online -x node_modules "$place/current/" "$place/releases/$1" >/dev/null; then
    say "Making a backup before the new code …"
    systemctl start "$name-backup.service" || fail "The backup failed, so nothing was switched: $(journalctl -q -u "$name-backup" -n 3 --no-pager -o cat)"
  fi
  say "Switching; visitors wait for a moment …"
  if put_online "$1"; then
    touch "$place/releases/$1/.online/was-online"
    return 0
  fi
  journalctl -q -u "$name.service" -n 15 --no-pager -o cat
  [ -n "$before" ] || fail "It doesn't answer."
  put_online "$before" || true
  fail "It doesn't answer, so release $before is online again."
}

# The first of the domains is the site's, and the others lead to it. Without any, there's no certificate yet.
set_up_caddy() {
  set -- $(cat "$place/current/.online/domains")
  if [ $# -eq 0 ]; then
    edit="s/^www.example.com {/:80 {/; /^example.com {/,\$d"
  elif [ $# -eq 1 ]; then
    edit="s/www.example.com/$1/g; /^example.com {/,\$d"
  else
    edit="s/www.example.com/$1/g; s/^example.com {/$2 {/"
  fi
  sed "$edit" "$place/current/deploy/Caddyfile" >"/etc/caddy/Caddyfile.new"
  mkdir -p /etc/caddy/options /etc/caddy/sites
  if ! cmp -s /etc/caddy/Caddyfile.new /etc/caddy/Caddyfile || ! systemctl is-active -q caddy; then
    say "Setting up Caddy in front of it …"
    caddy validate --config /etc/caddy/Caddyfile.new --adapter caddyfile >/dev/null 2>&1 || fail "Caddy refuses /etc/caddy/Caddyfile.new or a file in /etc/caddy/options; the site is online as it was."
    mv /etc/caddy/Caddyfile.new /etc/caddy/Caddyfile
    systemctl enable -q caddy
    systemctl reload-or-restart caddy
  fi
  rm -f /etc/caddy/Caddyfile.new
}

# Those that never answered, all but the last five that did, and packages that none of them uses.
tidy() {
  for release in $(find "$place/releases" -mindepth 1 -maxdepth 1 ! -exec test -e {}/.online/was-online \; -print) \
    $(were_online | head -n -5 | sed "s|^|$place/releases/|"); do
    [ "$release" = "$place/releases/$(current)" ] || rm -rf "$release"
  done
  for folder in "$place"/packages/*; do
    find "$place/releases" -maxdepth 2 -lname "$folder/*" | grep -q . || rm -rf "$folder"
  done
}

were_online() { find "$place/releases" -mindepth 3 -maxdepth 3 -path '*/.online/was-online' -printf '%h\n' | sed 's|/.online||; s|.*/||' | sort -n; }

case ${1-} in
release | undo) detached "$1" ;;
really-release)
  mkdir -p "$place/releases" "$place/packages" && chmod 755 "$place"
  one_at_a_time
  check_machine
  install_programs
  install_packages
  place_release
  bring_messages
  try_out "$new" || { rm -rf "$new"; fail "Release $number isn't online. The site is as it was."; }
  switch_to "$number"
  set_up_caddy
  tidy
  say "Release $number is online."
  ;;
really-undo)
  one_at_a_time
  target=$(were_online | awk -v now="$(current)" '$1 < now' | tail -n 1)
  [ -n "$target" ] || fail "There is no release before this one."
  try_out "$place/releases/$target" || fail "Release $target doesn't work any more, so nothing was changed."
  switch_to "$target"
  set_up_caddy
  say "Release $target is online again: $(cat "$place/current/.online/at")"
  ;;
list)
  for number in $(were_online | sort -rn); do
    [ "$number" = "$(current)" ] && mark="  online now" || mark=
    say "$number  $(cat "$place/releases/$number/.online/at")  $(cat "$place/releases/$number/.online/changed")$mark"
  done
  ;;
look)
  say "release=$(current)"
  [ -n "$(current)" ] && has_messages "$place/current/" && say messages=yes || say messages=
  say "addresses=$(hostname -I 2>/dev/null || true)"
  say "domains=$(cat "$place/current/.online/domains" 2>/dev/null || true)"
  ;;
mine) cd "$place/current/" && tar -cz $(ls -d mine .env 2>/dev/null) ;;
desk) shift && desk_of "$place/current/" "$@" ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
