//! Floats of sixteen bits.

/// An IEEE half as a float.
pub(crate) fn f16_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10 & 31);
    let fraction = u32::from(bits & 1023);
    match exponent {
        // Subnormal: the fraction counts steps of 2⁻²⁴.
        0 => f32::from_bits((fraction as f32 / 16_777_216.0).to_bits() | sign),
        31 => f32::from_bits(sign | 0x7F80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

/// A bfloat16 as a float.
pub(crate) fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// The half at the start of the bytes. Zero if there are fewer than two.
pub(crate) fn f16_at(bytes: &[u8]) -> f32 {
    bytes.first_chunk().map_or(0.0, |two| f16_to_f32(u16::from_le_bytes(*two)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_has_its_value() {
        for bits in 0..=u16::MAX {
            let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
            let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
            let expected = match exponent {
                0 => sign * fraction * 2f64.powi(-24),
                31 if fraction == 0.0 => sign * f64::INFINITY,
                31 => f64::NAN,
                _ => sign * (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
            };
            let value = f16_to_f32(bits);
            assert!(f64::from(value) == expected || value.is_nan() && expected.is_nan(), "{bits:#x}");
            assert!(value.is_nan() || value.is_sign_negative() == (bits >> 15 == 1), "{bits:#x}");
        }
    }

    #[test]
    fn a_bfloat16_is_the_upper_half_of_a_float() {
        assert_eq!(bf16_to_f32(0x3FC0), 1.5);
        assert_eq!(bf16_to_f32(0xC000), -2.0);
        assert_eq!(f16_at(&[0x00, 0x3E, 9]), 1.5);
        assert_eq!(f16_at(&[1]), 0.0);
    }
}
