import { basename, dirname } from 'node:path';
import type { Alarm, AlarmKey, AlarmsCalls, AlarmsSnapshot, Sweep } from '../../../protocol/channels/alarms';
import type { WorkerEvents } from '../../../protocol/channels/worker';
import { encodeProjectPath } from '../../providers/claude/format/paths';
import type { Savings, SharedSession, UnsavedSession } from '../../providers/claude/live/clientSavings';
import { workspaceIndex, type WorkspaceFolder } from '../summariseSession';
import { Sweeps, type SweepsDeps } from './sweeps';
import { ToldAlarms } from './toldAlarms';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Old sessions come of age day after day. */
const EXPIRING_PAUSE_MS = 3 * DAY_MS;
/** More often, looking at ten running sessions would take more than a thousandth of a core. */
const LOOK_MS = 3_000;
const EXPIRING_TOPIC = 'expiring';

/** What the sessions of one config folder give to their alarms. */
export interface AlarmsContext extends Pick<SweepsDeps, 'configDir' | 'entries' | 'files' | 'clock'> {
  readonly workspaceFolders: () => readonly WorkspaceFolder[];
  /** Absolute path of the extension's own folder for data kept across restarts; null if nothing is kept. */
  readonly cacheDir: string | null;
  readonly nextRevision: () => number;
  readonly log: WorkerEvents['log'];
  /** Absolute path of the person's home folder. */
  readonly homeDir: string;
}

export interface SessionAlarmsDeps extends AlarmsContext, Omit<SweepsDeps, 'openFolders'> {
  /** Never rejects. */
  readonly savings: { look(): Promise<Savings> };
  readonly send: (snapshot: AlarmsSnapshot) => void | Promise<void>;
}

/** Alarms that change every hour, and what they were made of. */
interface SlowAlarms {
  readonly expiring: AlarmsSnapshot['expiring'];
  readonly retention: Sweeps['retention'];
  readonly folders: readonly WorkspaceFolder[];
  readonly alarms: readonly Alarm[];
}

