// Imported for its effect: a run that is asked to end cleans up what it has started, through `exit` listeners.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
