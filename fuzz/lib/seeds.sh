# The first inputs of each target. Sourced by fuzz/run; `scratch` is a folder for temporary files.

# Writes standard input as a seed. It is read to its end even if the seed exists, for the sake of the program that writes it.
keep_seed() { # CORPUS NAME
  cat >"$scratch/seed"
  [[ -f $1/seed-$2 ]] || mv "$scratch/seed" "$1/seed-$2"
}

# A third of a second of speech-like sound in every format that the decoder reads by itself.
seed_decode() { # CORPUS
  local corpus="$1"
  recording() { # NAME ARGUMENT...
    local name="$1"
    shift
    [[ -f $corpus/seed-$name ]] && return
    ffmpeg -nostdin -y -v error -f lavfi -i "sine=220:d=0.3:r=16000,tremolo=f=7:d=0.9" "$@" "$scratch/$name"
    mv "$scratch/$name" "$corpus/seed-$name"
  }
  recording pcm16.wav -c:a pcm_s16le -ar 4000
  recording pcm24.wav -c:a pcm_s24le -ar 4000
  recording float.wav -c:a pcm_f32le -ar 4000
  recording alaw.wav -c:a pcm_alaw -ar 8000
  recording mulaw.wav -c:a pcm_mulaw -ar 8000
  recording ima.wav -c:a adpcm_ima_wav
  recording ms.wav -c:a adpcm_ms
  recording a.mp3 -c:a libmp3lame -b:a 32k
  recording mp2.mp2 -c:a mp2 -ar 32000 -b:a 32k
  recording aac.m4a -c:a aac -b:a 32k
  recording aac.aac -c:a aac -b:a 32k -f adts
  recording fragmented.mp4 -c:a aac -b:a 32k -movflags frag_keyframe+empty_moov
  recording alac.m4a -c:a alac -ar 8000
  recording a.flac -c:a flac -ar 8000
  recording flac.ogg -c:a flac -ar 8000 -f ogg
  recording vorbis.ogg -c:a libvorbis
  recording opus.ogg -c:a libopus -b:a 16k
  recording celt.opus -c:a libopus -b:a 32k -ac 2 -application lowdelay
  recording surround.opus -ac 6 -c:a libopus -b:a 32k
  recording opus.mp4 -c:a libopus -b:a 16k
  recording opus.webm -c:a libopus -b:a 16k
  recording live.webm -c:a libopus -b:a 16k -live 1 -f webm
  recording vorbis.webm -c:a libvorbis
  recording pcm.mov -c:a pcm_s16le -ar 8000
  recording a.aiff -c:a pcm_s16be -ar 8000
  recording a.caf -c:a pcm_s16le -ar 8000
}

seed_request() { # CORPUS
  keep_seed "$1" transcript <<'JSON'
{"async":false,"metadata":{"case":"7"},"webhook_url":"https://example.org/hook","processing":{"failure_policy":"fail_fast",
"max_cost_usd":"0.5","chapters":{},"entities":{"model":"m"},"sentiment":{"granularity":"utterance"},"summary":{"type":
"bullets"}},"transcript":{"text":"Anna met Boris.","language":"en","duration_seconds":"7.5","segments":[{"id":0,"start":0.0,
"end":2.5,"text":"Anna","words":[{"word":"Anna","start":0.0,"end":0.3,"confidence":0.98}]}],"utterances":[{"speaker":"A",
"text":"Anna met Boris.","x":[1,-2.5e3,null,true,"\u00e9\ud83d\ude00"]}]}}
JSON
  keep_seed "$1" tasks <<'JSON'
{"job_id":"job_0abcdefgh0123456789x","processing":{"diarization":{"min_speakers":1,"max_speakers":4},"tasks":[{"id":"a",
"model":"m","instructions":"List them.","sources":["#/transcript/text","#/summary/bullets/0"],"max_output_tokens":100,
"temperature":0.2,"reasoning":{"effort":"low"},"text":{"format":{"type":"json_schema","name":"n","strict":true,"schema":
{"type":"object"}}}}]}}
JSON
  keep_seed "$1" endpoint <<<'{"url":"https://example.org/hook"}'
  keep_seed "$1" follow-up <<<'{"processing":{"summary":{"type":"brief"}},"metadata":{"a":"b"}}'
  keep_seed "$1" key <<<'{"key":"auris_abc"}'
  keep_seed "$1" link <<<'{"link":"abc"}'
  keep_seed "$1" speakers <<<'{"names":{"A":"Anna","B":"Boris"}}'
  keep_seed "$1" project <<<'{"name":"a","plan":"p","credit_usd":"2.50","requests_per_minute":null,"concurrent_transcriptions":4}'
  keep_seed "$1" credit <<<'{"add_usd":"-2.50","remove":false}'
  keep_seed "$1" new-key <<<'{"name":"a","scopes":["read","write"],"lifetime_seconds":3600}'
  keep_seed "$1" rotate <<<'{"grace_seconds":60}'
  keep_seed "$1" pull <<<'{"node":"nod_0abcdefgh0123456789x"}'
}

