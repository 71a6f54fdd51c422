import { sep } from 'node:path';
import { type FileStamp, isSameStamp, type SessionFiles } from '../util/diskFiles';
import type { Clock } from '../util/scheduling';
import type { SessionFocus } from '../../protocol/channels/sessions';
import type { SessionEntries, SessionEntry } from './sessionEntries';
import type { Walk } from './sharedWalk';

/** Time between two listings of all sessions, in milliseconds. */
const FAR_MS = 30_000;
/** While no view of the extension is visible, the badge alone is kept true, within ten seconds. */
const HIDDEN_MS = 8_000;
/** On a slow file system, a look ends after this time, and the next one goes on where it ended. In milliseconds. */
const MAX_LOOK_MS = 50;
/** A transcript rests after a scan as if each second of reading so many bytes cost ten. */
const BYTES_PER_MS = 100_000;
const REST_FACTOR = 10;

export interface SessionPollDeps {
  readonly files: Pick<SessionFiles, 'stampNow'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The folder that contains the folders of the projects. */
  readonly projects: string;
  readonly entries: Pick<SessionEntries, 'values' | 'get'>;
  /** Whether the window shows the session, or belongs to its folder. */
  readonly isNear: (entry: SessionEntry) => boolean;
  /** A transcript differs from when it was last scanned. */
  readonly onChanged: (entry: SessionEntry) => void;
  /** Transcripts may have come, gone or changed: everything is to be listed again. */
  readonly onFolderChanged: () => void;
  /** Says which of several windows looks at the transcripts that none of them shows. */
  readonly walk: Pick<Walk, 'look' | 'resign'>;
}

/**
 * Asks transcripts and their folders for their state, because not every file system tells of changes: those of open folders
 * at each look. Every thirty seconds, it has everything listed again, whatever a file system tells. Reads nothing.
 */
export class SessionPoll {
  readonly #deps: SessionPollDeps;
  /** The stamps of folders as of the last look; null for one that is not there. */
  readonly #folders = new Map<string, FileStamp | null>();
  /** When a transcript is left alone. A clock that was set back ends the rest. */
  readonly #rests = new Map<string, { readonly fromMs: number; readonly untilMs: number }>();
  /** Paths of the transcripts that the window shows; null until they are asked for. To ask about each takes longer than its stamp. */
  #near: readonly string[] | null = null;
  #farAtMs = 0;
  /** Where in `near` the next look begins. */
  #nextAt = 0;
  #isHidden = false;
  #isAway = false;
  /** When the next look is due, in milliseconds since the epoch. */
  #lookAtMs = 0;
  #isStarted = false;

  constructor(deps: SessionPollDeps) {
    this.#deps = deps;
  }

  /** Called after the sessions were listed. */
  start(): void {
    this.#near = null;
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#farAtMs = this.#deps.clock.now() + FAR_MS;
    this.#noteFolders((this.#near = this.#nearPaths()));
  }

  /** Paths of the transcripts that the window shows, or whose sessions run. */
  get near(): readonly string[] {
    return (this.#near ??= this.#nearPaths());
  }

  /** What the window shows has changed. */
  refocus(): void {
    this.#near = null;
  }

  /** Looks at everything when the person comes back to the window, or to a view. */
  attend({ isHidden = false, isAway = false }: Pick<SessionFocus, 'isHidden' | 'isAway'>): void {
    this.#near = null;
    if ((this.#isHidden && !isHidden) || (this.#isAway && !isAway)) [this.#lookAtMs, this.#farAtMs] = [0, 0];
    if (isHidden && !this.#isHidden) void this.#deps.walk.resign();
    this.#isHidden = isHidden;
    this.#isAway = isAway;
  }

  /** To be called about every second. */
  look(): void {
    if (!this.#isStarted) return;
    const { clock, files, entries, onChanged, onFolderChanged, walk } = this.#deps;
    const nowMs = clock.now();
    const isWalking = !this.#isHidden && walk.look();
    // A clock that was set back must not stop the looks.
    if (nowMs < this.#lookAtMs && this.#lookAtMs - nowMs <= HIDDEN_MS) return;
    this.#lookAtMs = this.#isHidden ? nowMs + HIDDEN_MS : 0;
    const isDue = nowMs >= this.#farAtMs || this.#farAtMs - nowMs > FAR_MS;
    const isFar = !this.#isHidden && isDue && (isWalking || this.#farAtMs === 0);
    if (isFar) this.#farAtMs = nowMs + FAR_MS;
    const paths = this.near;
    const from = this.#nextAt < paths.length ? this.#nextAt : 0;
    this.#nextAt = 0;
    for (const path of paths.slice(from)) {
      if (clock.now() - nowMs > MAX_LOOK_MS) {
        this.#nextAt = paths.indexOf(path);
        break;
      }
      const entry = entries.get(path);
      if (entry === undefined || entry.stamp === null || this.#isResting(path, nowMs)) continue;
      const stamp = files.stampNow(path);
      // One that is gone changes its folder, too.
      if (stamp === null || isSameStamp(stamp, entry.stamp)) continue;
      this.#rests.set(path, { fromMs: nowMs, untilMs: nowMs + (REST_FACTOR * stamp.size) / BYTES_PER_MS });
      onChanged(entry);
    }
    if (this.#noteFolders(paths) || isFar) onFolderChanged();
  }

  /** Another window has found that these transcripts are in a new state; null if any may be. */
  hear(paths: readonly string[] | null): void {
    const { entries, files, onChanged, onFolderChanged } = this.#deps;
    if (!this.#isStarted) return;
    let isAnyMissing = paths === null;
    for (const path of paths ?? []) {
      const [entry, stamp] = [entries.get(path), files.stampNow(path)];
      if (stamp !== null && entry?.stamp != null) {
        if (!isSameStamp(stamp, entry.stamp)) onChanged(entry);
      } else if (stamp !== null || entry?.stamp != null) isAnyMissing = true;
    }
    if (isAnyMissing) onFolderChanged();
  }

  #isResting(path: string, nowMs: number): boolean {
    const rest = this.#rests.get(path);
    return rest !== undefined && nowMs >= rest.fromMs && nowMs < rest.untilMs;
  }

  #nearPaths(): readonly string[] {
    const { entries, isNear } = this.#deps;
    const paths: string[] = [];
    for (const entry of entries.values()) if (isNear(entry)) paths.push(entry.found.path);
    return paths;
  }

  /** Whether a folder of the transcripts changed since the last look at it. */
  #noteFolders(paths: readonly string[]): boolean {
    const { files, projects } = this.#deps;
    const folders = new Set([projects]);
    for (const path of paths) folders.add(path.slice(0, path.lastIndexOf(sep)));
    let isAnyChanged = false;
    for (const folder of folders) {
      const [known, stamp] = [this.#folders.get(folder), files.stampNow(folder)];
      this.#folders.set(folder, stamp);
      const isSame = known === null ? stamp === null : isSameStamp(known ?? null, stamp);
      if (known !== undefined && !isSame) isAnyChanged = true;
    }
    return isAnyChanged;
  }
}
