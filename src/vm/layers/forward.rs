//! Forwards methods of an engine to the engine that it wraps.

/// Implements methods of [`Engine`](crate::vm::Engine) by calls of the wrapped engine, as in
/// `forward_engine!(H; |this, cache| &this.engine, &mut cache.inner; matcher, binding);`.
macro_rules! forward_engine {
    ($host:ty; |$this:ident, $cache:ident| $engine:expr, $inner:expr; $($method:ident),+) => {
        $(forward_engine!(@$method $host; $this, $cache, $engine, $inner);)+
    };
    (@matcher $host:ty; $this:ident, $cache:ident, $engine:expr, $inner:expr) => {
        fn matcher(&self) -> &$crate::vm::Matcher<$host> {
            let $this = self;
            $crate::vm::Engine::<$host>::matcher($engine)
        }
    };
    (@next_match $host:ty; $this:ident, $cache:ident, $engine:expr, $inner:expr) => {
        fn next_match(&self, host: &$host, $cache: &mut Self::Cache) -> Option<$crate::pdl::PatternId> {
            let $this = self;
            $crate::vm::Engine::<$host>::next_match($engine, host, $inner)
        }
    };
    (@match_first $host:ty; $this:ident, $cache:ident, $engine:expr, $inner:expr) => {
        fn match_first(
            &self,
            host: &$host,
            op: <$host as $crate::host::Ir>::Op,
            $cache: &mut Self::Cache,
        ) -> Option<$crate::pdl::PatternId> {
            let $this = self;
            $crate::vm::Engine::<$host>::match_first($engine, host, op, $inner)
        }
    };
    (@binding $host:ty; $this:ident, $cache:ident, $engine:expr, $inner:expr) => {
        fn binding(
            &self,
            host: &$host,
            $cache: &mut Self::Cache,
            node: $crate::pdl::NodeId,
        ) -> Option<$crate::host::Entity<$host>> {
            let $this = self;
            $crate::vm::Engine::<$host>::binding($engine, host, $inner, node)
        }
    };
    (@rewrite $host:ty; $this:ident, $cache:ident, $engine:expr, $inner:expr) => {
        fn rewrite(
            &self,
            host: &mut $host,
            $cache: &mut Self::Cache,
            listener: &mut dyn $crate::host::Listener<$host>,
        ) -> Result<(), $crate::host::Refusal>
        where
            $host: $crate::host::IrMut,
        {
            let $this = self;
            $crate::vm::Engine::<$host>::rewrite($engine, host, $inner, listener)
        }
    };
    (@acknowledge_changes $host:ty; $this:ident, $cache:ident, $engine:expr, $inner:expr) => {
        fn acknowledge_changes(&self, host: &$host, $cache: &mut Self::Cache) {
            let $this = self;
            $crate::vm::Engine::<$host>::acknowledge_changes($engine, host, $inner);
        }
    };
}
pub(super) use forward_engine;
