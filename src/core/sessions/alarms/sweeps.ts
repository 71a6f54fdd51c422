import type { ExpiringSession, Sweep } from '../../../protocol/channels/alarms';
import { localSettingsOf, projectSettingsOf, userSettingsOf } from '../../providers/claude/format/settingsPaths';
import { type Retention, sweptAtMs } from '../../providers/claude/live/retention';
import type { Exemption } from '../../providers/claude/live/sweepExemption';
import type { SessionFiles } from '../../util/diskFiles';
import type { Clock } from '../../util/scheduling';
import type { SessionEntries, SessionEntry } from '../sessionEntries';
import { knownMetadata } from '../summariseSession';

export interface SweepsDeps {
  readonly configDir: string;
  readonly entries: Pick<SessionEntries, 'values' | 'size' | 'get'>;
  readonly files: Pick<SessionFiles, 'stampNow'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Absolute paths of the open folders. */
  readonly openFolders: () => readonly string[];
  readonly readRetention: (projectFolders: ReadonlySet<string>) => Retention;
  readonly readExemption: (filePath: string) => Promise<Exemption>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The settings of the person and of open folders are looked at so often, and all others every hour. */
const SETTINGS_POLL_MS = MINUTE_MS / 2;
/** The tree shows no more than these at once anyway. */
const MAX_EXPIRING = 2_000;
/** A session is said to expire soon in the last week, or in the last quarter of a short period. */
const SOON_DAYS = 7;
const SOON_PART = 1 / 4;
const NOT_EXEMPT: Exemption = { isExempt: false, releasedMs: null };

/** When clients delete which sessions. Reads settings every hour and whenever those of open folders change. */
export class Sweeps {
  readonly #deps: SweepsDeps;
  #retention: Retention | null = null;
  #expiring: readonly ExpiringSession[] = [];
  /** When expiring sessions were last written, by path, in milliseconds since the epoch. */
  #writtenMs: ReadonlyMap<string, number> = new Map();
  #readAtMs = Number.NEGATIVE_INFINITY;
  #polledAtMs = Number.NEGATIVE_INFINITY;
  #stamps = '';

  constructor(deps: SweepsDeps) {
    this.#deps = deps;
  }

  /** Null until the sessions are listed. */
  get retention(): Retention | null {
    return this.#retention;
  }

  /** Those of all projects, the first to go first. The same object as long as nothing changes. */
  get expiring(): readonly ExpiringSession[] {
    return this.#expiring;
  }

  /** Null if no client deletes the session because of its age, or that is not known yet. Never rejects. */
  async sweepOf(filePath: string): Promise<Sweep | null> {
    const mtimeMs = this.#deps.files.stampNow(filePath)?.mtimeMs;
    const retention = this.#retention;
    if (retention === null || mtimeMs === undefined) return null;
    const exemption = await this.#deps.readExemption(filePath);
    const sweptMs = sweptAtMs(retention, { mtimeMs, ...exemption });
    if (sweptMs === null) return null;
    const isByPeriod = sweptMs === sweptAtMs(retention, { mtimeMs, ...NOT_EXEMPT });
    return { sweptMs, period: isByPeriod ? retention.shortest : null };
  }

  /** Reads again what is due. To be called often. Never rejects. */
  async refresh(): Promise<void> {
    const { clock, entries } = this.#deps;
    const nowMs = clock.now();
    // Before the first listing, no project is known.
    if (entries.size === 0 || Math.abs(nowMs - this.#polledAtMs) < SETTINGS_POLL_MS) return;
    this.#polledAtMs = nowMs;
    const stamps = this.#settingsStamps();
    if (stamps === this.#stamps && Math.abs(nowMs - this.#readAtMs) < HOUR_MS) {
      // Sessions may have been written or deleted meanwhile.
      this.#forgetWritten();
      return;
    }
    this.#stamps = stamps;
    this.#readAtMs = nowMs;
    const retention = this.#deps.readRetention(this.#projectFolders());
    this.#retention = retention;
    this.#expiring = await this.#findExpiring(retention, nowMs);
    this.#writtenMs = new Map(this.#expiring.map(({ path }) => [path, this.#mtimeOf(path)]));
  }

  /** What is written is kept for another period, unless its time is set back, which the next reading finds. */
  #forgetWritten(): void {
    const still = this.#expiring.filter(({ path }) => this.#mtimeOf(path) === this.#writtenMs.get(path));
    if (still.length < this.#expiring.length) this.#expiring = still;
  }

  /** NaN, which differs from itself, if there is no file. */
  #mtimeOf(path: string): number {
    return this.#deps.files.stampNow(path)?.mtimeMs ?? Number.NaN;
  }

  #settingsStamps(): string {
    const { configDir, openFolders, files } = this.#deps;
    const paths = openFolders().flatMap((folder) => [projectSettingsOf(folder), localSettingsOf(folder)]);
    return [userSettingsOf(configDir), ...paths]
      .map((path) => files.stampNow(path))
      .map((stamp) => (stamp === null ? '' : `${stamp.size} ${stamp.mtimeNs} ${stamp.ctimeNs}`))
      .join('\n');
  }

  #projectFolders(): ReadonlySet<string> {
    const folders = new Set(this.#deps.openFolders());
    for (const entry of this.#deps.entries.values()) {
      const cwd = knownMetadata(entry)?.cwd ?? null;
      if (cwd !== null) folders.add(cwd);
    }
    return folders;
  }

  async #findExpiring(retention: Retention, nowMs: number): Promise<readonly ExpiringSession[]> {
    const untilMs = nowMs + soonMs(retention);
    const expiring: ExpiringSession[] = [];
    for (const entry of this.#deps.entries.values()) {
      if (!hasMessages(entry) || entry.stamp === null) continue;
      const { mtimeMs } = entry.stamp;
      // An exemption only postpones it, so most transcripts need not be read.
      const atFirstMs = sweptAtMs(retention, { mtimeMs, ...NOT_EXEMPT });
      if (atFirstMs === null || atFirstMs > untilMs) continue;
      const { path } = entry.found;
      const sweptMs = sweptAtMs(retention, { mtimeMs, ...(await this.#deps.readExemption(path)) });
      if (sweptMs !== null && sweptMs <= untilMs) expiring.push(expiringSession(entry, sweptMs));
    }
    return expiring.sort((a, b) => a.sweptMs - b.sweptMs).slice(0, MAX_EXPIRING);
  }
}

function soonMs({ shortest }: Retention): number {
  return Math.min(SOON_DAYS, (shortest?.days ?? 0) * SOON_PART) * DAY_MS;
}

/** Nobody misses a session in which nothing was said. */
function hasMessages({ found, scan }: SessionEntry): boolean {
  return found.isProjectFolder !== true && scan?.result.messageCount !== 0;
}

function expiringSession({ found: { provider, id, path } }: SessionEntry, sweptMs: number): ExpiringSession {
  // A session that was renewed and comes of age again is another incident.
  const day = new Date(sweptMs).toISOString().slice(0, 10);
  return { provider, id, path, sweptMs, alarmId: `expiring/${id}/${day}` };
}
