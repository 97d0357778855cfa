//! Counts the operations on files in the folder, and lets the fault happen at the chosen one.

use std::ffi::{CStr, c_int};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use crate::operation::{Operation, Share};
use crate::plan::{Fault, Kind, Plan};
use crate::system_calls;
use crate::undo_log::UndoLog;

pub(crate) struct Layer {
    plan: Plan,
    /// Locked during each operation, so that nothing is written between the fault and the end of the process.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    operations: u64,
    /// Set while the disk is full.
    full_until: Option<Instant>,
    undo_log: UndoLog,
}

/// What happens to an operation.
enum Fate {
    Done,
    Fails(c_int),
    DeathBefore,
    DeathInside,
    PowerCut,
}

/// The layer of this process; `None` if no folder is given.
pub(crate) fn layer() -> Option<&'static Layer> {
    static LAYER: OnceLock<Option<Layer>> = OnceLock::new();
    let open = || Plan::from_environment().map(|plan| Layer { plan, state: Mutex::default() });
    LAYER.get_or_init(open).as_ref()
}

impl Layer {
    /// The path of an open file, if it is in the folder.
    pub(crate) fn path_of(&self, fd: c_int) -> Option<Vec<u8>> {
        system_calls::with_path_of(fd, |path| self.plan.inside(path))
    }

    /// The absolute path, if it is in the folder. Paths relative to the working folder are not.
    pub(crate) fn resolved(&self, folder: c_int, path: &CStr) -> Option<Vec<u8>> {
        let path = path.to_bytes();
        if path.starts_with(b"/") {
            return self.plan.inside(path);
        }
        if folder == libc::AT_FDCWD {
            return None;
        }
        system_calls::with_path_of(folder, |folder| self.plan.inside(&[folder, b"/", path].concat()))
    }

    /// Counts the operation and lets `run` do it, or what the fault leaves of it. Like `run`, it returns -1 and sets
    /// `errno` if the operation fails.
    pub(crate) fn perform(&self, operation: &Operation, run: impl Fn(Share) -> isize) -> isize {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.operations += 1;
        self.report(&format!("{} {}", state.operations, operation.described()));
        match self.fate(&mut state, operation) {
            Fate::Done => {}
            Fate::Fails(error) => return failed(error),
            Fate::DeathBefore => system_calls::die(),
            Fate::DeathInside => {
                run(Share::Half);
                system_calls::die()
            }
            Fate::PowerCut => {
                state.undo_log.undo(|number| self.plan.lost_name(number));
                system_calls::die()
            }
        }
        let is_logged = self.plan.fault.is_some_and(|fault| fault.kind == Kind::LostFsync);
        if !is_logged {
            return run(Share::Whole);
        }
        let undo = state.undo_log.prepare(operation);
        let result = run(Share::Whole);
        if result >= 0 {
            state.undo_log.add(operation, undo);
        }
        result
    }

    fn fate(&self, state: &mut State, operation: &Operation) -> Fate {
        let Some(fault) = self.plan.fault else { return Fate::Done };
        if state.operations == fault.operation {
            self.report(&format!("struck {}", operation.described()));
            return strike(fault, state, operation);
        }
        let is_full = state.full_until.is_some_and(|until| Instant::now() < until);
        if is_full && operation.change.needs_space() { Fate::Fails(libc::ENOSPC) } else { Fate::Done }
    }

    fn report(&self, line: &str) {
        if self.plan.report >= 0 {
            system_calls::write(self.plan.report, format!("{line}\n").as_bytes());
        }
    }
}

fn strike(fault: Fault, state: &mut State, operation: &Operation) -> Fate {
    match fault.kind {
        Kind::Eio => Fate::Fails(libc::EIO),
        Kind::Full => {
            state.full_until = Some(Instant::now() + fault.duration);
            if operation.change.needs_space() { Fate::Fails(libc::ENOSPC) } else { Fate::Done }
        }
        Kind::Crash => Fate::DeathBefore,
        Kind::Torn => Fate::DeathInside,
        Kind::LostFsync => Fate::PowerCut,
    }
}

fn failed(error: c_int) -> isize {
    // SAFETY: the function returns the address of this thread's `errno`.
    unsafe { *libc::__errno_location() = error };
    -1
}
