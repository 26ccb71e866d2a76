mod canonicalize;
mod conversion;
mod greedy;
mod greedy_order;
