#!/usr/bin/env bash
# The Debian package in a clean Debian 12: made, installed, used, removed, purged. As root; downloads about 150 MB.
#   tests/interop/package.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "$(id -u)" -eq 0 ] || { echo "package.sh: only root can make another root" >&2; exit 2; }
command -v mmdebstrap >/dev/null || apt-get install -y -qq mmdebstrap >/dev/null

work=$(mktemp -d)
trap 'umount "$work/clean/proc" 2>/dev/null; rm -rf --one-file-system "$work"' EXIT
(cd build/host && "$(dirname "$(readlink -f "$(command -v /usr/bin/cmake || command -v cmake)")")/cpack" -G DEB -B "$work") >/dev/null
root="$work/clean"
mmdebstrap --quiet --variant=minbase bookworm "$root"
mount -t proc proc "$root/proc"
cp "$work"/sme2lab_*.deb "$root/tmp/sme2lab.deb"
cp build/tools/qemu-aarch64 "$root/usr/local/bin/" # Debian 12's own is too old for SME2
cp tests/data/models/toy_cnn_f32_xnnpack/{model.pte,input-0.bin} "$root/tmp/"

inside() { chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
inside apt-get update -qq
echo "== install"
inside apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends /tmp/sme2lab.deb >/dev/null
inside getent passwd sme2lab
inside sh -c 'test "$(stat -c "%U %G %a" /var/lib/sme2lab /run/sme2lab)" = "$(printf "sme2lab sme2lab 700\nroot root 755")"'
echo "== as another user: measure, ask the daemon, read a page"
inside useradd --create-home visitor
inside su visitor -c 'cd && sme2lab version && sme2lab run /tmp/model.pte --inputs /tmp/input-0.bin --device counted --runtime own -o out && sme2lab validate out && sme2lab runs'
inside test -s /usr/share/man/man1/sme2lab-run.1 -a -s /usr/lib/systemd/system/sme2labd.socket
inside /usr/bin/sme2labd --check-config --config /etc/sme2lab/host.json
echo "== remove, purge"
inside apt-get remove -y -qq -o Dpkg::Use-Pty=0 sme2lab >/dev/null
inside test -e /etc/sme2lab/host.json
inside apt-get purge -y -qq -o Dpkg::Use-Pty=0 sme2lab >/dev/null
inside apt-get autoremove -y -qq -o Dpkg::Use-Pty=0 --purge >/dev/null
left=$(cd "$root" && find etc usr var/lib -xdev | grep sme2lab | grep -vE '^var/lib/(apt|dpkg)/' || true)
[ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; }
echo "right: installed, used, removed without a trace"
