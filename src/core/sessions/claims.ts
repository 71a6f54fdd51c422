import { join } from 'node:path';
import { parseObject } from '../util/json';
import { replaceLocked } from '../util/lockedFile';

const CLAIMS_FILE = 'told.json';
const KEPT_MS = 7 * 24 * 3_600_000;
const MAX_CLAIMS = 1_000;

/** What one of several windows has told the person already. Each window asks before it tells something. */
export class Claims {
  /** @param folder the extension's own folder; null if nothing is kept, so that every window tells */
  constructor(
    private readonly folder: string | null,
    private readonly now: () => number,
  ) {}

  /** True for the first caller of all windows. Rejects if the claims cannot be written. */
  async claim(key: string): Promise<boolean> {
    if (this.folder === null) return true;
    let isFirst = false;
    await replaceLocked(join(this.folder, CLAIMS_FILE), (bytes) => {
      const nowMs = this.now();
      const claims = Object.entries(parseObject(bytes?.toString('utf8') ?? '') ?? {}).filter(
        ([, timeMs]) => typeof timeMs === 'number' && Math.abs(nowMs - timeMs) < KEPT_MS,
      );
      isFirst = claims.every(([known]) => known !== key);
      if (isFirst) claims.push([key, nowMs]);
      return Promise.resolve(Buffer.from(JSON.stringify(Object.fromEntries(claims.slice(-MAX_CLAIMS)))));
    });
    return isFirst;
  }
}
