//! The threads of the compute library under the language models: it reads their number from the environment, once.

/// What the library and its helper ask for.
const VARIABLES: [&str; 2] = ["CANDLE_NUM_THREADS", "RAYON_NUM_THREADS"];

/// Tells the library the number of threads of the setting. Call it before the process has a second thread. Without a
/// number of its own the library takes one for each physical core, as the engines do.
pub(crate) fn tell(threads: usize) {
    let Some(number) = told(threads) else { return };
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

fn told(threads: usize) -> Option<String> {
    (threads > 0).then(|| threads.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_told_and_none_is_left_to_the_library() {
        assert_eq!(told(3).as_deref(), Some("3"));
        assert_eq!(told(0), None);
    }
}
