import { mkdirSync, writeFileSync } from 'node:fs';
import { unfinishedPath } from '../../rooms/storage';
import type { Random } from '../../support/random';
import { ageLock, type TranscriptFixture } from '../../unit/storage/transcriptFixture';

/** Something that a killed repair leaves beside a transcript. */
const LEFTOVERS: readonly ((fixture: TranscriptFixture) => void)[] = [
  ({ filePath }) => {
    writeFileSync(unfinishedPath(filePath, 'half'), 'half');
  },
  ({ filePath }) => {
    writeFileSync(unfinishedPath(filePath, 'half-backup'), 'half');
  },
  // A name that was claimed for a backup.
  ({ filePath }) => {
    writeFileSync(`${filePath}.backup-5`, '');
  },
  // The second backup of the same content.
  ({ filePath, original }) => {
    for (const ms of [6, 7]) writeFileSync(`${filePath}.backup-${ms}`, original);
  },
  (fixture) => {
    mkdirSync(`${fixture.filePath}.lock`);
    ageLock(fixture);
  },
];

/** Leaves each of them, or some at random. */
export function leaveSome(fixture: TranscriptFixture, random: Random | null): void {
  for (const leave of LEFTOVERS) if (random === null || random.chance(0.5)) leave(fixture);
}
