import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  clearDebris,
  type RewriteOutcome,
  rewriteTranscript,
  type UndoOutcome,
  undoRewrite,
} from '../../rooms/storage';
import { FaultyFs, type FsCall } from './faultyFs';
import {
  BACKUP_MS,
  depsOn,
  namesBeside,
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
  async run({ filePath }, fs) {
    const assertNotLive = (): Promise<void> => Promise.resolve();
    if (!existsSync(filePath)) await clearDebris(filePath, assertNotLive, depsOn(fs));
    return rewriteTranscript(repairRequest(filePath), depsOn(fs));
  },
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

/** Indexes of the calls that exchange the transcript. */
export interface Exchange {
  /** The last look at the transcript before it. */
  readonly look: number;
  /** The rename that takes the transcript away from its path. */
  readonly take: number;
  /** The link that puts the new content in place. Before it, nothing stands at the path. */
  readonly place: number;
}

export function exchangeIn(calls: readonly FsCall[]): Exchange {
  const take = calls.findIndex(({ name, path }) => name === 'rename' && path.endsWith('.old'));
  const place = calls.findIndex(({ name, path }) => name === 'link' && path.endsWith('.jsonl'));
  const look = calls.slice(0, take).findLastIndex(({ name, path }) => name === 'lstat' && path.endsWith('.jsonl'));
  assert.ok(look > 0 && take > look && place > take);
  return { look, take, place };
}

/** The bytes of the transcript; if a process died or its disk failed in the middle of the exchange, those of the file taken away. */
export function wholeText(fixture: TranscriptFixture): string {
  if (existsSync(fixture.filePath)) return textOf(fixture);
  const kept = namesBeside(fixture).filter((name) => name.endsWith('.old'));
  assert.equal(kept.length, 1);
  return readFileSync(join(fixture.folder, kept[0] ?? ''), 'utf8');
}

export const OPERATIONS: readonly Operation[] = [REWRITE, UNDO];
