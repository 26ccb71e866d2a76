mod canonicalize;
mod greedy;
mod greedy_order;