/** What endangers the sessions of one config folder. Sends all alarms whenever they change. */
export class SessionAlarms implements AlarmsCalls {
  readonly #deps: SessionAlarmsDeps;
  readonly #sweeps: Sweeps;
  readonly #told: ToldAlarms;
  #slow: SlowAlarms | null = null;
  /** What was sent last of what may change at each look, and of the rest. */
  #sent: { readonly quick: string; readonly slow: SlowAlarms } | null = null;
  #isLooking = false;
  /** Milliseconds since the epoch. */
  #lookedMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(deps: SessionAlarmsDeps) {
    this.#deps = deps;
    this.#sweeps = new Sweeps({ ...deps, openFolders: () => deps.workspaceFolders().map(({ path }) => path) });
    const warn = (message: string): void => {
      deps.log('warn', message);
    };
    this.#told = new ToldAlarms({ folder: deps.cacheDir, now: () => deps.clock.now(), warn });
  }

  /** Looks at what running clients save. To be called when the registry has been read, which it reads, too: looks at some of the times. Never rejects. */
  async look(): Promise<void> {
    const nowMs = this.#deps.clock.now();
    // After the clock was set back, it looks at once.
    const isEarly = Math.abs(nowMs - this.#lookedMs) < LOOK_MS;
    if (this.#isLooking || this.#isClosed || isEarly) return;
    this.#isLooking = true;
    this.#lookedMs = nowMs;
    try {
      const savings = await this.#deps.savings.look();
      await this.#sweeps.refresh();
      this.#sendIfChanged(savings);
    } catch (error) {
      this.#deps.log('warn', `Failed to look at running sessions: ${String(error)}`);
    } finally {
      this.#isLooking = false;
    }
  }

  /** Sends no more alarms. */
  close(): void {
    this.#isClosed = true;
  }

  claim(keys: readonly AlarmKey[]): Promise<readonly string[]> {
    return this.#told.claim(keys);
  }

  dismiss(topic: string): Promise<void> {
    return this.#told.dismiss(topic);
  }

  sweepOf(filePath: string): Promise<Sweep | null> {
    return this.#sweeps.sweepOf(filePath);
  }

  #sendIfChanged({ unsaved, shared }: Savings): void {
    // It may have been closed since the look began.
    if (this.#isClosed) return;
    const slow = this.#slowAlarms();
    const alarms = [...unsaved.map((each) => this.#ofUnsaved(each)), ...shared.map((each) => this.#ofShared(each))];
    const quick = JSON.stringify(alarms);
    if (this.#sent?.quick === quick && this.#sent.slow === slow) return;
    this.#sent = { quick, slow };
    const { expiring } = slow;
    void this.#deps.send({
      revision: this.#deps.nextRevision(),
      alarms: [...alarms, ...slow.alarms],
      expiring,
    });
  }

  /** The same object as long as nothing changes: there may be thousands of sessions. */
  #slowAlarms(): SlowAlarms {
    const { expiring, retention } = this.#sweeps;
    const folders = this.#deps.workspaceFolders();
    const known = this.#slow;
    const isSame = known?.expiring === expiring && known.retention === retention && known.folders === folders;
    if (isSame) return known;
    return (this.#slow = {
      expiring,
      retention,
      folders,
      alarms: [...this.#ofExpiring(), ...this.#ofShortRetention()],
    });
  }

  #ofUnsaved({ cause, session, pid, cwd, startedMs }: UnsavedSession): Alarm {
    const topic = `unsaved/${cause}/${session?.id ?? cwd ?? ''}`;
    const keys = [{ id: `${topic}/${pid}-${startedMs}`, topic, pauseMs: 0 }];
    return {
      kind: 'unsaved',
      keys,
      isOfWindow: this.#isOfWindow(session?.path ?? null, cwd),
      cause,
      session,
      pid,
      cwd,
    };
  }

  #ofShared({ session, pids, cwd }: SharedSession): Alarm {
    const topic = `two-writers/${session.id}`;
    const keys = [{ id: `${topic}/${pids.join('-')}`, topic, pauseMs: 0 }];
    return { kind: 'two-writers', keys, isOfWindow: this.#isOfWindow(session.path, cwd), session, pids, cwd };
  }

  #ofExpiring(): Alarm[] {
    const { expiring, retention } = this.#sweeps;
    const period = retention?.shortest ?? null;
    const sessions = expiring.filter(({ path }) => this.#isOfWindow(path, null));
    if (period === null || sessions.length === 0) return [];
    const keys = sessions.map(({ alarmId }) => ({
      id: alarmId,
      topic: EXPIRING_TOPIC,
      pauseMs: EXPIRING_PAUSE_MS,
    }));
    return [{ kind: 'expiring', keys, isOfWindow: true, sessions, period }];
  }

  #ofShortRetention(): Alarm[] {
    const { retention } = this.#sweeps;
    const ownDays = retention?.own?.days;
    if (retention === null || ownDays === undefined) return [];
    const bySettings = new Map<string, Alarm>();
    for (const [folder, period] of retention.shortening) {
      const { days, settingsPath } = period;
      // The subfolders of a repository share its settings.
      if (settingsPath === null || bySettings.has(settingsPath)) continue;
      const topic = `short-retention/${settingsPath}`;
      const keys = [{ id: `${topic}/${days}/${ownDays}`, topic, pauseMs: 0 }];
      const isOfWindow = this.#isOfWindow(null, folder);
      bySettings.set(settingsPath, { kind: 'short-retention', keys, isOfWindow, folder, period, ownDays });
    }
    return [...bySettings.values()];
  }

  /** By the transcript's path, or the working folder where there is none. */
  #isOfWindow(path: string | null, folder: string | null): boolean {
    const { entries, homeDir, workspaceFolders } = this.#deps;
    const entry = path === null ? undefined : entries.get(path);
    const cwd = folder ?? entry?.scan?.metadata.cwd ?? entry?.quickMetadata?.cwd ?? null;
    const name = path === null ? encodeProjectPath(folder ?? '') : basename(dirname(path));
    return workspaceIndex({ name, cwd }, workspaceFolders(), homeDir) >= 0;
  }
}
