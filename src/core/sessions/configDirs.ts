import type { AlarmKey, AlarmsCalls, AlarmsSnapshot } from '../../protocol/channels/alarms';
import type { CountedInfo, ScanAllOptions, SessionDetails, SessionsCalls } from '../../protocol/channels/sessions';
import type { RepairManner, RepairOutcome, RepairPlanOutcome, RepairScope } from '../../protocol/repair';
import type { ScannedSession, SessionRef } from '../../protocol/session';
import type { SlimOutcome } from '../../protocol/slim';
import { isInConfigDir, projectsFolderOf } from '../providers/claude/format/paths';
import type { SessionProvider } from '../providers/provider';
import type { SessionFiles } from '../util/diskFiles';
import type { CallsOnSessions } from './callsOnSessions';
import type { ConfigDirSessions } from './configDirSessions';

/** A config folder whose sessions are listed. */
export interface OpenConfigDir {
  /** Absolute path. */
  readonly configDir: string;
  readonly provider: SessionProvider;
  readonly sessions: ConfigDirSessions;
}

/**
 * The config folders of the configuration: the main one and those of further accounts. A call about a session goes to the folder
 * that contains its transcript, and to the main one if none does. None keeps another one from being listed.
 */
export class ConfigDirs implements SessionsCalls, AlarmsCalls {
  /** The main folder first. */
  readonly all: readonly OpenConfigDir[];
  readonly #main: OpenConfigDir;

  constructor(main: OpenConfigDir, extra: readonly OpenConfigDir[]) {
    this.#main = main;
    this.all = [main, ...extra];
  }

  /** The folder that contains a transcript. */
  of(filePath: string): OpenConfigDir {
    return this.all.find(({ configDir }) => isInConfigDir(filePath, configDir)) ?? this.#main;
  }

  /** Rejects only if the main folder cannot be listed: what is wrong with another one is part of its updates. */
  async scanAll(options: ScanAllOptions = {}): Promise<void> {
    const [main] = await Promise.allSettled(this.all.map(({ sessions }) => sessions.scanAll(options)));
    if (main?.status === 'rejected') throw main.reason;
  }

  scanSession(session: SessionRef): Promise<ScannedSession> {
    return this.#calls(session).scanSession(session);
  }

  details(session: SessionRef): Promise<SessionDetails> {
    return this.#calls(session).details(session);
  }

  /** For a session that is about to be resumed. */
  judge(session: SessionRef): Promise<SessionDetails> {
    return this.#calls(session).judge(session);
  }

  info(session: SessionRef): Promise<CountedInfo | null> {
    return this.#calls(session).info(session);
  }

  forget(session: SessionRef): Promise<void> {
    return this.#calls(session).forget(session);
  }

  lookClosely(session: SessionRef): Promise<SessionDetails> {
    return this.#calls(session).lookClosely(session);
  }

  async planRepair(session: SessionRef, scope?: RepairScope): Promise<RepairPlanOutcome> {
    return this.#calls(session).planRepair(session, scope);
  }

  async repair(session: SessionRef, manner?: RepairManner, scope?: RepairScope): Promise<RepairOutcome> {
    return this.#calls(session).repair(session, manner, scope);
  }

  async undoRepair(session: SessionRef, mayBeLive?: boolean): Promise<RepairOutcome> {
    return this.#calls(session).undoRepair(session, mayBeLive);
  }

  async planSlim(session: SessionRef): Promise<SlimOutcome> {
    return this.#calls(session).planSlim(session);
  }

  async slim(session: SessionRef, mayBeLive?: boolean): Promise<SlimOutcome> {
    return this.#calls(session).slim(session, mayBeLive);
  }

  async undoSlim(session: SessionRef, mayBeLive?: boolean): Promise<SlimOutcome> {
    return this.#calls(session).undoSlim(session, mayBeLive);
  }

  /** All folders share the memory of what the person was told. */
  async claim(keys: readonly AlarmKey[]): Promise<readonly string[]> {
    return this.#main.sessions.alarms.claim(keys);
  }

  async dismiss(topic: string): Promise<void> {
    await this.#main.sessions.alarms.dismiss(topic);
  }

  /** Stops everything and sends no more updates. */
  close(): void {
    for (const { sessions } of this.all) sessions.close();
  }

  #calls({ path }: SessionRef): CallsOnSessions {
    return this.of(path).sessions.calls;
  }
}

/**
 * The config folders without those that are another one by another name, such as a symbolic link, or whose projects are. The first
 * of several stays. Paths that do not exist stay.
 */
export async function distinctConfigDirs(
  configDirs: readonly string[],
  files: Pick<SessionFiles, 'realPath'>,
): Promise<readonly string[]> {
  const seen = new Set<string>();
  const distinct: string[] = [];
  for (const configDir of configDirs) {
    const realDir = await files.realPath(configDir);
    const realProjects = await files.realPath(projectsFolderOf(realDir));
    if (seen.has(realDir) || seen.has(realProjects)) continue;
    seen.add(realDir).add(realProjects);
    distinct.push(configDir);
  }
  return distinct;
}

/** The alarms of all config folders as one snapshot. */
export function mergeAlarms(snapshots: Iterable<AlarmsSnapshot>, revision: number): AlarmsSnapshot {
  const all = [...snapshots];
  /** The settings of one project can shorten the period of several folders. */
  const told = new Set<string>();
  const alarms = all
    .flatMap((snapshot) => snapshot.alarms)
    .filter(({ keys }) => {
      const incident = keys.map(({ id }) => id).join('\n');
      return told.size !== told.add(incident).size;
    });
  const expiring = all.flatMap((snapshot) => snapshot.expiring).sort((a, b) => a.sweptMs - b.sweptMs);
  return { revision, alarms, expiring };
}
