//! The number of threads of Candle, the compute library of the language models. It reads the number from the environment,
//! once.

/// The variables that Candle and Rayon, its thread pool, read.
const VARIABLES: [&str; 2] = ["CANDLE_NUM_THREADS", "RAYON_NUM_THREADS"];

/// Sets the number of threads; 0 leaves it to the library, which uses one per physical core as the engines do. Call it
/// before the process has a second thread.
pub(crate) fn set(threads: usize) {
    let Some(number) = value(threads) else { return };
    for variable in VARIABLES {
        #[expect(
            unsafe_code,
            reason = "no other thread reads the environment: `main` calls this before it starts any"
        )]
        unsafe {
            std::env::set_var(variable, &number);
        }
    }
}

fn value(threads: usize) -> Option<String> {
    (threads > 0).then(|| threads.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_threads_leave_the_number_to_the_library() {
        assert_eq!(value(3).as_deref(), Some("3"));
        assert_eq!(value(0), None);
    }
}
