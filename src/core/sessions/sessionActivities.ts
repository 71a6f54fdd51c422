import { dirname } from 'node:path';
import type { ScannedSession } from '../../protocol/session';
import { isRunningState } from '../../protocol/sessionActivity';
import type { TranscriptTail } from '../../protocol/sessionInfo';
import type { Activities, ActivityAnswer, RegistryLook } from '../providers/provider';
import type { Clock } from '../util/scheduling';
import type { SessionEntries, SessionEntry } from './sessionEntries';

/** What a session is doing. */
export interface KnownActivity extends ActivityAnswer {
  /** The call that has no result yet, such as `Bash: npm test`. */
  readonly call: string | null;
}

export interface SessionActivitiesDeps {
  readonly activities: Activities;
  readonly entries: SessionEntries;
  /** Never rejects; null if unknown. `leafUuid`: uuid of the row from which a resume continues. */
  readonly readEnd: (filePath: string, leafUuid: string) => Promise<TranscriptTail | null>;
  readonly clock: Pick<Clock, 'now'>;
  /** A session does something else than before. */
  readonly onChange: (entry: SessionEntry) => void;
}

interface Known extends KnownActivity {
  /** From which it was found. */
  readonly entry: SessionEntry;
  readonly said: string | undefined;
  /** When to look again, although nothing has changed, in milliseconds since the epoch. */
  readonly againAtMs: number;
}

interface Settled {
  readonly look: RegistryLook;
  readonly near: readonly SessionEntry[];
  /** Milliseconds since the epoch, like `untilMs`. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What no registry says can change without a sign, such as when a client dies. In milliseconds. */
const AGAIN_MS = 5_000;
/** How long the ends of sessions that nothing runs are read in one look, in milliseconds, after the first of them. */
const MAX_REST_MS = 20;
const EMPTY: TranscriptTail = { end: { kind: 'empty' }, isClosed: false, entrypoint: null, call: null };

/**
 * Knows what sessions do: those that the registry names, and those that the window shows. Reads the end of a transcript once after
 * each change, and nothing while nothing changes.
 */
export class SessionActivities {
  readonly #deps: SessionActivitiesDeps;
  readonly #known = new Map<string, Known>();
  /** Paths of the sessions that the registry names. */
  #recorded: readonly string[] = [];
  /** They may be others. */
  #isTouched = true;
  #isLooking = false;
  /** After which look nothing was left to be found out, and for how long; null after a look that left something. */
  #settled: Settled | null = null;

  constructor(deps: SessionActivitiesDeps) {
    this.#deps = deps;
  }

  of(filePath: string): KnownActivity | null {
    return this.#known.get(filePath) ?? null;
  }

  /** Must be called when entries were added or removed, or when the registry names other sessions. */
  touch(): void {
    this.#isTouched = true;
  }

