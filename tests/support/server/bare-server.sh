#!/usr/bin/env bash
# What server-script.long.ts runs as root: Debian as on a rented server's first day.
#   bare-server.sh image FILE SUITE    debootstraps it into a disk image
#   bare-server.sh boot FOLDER NUMBER MEGABYTES  boots FOLDER/disk.img as 10.77.NUMBER.2, and again whenever it reboots
#   bare-server.sh take SERVERS PID    prints the lowest number that no live process has: SERVERS/NUMBER leads to its process
#   bare-server.sh down SERVERS NUMBER removes what outlives a server's processes; give_back its folder and number, too
# `boot` is the first process in namespaces of its own: whatever ends it, its processes, mounts and network end with it.
set -euo pipefail
FORWARD=/proc/sys/net/ipv4/ip_forward

mirror() {
  awk '/^deb /{for (i = 2; i <= NF; i++) if ($i ~ /^https?:/) {print $i; exit}} /^URIs:/{print $2; exit}' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1 || true
}

cgroups() { for top in /sys/fs/cgroup{,/unified,/systemd,/memory}; do [ ! -e "$top/cgroup.procs" ] || echo "$top/bare-$1"; done; }

firewall() { # -A or -D, NUMBER
  iptables -w -t nat "$1" POSTROUTING -s "10.77.$2.0/24" ! -d 10.77.0.0/16 -j MASQUERADE
  for way in -i -o; do iptables -w "$1" FORWARD $way "bare$2" -j ACCEPT; done
}

image() {
  # Small enough for a test to fill.
  truncate -s 5G "$1"; mkfs.ext4 -q -F -m 0 "$1"
  root=$(mktemp -d); mount -o loop "$1" "$root"
  debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,openssh-server,ca-certificates,iproute2 \
    "$2" "$root" "$(mirror)"
  umount "$root"; rmdir "$root"
}

boot() {
  cd "$1"; number=$2
  # Two systemds in one cgroup would mistake each other's processes for their own.
  for cgroup in $(cgroups "$number"); do mkdir -p "$cgroup"; echo $$ > "$cgroup/cgroup.procs"; done
  for limit in /sys/fs/cgroup/{"memory/bare-$number/memory.limit_in_bytes","bare-$number/memory.max"}; do
    [ ! -e "$limit" ] || echo $(($3 * 1024 * 1024)) > "$limit"
  done
  mkdir -p root; mount -o loop disk.img root

  mkdir -p /run/netns; mount -t tmpfs none /run/netns; ip netns add bare
  ip link add "bare$number" type veth peer name eth0 netns bare
  # The first is the laptop's; visitors come from the others.
  seq -f "addr add 10.77.$number.%g/24 dev bare$number" 1 254 | grep -v '\.2/' | ip -batch -
  ip link set "bare$number" up
  ip -n bare addr add "10.77.$number.2/24" dev eth0; ip -n bare link set eth0 up; ip -n bare link set lo up
  ip -n bare route add default via "10.77.$number.1"
  [ "$(cat $FORWARD)" = 1 ] || { touch /run/bare-forward; echo 1 > $FORWARD; }
  firewall -A "$number"

  # What reaches packages here also does in there: the package tools' own settings and certificates.
  cp -a /etc/apt/apt.conf.d root/etc/apt/
  cp -L --remove-destination /etc/ssl/certs/ca-certificates.crt root/etc/ssl/certs/
  for file in /etc/resolv.conf /etc/npmrc; do [ ! -f $file ] || cp -L --remove-destination $file root$file; done
  [ ! -f ~/.npmrc ] || cp ~/.npmrc root/root/.npmrc
  env | grep -iE '^(https?_proxy|no_proxy|npm_config_[a-z_]*|NODE_EXTRA_CA_CERTS)=' > root/etc/environment || true
  ln -sf /dev/null root/etc/systemd/system/systemd-resolved.service

  printf '127.0.0.1 localhost\n::1 localhost\n127.0.1.1 bare\n%s bare.local\n' "10.77.$number.2" > root/etc/hosts; echo bare > root/etc/hostname
  install -d -m 700 root/root/.ssh; install -m 600 key.pub root/root/.ssh/authorized_keys
  if [ ! -f known_hosts ]; then
    rm -f root/etc/ssh/ssh_host_*; ssh-keygen -q -t ed25519 -N '' -f root/etc/ssh/ssh_host_ed25519_key
    { echo -n "10.77.$number.2 "; cut -d ' ' -f 1,2 root/etc/ssh/ssh_host_ed25519_key.pub; } > known_hosts
  fi

  code=133 # a reboot
  while [ $code = 133 ]; do
    code=0
    SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 systemd-nspawn --quiet --directory=root --boot \
      --register=no --keep-unit --link-journal=no --resolv-conf=off --machine="bare-$number" \
      --network-namespace-path=/run/netns/bare || code=$?
  done
  exit $code
}

take() {
  mkdir -p "$1"; exec 9> "$1/lock"; flock 9
  for link in $(find "$1" -type l); do [ -d "/proc/$(readlink "$link")" ] || give_back "$1" "${link##*/}"; done
  number=1; until ln -s "$2" "$1/$number" 2> /dev/null; do number=$((number + 1)); done
  echo $number
}

give_back() { down "$1" "$2"; rm -rf "$1/$2.d" "$1/$2"; }

down() {
  ip link delete "bare$2" 2> /dev/null || true
  firewall -D "$2" 2> /dev/null || true
  if [ -e /run/bare-forward ] && ! ls -d /sys/class/net/bare* > /dev/null 2>&1; then
    echo 0 > $FORWARD; rm -f /run/bare-forward
  fi
  for cgroup in $(cgroups "$2"); do
    for _ in $(seq 50); do
      [ -d "$cgroup" ] || break
      find "$cgroup" -depth -type d -exec rmdir {} + 2> /dev/null || sleep 0.1
    done
  done
}

"$@"
