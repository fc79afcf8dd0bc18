#!/bin/sh
# Puts the site on a bare Debian or Ubuntu, as root: deploy/server.sh www.example.com
# Run it again after `git pull` to update, or after `git checkout VERSION` to go back. If it's cut off, visitors keep the
# old site until the new one is whole, and the next run starts over. docs/deploy.md says more.
set -eu
domain=${1-} name=blueprint-operations
here=$(cd "$(dirname "$0")/.." && pwd)
place=/opt/$name state=/var/lib/$name # the code of the last two runs; all that lasts
new=$place/$(date -u +%Y%m%d-%H%M%S)

fail() { echo "$*" >&2; exit 1; }
put() { cat > "$1.new" && mv "$1.new" "$1"; }
as_site() { runuser -u $name -- env HOME=$state "$@"; }
# A power cut leaves one or the other.
switch() { ln -sfn "$1" $place/next && sync && mv -T $place/next $place/current && sync && systemctl restart $name; }
answers() { curl -fs -o /dev/null -m 30 "$@"; }

echo "$domain" | grep -qxE '([a-z0-9-]+\.)+[a-z0-9-]+' || fail "Name your domain, without https:// or a path: deploy/server.sh www.example.com"
[ "$(id -u)" = 0 ] || fail "Only root can do this: sudo deploy/server.sh $domain"
. /etc/os-release
case $ID in debian) oldest=12 ;; ubuntu) oldest=24 ;; *) oldest=999 ;; esac
[ "${VERSION_ID%%.*}" -ge $oldest ] || fail "This server has $PRETTY_NAME. Take one with Debian 12, Ubuntu 24.04 or newer."
own=$(hostname -I) leads=$(getent --no-addrconfig ahosts "$domain" | awk '$1 !~ /^(127\.|::1$)/ {print $1}' | sort -u | xargs)
getent ahosts "$domain" > /dev/null || fail "$domain doesn't point anywhere yet. Where you bought it, under DNS, add: Type A, Value ${own%% *}"
# If all its addresses are private, a server can't know what leads to it.
public=$(echo "$own" | xargs -n 1 | grep -vE '^(10|192\.168|172\.(1[6-9]|2[0-9]|3[01])|100\.(6[4-9]|[7-9].|1[0-2].)|f[cde]..)[.:]' | xargs)
for to in $leads; do
  case " $own" in *" $to "*) continue ;; esac
  # Without an IPv6 address, nothing over IPv6 leads here.
  case $to in *:*) kind=[.:] ;; *) kind=. ;; esac
  case $public in *$kind*) fail "$domain points to $to, and this server is $public. Change that where you bought the domain, under DNS." ;; esac
done
inner=$(systemctl is-active -q $name.socket || echo 'or sport = :8080')
taken=$(ss -Hltnp "( sport = :80 or sport = :443 $inner )" | sed -n 's/.*(("\([^"]*\)".*/\1/p' | grep -vx caddy | sort -u | xargs)
[ -z "$taken" ] || fail "On this server, $taken has port 80, 443 or 8080, which the site needs. Stop it, or take another server."
caddyfile=/etc/caddy/Caddyfile
if [ -e $caddyfile ] && ! grep -q "$name" $caddyfile && dpkg -V caddy | grep -q $caddyfile; then
  fail "$caddyfile has other sites, which this would overwrite. Move it away, or take another server."
fi
free=$(awk '/^(MemAvailable|SwapFree):/ {kB += $2} END {print int(kB / 1024)}' /proc/meminfo)
[ "$free" -ge 400 ] || fail "Building the page needs 400 MB of memory, and $free MB are free. Add some from the disk, and run this again:
  fallocate -l 1G /swap && chmod 600 /swap && mkswap /swap && swapon /swap && echo '/swap none swap sw' >> /etc/fstab"
[ ! -e $state/.env ] || grep -qE "^SITE_URL=\W?https://$domain/?\W?$" $state/.env ||
  fail "Your settings have another web address than https://$domain. Change it at the desk first, or in $state/.env."
exec 9> /run/lock/$name && flock -n 9 || fail "Another run of this is still going. Wait for it."

if ! { caddy version && npm --version && curl --version; } > /dev/null 2>&1; then
  echo "Installing Caddy and npm …"
  export DEBIAN_FRONTEND=noninteractive LC_ALL=C
  # A new server starts by updating itself, and apt waits for that only when it installs.
  until said=$({ dpkg --configure -a && apt-get -q update; } 2>&1); do
    case $said in *" lock "*) echo "Waiting for another program that installs …" && sleep 10 ;; *) fail "$said" ;; esac
  done
  apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends caddy npm curl ca-certificates > /dev/null
