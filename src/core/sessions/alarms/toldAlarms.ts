import { join } from 'node:path';
import type { AlarmKey } from '../../../protocol/channels/alarms';
import { isJsonObject, parseObject } from '../../util/json';
import { replaceLocked } from '../../util/lockedFile';

export interface ToldAlarmsDeps {
  /** Absolute path of a folder of the extension, which is created when it is needed; null to remember until the worker ends. */
  readonly folder: string | null;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

const FILE_NAME = 'alarms.json';
const VERSION = 1;
/** The newest are kept. */
const MAX_TOLD = 5_000;
const MAX_DISMISSED = 1_000;

interface Told {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly topic: string;
}

/** What the person was told, by incident, and does not want to hear of again, by topic. */
interface Memory {
  readonly told: Map<string, Told>;
  /** When it was dismissed, in milliseconds since the epoch. */
  readonly dismissed: Map<string, number>;
}

/** Remembers across windows and restarts what the person was told, so that neither an alarm nor news of a session is told twice. All windows share one file. */
export class ToldAlarms {
  readonly #deps: ToldAlarmsDeps;
  /** What this window knows if there is no file, or it cannot be used. */
  #own: Memory = { told: new Map(), dismissed: new Map() };
  #hasWarned = false;

  constructor(deps: ToldAlarmsDeps) {
    this.#deps = deps;
  }

  /** The ids of those that this window is to tell. Never rejects: if the file cannot be used, each window tells for itself. */
  async claim(keys: readonly AlarmKey[]): Promise<readonly string[]> {
    let claimed: readonly string[] = [];
    await this.#change((memory) => {
      claimed = claimIn(memory, keys, this.#deps.now());
    });
    return claimed;
  }

  /** Never rejects. */
  async dismiss(topic: string): Promise<void> {
    await this.#change(({ dismissed }) => {
      dismissed.set(topic, this.#deps.now());
    });
  }

  async #change(change: (memory: Memory) => void): Promise<void> {
    const { folder, warn } = this.#deps;
    if (folder === null) {
      change(this.#own);
      return;
    }
    try {
      let changed = this.#own;
      await replaceLocked(join(folder, FILE_NAME), (bytes) => {
        changed = merged(read(bytes), this.#own);
        change(changed);
        return Promise.resolve(Buffer.from(written(changed)));
      });
      this.#own = changed;
    } catch (error) {
      // Better twice than never.
      change(this.#own);
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      warn(`Failed to remember which alarms were shown: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

function claimIn({ told, dismissed }: Memory, keys: readonly AlarmKey[], nowMs: number): readonly string[] {
  const lastMs = new Map<string, number>();
  for (const { topic, atMs } of told.values()) lastMs.set(topic, Math.max(atMs, lastMs.get(topic) ?? 0));
  const isDue = ({ id, topic, pauseMs }: AlarmKey): boolean => {
    if (told.has(id) || dismissed.has(topic)) return false;
    // A clock that was set back must not silence it.
    const sinceMs = Math.abs(nowMs - (lastMs.get(topic) ?? Number.NEGATIVE_INFINITY));
    return pauseMs === 0 || sinceMs >= pauseMs;
  };
  const claimed = keys.filter(isDue);
  for (const { id, topic } of claimed) told.set(id, { atMs: nowMs, topic });
  return claimed.map(({ id }) => id);
}

/** Nothing is remembered by a file that is damaged. Throws if a later version of the extension wrote it, so that it is left alone. */
function read(bytes: Buffer | null): Memory {
  const memory: Memory = { told: new Map(), dismissed: new Map() };
  const file = bytes === null ? null : parseObject(bytes.toString('utf8'));
  if (file === null) return memory;
  if (typeof file['version'] === 'number' && file['version'] > VERSION)
    throw new Error('A later version of the extension wrote the file');
  for (const [id, value] of entriesOf(file['told'])) {
    const [atMs, topic] = Array.isArray(value) ? (value as readonly unknown[]) : [];
    if (typeof atMs === 'number' && typeof topic === 'string') memory.told.set(id, { atMs, topic });
  }
  for (const [topic, atMs] of entriesOf(file['dismissed']))
    if (typeof atMs === 'number') memory.dismissed.set(topic, atMs);
  return memory;
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function merged(file: Memory, own: Memory): Memory {
  return {
    told: new Map([...own.told, ...file.told]),
    dismissed: new Map([...own.dismissed, ...file.dismissed]),
  };
}

function written({ told, dismissed }: Memory): string {
  const newestTold = [...told].sort(([, a], [, b]) => b.atMs - a.atMs).slice(0, MAX_TOLD);
  const newestDismissed = [...dismissed].sort(([, a], [, b]) => b - a).slice(0, MAX_DISMISSED);
  return JSON.stringify({
    version: VERSION,
    told: Object.fromEntries(newestTold.map(([id, { atMs, topic }]) => [id, [atMs, topic]])),
    dismissed: Object.fromEntries(newestDismissed),
  });
}
