/** Returns a function for the elapsed time: wall-clock time, and CPU time of all threads of this process. */
export function startClock(): () => { wallMs: number; cpuMs: number } {
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpuBefore);
    return { wallMs: performance.now() - startMs, cpuMs: (user + system) / 1000 };
  };
}
