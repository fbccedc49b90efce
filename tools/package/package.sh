#!/usr/bin/env bash
# package.sh BUILD OUT PYTHON: makes the packages of a finished build.
#
#   OUT/karakal_VERSION~debN_ARCH.deb   tools, library, headers, CMake package,
#                                       man pages, completion, documents
#   OUT/npftrace-VERSION-….whl          pure Python
#   OUT/baker_explorer-VERSION-….whl    pure Python, needs npftrace
#   OUT/ixpchip-VERSION-….whl           the chip as a module, for PYTHON
#
# Debian's own tools write the package: dpkg-shlibdeps finds what it depends on,
# dpkg-deb packs it. Every file has the time of the last commit, so that the same
# sources and the same Debian make the same bytes.
set -euo pipefail
build=$1 out=$2 python=$3
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
version=$(sed -n 's/^project(Karakal VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
architecture=$(dpkg --print-architecture)
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "deb${VERSION_ID:-sid}")
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
work=$build/package
stage=$work/debian/karakal # where dpkg-shlibdeps expects it
# What no shared library tells: bakerc starts the linker, and the headers of the C++
# library include nlohmann's.
needs='lld-19, nlohmann-json3-dev'
# Helps wrap at the width of the terminal.
export COLUMNS=80
# Man pages are made from the modules of this checkout.
export PYTHONPATH=$root/traces:$root/explorer

same_times() { find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +; }

stage_files() {
  rm -rf "$work"
  mkdir -p "$work" "$out"
  DESTDIR=$stage cmake --install "$build" --prefix /usr --strip >/dev/null
  local tools=("$stage"/usr/bin/*)
  python3 tools/package/manuals.py --version "$version" \
    --out "$stage/usr/share" "${tools[@]}"
  local documents=$stage/usr/share/doc/karakal
  mkdir -p "$documents"
  gzip -9n <CHANGELOG.md >"$documents/changelog.gz"
  cat >"$documents/copyright" <<TEXT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Karakal

Files: *
Copyright: Karakal's authors
License: Apache-2.0
 The text is in /usr/share/common-licenses/Apache-2.0.
TEXT
  find "$stage" -type d -exec chmod 755 {} +
  find "$stage" -type f -exec chmod 644 {} +
  chmod 755 "${tools[@]}"
}

# The Debian packages of the shared libraries that the files need.
shared_libraries() {
  local binaries
  mapfile -t binaries < <(cd "$work" && find debian/karakal/usr/{bin,lib} \
    -type f \( -perm -u+x -o -name '*.so*' \) | sort)
  mkdir -p "$stage/DEBIAN"
  # The folder of libMLIR also has a link to libLLVM, by which dpkg-shlibdeps would
  # look for its package in vain.
  cp "$(dpkg-query --control-path libllvm19 shlibs)" "$work/debian/shlibs.local"
  printf 'Source: karakal\n\nPackage: karakal\nArchitecture: any\n' \
    >"$work/debian/control"
  (cd "$work" && dpkg-shlibdeps -O "${binaries[@]}") | sed -n 's/^shlibs:Depends=//p'
}

debian_package() {
  local depends size
  depends=$(shared_libraries)
  size=$(du -sk --apparent-size "$stage/usr" | cut -f1)
  cat >"$stage/DEBIAN/control" <<TEXT
Package: karakal
Version: $version~$suite
Architecture: $architecture
Maintainer: Karakal's authors <karakal@localhost>
Installed-Size: $size
Depends: $depends, $needs
Suggests: gcc, libc6-dev
Section: devel
Priority: optional
Description: compiler and simulator for the Intel IXP2400 network processor
 Karakal compiles packet programs, written in the dataflow language Baker, to
 microcode for the Intel IXP2400, and runs that microcode on a cycle-level
 simulator of the chip, which is also a C++ library.
TEXT
  echo 'activate-noawait ldconfig' >"$stage/DEBIAN/triggers"
  (cd "$stage" && find usr -type f -print0 | sort -z | xargs -0 md5sum) \
    >"$stage/DEBIAN/md5sums"
  same_times "$stage"
  dpkg-deb --root-owner-group -Zxz --build "$stage" \
    "$out/karakal_$version~${suite}_$architecture.deb" >/dev/null
}

# python_wheel NAME FOLDER PACKAGE DESCRIPTION FORMAT: the sources that are committed or
# new, with man page and completion.
python_wheel() {
  local name=$1 folder=$2 package=$3 description=$4 format=$5 source=$work/$1
  git ls-files -z --cached --others --exclude-standard "$folder" |
    xargs -0 cp --parents -t "$work"
  [[ $folder == "$name" ]] || mv "$work/$folder" "$source"
  mkdir -p "$source/manual"
  "$(dirname "$python")/argparse-manpage" --module "$package.cli" \
    --function make_parser --prog "$name" --project-name Karakal \
    --description "$description" --version "$version" --manual-section 1 \
    --format "$format" --output "$source/manual/$name.1"
  "$python" -m shtab --prog="$name" --shell=bash "$package.cli.make_parser" \
    >"$source/manual/$name"
  same_times "$source"
  "$python" -m pip wheel -q --no-deps --no-build-isolation \
    --disable-pip-version-check -w "$out" "$source"
}

ixpchip_wheel() {
  local folder=$work/ixpchip tag module
  module=("$build"/python/ixpchip.*.so)
  tag=$("$python" -c 'import sys, sysconfig
cpython = "cp%d%d" % sys.version_info[:2]
platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
print(f"{cpython}-{cpython}-{platform}")')
  mkdir -p "$folder/ixpchip-$version.dist-info"
  strip -o "$folder/${module[0]##*/}" "${module[0]}"
  cat >"$folder/ixpchip-$version.dist-info/METADATA" <<TEXT
Metadata-Version: 2.1
Name: ixpchip
Version: $version
Summary: A cycle-level simulator of the Intel IXP2400 network processor
License: Apache-2.0
Requires-Python: >=3.11
TEXT
  cat >"$folder/ixpchip-$version.dist-info/WHEEL" <<TEXT
Wheel-Version: 1.0
Generator: karakal
Root-Is-Purelib: false
Tag: $tag
TEXT
  "$python" -m wheel pack -d "$out" "$folder" >/dev/null
}

stage_files
debian_package
python_wheel npftrace traces npftrace "makes, inspects and checks packet traces" \
  single-commands-section
python_wheel baker-explorer explorer baker_explorer \
  "shows what a Baker program becomes and what its packets do" pretty
ixpchip_wheel