fi
id -u $name > /dev/null 2>&1 || useradd --system --user-group --home-dir $state --shell /usr/sbin/nologin $name
mkdir -p $state/data $state/mine $state/pages
if [ -e $state/.env ]; then unset CONTACT_EMAIL SMTP_URL; else cp -a "$here/mine/." $state/mine 2> /dev/null || true; fi
chmod 700 $state && chown -R $name: $state

echo "Installing Node and the site's packages …"
before=$(readlink $place/current || true)
for left in $place/2* $state/pages/2*; do left=${left%.json}; [ "${left##*/}" = "${before##*/}" ] || rm -rf "$left" "$left.json"; done
mkdir -p "$new/runtime" && cp "$here"/runtime/package*.json "$new/runtime"
for path in "$here"/* "$here/.npmrc"; do case ${path##*/} in node_modules | runtime | mine | data | dist) ;; *) cp -a "$path" "$new" ;; esac; done
for kept in .env data mine; do ln -s $state/$kept "$new/$kept"; done
ln -s "$state/pages/${new##*/}" "$new/dist" && cd "$new"
if [ -n "$before" ]; then cp -al "$before/node_modules" . && cp -al "$before/runtime/node_modules" runtime; fi
cmp -s runtime/package-lock.json "$before/runtime/package-lock.json" || npm ci --prefix runtime --loglevel=error
NODE_NO_WARNINGS=1 PATH="$(echo "$new"/runtime/node_modules/node-*/bin):$PATH" node publish/ensure-install.mjs
echo "Building the page …"
node_modules/.bin/node publish/build.ts
chown -R root: . && chmod -R u=rwX,go=rX .
[ -z "$before" ] || cp -a "$before/dist/." "$state/pages/${new##*/}"
[ ! -e "$state/pages/${before##*/}.json" ] || cp -a "$state/pages/${before##*/}.json" "$state/pages/${new##*/}.json"
as_site SITE_URL="https://$domain" node_modules/.bin/node publish/publish.ts ||
  fail "The page wasn't built; see above for why. ${before:+The previous one stays. Settings are in $state/.env, words in $state/mine.}"
# Only once what's in it has been read without a mistake, so that a run with a typo can be followed by one without.
[ -e $state/.env ] || { printf 'SITE_URL=https://%s\nTRUST_PROXY=127.0.0.1\n' "$domain"; env | grep -E '^(CONTACT_EMAIL|SMTP_URL)=' || true; } | put $state/.env
chmod 600 $state/.env && chown $name: $state/.env

for unit in deploy/$name.*; do put "/etc/systemd/system/${unit##*/}" < "$unit"; done
printf '#!/bin/sh\nexec runuser -u %s -- env HOME=%s %s/current/node_modules/.bin/node %s/current/desk/desk-command.ts "$@"\n' $name $state $place $place | put /usr/local/bin/desk
chmod 755 /usr/local/bin/desk
systemctl daemon-reload && systemctl enable -q $name.socket $name.service && systemctl start $name.socket
switch "$new"
if ! answers http://127.0.0.1:8080/readyz; then
  journalctl -q -u $name -n 20 --no-pager -o cat
  was=
  if [ -n "$before" ]; then
    switch "$before"
    was="The previous one is back."
    answers http://127.0.0.1:8080/readyz || was="Nor does the previous one: journalctl -u $name"
  fi
  fail "The new site doesn't answer; its last log lines are above. $was"
fi
mkdir -p /etc/systemd/system/caddy.service.d
printf '[Service]\nEnvironment=SITE_URL=https://%s SITE=127.0.0.1:8080\n' "$domain" | put /etc/systemd/system/caddy.service.d/$name.conf
{ echo "# $name: deploy/server.sh rewrites this file." && cat deploy/Caddyfile; } | put $caddyfile
systemctl daemon-reload && systemctl enable -q caddy && systemctl reload-or-restart caddy
answers -k --retry 20 --retry-delay 2 --retry-all-errors --resolve "$domain:443:127.0.0.1" "https://$domain/" ||
  fail "The site runs, but has no certificate yet. Are ports 80 and 443 open at your provider? Caddy says why: journalctl -u caddy"
echo "https://$domain is online."
