// Imported for its effect: a run that is told to end puts away what it has started, as `exit` listeners do that.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
