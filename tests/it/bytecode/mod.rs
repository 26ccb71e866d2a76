mod drrbc;
mod dumps;
