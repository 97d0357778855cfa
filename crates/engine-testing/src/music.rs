//! Synthetic music without a voice: chords, an arpeggio, a bass and a drum.

const RATE: f32 = 16_000.0;
const BEAT: usize = 8_000;
/// Four chords of three notes each, in hertz.
const CHORDS: [[f32; 3]; 4] =
    [[261.6, 329.6, 392.0], [220.0, 261.6, 329.6], [174.6, 220.0, 261.6], [196.0, 246.9, 293.7]];

/// Samples at 16 kHz.
pub fn music(seconds: usize) -> Vec<f32> {
    let mut noise = 0x2545_F491u32;
    (0..seconds * RATE as usize)
        .map(|at| {
            noise ^= noise << 13;
            noise ^= noise >> 17;
            noise ^= noise << 5;
            0.12 * pad(at) + 0.2 * arpeggio(at) + 0.25 * bass(at) + drum(at, noise)
        })
        .collect()
}

fn chord(at: usize) -> [f32; 3] {
    CHORDS[at / (4 * BEAT) % CHORDS.len()]
}

/// A note with four overtones, like that of a string or a reed.
fn note(hertz: f32, at: usize) -> f32 {
    let phase = hertz * at as f32 / RATE;
    (1..=5).map(|overtone| (phase * overtone as f32 * std::f32::consts::TAU).sin() / overtone as f32).sum()
}

fn pad(at: usize) -> f32 {
    chord(at).iter().map(|hertz| note(*hertz, at)).sum()
}

fn arpeggio(at: usize) -> f32 {
    let step = BEAT / 4;
    let fading = (-((at % step) as f32) / 900.0).exp();
    note(chord(at)[at / step % 3] * 2.0, at) * fading
}

fn bass(at: usize) -> f32 {
    let fading = (-((at % BEAT) as f32) / 4_000.0).exp();
    note(chord(at)[0] / 2.0, at) * fading
}

fn drum(at: usize, noise: u32) -> f32 {
    let fading = (-((at % (BEAT / 2)) as f32) / 300.0).exp();
    (noise as f32 / u32::MAX as f32 - 0.5) * 0.3 * fading
}
