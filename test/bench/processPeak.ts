import { readFileSync } from 'node:fs';

/**
 * The most memory that this process ever held, in megabytes of 10⁶ bytes. Linux's own peak of this program: `maxRSS` would
 * also hold that of the process that started it.
 */
export function processPeakMb(): number {
  try {
    return (Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024) / 1e6;
  } catch {
    return (process.resourceUsage().maxRSS * 1024) / 1e6;
  }
}
