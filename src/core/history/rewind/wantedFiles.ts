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
  /** The folder of the file without symbolic links, when its state was kept; null when nothing tells. */
  readonly realFolder: string | null;
  /** When its state was kept, in milliseconds since the epoch; null if unknown. */
  readonly keptMs: number | null;
  /** The call before which it was kept; null if unknown. */
  readonly toolUseId: string | null;
  /** The prompt in whose turn it was kept; null when nothing tells, and when the client's checkpoint of the wanted one says it. */
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
  /** Which checkpoints know the prompt. */
  readonly kind: CheckpointKind;
  readonly files: readonly WantedFile[];
  /** When the state was kept; null when nothing tells. */
  readonly timeMs: number | null;
}

/**
 * The files as they were before a prompt: what the client kept, and beside it what only we did. Null when neither knows the
 * prompt.
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
 * Of a file that Claude first touched later: the client keeps nothing before what subagents edit, so that its first copy may
 * be younger than one of ours. What we did not keep is no substitute for what it did.
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
 * Our checkpoints of the prompt and of what came after it, oldest first. Files have one past, whatever branch a call was on:
 * where the chain does not tell which came first, the time does.
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
   * The prompt in whose turn it was kept, when the wanted prompt's snapshot says nothing of the file: it is the state before
   * Claude first touched it, which it did later. Null as a rule.
   */
  readonly laterPromptId: string | null;
}

/**
 * The state of each tracked file before a prompt: what the prompt's own snapshot says, and for a file that Claude first
 * touched later, its state before that. Files of which neither is known are not in it. Null when no snapshot is the prompt's.
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
