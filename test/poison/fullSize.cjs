// Loaded before the tests, because scripts cannot set environment variables in the same way on every system.
process.env.RETHREAD_POISON ??= 'full';
