//! Ctrl-C and SIGTERM end the data: what was learned is saved and reported. A second one ends the program at once.

use std::fmt;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use thalweg_data::Interrupt;

/// The signal that has come, or 0.
static SIGNAL: OnceLock<Arc<AtomicUsize>> = OnceLock::new();
static INTERRUPT: OnceLock<Interrupt> = OnceLock::new();

/// Begins to listen. Until then signals do what they always do.
pub(crate) fn listen() -> anyhow::Result<()> {
    let interrupt = get();
    let number = SIGNAL.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag down, the second finds it up.
        flag::register_conditional_shutdown(signal, 128 + signal, interrupt.flag())?;
        flag::register_usize(signal, Arc::clone(number), signal as usize)?;
        flag::register(signal, interrupt.flag())?;
    }
    Ok(())
}

/// What ends the data of this run.
pub(crate) fn get() -> Interrupt {
    INTERRUPT.get_or_init(Interrupt::default).clone()
}

/// An error if a signal has come.
pub(crate) fn check() -> anyhow::Result<()> {
    match SIGNAL.get().map_or(0, |number| number.load(Ordering::Relaxed)) {
        0 => Ok(()),
        signal => Err(Interrupted { signal: signal as u8 }.into()),
    }
}

/// Has a signal come?
pub(crate) fn has_come() -> bool {
    get().has_come()
}

/// A signal ended the run.
#[derive(Debug)]
pub(crate) struct Interrupted {
    signal: u8,
}

impl Interrupted {
    /// As shells have it.
    pub(crate) fn exit_code(&self) -> u8 {
        128 + self.signal
    }
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interrupted by {}", if i32::from(self.signal) == SIGINT { "SIGINT" } else { "SIGTERM" })
    }
}

impl std::error::Error for Interrupted {}
