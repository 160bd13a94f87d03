//! How much memory a store may take: one budget for all its memories, the initial ones included.
//!
//! A guest that is refused memory often ends in a plain `unreachable`; the flag kept here is how the host still knows
//! why.

use crate::limits::store;
use wasmtime::ResourceLimiter;

/// The memory of one store.
pub(crate) struct MemoryBudget {
    limit: u64,
    left: u64,
    refused: bool,
}

impl MemoryBudget {
    pub(crate) const fn new(limit: u64) -> Self {
        Self { limit, left: limit, refused: false }
    }

    /// Whether the guest ever asked for more than it may have.
    pub(crate) const fn refused(&self) -> bool {
        self.refused
    }

    /// Growth that fails later, for want of address space, stays counted: the stricter mistake.
    fn take(&mut self, bytes: u64) -> bool {
        let left = self.left.checked_sub(bytes);
        self.refused |= left.is_none();
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }
}

fn growth(current: usize, desired: usize) -> u64 {
    u64::try_from(desired.saturating_sub(current)).unwrap_or(u64::MAX)
}

impl ResourceLimiter for MemoryBudget {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        // Beyond what the guest itself declared: no question of the host's limit. One that declares nothing has a
        // maximum too, of 4 GiB.
        let own = maximum.filter(|maximum| u64::try_from(*maximum).is_ok_and(|maximum| maximum <= self.limit));
        if own.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        Ok(self.take(growth(current, desired)))
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.refused = true;
        Ok(())
    }

    fn table_growing(&mut self, _current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        // The pool gives a table that declares nothing its own maximum, which is the host's limit.
        if maximum.is_some_and(|maximum| maximum < store::TABLE_ELEMENTS && desired > maximum) {
            return Ok(false);
        }
        let fits = desired <= store::TABLE_ELEMENTS;
        self.refused |= !fits;
        Ok(fits)
    }

    fn table_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.refused = true;
        Ok(())
    }

    fn instances(&self) -> usize {
        store::CORE_INSTANCES as usize
    }

    fn tables(&self) -> usize {
        store::TABLES as usize
    }

    fn memories(&self) -> usize {
        store::MEMORIES as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: usize = 64 << 10;

    /// Asks for growth step by step; `(from, to)` in pages.
    fn check(pages: u64, steps: &[(usize, usize, bool)], refused: bool) {
        let mut budget = MemoryBudget::new(pages * 65_536);
        for &(from, to, granted) in steps {
            assert_eq!(budget.memory_growing(from * PAGE, to * PAGE, None).unwrap(), granted, "{from} to {to}");
        }
        assert_eq!(budget.refused(), refused);
    }

    #[test]
    fn one_budget_for_all_memories() {
        // R-HOST-04
        check(4, &[(0, 4, true)], false);
        check(4, &[(0, 5, false)], true);
        check(4, &[(0, 2, true), (0, 2, true), (2, 3, false)], true);
        check(4, &[(0, 2, true), (2, 9, false), (2, 4, true)], true);
    }

    #[test]
    fn a_memory_that_reaches_its_own_maximum_is_not_refused_by_the_host() {
        let mut budget = MemoryBudget::new(u64::MAX);
        assert!(!budget.memory_growing(0, 3 * PAGE, Some(2 * PAGE)).unwrap());
        assert!(!budget.refused());
    }

    #[test]
    fn a_maximum_beyond_the_limit_is_the_hosts_affair() {
        // R-HOST-04
        let mut budget = MemoryBudget::new(1 << 20);
        assert!(!budget.memory_growing(0, (4 << 30) + PAGE, Some(4 << 30)).unwrap());
        assert!(budget.refused());
        let (mut budget, most) = (MemoryBudget::new(0), store::TABLE_ELEMENTS);
        assert!(!budget.table_growing(0, 2, Some(1)).unwrap());
        assert!(!budget.refused());
        assert!(!budget.table_growing(0, most + 1, Some(most)).unwrap());
        assert!(budget.refused());
    }

    #[test]
    fn tables_are_limited_too() {
        let mut budget = MemoryBudget::new(0);
        assert!(budget.table_growing(0, store::TABLE_ELEMENTS, None).unwrap());
        assert!(!budget.refused());
        assert!(!budget.table_growing(0, store::TABLE_ELEMENTS + 1, None).unwrap());
        assert!(budget.refused());
    }
}
