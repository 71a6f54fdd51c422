import { readFileSync } from 'node:fs';

/**
 * The peak memory of this process, in megabytes of 10⁶ bytes. Uses Linux's own peak of this program, because `maxRSS`
 * would include that of the process that started it.
 */
export function processPeakMb(): number {
  try {
    return (Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024) / 1e6;
  } catch {
    return (process.resourceUsage().maxRSS * 1024) / 1e6;
  }
}
