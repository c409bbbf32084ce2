//! What a call allocates at its most, told in each answer: nothing else can know it for certain.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Meter;

#[global_allocator]
static METER: Meter = Meter;
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn more(size: usize) {
    PEAK.fetch_max(LIVE.fetch_add(size, Relaxed) + size, Relaxed);
}

fn less(size: usize) {
    LIVE.fetch_sub(size, Relaxed);
}

unsafe impl GlobalAlloc for Meter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        System.alloc(layout)
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        System.alloc_zeroed(layout)
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        more(size);
        less(layout.size());
        System.realloc(memory, layout, size)
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        less(layout.size());
        System.dealloc(memory, layout)
    }
}

/// What `call` answers, and the most bytes that were allocated at one time while it ran.
pub fn measured<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let answer = call();
    (answer, PEAK.load(Relaxed) - before)
}
