//! The tile registers of AMX: eight of sixteen lines of 64 bytes. Stable Rust has no intrinsics for them, so the kernels
//! that use them are assembly. The compiler itself never touches a tile, so that a tile keeps its contents from one block
//! of assembly to the next.

use std::arch::asm;

/// The shape of all eight tiles: sixteen full lines.
#[repr(C, align(64))]
struct Shape([u8; 64]);

const SHAPE: Shape = {
    let mut bytes = [0; 64];
    bytes[0] = 1;
    let mut tile = 0;
    while tile < 8 {
        bytes[16 + 2 * tile] = 64;
        bytes[48 + tile] = 16;
        tile += 1;
    }
    Shape(bytes)
};

/// The tiles of this thread, configured for as long as this value lives.
pub(crate) struct Tiles;

impl Tiles {
    /// # Safety
    /// The level AMX is available.
    pub(crate) unsafe fn configure() -> Self {
        // SAFETY: `SHAPE` is a valid configuration, and the caller has checked that there are tiles.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &SHAPE, options(nostack, readonly)) };
        Self
    }
}

impl Drop for Tiles {
    fn drop(&mut self) {
        // Frees eight kilobytes that the system would otherwise save at every switch of threads.
        // SAFETY: a value of this type exists only where there are tiles.
        unsafe { asm!("tilerelease", options(nostack, nomem)) };
    }
}

/// Whether the processor has tiles for bytes and bfloat16, and the system allows this process to use them. Linux grants
/// them on request only, because they add eight kilobytes to the state of every thread.
pub(crate) fn are_granted() -> bool {
    const TILE_BFLOAT16: u32 = 1 << 22;
    const TILE: u32 = 1 << 24;
    const TILE_INT8: u32 = 1 << 25;
    let features = std::arch::x86_64::__cpuid_count(7, 0).edx;
    let wanted = TILE | TILE_INT8 | TILE_BFLOAT16;
    features & wanted == wanted && request()
}

#[cfg(target_os = "linux")]
fn request() -> bool {
    const ARCH_REQ_XCOMP_PERM: libc::c_long = 0x1023;
    const XFEATURE_XTILEDATA: libc::c_long = 18;
    // SAFETY: the call asks for a permission and has no other effect.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn request() -> bool {
    false
}
