import { isAbsolute, join, resolve } from 'node:path';
import type { CheckpointKind } from '../../shared/rewind';
import { isFileBackupName } from '../claude/checkpointRow';
import type { FoldedHistory } from './foldHistory';
import type { OwnCheckpoint, OwnFileState } from './ownCheckpoints';
import type { PromptChain } from './promptChains';
import type { SessionHistory } from './sessionHistory';
import { targetsOf, type Target } from './targets';

/** What a file is to be, and who kept it. */
export interface WantedFile {
  /** Absolute. */
  readonly path: string;
  readonly kind: CheckpointKind;
  readonly state: WantedState;
  /** The folder of the file without symbolic links, when its state was kept; null when nothing tells. */
  readonly realFolder: string | null;
  /** When its state was kept, in milliseconds since the epoch; null when nothing tells. */
  readonly keptMs: number | null;
}

export type WantedState =
  | { readonly kind: 'absent' }
  /** There was a file, of which no copy was made. */
  | (OwnFileState & { readonly kind: 'notKept' })
  | {
      readonly kind: 'file';
      /** Where the kept bytes should lie; null when the row gives no name that the client gives. */
      readonly contentPath: string | null;
      /** Hex SHA-256 of the bytes; null when nothing tells. */
      readonly sha256: string | null;
      /** Permission bits; null for those of the file at `contentPath`. */
      readonly mode: number | null;
    };

export interface Wanted {
  /** Who knows the prompt. */
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
  const since = ownSince(history, chain, promptUuid, own);
  const isOwn = since.some((checkpoint) => checkpoint.promptUuid === promptUuid);
  if (targets === null && !isOwn) return null;
  const files = new Map<string, WantedFile>();
  for (const file of clientFiles(history, folded, targets ?? [], backupFolder)) files.set(file.path, file);
  for (const { files: states, timeMs } of since) {
    for (const { path, state } of states) {
      const at = resolve(path);
      if (isAbsolute(path) && !files.has(at)) files.set(at, ownFile(at, state, timeMs));
    }
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
  return targets.flatMap(({ trackingPath, backup }): WantedFile[] => {
    const path = folder.locate(trackingPath, backup);
    if (path === null) return [];
    const { name, realParentDir: realFolder, timeMs: keptMs } = backup;
    if (name === null) return [{ path, kind: 'client', state: { kind: 'absent' }, realFolder, keptMs }];
    const contentPath = isFileBackupName(name) ? join(backupFolder, name) : null;
    return [
      { path, kind: 'client', state: { kind: 'file', contentPath, sha256: null, mode: null }, realFolder, keptMs },
    ];
  });
}

function ownFile(path: string, state: OwnFileState, keptMs: number): WantedFile {
  const wanted: WantedState =
    state.kind === 'file'
      ? { kind: 'file', contentPath: state.contentPath, sha256: state.sha256, mode: state.mode }
      : state;
  return { path, kind: 'own', state: wanted, realFolder: null, keptMs };
}

/**
 * Our checkpoints of the prompt and of what came after it, oldest first. Files have one past, whatever branch a call was on:
 * where the chain does not tell which came first, the time does.
 */
function ownSince(
  history: SessionHistory,
  { rows }: PromptChain,
  promptUuid: string,
  own: readonly OwnCheckpoint[],
): readonly OwnCheckpoint[] {
  if (own.length === 0) return own;
  const places = new Map<string, number>();
  let place = 0;
  for (const uuid of history.uuids(rows)) places.set(uuid, place++);
  const from = places.get(promptUuid);
  const fromMs = history.prompt(promptUuid)?.timeMs ?? own.find((each) => each.promptUuid === promptUuid)?.timeMs;
  return own.filter((checkpoint) => {
    if (checkpoint.promptUuid === promptUuid) return true;
    const at = checkpoint.promptUuid === null ? undefined : places.get(checkpoint.promptUuid);
    if (from !== undefined && at !== undefined) return at > from;
    return fromMs !== undefined && checkpoint.timeMs >= fromMs;
  });
}
