import { isAbsolute, join, resolve } from 'node:path';
import type { CheckpointKind } from '../../../protocol/history';
import { type FileBackup, isFileBackupName } from '../../providers/claude/format/checkpointRow';
import type { FoldedHistory, Snapshot } from './foldHistory';
import type { OwnCheckpoint, OwnFileState } from './ownCheckpoints';
import type { PromptChain } from './promptChains';
import type { SessionHistory } from './sessionHistory';

/** The target state of a file, and who kept it. */
export interface WantedFile {
  /** Absolute. */
  readonly path: string;
  readonly kind: CheckpointKind;
  readonly state: WantedState;
  /** The file's folder without symbolic links at the time when its state was kept; null if unknown. */
  readonly realFolder: string | null;
  /** When its state was kept, in milliseconds since the epoch; null if unknown. */
  readonly keptMs: number | null;
  /** The call before which it was kept; null if unknown. */
  readonly toolUseId: string | null;
  /**
   * uuid of the prompt in whose turn it was kept; null if unknown, or if the client's snapshot of the wanted prompt has
   * it.
   */
  readonly promptUuid: string | null;
}

export type WantedState =
  | { readonly kind: 'absent' }
  /** The file existed, but no copy was made. */
  | (OwnFileState & { readonly kind: 'notKept' })
  | {
      readonly kind: 'file';
      /** Where the kept bytes should be; null if the name in the row is not one that the client assigns. */
      readonly contentPath: string | null;
      /** Hex SHA-256 of the bytes; null if unknown. */
      readonly sha256: string | null;
      /** Permission bits; null for those of the file at `contentPath`. */
      readonly mode: number | null;
    };

export interface Wanted {
  /** `client` if the client has a snapshot of the prompt; `own` if only Rethread has a checkpoint of it. */
  readonly kind: CheckpointKind;
  readonly files: readonly WantedFile[];
  /** When the state was kept, in milliseconds since the epoch; null if unknown. */
  readonly timeMs: number | null;
}

/**
 * The states of the files before a prompt: those that the client kept, and in addition those that only Rethread kept.
 * Null if neither has a checkpoint of the prompt.
 */
export function wantedFiles(
  history: SessionHistory,
  chain: PromptChain,
  promptUuid: string,
  own: readonly OwnCheckpoint[],
  backupFolder: string,
): Wanted | null {
  const folded = history.fold(chain);
  const targets = targetsOf(folded.snapshots, promptUuid);
  const places = own.length === 0 ? NO_PLACES : placesOf(history, chain);
  const since = ownSince(history, places, promptUuid, own);
  const isOwn = since.some((checkpoint) => checkpoint.promptUuid === promptUuid);
  if (targets === null && !isOwn) return null;
  const files = ownFiles(since);
  for (const file of clientFiles(history, folded, targets ?? [], backupFolder)) {
    const kept = files.get(file.path);
    if (kept === undefined || !isEarlier(kept, file, places)) files.set(file.path, file);
    else if (kept.realFolder === null) files.set(file.path, { ...kept, realFolder: file.realFolder });
  }
  const snapshot = folded.snapshots.findLast(({ promptId }) => promptId === promptUuid);
  return {
    kind: targets === null ? 'own' : 'client',
    files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    timeMs: snapshot?.timeMs ?? since[0]?.timeMs ?? null,
  };
}

function clientFiles(
  history: SessionHistory,
  folded: FoldedHistory,
  targets: readonly Target[],
  backupFolder: string,
): WantedFile[] {
  const folder = history.folderOf(folded);
  return targets.flatMap(({ trackingPath, backup, laterPromptId }): WantedFile[] => {
    const path = folder.locate(trackingPath, backup);
    if (path === null) return [];
    const { name, realParentDir: realFolder, timeMs: keptMs } = backup;
    const file = { path, kind: 'client', realFolder, keptMs, toolUseId: null, promptUuid: laterPromptId } as const;
    if (name === null) return [{ ...file, state: { kind: 'absent' } }];
    const contentPath = isFileBackupName(name) ? join(backupFolder, name) : null;
    return [{ ...file, state: { kind: 'file', contentPath, sha256: null, mode: null } }];
  });
}

