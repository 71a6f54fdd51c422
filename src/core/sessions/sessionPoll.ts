import { join, sep } from 'node:path';
import { type FileStamp, isSameStamp, type SessionFiles } from '../util/diskFiles';
import type { Clock } from '../util/scheduling';
import type { SessionFocus } from '../../protocol/channels/sessions';
import type { SessionEntries, SessionEntry } from './sessionEntries';
import type { Walk } from './sharedWalk';

/**
 * Time in which the sessions that the window does not show are asked once, a few at each look. To tell other windows takes up to four
 * seconds more. In milliseconds.
 */
const FAR_MS = 26_000;
/** Of them, looks in a row are at most so far apart, in milliseconds: after a pause, nothing is made up for. */
const MAX_PAUSE_MS = 2_000;
/** Time between two listings of all sessions, because folders of some file systems do not tell what is new in them. In milliseconds. */
const LISTING_MS = 5 * 60_000;
/** The clock of a file system, as of a server, may lag behind by this, in milliseconds. */
const CLOCK_MS = 2_000;
/** While no view of the extension is visible, the badge alone is kept true, within ten seconds. */
const HIDDEN_MS = 8_000;
/** On a slow file system, a look ends after this time, and the next one goes on where it ended. In milliseconds. */
const MAX_LOOK_MS = 50;
/** A transcript rests after a scan as if each second of reading so many bytes cost ten. */
const BYTES_PER_MS = 100_000;
const REST_FACTOR = 10;

export interface SessionPollDeps {
  readonly files: Pick<SessionFiles, 'stampNow' | 'stampAgain' | 'names'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The folder that contains the folders of the projects. */
  readonly projects: string;
  readonly entries: Pick<SessionEntries, 'values' | 'get' | 'projectFolders'>;
  /** Whether the window shows the session, or belongs to its folder. */
  readonly isOwn: (entry: SessionEntry) => boolean;
  /** Whether the session runs, so that every window shows it. */
  readonly isRunning: (entry: SessionEntry) => boolean;
  /** Absolute paths of the folders of the projects that the window has open, whether or not they exist. */
  readonly openFolders: () => readonly string[];
  /** A transcript differs from when it was last scanned. */
  readonly onChanged: (entry: SessionEntry) => void;
  /** Transcripts may have come, gone or changed: everything is to be listed again. */
  readonly onFolderChanged: () => void;
  /** Says which of several windows looks at the transcripts that none of them shows. */
  readonly walk: Pick<Walk, 'look' | 'resign'>;
}

/** What a window shows: first what is its own, then what runs elsewhere. */
interface Near {
  /** Some may have been replaced since, which is found out when the stamp differs. */
  readonly entries: SessionEntry[];
  readonly ownCount: number;
  /** Absolute paths of the folders that hold them, or may hold new ones. */
  readonly folders: readonly string[];
  readonly ownFolderCount: number;
}

/**
 * Asks transcripts and their folders for their state, because not every file system tells of changes: those of open folders
 * at each look, a part of the others at each, and all of them within thirty seconds. Reads nothing.
 */
export class SessionPoll {
  readonly #deps: SessionPollDeps;
  /** The stamps of folders as of the last look; null for one that is not there. */
  readonly #folders = new Map<string, FileStamp | null>();
  /** When a transcript is left alone. A clock that was set back ends the rest. */
  readonly #rests = new Map<string, { readonly fromMs: number; readonly untilMs: number }>();
  /** What the window shows; null until it is asked for, because to ask about each takes longer than its stamp. */
  #near: Near | null = null;
  /** Sessions and project folders that are still to be asked in this round, and how many there were; null while another window asks. */
  #far: { readonly left: (SessionEntry | string)[]; readonly count: number } | null = null;
  /** The folders of all projects, also of those without sessions. */
  #projectFolders: readonly string[] = [];
  /** When the first listing began, in milliseconds since the epoch. */
  #listedMs = 0;
  /** When everything is listed again, in milliseconds since the epoch. */
  #listAtMs = 0;
  /** Where in `near` the next look begins. */
  #nextAt = 0;
  #lookedMs = 0;
  #isHidden = false;
  #isAway = false;
  /** When the next look is due, in milliseconds since the epoch. */
  #lookAtMs = 0;
  #isStarted = false;