seed_schema() { # CORPUS
  keep_seed "$1" object <<'JSON'
{"type":"object","properties":{"a":{"type":"string","pattern":"^[a-z]{2,5}$"},"b":{"enum":[1,"x",null]}},"required":["a"]}
{"a":"xyz","b":1}
JSON
  keep_seed "$1" references <<'JSON'
{"$defs":{"n":{"type":"array","items":{"$ref":"#/$defs/n"},"maxItems":3}},"$ref":"#/$defs/n","not":{"const":[[]]}}
[[],[[]]]
JSON
  keep_seed "$1" combined <<'JSON'
{"anyOf":[{"type":"number","minimum":0,"multipleOf":0.5},{"allOf":[{"type":"string","format":"date"},{"minLength":2}]}],"oneOf":[true]}
1.5
JSON
}

seed_form() { # CORPUS
  printf '\x10--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF\r\n--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--b--\r\n' |
    keep_seed "$1" file
  printf '\xff--b\r\nContent-Disposition: form-data; name="language"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\npt-BR\r\n--b\r\ncontent-disposition: form-data; name=stream\r\n\r\ntrue\r\n--b--\r\nafter' |
    keep_seed "$1" fields
  # The byte 1 stands for 8,192 letters.
  printf '\x11multipart/form-data; boundary="c d"\n--c d\r\nContent-Disposition: form-data; name="file"\r\n\r\n\x01\x01\x01\r\n--c d\r\nContent-Disposition: form-data; name="analysis"\r\n\r\n{}\r\n--c d\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--c d\r\nContent-Disposition: form-data; name="async"\r\n\r\ntrue\r\n--c d\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"a":"b"}\r\n--c d--\r\n' |
    keep_seed "$1" console
  printf '\x80--b\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n\x01\x01\x01\x01\x01\x01\x01\x01a\r\n--b--\r\n' | keep_seed "$1" large-part
  printf '\x80--b\r\nX: \x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\r\n' | keep_seed "$1" large-header
}

seed_address() { # CORPUS
  printf 'limit=20&after=job_0abcdefgh0123456789x' | keep_seed "$1" page
  printf 'expires=1790000000&signature=3q2-7w_AAA' | keep_seed "$1" signed
  printf 'project=a&operation=transcription&status=completed&created_after=1794700800&created_before=1794700900' | keep_seed "$1" jobs
  printf 'status=failed&job_id=job_0abcdefgh0123456789x&limit=5' | keep_seed "$1" deliveries
  printf 'project=a&first_day=2026-11-01&last_day=2026-11-02&by=day,model' | keep_seed "$1" usage
  printf 'art_0abcdefgh0123456789x' | keep_seed "$1" id
  printf '42' | keep_seed "$1" number
}

seed_catalog() { # CORPUS
  keep_seed "$1" built-in <"$here/../models/catalog.toml"
  keep_seed "$1" fake <"$here/../models/fake.toml"
}

# Numbers in little-endian order.
numbers() { # BYTES NUMBER...
  local bytes="$1" number at
  shift
  for number in "$@"; do
    for ((at = 0; at < bytes; at++)); do printf '%b' "\\x$(printf '%02x' $((number >> 8 * at & 255)))"; done
  done
}

zeros() { head -c "$1" /dev/zero; } # BYTES

# Sizes, a filter, a token, and tensors of several types.
seed_ggml() { # CORPUS
  tensor() { # NAME TYPE BYTES SIZE...
    local name="$1" kind="$2" bytes="$3"
    shift 3
    numbers 4 $# ${#name} "$kind" "$@"
    printf '%s' "$name"
    zeros "$bytes"
  }
  {
    printf lmgg
    numbers 4 1 1 1 1 1 1 1 1 1 1 0 1 1 0 1 1
    printf a
    tensor encoder.blocks.0.mlp.0.weight 0 4 1 1
    tensor decoder.blocks.0.mlp.0.weight 1 2 1 1
    tensor encoder.blocks.0.mlp.2.weight 2 18 32 1
    tensor decoder.blocks.0.mlp.2.weight 7 48 32 2
    tensor decoder.token_embedding.weight 14 210 256 1
    tensor encoder.conv1.weight 1 6 3 1 1
  } | keep_seed "$1" small
}

