//! `budget`: what listings cost, and `catalog --budget`.

use crate::support::Sandbox;
