#!/usr/bin/env bash
# fresh.sh SUITE demo-and-test: runs both commands of the README in an empty
# Debian. fresh.sh SUITE package: makes the packages in one, and installs them in
# another.
#
# An empty Debian SUITE (bookworm or trixie) is made by debootstrap in a folder
# of its own, the present commit is cloned into it, and `./dev demo` and
# `./dev test`, or `./dev package`, run there in a chroot. So what a full machine
# happens to have installed cannot stand in for what ./dev forgets to install. The
# packages go into a second empty Debian without the clone, where
# tests/installed.sh compiles and simulates a program.
#
# KARAKAL_PACKAGES=DIR takes packages that are made already.
#
# The chroot takes from the host only what reaching the package archives needs:
# name servers, proxies, certificates and pip's settings. Its mounts live in a
# mount namespace of their own and end with it. KARAKAL_FRESH=DIR names another
# parent folder than /var/tmp. The folder stays if something failed.
set -euo pipefail
suite=$1
what=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
debian=${KARAKAL_FRESH:-/var/tmp}/karakal-fresh-$suite
log=$debian.log
certificates=/etc/ssl/certs/ca-certificates.crt

say() { printf '\033[1m== %s: %s\033[0m\n' "$suite" "$*" >&2; }

# The settings of the host by which programs reach the package archives.
network_environment() {
  env | grep -E '^((http|https|ftp|no)_proxy|(HTTP|HTTPS|FTP|NO)_PROXY)=' || true
  env | grep -E '^PIP_[A-Z_]*=' | grep -v '^PIP_FIND_LINKS=' || true
}

make_debian() {
  say "making an empty Debian in $debian"
  rm -rf --one-file-system "$debian"
  mkdir -p "$debian"
  debootstrap --variant=minbase --include=ca-certificates,git "$suite" \
    "$debian" "${KARAKAL_DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$log"
  cp /etc/resolv.conf "$debian/etc/resolv.conf"
  echo '127.0.0.1 localhost' >"$debian/etc/hosts" # as Debian's installer does
  [[ ! -f $certificates ]] || cp "$certificates" "$debian$certificates"
  [[ ! -f /etc/pip.conf ]] || cp /etc/pip.conf "$debian/etc/pip.conf"
}

clone_commit() {
  say "cloning $(git -C "$root" log -1 --format='%h %s')"
  git clone -q --no-local "$root" "$debian/root/karakal"
  git -C "$debian/root/karakal" checkout -q --detach \
    "$(git -C "$root" rev-parse HEAD)"
}

# in_debian COMMAND: runs it in the clone, as root of the empty Debian.
in_debian() {
  local environment
  mapfile -t environment < <(network_environment)
  # shellcheck disable=SC2016 # expanded by the shell inside the namespace
  unshare --mount --pid --fork bash -euc '
    debian=$1
    shift
    mount --rbind /dev "$debian/dev"
    mount -t sysfs sys "$debian/sys"
    mount -t proc proc "$debian/proc"
    exec chroot "$debian" "$@"' in_debian "$debian" \
    env -i HOME=/root LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "${environment[@]}" bash -c "cd /root/karakal && $1"
}

# run COMMAND: runs it in the empty Debian, with its time.
run() {
  say "$1"
  local start=$SECONDS
  if ! in_debian "$1" 2>&1 | tee -a "$log"; then
    say "$1 FAILED; the folder $debian and $log stay"
    exit 1
  fi
  say "$1 succeeded in $((SECONDS - start)) s"
}

# Puts the packages into an empty Debian that has never seen the checkout.
install_packages() {
  local packages=${KARAKAL_PACKAGES:-}
  if [[ -z $packages ]]; then
    make_debian
    clone_commit
    run './dev package'
    packages=$(mktemp -d)
    cp "$debian"/root/karakal/build/packages/* "$packages"
  fi
  make_debian
  mkdir -p "$debian/root/karakal"
  cp "$packages"/* "$root/tests/installed.sh" "$debian/root/karakal"
  run ./installed.sh
}

if [[ $what == package ]]; then
  install_packages
else
  make_debian
  clone_commit
  run './dev demo'
  run './dev test'
fi
rm -rf --one-file-system "$debian" "$log"
