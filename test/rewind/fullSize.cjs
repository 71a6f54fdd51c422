// Loaded in front of the tests, as environment variables cannot be set in a script the same way on every system.
process.env.RETHREAD_REWIND ??= 'full';