/** The first state of each file, by path. */
function ownFiles(since: readonly OwnCheckpoint[]): Map<string, WantedFile> {
  const files = new Map<string, WantedFile>();
  for (const { files: states, timeMs: keptMs, toolUseId, promptUuid } of since) {
    for (const { path, realFolder, state } of states) {
      const at = resolve(path);
      if (!isAbsolute(path) || files.has(at)) continue;
      const kept = { kind: 'own', realFolder, keptMs, toolUseId, promptUuid } as const;
      files.set(at, { ...kept, path: at, state: ownState(state) });
    }
  }
  return files;
}

/**
 * Whether Rethread's state of a file is older than the client's, and is used instead. This is possible for a file that
 * Claude first touched in a later turn: the client makes no copies for edits of subagents, so its first copy may be the
 * later one. A state that Rethread did not keep never replaces a copy of the client.
 */
function isEarlier(own: WantedFile, client: WantedFile, places: Places): boolean {
  if (client.promptUuid === null || own.state.kind === 'notKept') return false;
  const [at, clientAt] = [own.promptUuid, client.promptUuid].map((uuid) => places.get(uuid ?? ''));
  if (at !== undefined && clientAt !== undefined && at !== clientAt) return at < clientAt;
  return own.keptMs !== null && client.keptMs !== null && own.keptMs < client.keptMs;
}

function ownState(state: OwnFileState): WantedState {
  if (state.kind !== 'file') return state;
  return { kind: 'file', contentPath: state.contentPath, sha256: state.sha256, mode: state.mode };
}

/** The positions of a chain's rows, by uuid. */
type Places = ReadonlyMap<string, number>;

const NO_PLACES: Places = new Map();

function placesOf(history: SessionHistory, { rows }: PromptChain): Places {
  const places = new Map<string, number>();
  for (const uuid of history.uuids(rows)) places.set(uuid, places.size);
  return places;
}

/**
 * Rethread's checkpoints since the prompt, oldest first. They count on all branches, because the calls of all branches
 * change the same files. If the chain does not show which of the two came first, their times decide.
 */
function ownSince(
  history: SessionHistory,
  places: Places,
  promptUuid: string,
  own: readonly OwnCheckpoint[],
): readonly OwnCheckpoint[] {
  if (own.length === 0) return own;
  const from = places.get(promptUuid);
  const fromMs = history.prompt(promptUuid)?.timeMs ?? own.find((each) => each.promptUuid === promptUuid)?.timeMs;
  return own.filter((checkpoint) => {
    if (checkpoint.promptUuid === promptUuid) return true;
    const at = checkpoint.promptUuid === null ? undefined : places.get(checkpoint.promptUuid);
    if (from !== undefined && at !== undefined) return at > from;
    return fromMs !== undefined && checkpoint.timeMs >= fromMs;
  });
}

/** The kept state of one file for a prompt. */
interface Target {
  /** As given in the rows. */
  readonly trackingPath: string;
  readonly backup: FileBackup;
  /**
   * Set if the wanted prompt's snapshot does not contain the file: the later prompt in whose turn Claude first touched
   * the file, before which its state was kept. Usually null.
   */
  readonly laterPromptId: string | null;
}

/**
 * The state of each tracked file before a prompt: the one in the prompt's own snapshot, or, for a file that Claude
 * first touched later, the one before that. Files without either are left out. Null if the prompt has no snapshot.
 * (docs/format.md, "File history")
 */
export function targetsOf(snapshots: readonly Snapshot[], promptId: string): readonly Target[] | null {
  const own = snapshots.findLast((snapshot) => snapshot.promptId === promptId);
  if (own === undefined) return null;
  const targets: Target[] = [];
  for (const trackingPath of trackedPaths(snapshots)) {
    const backup = own.backups.get(trackingPath);
    const target = backup === undefined ? firstVersion(snapshots, trackingPath) : { backup, laterPromptId: null };
    if (target !== null) targets.push({ trackingPath, ...target });
  }
  return targets;
}

/** Every path in any snapshot, in the order of their first occurrence. */
export function trackedPaths(snapshots: readonly Snapshot[]): ReadonlySet<string> {
  return new Set(snapshots.flatMap(({ backups }) => [...backups.keys()]));
}

function firstVersion(snapshots: readonly Snapshot[], path: string): Omit<Target, 'trackingPath'> | null {
  for (const { backups, promptId } of snapshots) {
    const backup = backups.get(path);
    if (backup?.version === 1) return { backup, laterPromptId: promptId };
  }
  return null;
}
