//! The kinds of attack, and how often each was made by all hostile callers together.

use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attack {
    /// Announces the largest body and sends it a space at a time.
    SlowBody,
    /// The same with the file of a form.
    SlowForm,
    /// Sends requests for long answers down one connection and reads none of them.
    UnreadAnswers,
    /// Sends a body of many small values.
    ManyValues,
    /// Sends a schema with patterns that are large when compiled.
    LargePatterns,
    /// Sends many tasks with the same schema, whose values are nested deeply and take much memory as a tree.
    DeepSchemas,
    /// Opens many connections and sends nothing.
    Silence,
    /// Closes connections in the middle of requests and answers.
    BrokenConnections,
    /// Asks for the events of a transcription and reads none of them.
    UnreadStream,
    /// Asks for large steps over many connections and reads none of them.
    UnreadSteps,
    /// The same over HTTP/2 without allowing the server to send a byte.
    ClosedWindow,
}

impl Attack {
    pub(super) const ALL: [Self; 11] = [
        Self::SlowBody,
        Self::SlowForm,
        Self::UnreadAnswers,
        Self::ManyValues,
        Self::LargePatterns,
        Self::DeepSchemas,
        Self::Silence,
        Self::BrokenConnections,
        Self::UnreadStream,
        Self::UnreadSteps,
        Self::ClosedWindow,
    ];
}

/// The order of the attacks over all hostile callers and turns, and how often each was made.
#[derive(Default)]
pub(super) struct Attacks {
    begun: AtomicUsize,
    made: [AtomicUsize; Attack::ALL.len()],
}

impl Attacks {
    /// The attack that a caller begins now. Each kind has its turn, whoever asks.
    pub(super) fn next(&self) -> Attack {
        Attack::ALL[self.begun.fetch_add(1, Ordering::Relaxed) % Attack::ALL.len()]
    }

    /// The server has received the part of the attack that is hostile.
    pub(super) fn record(&self, attack: Attack) {
        self.made[attack as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// How often each attack was made.
    pub(super) fn made(&self) -> Vec<(Attack, usize)> {
        Attack::ALL.into_iter().zip(self.made.iter().map(|count| count.load(Ordering::Relaxed))).collect()
    }
}

#[test]
fn every_attack_has_its_turn_before_one_is_repeated() {
    let attacks = Attacks::default();
    let begun: Vec<Attack> = Attack::ALL.iter().map(|_| attacks.next()).collect();
    assert_eq!(begun, Attack::ALL);
    attacks.record(Attack::Silence);
    let made: Vec<Attack> =
        attacks.made().into_iter().filter(|(_, times)| *times > 0).map(|(attack, _)| attack).collect();
    assert_eq!(made, [Attack::Silence]);
}
