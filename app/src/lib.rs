//! The screens of Reprieve.
