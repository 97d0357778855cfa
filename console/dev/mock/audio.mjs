// Silence as a WAV file of the right length, sent in ranges, and a made-up waveform.

const RATE = 8000;

export function makePeaks(duration) {
  const points = Array.from({ length: 2000 }, (_, index) => {
    const loud = Math.abs(Math.sin(index * 0.7) * Math.sin(index * 0.031) * 100) * (index % 17 < 2 ? 0.1 : 1) + 4;
    return [-Math.round(loud), Math.round(loud * 0.9)];
  });
  return { object: 'peaks', duration_seconds: String(duration), points };
}

export function makeAudio(request, response, duration) {
  const samples = Math.ceil(duration * RATE);
  const total = 44 + samples;
  const range = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? '');
  const start = range ? Number(range[1]) : 0;
  const end = range?.[2] ? Math.min(Number(range[2]), total - 1) : total - 1;
  response.writeHead(range ? 206 : 200, {
    'Content-Type': 'audio/wav',
    'Accept-Ranges': 'bytes',
    'Content-Length': end - start + 1,
    ...(range ? { 'Content-Range': `bytes ${start}-${end}/${total}` } : {}),
  });
  const body = Buffer.alloc(end - start + 1, 128);
  if (start < 44) header(samples).copy(body, 0, start, Math.min(44, end + 1));
  response.end(body);
}

function header(samples) {
  const bytes = Buffer.alloc(44);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + samples, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(RATE, 24);
  bytes.writeUInt32LE(RATE, 28);
  bytes.writeUInt16LE(1, 32);
  bytes.writeUInt16LE(8, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(samples, 40);
  return bytes;
}
