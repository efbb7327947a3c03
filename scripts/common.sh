# Shared by ./run, ./test and scripts/*: sourced, not run. Sets $root (the repository) and gives stage, die,
# install_packages and build.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

stage() { printf '==> %s\n' "$*"; }
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# run_quietly LOG COMMAND...: the output goes to LOG and is shown only when the command fails.
run_quietly() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 60 "$log" >&2
    die "failed: $* (whole output: $log)"
  fi
}

# install_packages GROUP...: the packages without a group, and those of the groups, where they are missing.
install_packages() {
  local -a wanted missing=() as_root=()
  local package
  mapfile -t wanted < <(awk -v groups=" $* " '/^[^#]/ && (NF == 1 || index(groups, " " $2 " ")) {print $1}' \
    "$root/scripts/packages.txt" | sort -u)
  ((${#wanted[@]})) || die "scripts/packages.txt names no package"
  command -v dpkg-query >/dev/null || die "this system has no dpkg: Manybase is built on Debian 12 (bookworm)"
  local installed
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)
  for package in "${wanted[@]}"; do
    grep -qx "installed $package" <<<"$installed" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  local system
  system=$(. /etc/os-release 2>/dev/null && printf '%s %s' "${ID:-?}" "${VERSION_ID:-?}")
  [[ $system == "debian 12" ]] || die "this is $system, not Debian 12; packages that are missing: ${missing[*]}"
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "not root and no sudo; as root: apt-get install ${missing[*]}"
    as_root=(sudo)
    [[ -t 0 ]] || as_root+=(-n)
    "${as_root[@]}" true || die "sudo was refused; as root: apt-get install ${missing[*]}"
  fi
  stage "Installing ${#missing[@]} packages: ${missing[*]}"
  # One list of the many that a machine may have being out of reach is no reason to stop: the install says what misses.
  "${as_root[@]}" apt-get update -qq >/dev/null 2>&1 </dev/null || stage "apt-get update met an error; going on"
  run_quietly "$root/build/install.log" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "${missing[@]}"
}

# How many compilers at once: one a core, and 1.5 GiB of memory for each.
build_jobs() {
  local by_memory
  by_memory=$(awk '/^MemAvailable/ {n = int($2 / 1572864); print n < 1 ? 1 : n}' /proc/meminfo)
  local cores
  cores=$(nproc)
  echo $((by_memory < cores ? by_memory : cores))
}

# build PRESET [TARGET...]: configures where that was not done since the presets changed, and builds. A terminal sees
# Ninja's progress.
build() {
  local preset=$1
  shift
  local folder="$root/build/$preset"
  "$root/scripts/fetch-parts"
  cd "$root"
  if [[ ! -f $folder/build.ninja || CMakePresets.json -nt $folder/build.ninja ]]; then
    stage "Configuring preset $preset"
    run_quietly "$root/build/configure-$preset.log" cmake --preset "$preset"
  fi
  local -a command=(cmake --build "$folder" --parallel "$(build_jobs)")
  (($#)) && command+=(--target "$@")
  stage "Building ${*:-everything} ($preset; the first time takes some minutes)"
  if [[ -t 1 ]]; then
    "${command[@]}" </dev/null || die "the build failed"
  else
    run_quietly "$root/build/build-$preset.log" "${command[@]}"
  fi
}
