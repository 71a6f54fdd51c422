import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type RewriteOutcome, rewriteTranscript, type UndoOutcome, undoRewrite } from '../../rooms/storage';
import { FaultyFs, type FsCall } from './faultyFs';
import {
  BACKUP_MS,
  depsOn,
  repairRequest,
  row,
  type TranscriptFixture,
  withTranscriptFile,
  writeAged,
} from './transcriptFixture';

/** What a client wrote since the repair that is undone here. */
const SINCE_REPAIR = row(8, null, 'Written after the repair.');

/** A change of a transcript, described so that every change can be tested with the same faults. */
export interface Operation {
  readonly name: string;
  readonly prepare: (fixture: TranscriptFixture) => void;
  readonly run: (fixture: TranscriptFixture, fs: FaultyFs) => Promise<RewriteOutcome | UndoOutcome>;
  /** Bytes of the transcript before and after. */
  readonly before: (fixture: TranscriptFixture) => string;
  readonly after: (fixture: TranscriptFixture) => string;
  /** Names beside the transcript before and after. */
  readonly namesBefore: (fixture: TranscriptFixture) => string[];
  readonly namesAfter: (fixture: TranscriptFixture) => string[];
}

export function backupOf(fixture: TranscriptFixture): string {
  return `${fixture.filePath}.backup-${BACKUP_MS}`;
}

export function textOf({ filePath }: TranscriptFixture): string {
  return readFileSync(filePath, 'utf8');
}

const REWRITE: Operation = {
  name: 'rewriteTranscript',
  prepare: () => undefined,
  run: ({ filePath }, fs) => rewriteTranscript(repairRequest(filePath), depsOn(fs)),
  before: ({ original }) => original.toString(),
  after: ({ repaired }) => repaired.toString(),
  namesBefore: () => [],
  namesAfter: (fixture) => [basename(backupOf(fixture))],
};

const UNDO: Operation = {
  name: 'undoRewrite',
  prepare(fixture) {
    writeAged(fixture.filePath, Buffer.concat([fixture.repaired, Buffer.from(SINCE_REPAIR)]));
    writeAged(backupOf(fixture), fixture.original);
  },
  run: ({ filePath }, fs) => undoRewrite({ filePath, assertNotLive: () => Promise.resolve() }, depsOn(fs)),
  before: ({ repaired }) => repaired.toString() + SINCE_REPAIR,
  after: ({ original }) => original.toString() + SINCE_REPAIR,
  namesBefore: (fixture) => [basename(backupOf(fixture))],
  namesAfter: () => [],
};

/** The calls that the operation makes without faults. */
export async function recordCalls(operation: Operation): Promise<readonly FsCall[]> {
  return withTranscriptFile(async (fixture) => {
    operation.prepare(fixture);
    const fs = new FaultyFs();
    const outcome = await operation.run(fixture, fs);
    assert.notEqual(outcome.kind, 'refused');
    assert.equal(textOf(fixture), operation.after(fixture));
    assert.equal(fs.openFiles, 0);
    return fs.calls;
  });
}

/** Index of the rename that puts the new content in place. */
export function swapIndex(calls: readonly FsCall[]): number {
  return calls.findIndex(({ name, path }) => name === 'rename' && path.endsWith('.jsonl'));
}

export const OPERATIONS: readonly Operation[] = [REWRITE, UNDO];
