# A temporary PostgreSQL for one run. It never runs as root and is removed at the end.

postgres_user=""
postgres_binaries=""
postgres_folder=""
# Set by benchmarks: commits wait for the disk.
postgres_is_durable=""

find_postgres() {
  local candidate
  for candidate in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t/ -k5,5nr); do
    [[ -x $candidate/initdb && -x $candidate/pg_ctl ]] && { echo "$candidate"; return; }
  done
  has initdb && has pg_ctl && dirname "$(command -v initdb)"
}

# PostgreSQL refuses to run as root.
as_postgres_user() {
  if [[ -z $postgres_user ]]; then
    "$@"
  elif has runuser; then
    runuser -u "$postgres_user" -- "$@"
  else
    setpriv --reuid "$postgres_user" --regid "$(id -g "$postgres_user")" --clear-groups "$@"
  fi
}

choose_postgres_user() {
  [[ $(id -u) -eq 0 ]] || return 0
  local candidate
  for candidate in postgres nobody; do
    if id "$candidate" >/dev/null 2>&1; then
      postgres_user="$candidate"
      return 0
    fi
  done
  fail "PostgreSQL cannot run as root and there is no user postgres or nobody to run it as"
}

start_postgres() {
  postgres_binaries="$(find_postgres)" || fail "PostgreSQL is not installed; scripts/test installs it"
  choose_postgres_user
  postgres_folder="$scratch/postgres"
  install -d -m 700 "$postgres_folder"
  [[ -z $postgres_user ]] || chown "$postgres_user" "$postgres_folder"
  # pg_ctl and initdb change to the folder they were called from, so their user must be able to enter it.
  cd "$postgres_folder"
  as_postgres_user "$postgres_binaries/initdb" --pgdata "$postgres_folder/data" --username auris \
    --auth trust --encoding UTF8 --locale C --no-sync >"$scratch/initdb.log" 2>&1 \
    || { cat "$scratch/initdb.log" >&2; fail "initdb failed"; }
  try_ports
  cd "$repository"
}

# Tries random ports until PostgreSQL can bind one. Looking for a free port first would be a race.
try_ports() {
  local attempt port options
  at_exit stop_postgres
  for attempt in 1 2 3 4 5 6 7 8; do
    port=$((20000 + RANDOM % 12000))
    options="-p $port -k $postgres_folder -c listen_addresses=127.0.0.1 -c max_connections=300"
    options+=" -c autovacuum_naptime=5s"
    # The tests never kill this database, so it need not survive a crash.
    [[ -n $postgres_is_durable ]] || options+=" -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
    if as_postgres_user "$postgres_binaries/pg_ctl" start --wait --silent --timeout 60 \
      --pgdata "$postgres_folder/data" --log "$postgres_folder/log" --options "$options" >/dev/null 2>&1; then
      export AURIS_TEST_POSTGRES="postgres://auris@127.0.0.1:$port/postgres"
      export PATH="$PATH:$postgres_binaries"
      note "PostgreSQL on port $port as ${postgres_user:-$(id -un)}"
      return
    fi
  done
  cat "$postgres_folder/log" >&2
  fail "PostgreSQL did not start"
}

stop_postgres() {
  # pg_ctl needs a folder that its user may enter.
  cd /
  as_postgres_user "$postgres_binaries/pg_ctl" stop --mode immediate --silent --pgdata "$postgres_folder/data" >/dev/null 2>&1
}
