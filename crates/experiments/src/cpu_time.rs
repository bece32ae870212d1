//! The time that a thread has worked, whatever else the machine does meanwhile.

use std::time::Duration;

/// Measures the processor time of this thread, or the time that passes where the system does not tell.
pub(crate) struct CpuTime {
    #[cfg(unix)]
    began: Duration,
    #[cfg(not(unix))]
    began: std::time::Instant,
}

#[cfg(unix)]
impl CpuTime {
    pub(crate) fn now() -> Self {
        Self { began: Self::of_thread() }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        Self::of_thread().saturating_sub(self.began)
    }

    fn of_thread() -> Duration {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
    }
}

#[cfg(not(unix))]
impl CpuTime {
    pub(crate) fn now() -> Self {
        Self { began: std::time::Instant::now() }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}
