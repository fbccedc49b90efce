#!/usr/bin/env bash
# installed.sh: installs the packages beside it, as a user would, and uses them in an
# empty folder: compiles an application, simulates it, reads man pages and completion,
# builds a program with the C++ library, and uses the Python packages.
set -euo pipefail
packages=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export DEBIAN_FRONTEND=noninteractive

apt-get update -qq
apt-get install -y -qq --no-install-recommends "$packages"/karakal_*.deb \
  g++ cmake make man-db bash-completion python3-venv >/dev/null
work=$(mktemp -d)
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check "$packages"/*.whl
PATH=$work/venv/bin:$PATH

npftrace make ipv4 --packets 300 --routes 100 --seed 1 --out t.pcap --control c.txt
bakerc /usr/share/doc/karakal/apps/l3-switch/l3_switch.baker \
  --profile-trace=t.pcap --control=c.txt -o l3.ixp
ixpsim l3.ixp --trace=t.pcap --control=c.txt --out=o.pcapng --stats=s.json --quiet
npftrace check --app l3-switch --trace t.pcap --control c.txt --out o.pcapng \
  --stats s.json
bakerc --target=x86 --emit=exe /usr/share/doc/karakal/apps/l3-switch/l3_switch.baker \
  -o l3
./l3 t.pcap --control=c.txt --out=x.pcapng --stats=x.json
npftrace check --app l3-switch --trace t.pcap --control c.txt --out x.pcapng \
  --stats x.json
cp -r /usr/share/doc/karakal/apps/l3-switch .
baker-explorer l3-switch/l3_switch.baker --trace=t.pcap --control=c.txt \
  --export=run.html
grep -q '<html' run.html
python3 -c 'import ixpchip'
for tool in npftrace baker-explorer; do
  [[ -s venv/share/man/man1/$tool.1 ]]
  bash -c "source venv/share/bash-completion/completions/$tool && complete -p $tool" \
    >/dev/null
done

for tool in bakerc baker-opt baker-format bakersw ixpsim ixp-as ixp-dis; do
  # minbase leaves out /usr/share/man when dpkg is so configured.
  [[ ! -e /usr/share/man/man1/$tool.1.gz ]] || man "$tool" >/dev/null
  bash -c "source /usr/share/bash-completion/bash_completion
    source /usr/share/bash-completion/completions/$tool && complete -p $tool" >/dev/null
done

mkdir embedding
cat >embedding/CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(embedding CXX)
find_package(Karakal REQUIRED)
add_executable(parameters parameters.cpp)
target_link_libraries(parameters Karakal::karakal)
TEXT
cat >embedding/parameters.cpp <<'TEXT'
#include "target-ixp/chip/ChipParameters.h"
int main() { return karakal::target::ChipParameters().meClockHz > 0 ? 0 : 1; }
TEXT
cmake -S embedding -B embedding/build >/dev/null
cmake --build embedding/build >/dev/null
embedding/build/parameters
echo "installed and used: $(dpkg-query -W karakal)"
