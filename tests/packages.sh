# Sourced by tests/run.sh and demos/run.sh: the Debian 12 packages they need.

packages_to_run="g++ cmake ninja-build libboost1.81-dev libboost-context1.81-dev libabsl-dev libeigen3-dev nlohmann-json3-dev"
# libclang-rt: the sanitizers' runtimes; llvm: llvm-symbolizer, which puts names into their reports.
packages_to_test="git clang libclang-rt-14-dev llvm-14 clang-format libgtest-dev libgmock-dev libbenchmark-dev"

# install_packages NAME...: installs those that are missing; without any, apt is not touched at all.
install_packages() {
  local missing=() name as_root=()
  for name in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "missing packages, and neither root nor sudo to install them: ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "installing: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}
