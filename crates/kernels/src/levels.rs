//! The sets of instructions that kernels are written for, and which of them this processor has.

/// A set of instructions. Each level includes those before it that are of the same kind of processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// No particular instructions. The other levels are checked against it.
    Scalar,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 F, BW, DQ and VL: the first generation of servers with AVX-512.
    Avx512,
    /// AVX-512 with dot products of four bytes (VNNI).
    Vnni,
    /// Tiles for bytes and for bfloat16 (AMX).
    Amx,
    /// ARM's NEON, which all of its 64-bit processors have.
    Neon,
    /// NEON with dot products of four bytes.
    DotProduct,
    /// NEON with products of small matrices of bytes (I8MM).
    I8mm,
}

/// The levels of this kind of processor, from the lowest to the highest.
#[cfg(target_arch = "x86_64")]
pub(crate) const ALL: &[Level] = &[Level::Scalar, Level::Avx2, Level::Avx512, Level::Vnni, Level::Amx];
#[cfg(target_arch = "aarch64")]
pub(crate) const ALL: &[Level] = &[Level::Scalar, Level::Neon, Level::DotProduct, Level::I8mm];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) const ALL: &[Level] = &[Level::Scalar];

impl Level {
    /// The name that `AURIS_KERNEL_LEVEL` accepts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Vnni => "vnni",
            Self::Amx => "amx",
            Self::Neon => "neon",
            Self::DotProduct => "dotprod",
            Self::I8mm => "i8mm",
        }
    }

    /// The level with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        ALL.iter().copied().find(|level| level.name() == name)
    }
}

/// The levels that this processor and its operating system offer, from the lowest to the highest.
pub fn available_levels() -> Vec<Level> {
    usable_levels().into_iter().map(UsableLevel::get).collect()
}

/// A level that this processor has. Only this module creates values, so that kernels can rely on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UsableLevel(Level);

impl UsableLevel {
    /// The level that every machine has.
    pub(crate) const SCALAR: Self = Self(Level::Scalar);

    pub(crate) fn get(self) -> Level {
        self.0
    }
}

/// As `available_levels`.
pub(crate) fn usable_levels() -> Vec<UsableLevel> {
    ALL.iter().copied().take_while(|level| is_available(*level)).map(UsableLevel).collect()
}

#[cfg(target_arch = "x86_64")]
fn is_available(level: Level) -> bool {
    match level {
        Level::Scalar => true,
        Level::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
        Level::Avx512 => {
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
        }
        Level::Vnni => is_x86_feature_detected!("avx512vnni"),
        Level::Amx => is_x86_feature_detected!("avx512bf16") && crate::tiles::are_granted(),
        Level::Neon | Level::DotProduct | Level::I8mm => false,
    }
}

#[cfg(target_arch = "aarch64")]
fn is_available(level: Level) -> bool {
    match level {
        Level::Scalar | Level::Neon => true,
        Level::DotProduct => std::arch::is_aarch64_feature_detected!("dotprod"),
        Level::I8mm => std::arch::is_aarch64_feature_detected!("i8mm"),
        Level::Avx2 | Level::Avx512 | Level::Vnni | Level::Amx => false,
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn is_available(level: Level) -> bool {
    level == Level::Scalar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_found_by_its_name() {
        for level in ALL {
            assert_eq!(Level::named(level.name()), Some(*level));
        }
        assert_eq!(Level::named("AVX2"), None);
    }

    #[test]
    fn the_scalar_level_is_always_available() {
        assert_eq!(available_levels().first(), Some(&Level::Scalar));
    }
}
