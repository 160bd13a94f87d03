//! A well-behaved run beside a misbehaviour: it begins before and ends after, and must not notice.

use crate::sandbox::{ASK, INPUT, load_planner, planner, planner_projection, query, run};
use async_trait::async_trait;
use portcullis_plugins::{InvokeError, Invoker, Planner, RunIdentity};
use std::sync::{Arc, LazyLock};
use tokio::sync::Notify;

/// An agent that answers when it is told to.
#[derive(Default)]
struct Held {
    asked: Notify,
    released: Notify,
}

#[async_trait]
impl Invoker for Held {
    async fn invoke(&self, input: &str, _run: &Arc<RunIdentity>) -> Result<String, InvokeError> {
        self.asked.notify_one();
        self.released.notified().await;
        Ok(format!("answer to {input}"))
    }
}

/// A well-behaved adapter, loaded once.
pub(super) fn good() -> &'static Planner {
    static GOOD: LazyLock<Planner> = LazyLock::new(|| load_planner(&planner(INPUT, ASK), |_| {}).unwrap());
    &GOOD
}

/// Does `misbehave` while a guest of the same engine, on the same thread, waits for its agent.
pub(super) async fn beside_a_good_run<T>(misbehave: impl Future<Output = T>) -> T {
    let agent = Arc::new(Held::default());
    let good = async {
        let mut prepared = good().prepare(&planner_projection(&query()), &run()).await.unwrap();
        prepared.attempt(Arc::clone(&agent) as Arc<dyn Invoker>).await.unwrap().text
    };
    let bad = async {
        agent.asked.notified().await;
        let came = misbehave.await;
        agent.released.notify_one();
        came
    };
    let (said, came) = tokio::join!(good, bad);
    assert_eq!(said, "answer to input");
    came
}