# Values of several types, and tensors of several types. The alignment of one byte saves the padding.
seed_gguf() { # CORPUS
  text() { # TEXT
    numbers 8 ${#1}
    printf '%s' "$1"
  }
  key() { # NAME TYPE
    text "$1"
    numbers 4 "$2"
  }
  tensor() { # NAME TYPE OFFSET SIZE...
    local name="$1" kind="$2" offset="$3"
    shift 3
    text "$name"
    numbers 4 $#
    numbers 8 "$@"
    numbers 4 "$kind"
    numbers 8 "$offset"
  }
  {
    printf GGUF
    numbers 4 3
    numbers 8 5 6
    key general.alignment 4
    numbers 4 1
    key f 6
    numbers 4 1069547520
    key b 7
    numbers 1 1
    key t 8
    text hello
    key tokens 9
    numbers 4 8
    numbers 8 2
    text a
    text bc
    key types 9
    numbers 4 5
    numbers 8 2
    numbers 4 1 3
    tensor a 0 0 2 2
    tensor h 1 16 4
    tensor q8 8 24 32 2
    tensor q4 12 92 256 1
    tensor q6 14 236 256 1
    zeros 446
  } | keep_seed "$1" small
}

# A graph with a branch, a constant, and plain and quantized weights.
seed_onnx() { # CORPUS
  printf '\x08\x08:\x8c\x02\x0ac\x0a\x01f\x12\x01y\x1a\x00"\x02If*U\x0a\x0bthen_branch2F\x0a\x1c\x0a\x01x\x0a\x01w\x12\x01y\x1a\x09/m/MatMul"\x06MatMul\x0a&\x12\x01c\x1a\x00"\x08Constant*\x15\x0a\x05value*\x0c\x08\x01\x10\x01B\x00J\x04\x00\x00\x80?\x0aO\x0a\x01x\x0a\x0bv_quantized\x0a\x00\x0a\x0cv_zero_point\x12\x01y\x1a\x0f/q/MatMul_quant"\x0dMatMulInteger*\x0a\x0a\x04axes@\x01@\x02*\x13\x08\x02\x08\x01\x10\x01B\x01wJ\x08\x00\x00\x80?\x00\x00\x00@*\x17\x08\x01\x08\x02\x10\x02B\x0bv_quantizedJ\x02\x01\xff*\x11\x10\x01B\x07v_scaleJ\x04\x00\x00\x00?*\x13\x10\x02B\x0cv_zero_point(\x80\x01' |
    keep_seed "$1" small
}

# A vector and a product of one input and one output. The target makes the checksum right.
seed_packed() { # CORPUS
  local names='["decoder.ln.bias","encoder.blocks.0.mlp.0.weight"]' config directory
  config='{"family":"whisper","width":1,"encoder_layers":1,"decoder_layers":1,"heads":1,"head_width":1'
  config+=',"encoder_feed_forward":1,"decoder_feed_forward":1,"mel_bins":1,"vocabulary":1,"audio_positions":1'
  config+=',"text_positions":1,"rotary_width":0,"rotary_base":0.0}'
  directory='{"fingerprint":"","content":"","config":'"$config"',"names":'"$names"',"floats":{"decoder.ln.bias":[64,68]},"linears":'
  directory+='{"encoder.blocks.0.mlp.0.weight + -":{"inputs":1,"outputs":1,"weights":[128,1152],"offsets":[1152,1216]'
  directory+=',"scales":[1216,1280],"bias":[1280,1344]}}}'
  {
    printf AURISPCK
    numbers 8 1 1344 ${#directory}
    zeros $((1344 - 32))
    printf '%s' "$directory"
  } | keep_seed "$1" small
}

# A `config.json`, an index and a file of tensors, with a zero byte behind each of the first two.
seed_safetensors() { # CORPUS
  local header='{"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"b":{"dtype":"BF16","shape":[4],"data_offsets":[16,24]}}'
  local index='{"metadata":{"total_size":24},"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"}}'
  local whisper='{"model_type":"whisper","activation_function":"gelu","d_model":2,"encoder_layers":1,"decoder_layers":1'
  whisper+=',"encoder_attention_heads":1,"decoder_attention_heads":1,"encoder_ffn_dim":2,"decoder_ffn_dim":2,"num_mel_bins":1'
  whisper+=',"vocab_size":2,"max_source_positions":1,"max_target_positions":1}'
  local moonshine='{"model_type":"moonshine","hidden_size":4,"intermediate_size":4,"encoder_num_hidden_layers":1'
  moonshine+=',"decoder_num_hidden_layers":1,"encoder_num_attention_heads":1,"decoder_num_attention_heads":1,"vocab_size":2'
  moonshine+=',"max_position_embeddings":9,"rope_parameters":{"partial_rotary_factor":0.9,"rope_theta":10000.0}}'
  local named="${header//\"a\"/\"model.encoder.layer_norm.weight\"}"
  folder() { # CONFIG HEADER
    printf '%s\0%s\0' "$1" "$index"
    numbers 8 ${#2}
    printf '%s' "$2"
    zeros 24
  }
  folder "$whisper" "$named" | keep_seed "$1" whisper
  folder "$moonshine" "$header" | keep_seed "$1" moonshine
  folder '' "$header" | keep_seed "$1" file
}
