//! Amounts of money as the service writes them.

/// A decimal amount as a whole number of ten-billionths.
pub fn ten_billionths(amount: &str) -> i128 {
    let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
    let digits = format!("{whole}{fraction:0<10}");
    digits.parse().unwrap_or_else(|_| panic!("`{amount}` is not an amount"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_compared_to_the_last_digit() {
        assert_eq!(ten_billionths("0.0000000001"), 1);
        assert_eq!(ten_billionths("12.5"), 125_000_000_000);
        assert_eq!(ten_billionths("0"), 0);
    }
}
