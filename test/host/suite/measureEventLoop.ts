import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How late the timers of this thread fired, in milliseconds. */
export interface EventLoopDelay {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Sum of all delays of more than a frame (16 ms). */
  readonly lateMs: number;
}

const RESOLUTION_MS = 1;
const FRAME_MS = 16;
const NS_PER_MS = 1e6;

/** Measures the delay of this thread's event loop while `work` goes on. */
export async function measureEventLoop(work: () => Promise<unknown>): Promise<EventLoopDelay> {
  // The time between two ticks of a timer of that many milliseconds: a tick that is on time counts as one of those.
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let lateMs = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    if (nowMs - lastMs > FRAME_MS) lateMs += nowMs - lastMs;
    lastMs = nowMs;
  }, RESOLUTION_MS);
  histogram.enable();
  try {
    await work();
  } finally {
    histogram.disable();
    clearInterval(timer);
  }
  const atShare = (percent: number): number => histogram.percentile(percent) / NS_PER_MS;
  return { p50Ms: atShare(50), p99Ms: atShare(99), maxMs: histogram.max / NS_PER_MS, lateMs };
}
