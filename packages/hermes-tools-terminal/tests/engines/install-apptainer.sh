#!/bin/bash
# Installs Apptainer from Debian's unstable suite on an older Debian, as root, with a C library of its own.
# Needs curl, xz and `patchelf` on the PATH. What is fetched is compared with the sums in the mirror's index, no more:
# this is for machines that run tests.
set -eu

if command -v apptainer >/dev/null; then exit 0; fi
if [ "$(id -u)" != 0 ]; then echo "install-apptainer.sh: only root can do this" >&2; exit 1; fi
for program in curl xz patchelf dpkg-deb; do
  command -v "$program" >/dev/null || { echo "install-apptainer.sh: $program is missing" >&2; exit 1; }
done
command -v mksquashfs >/dev/null || apt-get install -y -qq --no-install-recommends squashfs-tools >/dev/null

PREFIX=/opt/apptainer-sid
ARCH=$(dpkg --print-architecture)
TRIPLET=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || echo x86_64-linux-gnu)
[ "$ARCH" = amd64 ] || { echo "install-apptainer.sh: written for amd64, this is $ARCH" >&2; exit 1; }
MIRROR=$(awk '/^URIs:/{print $2; exit}' /etc/apt/sources.list.d/debian.sources 2>/dev/null || true)
[ -n "$MIRROR" ] || { echo "install-apptainer.sh: no Debian mirror in /etc/apt/sources.list.d/debian.sources" >&2; exit 1; }
WORK=$(mktemp -d); trap 'rm -rf "$WORK"' EXIT

curl -fsS "$MIRROR/dists/sid/main/binary-$ARCH/Packages.xz" | xz -dc >"$WORK/Packages"
for package in apptainer libc6 libseccomp2 libsqlite3-0; do
  read -r file sum < <(awk -v p="$package" 'BEGIN{RS="";FS="\n"} $1=="Package: " p {
    for(i=1;i<=NF;i++){if($i~/^Filename: /)f=substr($i,11);if($i~/^SHA256: /)h=substr($i,9)} print f,h; exit}' "$WORK/Packages")
  curl -fsS -o "$WORK/$package.deb" "$MIRROR/$file"
  echo "$sum  $WORK/$package.deb" | sha256sum -c --quiet
  dpkg-deb -x "$WORK/$package.deb" "$WORK/root"
done

mkdir -p "$PREFIX/lib" /var/lib/apptainer/mnt/session
find "$WORK/root" -name ld-linux-x86-64.so.2 -exec cp -L {} "$PREFIX/lib/" \; -quit
for library in libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 libresolv.so.2 libseccomp.so.2 libsqlite3.so.0; do
  cp -L "$WORK/root/usr/lib/$TRIPLET/$library" "$PREFIX/lib/"
done
cp -a "$WORK/root/usr/lib/$TRIPLET/apptainer" "/usr/lib/$TRIPLET/"
cp -a "$WORK/root/etc/apptainer" /etc/
cp "$WORK/root/usr/bin/apptainer" "$WORK/apptainer"
# A plain RUNPATH would still pick the machine's own libm, hence --force-rpath.
for binary in "$WORK/apptainer" "/usr/lib/$TRIPLET/apptainer/bin/starter"; do
  patchelf --force-rpath --set-interpreter "$PREFIX/lib/ld-linux-x86-64.so.2" --set-rpath "$PREFIX/lib" "$binary"
done
# Without systemd, and where root has not every capability, its defaults do not work.
sed -i 's/^systemd cgroups = yes/systemd cgroups = no/; s/^root default capabilities = full/root default capabilities = no/' \
  /etc/apptainer/apptainer.conf
# Last: whoever finds the program finds all of it. Its path is built into its starter.
mv "$WORK/apptainer" /usr/bin/apptainer
ln -sf apptainer /usr/bin/singularity
