//! The engine: how guests are compiled and where their instances live. One for the whole process.
//!
//! It knows no role and no component. The figures come from measurements on two cores; see the design's section 8.

use crate::cache::{self, CodeCache, CodeTally};
use crate::limits::store;
use crate::slots::Slots;
use crate::ticker::Ticker;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use wasmtime::{Cache, Config, Enabled, InstanceAllocationStrategy, PoolingAllocationConfig};

/// Stack of a guest. What the host needs for its calls comes on top, on the same fiber.
const WASM_STACK: usize = 512 << 10;
const FIBER_STACK: usize = 2 << 20;

/// What is kept of a used slot instead of giving it back to the system. More makes each reuse slower.
const KEPT_RESIDENT: usize = 64 << 10;

/// Bookkeeping of one component and its core instances.
const INSTANCE_METADATA: usize = 8 << 20;

/// How the engine is set up.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// Reserve the address space of all instances at the start, where the system allows it.
    pub pooling: bool,
    /// How many instances may live at once: so many adapters, so many agents and so many parsers.
    pub instances: u32,
    /// The most memory that any component may be allowed.
    pub memory: u64,
    /// The largest file that is loaded.
    pub component_bytes: usize,
    /// Where compiled code is kept between starts.
    pub cache_dir: Option<PathBuf>,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self { pooling: true, instances: 20, memory: 256 << 20, component_bytes: 64 << 20, cache_dir: None }
    }
}

/// Where instances live.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allocation {
    Pooling,
    /// Slower by some microseconds a call, and otherwise the same.
    OnDemand {
        why: String,
    },
}

/// No guest can run on this machine.
#[derive(Debug, thiserror::Error)]
#[error("cannot set up WebAssembly: {0}")]
pub struct EngineError(String);

/// Compiles components and runs them. Cheap to clone; it lives as long as any component that it loaded.
#[derive(Clone)]
pub struct Engine(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) wasm: wasmtime::Engine,
    pub(crate) slots: Slots,
    pub(crate) settings: EngineSettings,
    /// Held while a component is compiled: one at a time, on all cores.
    pub(crate) compiling: Mutex<CodeTally>,
    allocation: Allocation,
    pub(crate) code_cache: CodeCache,
    cache: Option<Cache>,
    _ticker: Ticker,
}

impl Engine {
    pub fn new(settings: EngineSettings) -> Result<Self, EngineError> {
        let (cache, code_cache) = open_cache(&settings);
        let (wasm, allocation) = start(&settings, cache.clone())?;
        let ticking = wasm.clone();
        let ticker =
            Ticker::start(move || ticking.increment_epoch()).map_err(|error| EngineError(error.to_string()))?;
        let slots = Slots::new(settings.instances);
        let compiling = Mutex::default();
        Ok(Self(Arc::new(Shared { wasm, slots, settings, compiling, allocation, code_cache, cache, _ticker: ticker })))
    }

    pub fn allocation(&self) -> &Allocation {
        &self.0.allocation
    }

    pub fn code_cache(&self) -> &CodeCache {
        &self.0.code_cache
    }

    /// Where the code of all that was loaded so far came from.
    pub fn code_tally(&self) -> CodeTally {
        *self.0.compiling.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// How often the cache had what was asked for.
    pub(crate) fn cache_hits(&self) -> usize {
        self.cache.as_ref().map_or(0, Cache::cache_hits)
    }
}

fn open_cache(settings: &EngineSettings) -> (Option<Cache>, CodeCache) {
    let Some(folder) = &settings.cache_dir else {
        return (None, CodeCache::Off { why: "no folder is configured".to_owned() });
    };
    match cache::open(folder) {
        Ok(cache) => {
            let folder = cache.directory().clone();
            (Some(cache), CodeCache::OnDisk(folder))
        }
        Err(why) => {
            tracing::warn!(%why, "compiled code is not kept");
            (None, CodeCache::Off { why })
        }
    }
}

/// Tries the pool first: whether the address space is large enough is known only by asking for it.
fn start(settings: &EngineSettings, cache: Option<Cache>) -> Result<(wasmtime::Engine, Allocation), EngineError> {
    let mut config = config();
    config.cache(cache);
    let why = if settings.pooling {
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(settings)));
        match wasmtime::Engine::new(&config) {
            Ok(engine) => return Ok((engine, Allocation::Pooling)),
            Err(error) => {
                tracing::warn!(%error, "no pool for instances: they are allocated on demand");
                format!("{error:#}")
            }
        }
    } else {
        "switched off".to_owned()
    };
    config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
    let engine = wasmtime::Engine::new(&config).map_err(|error| EngineError(format!("{error:#}")))?;
    Ok((engine, Allocation::OnDemand { why }))
}

fn config() -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        // Guests do not run side by side within one store; support for that makes each call two to three times slower.
        .concurrency_support(false)
        .max_wasm_stack(WASM_STACK)
        .async_stack_size(FIBER_STACK)
        .parallel_compilation(true)
        .memory_init_cow(true)
        // Nothing that no guest needs: each is a way to more bugs or to other results on another machine.
        .wasm_memory64(false)
        .wasm_multi_memory(false)
        .wasm_relaxed_simd(false);
    config
}

fn pool(settings: &EngineSettings) -> PoolingAllocationConfig {
    // Every slot can hold the largest component that is allowed, so a slot is all that a guest has to wait for.
    let instances = settings.instances.saturating_mul(Slots::TIERS);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(instances)
        .total_stacks(instances)
        .max_core_instances_per_component(store::CORE_INSTANCES)
        .total_core_instances(instances.saturating_mul(store::CORE_INSTANCES))
        .max_memories_per_component(store::MEMORIES)
        .total_memories(instances.saturating_mul(store::MEMORIES))
        .max_tables_per_component(store::TABLES)
        .total_tables(instances.saturating_mul(store::TABLES))
        .max_tables_per_module(store::TABLES)
        .table_elements(store::TABLE_ELEMENTS)
        .max_component_instance_size(INSTANCE_METADATA)
        .max_core_instance_size(INSTANCE_METADATA)
        .max_memory_size(usize::try_from(settings.memory).unwrap_or(usize::MAX))
        .linear_memory_keep_resident(KEPT_RESIDENT)
        .table_keep_resident(KEPT_RESIDENT)
        // A reported fault can leave dirty pages behind: isolation before speed.
        .pagemap_scan(Enabled::No);
    pool
}
