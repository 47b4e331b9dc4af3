#!/usr/bin/env bash
# The image of configs/container, built by buildah on a clean Debian 12 and used. As root; downloads about 200 MB.
#   tests/interop/container.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "$(id -u)" -eq 0 ] || { echo "container.sh: only root can make another root" >&2; exit 2; }
for tool in mmdebstrap buildah; do
  command -v $tool >/dev/null || apt-get install -y -qq --no-install-recommends $tool >/dev/null
done

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
b() { buildah --root "$work/storage" --runroot "$work/run" "$@"; }
mkdir "$work/image"
(cd build/host && "$(dirname "$(readlink -f "$(command -v /usr/bin/cmake || command -v cmake)")")/cpack" -G DEB -B "$work/image") >/dev/null
mv "$work"/image/sme2lab_*.deb "$work/image/sme2lab.deb"
cp build/tools/qemu-aarch64 "$work/image/"

echo "== build"
mmdebstrap --quiet --variant=minbase bookworm "$work/clean.tar"
base=$(b from scratch)
b add --quiet "$base" "$work/clean.tar" / >/dev/null
b commit --quiet "$base" clean >/dev/null
b rm "$base" >/dev/null
b build --quiet --build-arg BASE=localhost/clean --file configs/container/Containerfile --tag sme2lab "$work/image" >/dev/null
said=$(b inspect --type image --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}}' sme2lab)
[ "$said" = "sme2lab [/usr/bin/sme2labd --state /var/lib/sme2lab] [--config /etc/sme2lab/host.json]" ] || { echo "$said" >&2; exit 1; }

echo "== use"
lab=$(b from sme2lab)
b copy --quiet "$lab" tests/data/models/toy_cnn_f32_xnnpack/model.pte tests/data/models/toy_cnn_f32_xnnpack/input-0.bin /srv/ >/dev/null
b run "$lab" -- sh -ec '
cd /tmp
[ "$(id -un)" = sme2lab ]
/usr/bin/sme2labd --state /var/lib/sme2lab --config /etc/sme2lab/host.json & daemon=$!
lab() { sme2lab --server unix:/run/sme2lab/sme2labd.sock "$@"; }
for wait in $(seq 100); do lab devices >/dev/null 2>&1 && break; sleep 0.1; done
lab submit /srv/model.pte --inputs /srv/input-0.bin --device counted-512 --runtime own --wait
lab runs | grep counted-512
kill $daemon
wait $daemon'
echo "right: built, measured in, ended at SIGTERM"
