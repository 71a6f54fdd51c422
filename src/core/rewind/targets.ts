import type { FileBackup } from '../claude/checkpointRow';
import type { Snapshot } from './foldHistory';

/** What is kept of one file for a prompt. */
export interface Target {
  /** As the rows tell it. */
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

/** Every path that some snapshot tells, in the order in which they were first told. */
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
