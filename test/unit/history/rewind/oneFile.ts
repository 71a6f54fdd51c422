import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CoverageKind, PlannedFile, RewindOutcome, RewindPlan } from '../../../../src/protocol/history';
import type { Place } from '../../../rewind/support/place';
import { prompt, reply, type RowFields, uuidOf } from '../../../support/transcriptBuilder';
import { requestOf, rewindsWith, writeSession } from './rewindFixture';

export const PROMPT = uuidOf('first');

/** A session of one prompt whose snapshot lists these files. `more`: rows that follow. */
export function sessionWith(
  place: Place,
  files: Readonly<Record<string, object>>,
  more: readonly RowFields[] = [],
): void {
  writeSession(place, [
    {
      type: 'file-history-snapshot',
      messageId: PROMPT,
      snapshot: { messageId: PROMPT, trackedFileBackups: files, timestamp: '2026-06-01T10:00:00.000Z' },
      isSnapshotUpdate: false,
    },
    prompt('first', null),
    reply('reply', 'first'),
    ...more,
  ]);
}

export function writeFile(place: Place, path: string, content: string | Buffer): string {
  const at = join(place.cwd, path);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, content);
  return at;
}

export function planOf(place: Place): Promise<RewindPlan> {
  return rewindsWith(place).planRewind(requestOf(place, PROMPT));
}

export function rewindOf(place: Place, more: Parameters<typeof requestOf>[2] = {}): Promise<RewindOutcome> {
  return rewindsWith(place).rewind(requestOf(place, PROMPT, more));
}

export function fileOf(plan: RewindPlan, path: string): PlannedFile | undefined {
  return plan.files.find((file) => file.path === path);
}

export function notesOf({ coverage }: RewindPlan, kind: CoverageKind): readonly string[] {
  return coverage.filter((note) => note.kind === kind).map(({ message }) => message);
}
