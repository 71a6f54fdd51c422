import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How late the timers of this thread fired, in milliseconds. */
export interface EventLoopDelay {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Sum of all delays of more than a frame (16 ms). */
  readonly lateMs: number;
  /**
   * The highest CPU time of this thread between two ticks. It excludes the part of a delay in which the thread waited
   * for a core. Null where Node does not report the time of a thread (before 23.9).
   */
  readonly maxWorkMs: number | null;
}

/** User and system time of this thread, in milliseconds. */
function threadMs(): number | null {
  const { threadCpuUsage } = process as { threadCpuUsage?: () => { user: number; system: number } };
  const usage = threadCpuUsage?.call(process);
  return usage === undefined ? null : (usage.user + usage.system) / 1000;
}

const RESOLUTION_MS = 1;
const FRAME_MS = 16;
const NS_PER_MS = 1e6;

/** Measures the delays of this thread's event loop while `work` runs. */
export async function measureEventLoop(work: () => Promise<unknown>): Promise<EventLoopDelay> {
  // The interval of the timer in milliseconds. A tick that is on time counts as one interval.
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let lateMs = 0;
  let lastMs = performance.now();
  let lastThreadMs = threadMs();
  let maxWorkMs = lastThreadMs === null ? null : 0;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    if (nowMs - lastMs > FRAME_MS) lateMs += nowMs - lastMs;
    lastMs = nowMs;
    const nowThreadMs = threadMs();
    if (nowThreadMs !== null) maxWorkMs = Math.max(maxWorkMs ?? 0, nowThreadMs - (lastThreadMs ?? nowThreadMs));
    lastThreadMs = nowThreadMs;
  }, RESOLUTION_MS);
  histogram.enable();
  try {
    await work();
  } finally {
    histogram.disable();
    clearInterval(timer);
  }
  const atShare = (percent: number): number => histogram.percentile(percent) / NS_PER_MS;
  return { p50Ms: atShare(50), p99Ms: atShare(99), maxMs: histogram.max / NS_PER_MS, lateMs, maxWorkMs };
}
