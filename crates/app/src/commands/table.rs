//! Plain tables for people: columns as wide as their widest cell.
//!
//! Written by hand, because this is all that is needed: libraries for tables also draw borders and wrap cells at the
//! width of the terminal, and a wrapped id cannot be copied.

/// The rows under their headings, without a trailing newline.
pub(super) fn render(headings: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain(headings.get(column).map(|heading| heading.chars().count())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(headings.to_vec())];
    lines.extend(rows.iter().map(|row| line(row.iter().map(String::as_str).collect())));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let text =
            render(&["ID", "NAME"], &[vec!["1".into(), "long name".into()], vec!["222".into(), "x".into()]]);
        assert_eq!(text, "ID   NAME\n1    long name\n222  x");
    }
}