  constructor(deps: SessionPollDeps) {
    this.#deps = deps;
  }

  /** Called after the sessions were listed. `fromMs`: when that began, in milliseconds since the epoch. */
  start(fromMs: number): void {
    this.#near = null;
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#listedMs = fromMs;
    this.#listAtMs = this.#deps.clock.now() + LISTING_MS;
    this.#nameFolders();
    if (this.#isAnyFolderChanged(true)) this.#deps.onFolderChanged();
  }

  /** The sessions that the window shows, or that run. */
  get near(): readonly SessionEntry[] {
    return this.#findNear().entries;
  }

  /** What the window shows has changed. */
  refocus(): void {
    this.#near = null;
  }

  /** Looks at everything when the person comes back to the window, or to a view. */
  attend({ isHidden = false, isAway = false }: Pick<SessionFocus, 'isHidden' | 'isAway'>): void {
    this.#near = null;
    if ((this.#isHidden && !isHidden) || (this.#isAway && !isAway)) [this.#lookAtMs, this.#listAtMs] = [0, 0];
    if (isHidden && !this.#isHidden) void this.#deps.walk.resign();
    this.#isHidden = isHidden;
    this.#isAway = isAway;
  }

  /** To be called about every second. `isWhole`: false if another window looks at the running sessions, and calls this one when they change. */
  look(isWhole: boolean): void {
    if (!this.#isStarted) return;
    const { clock, walk } = this.#deps;
    const nowMs = clock.now();
    const isWalking = !this.#isHidden && walk.look();
    // A clock that was set back must not stop the looks.
    if (nowMs < this.#lookAtMs && this.#lookAtMs - nowMs <= HIDDEN_MS) return;
    this.#lookAtMs = this.#isHidden ? nowMs + HIDDEN_MS : 0;
    const isDue = nowMs >= this.#listAtMs || this.#listAtMs - nowMs > LISTING_MS;
    const isListed = !this.#isHidden && isDue && (isWalking || this.#listAtMs === 0);
    if (isListed) this.#listAtMs = nowMs + LISTING_MS;
    this.#lookNear(nowMs, isWhole);
    const isNearChanged = this.#isAnyFolderChanged(isWhole);
    const isFarChanged = this.#lookFar(nowMs, isWalking);
    this.#lookedMs = nowMs;
    if (isListed || isNearChanged || isFarChanged) this.#listAgain();
  }

  #listAgain(): void {
    this.#nameFolders();
    this.#deps.onFolderChanged();
  }

  /** Those that are new are asked at the next look, so that what comes into them later is noticed. */
  #nameFolders(): void {
    const { files, projects } = this.#deps;
    void files.names(projects).then((names) => {
      const known = new Set(this.#projectFolders);
      this.#projectFolders = names.map((name) => join(projects, name));
      this.#far?.left.push(...this.#projectFolders.filter((folder) => !known.has(folder)));
    });
  }

  #lookNear(nowMs: number, isWhole: boolean): void {
    const { entries: near, ownCount } = this.#findNear();
    const count = isWhole ? near.length : ownCount;
    const from = this.#nextAt < count ? this.#nextAt : 0;
    this.#nextAt = 0;
    for (let at = from; at < count; at++) {
      if (this.#deps.clock.now() - nowMs > MAX_LOOK_MS) {
        this.#nextAt = at;
        break;
      }
      const seen = near[at];
      if (seen !== undefined) near[at] = this.#ask(seen, nowMs) ?? seen;
    }
  }

  /** Asks some of all others. Whether one is gone, or a folder has changed. */
  #lookFar(nowMs: number, isWalking: boolean): boolean {
    const { clock, entries } = this.#deps;
    if (!isWalking) {
      this.#far = null;
      return false;
    }
    if (this.#far === null || this.#far.left.length === 0) {
      const left = [...entries.values(), ...new Set([...entries.projectFolders, ...this.#projectFolders])];
      this.#far = { left, count: left.length };
    }
    const { left, count } = this.#far;
    const pauseMs = Math.min(Math.max(nowMs - this.#lookedMs, 0), MAX_PAUSE_MS);
    let isAnyChanged = false;
    // A round that began without any would never end once something new was added to it.
    const perRound = Math.max(count, left.length);
    for (let due = Math.ceil((perRound * pauseMs) / FAR_MS); due > 0; due--) {
      const next = left.pop();
      if (next === undefined) break;
      if (typeof next === 'string') isAnyChanged = this.#isFolderChanged(next) || isAnyChanged;
      else isAnyChanged = this.#ask(next, nowMs) === null || isAnyChanged;
      if (clock.now() - nowMs > MAX_LOOK_MS) break;
    }
    return isAnyChanged;
  }

  /** The session as it is known now; null if its transcript is gone. */
  #ask(seen: SessionEntry, nowMs: number): SessionEntry | null {
    const { files, entries, onChanged } = this.#deps;
    const { path } = seen.found;
    const stamp = files.stampAgain(path, seen.stamp);
    if (stamp === seen.stamp) return seen;
    const entry = entries.get(path);
    if (entry === undefined || entry.stamp === null || this.#isResting(path, nowMs)) return entry ?? seen;
    if (stamp === null) return null;
    if (isSameStamp(stamp, entry.stamp)) return entry;
    this.#rests.set(path, { fromMs: nowMs, untilMs: nowMs + (REST_FACTOR * stamp.size) / BYTES_PER_MS });
    onChanged(entry);
    return entry;
  }

  /** Another window has found that these transcripts are in a new state; null if any may be. */
  hear(paths: readonly string[] | null): void {
    const { entries, files, onChanged } = this.#deps;
    if (!this.#isStarted) return;
    let isAnyMissing = paths === null;
    for (const path of paths ?? []) {
      const entry = entries.get(path);
      const [known, stamp] = [entry?.stamp ?? null, files.stampNow(path)];
      if ((known === null) !== (stamp === null)) isAnyMissing = true;
      else if (entry !== undefined && stamp !== null && !isSameStamp(stamp, known)) onChanged(entry);
    }
    if (isAnyMissing) this.#listAgain();
  }

  #isResting(path: string, nowMs: number): boolean {
    const rest = this.#rests.get(path);
    return rest !== undefined && nowMs >= rest.fromMs && nowMs < rest.untilMs;
  }

  #findNear(): Near {
    if (this.#near !== null) return this.#near;
    const { entries, isOwn, isRunning, projects, openFolders } = this.#deps;
    const [own, others]: [SessionEntry[], SessionEntry[]] = [[], []];
    for (const entry of entries.values()) {
      if (isOwn(entry)) own.push(entry);
      else if (isRunning(entry)) others.push(entry);
    }
    const folders = new Set([projects, ...openFolders()]);
    const addFolder = ({ found }: SessionEntry): void => {
      folders.add(found.path.slice(0, found.path.lastIndexOf(sep)));
    };
    own.forEach(addFolder);
    const ownFolderCount = folders.size;
    others.forEach(addFolder);
    return (this.#near = {
      entries: [...own, ...others],
      ownCount: own.length,
      folders: [...folders],
      ownFolderCount,
    });
  }

  /** Whether a folder of what the window shows has changed. */
  #isAnyFolderChanged(isWhole: boolean): boolean {
    const { folders, ownFolderCount } = this.#findNear();
    const count = isWhole ? folders.length : ownFolderCount;
    let isAnyChanged = false;
    for (let at = 0; at < count; at++) isAnyChanged = this.#isFolderChanged(folders[at] ?? '') || isAnyChanged;
    return isAnyChanged;
  }

  /** Since the last look at it; where there was none, since the sessions were listed. */
  #isFolderChanged(folder: string): boolean {
    const known = this.#folders.get(folder);
    const stamp = this.#deps.files.stampAgain(folder, known ?? null);
    // A file beside the folders of the projects.
    if (stamp === known || (stamp?.isFolder === false && (known ?? null) === null)) return false;
    this.#folders.set(folder, stamp);
    if (known === undefined) return stamp !== null && stamp.mtimeMs >= this.#listedMs - CLOCK_MS;
    return !isSameStamp(known, stamp);
  }
}
