mod greedy;
mod greedy_order;
