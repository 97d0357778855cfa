//! The one-to-one assignment of rows to columns with the largest sum (the Hungarian algorithm).

/// Rows and columns of a square table of costs, with the potentials of the algorithm.
struct Assigner<'a> {
    gains: &'a [Vec<f64>],
    size: usize,
    row_potential: Vec<f64>,
    column_potential: Vec<f64>,
    /// The row of each column. Rows and columns count from one; column 0 holds the row that is being assigned.
    row_of: Vec<usize>,
}

/// The column of each row, so that the sum of the gains is largest. Gains must be numbers that are not negative.
pub(crate) fn best_assignment(gains: &[Vec<f64>]) -> Vec<Option<usize>> {
    let columns = gains.iter().map(Vec::len).max().unwrap_or(0);
    let size = gains.len().max(columns);
    let mut assigner = Assigner {
        gains,
        size,
        row_potential: vec![0.0; size + 1],
        column_potential: vec![0.0; size + 1],
        row_of: vec![0; size + 1],
    };
    (1..=size).for_each(|row| assigner.assign(row));
    let mut column_of = vec![None; gains.len()];
    for column in 1..=columns {
        if let Some(found) = column_of.get_mut(assigner.row_of[column] - 1) {
            *found = Some(column - 1);
        }
    }
    column_of
}

/// The sum of the gains of an assignment.
pub(crate) fn gain(gains: &[Vec<f64>], assignment: &[Option<usize>]) -> f64 {
    let of = |(row, column): (&Vec<f64>, &Option<usize>)| column.map_or(0.0, |column| row[column]);
    gains.iter().zip(assignment).map(of).sum()
}

impl Assigner<'_> {
    /// The cost of a cell: a lost gain, none outside of the table.
    fn cost(&self, row: usize, column: usize) -> f64 {
        -self.gains.get(row - 1).and_then(|row| row.get(column - 1)).copied().unwrap_or(0.0)
    }

    /// Assigns one more row, along the cheapest path of changed assignments.
    fn assign(&mut self, row: usize) {
        self.row_of[0] = row;
        let mut column = 0;
        let mut cheapest = vec![f64::INFINITY; self.size + 1];
        let mut before = vec![0; self.size + 1];
        let mut visited = vec![false; self.size + 1];
        while self.row_of[column] != 0 {
            visited[column] = true;
            let from = self.row_of[column];
            let mut delta = f64::INFINITY;
            let mut next = 0;
            for other in (1..=self.size).filter(|other| !visited[*other]) {
                let cost = self.cost(from, other) - self.row_potential[from] - self.column_potential[other];
                if cost < cheapest[other] {
                    cheapest[other] = cost;
                    before[other] = column;
                }
                if cheapest[other] < delta {
                    delta = cheapest[other];
                    next = other;
                }
            }
            self.shift(delta, &visited, &mut cheapest);
            column = next;
        }
        while column != 0 {
            self.row_of[column] = self.row_of[before[column]];
            column = before[column];
        }
    }

    fn shift(&mut self, delta: f64, visited: &[bool], cheapest: &mut [f64]) {
        for column in 0..=self.size {
            if visited[column] {
                self.row_potential[self.row_of[column]] += delta;
                self.column_potential[column] -= delta;
            } else {
                cheapest[column] -= delta;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_sum_is_found_although_a_row_gives_up_its_best_column() {
        let gains = vec![vec![9.0, 8.0, 0.0], vec![9.0, 1.0, 0.0], vec![2.0, 2.0, 1.0]];
        let best = best_assignment(&gains);
        assert_eq!(best, [Some(1), Some(0), Some(2)]);
        assert_eq!(gain(&gains, &best), 18.0);
    }

    #[test]
    fn rows_or_columns_may_be_left_over() {
        let more_rows = vec![vec![1.0], vec![5.0], vec![2.0]];
        assert_eq!(gain(&more_rows, &best_assignment(&more_rows)), 5.0);
        let more_columns = vec![vec![1.0, 7.0, 3.0]];
        assert_eq!(best_assignment(&more_columns), [Some(1)]);
        assert!(best_assignment(&[]).is_empty());
        assert_eq!(best_assignment(&[vec![], vec![]]), [None, None]);
    }

    #[test]
    fn the_result_is_the_best_of_all_permutations() {
        let gains: Vec<Vec<f64>> = (0..5)
            .map(|row| {
                (0..5).map(|column| f64::from((row * 7 + column * 13 + row * column * 5) % 11)).collect()
            })
            .collect();
        fn best(gains: &[Vec<f64>], used: u32) -> f64 {
            let Some((row, rest)) = gains.split_first() else { return 0.0 };
            let free = (0..row.len()).filter(|column| used & (1 << column) == 0);
            free.map(|column| row[column] + best(rest, used | 1 << column)).fold(0.0, f64::max)
        }
        assert_eq!(gain(&gains, &best_assignment(&gains)), best(&gains, 0));
    }
}
