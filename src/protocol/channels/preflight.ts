import { call, type Calls, defineChannel } from '../channel';
import type { JudgedPreflight } from '../preflight';
import type { UsageView } from './usage';

const MINUTE_MS = 60_000;

/** What resuming a session means, told before it is resumed. */
export const preflightChannel = defineChannel(
  'preflight',
  {
    /** For the client that verdicts speak for. Reads the transcript. Null if it cannot be read. */
    preflight: call<(filePath: string, view: Pick<UsageView, 'priceOverrides'>) => JudgedPreflight | null>({
      timeoutMs: 10 * MINUTE_MS,
    }),
  },
  {},
);

export type PreflightCalls = Calls<typeof preflightChannel>;