  /**
   * Finds out what has changed. Does nothing while an earlier look is still going on, as on a slow disk. Never rejects.
   *
   * @param near the sessions that the window shows
   */
  async look(look: RegistryLook, near: readonly SessionEntry[]): Promise<void> {
    if (this.#isLooking || this.#isQuiet(look, near)) return;
    this.#isLooking = true;
    try {
      this.#settled = null;
      if (this.#isTouched) {
        // What changes meanwhile is for the next look.
        this.#isTouched = false;
        await this.#expect(look);
        this.#recorded = this.#namedIn(look);
      }
      for (const paths of [this.#recorded, this.#unsettled()]) {
        for (const path of paths) {
          const entry = this.#dueEntry(path, look);
          if (entry !== null) await this.#update(entry, look);
        }
      }
      let startMs: number | null = null;
      let isComplete = true;
      for (const { found } of near) {
        const entry = this.#dueEntry(found.path, look);
        if (entry === null) continue;
        if (startMs !== null && this.#deps.clock.now() - startMs > MAX_REST_MS) {
          isComplete = false;
          break;
        }
        await this.#update(entry, look);
        // For the first of them, the processes of the machine are read, which would leave no time for others.
        startMs ??= this.#deps.clock.now();
      }
      this.#forget();
      if (isComplete) this.#settled = { look, near, fromMs: this.#deps.clock.now(), untilMs: this.#nextMs() };
    } finally {
      this.#isLooking = false;
    }
  }

  /** Whether a look would find nothing, because nothing has changed since the last one. */
  #isQuiet(look: RegistryLook, near: readonly SessionEntry[]): boolean {
    if (this.#isTouched || this.#settled === null) return false;
    const { fromMs, untilMs } = this.#settled;
    const nowMs = this.#deps.clock.now();
    return look === this.#settled.look && near === this.#settled.near && nowMs >= fromMs && nowMs < untilMs;
  }

  /** When the next session is to be looked at again, in milliseconds since the epoch. */
  #nextMs(): number {
    let nextMs = Infinity;
    for (const { againAtMs } of this.#known.values()) nextMs = Math.min(nextMs, againAtMs);
    return nextMs;
  }

  /** Sessions that ran when they were last looked at, also if the registry names them no more. */
  #unsettled(): readonly string[] {
    const paths: string[] = [];
    for (const [path, { said, againAtMs }] of this.#known)
      if (said !== undefined || againAtMs !== Infinity) paths.push(path);
    return paths;
  }

  /** @param scan of the transcript as it is now */
  async read(
    filePath: string,
    scan: ScannedSession,
  ): Promise<ActivityAnswer & { readonly tail: TranscriptTail | null }> {
    const { activities, readEnd } = this.#deps;
    const { leafUuid } = scan.result.resume;
    const tail =
      scan.result.status === 'unreadable' ? null : leafUuid === null ? EMPTY : await readEnd(filePath, leafUuid);
    const end = tail === null ? null : { ...tail, lastMessageMs: scan.metadata.lastMessageMs };
    return { ...(await activities.of(filePath, end)), tail };
  }

  /** A client has no transcript before its first prompt: its session is listed all the same. */
  async #expect({ said }: RegistryLook): Promise<void> {
    const { activities, entries, onChange } = this.#deps;
    // One that was killed has a record, too.
    const running = said.size === 0 ? [] : await activities.running();
    const unlisted = new Map(running.map((client) => [client.sessionId, client]));
    const expected: SessionEntry[] = [];
    for (const entry of entries.values()) {
      if (entry.absence === 'expected') expected.push(entry);
      else if (entry.absence === undefined) unlisted.delete(entry.found.id.toLowerCase());
    }
    for (const entry of expected) {
      // It ended without a prompt, or its transcript is in another folder, where it was resumed.
      if (unlisted.delete(entry.found.id.toLowerCase())) continue;
      entries.delete(entry.found.path);
      onChange(entry);
    }
    for (const { sessionId, filePath, cwd, startedMs } of unlisted.values()) {
      if (entries.get(filePath)?.absence === 'gone') continue;
      entries.set({
        found: { provider: 'claude', id: sessionId, path: filePath, projectFolder: dirname(filePath) },
        stamp: null,
        scan: null,
        quickMetadata: { title: null, cwd, lastMessageMs: startedMs },
        isOutdated: false,
        hasBackup: false,
        absence: 'expected',
      });
    }
  }

  #namedIn({ said }: RegistryLook): readonly string[] {
    const paths: string[] = [];
    for (const { found } of this.#deps.entries.values())
      if (saidOf(found.id, said) !== undefined) paths.push(found.path);
    return paths;
  }

  /** The session if there is something to find out about it. Asked about each session in each look, nearly always for nothing. */
  #dueEntry(path: string, { said }: RegistryLook): SessionEntry | null {
    const { entries, clock, onChange } = this.#deps;
    const entry = entries.get(path);
    if (entry === undefined || entry.found.isProjectFolder === true) return null;
    const known = this.#known.get(path);
    const text = saidOf(entry.found.id, said);
    // A client can go on with a session whose transcript was deleted.
    if (entry.absence === 'gone' && text === undefined) {
      if (this.#known.delete(path)) onChange(entry);
      return null;
    }
    // Its end is read after its scan.
    if (known === undefined) return text === undefined && entry.scan === null ? null : entry;
    if (known.said !== text || (known.entry !== entry && !entry.isOutdated)) return entry;
    if (known.againAtMs === Infinity) return null;
    // A clock that was set back must not put it off.
    const restMs = known.againAtMs - clock.now();
    return restMs > 0 && restMs <= AGAIN_MS ? null : entry;
  }

  async #update(entry: SessionEntry, { said }: RegistryLook): Promise<void> {
    const { clock, onChange } = this.#deps;
    const { path, id } = entry.found;
    const known = this.#known.get(path);
    const text = saidOf(id, said);
    const nowMs = clock.now();
    const answer =
      entry.scan === null
        ? { ...(await this.#deps.activities.of(path, null)), tail: null }
        : await this.read(path, entry.scan);
    const { live, activity } = answer;
    const isUnsure = live === 'maybe-live' || (isRunningState(activity.state) && activity.isInferred);
    const againAtMs = isUnsure || activity.state === 'starting' ? nowMs + AGAIN_MS : Infinity;
    const found: Known = { live, activity, call: answer.tail?.call ?? null, entry, said: text, againAtMs };
    this.#known.set(path, found);
    if (digestOf(known) !== digestOf(found)) onChange(entry);
  }

  #forget(): void {
    const { entries } = this.#deps;
    for (const path of this.#known.keys()) if (entries.get(path) === undefined) this.#known.delete(path);
  }
}

/** A job may name only the start of an id. */
function saidOf(sessionId: string, said: RegistryLook['said']): string | undefined {
  const id = sessionId.toLowerCase();
  return said.get(id) ?? said.get(id.slice(0, 8));
}

function digestOf(known: KnownActivity | undefined): string {
  return known === undefined ? '' : JSON.stringify([known.live, known.activity, known.call]);
}
