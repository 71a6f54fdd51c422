import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OwnCheckpoint } from '../../../rooms/history';
import type { RewindPlan } from '../../../../src/protocol/history';
import type { Place } from '../../../rewind/support/place';
import { assistant, lines, prompt, result, type RowFields, timeOf, uuidOf } from '../../../support/transcriptBuilder';
import { fileOf } from './oneFile';
import { backup, requestOf, rewindsWith, SESSION, withPlace, writeSession } from './rewindFixture';

const NAME = 'x.txt';

function snapshotOf(name: string, files: Readonly<Record<string, object>>): RowFields {
  const messageId = uuidOf(name);
  const snapshot = { messageId, trackedFileBackups: files, timestamp: timeOf(0) };
  return { type: 'file-history-snapshot', messageId, snapshot, isSnapshotUpdate: false };
}

function edit(place: Place, name: string, parent: string, path = NAME): RowFields {
  const input = { file_path: join(place.cwd, path), content: 'x' };
  return assistant(name, parent, [{ type: 'tool_use', id: `id_${name}`, name: 'Write', input }]);
}

/** A subagent's work, in a transcript of its own. Times are those of the session's rows. */
function writeSubagent(place: Place, rows: readonly RowFields[]): void {
  const path = join(dirname(place.filePath), SESSION, 'subagents', 'agent-abc123.jsonl');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines(rows.map((row) => ({ ...row, isSidechain: true }))).join('\n')}\n`);
}

function own(place: Place, name: string, timeMs: number, toolUseId: string, content: string): OwnCheckpoint {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const contentPath = join(place.home, sha256);
  writeFileSync(contentPath, content);
  const state = { kind: 'file', contentPath, sha256, size: content.length, mode: 0o644 } as const;
  return {
    promptUuid: uuidOf(name),
    toolUseId,
    timeMs,
    files: [{ path: join(place.cwd, NAME), realFolder: place.cwd, state }],
  };
}

function planWith(place: Place, name: string, checkpoints: readonly OwnCheckpoint[] = []): Promise<RewindPlan> {
  const ownCheckpoints = { read: () => Promise.resolve(checkpoints) };
  return rewindsWith(place, undefined, { ownCheckpoints }).planRewind(requestOf(place, uuidOf(name)));
}

/** The file and the line of the edit, for each note. */
function laterCopies({ coverage }: RewindPlan): readonly (readonly [string | null, number | null])[] {
  return coverage.filter(({ kind }) => kind === 'laterCopy').map(({ path, line }) => [path, line]);
}

function wouldBe(place: Place, plan: RewindPlan): string | null {
  const path = fileOf(plan, join(place.cwd, NAME))?.contentPath ?? null;
  return path === null ? null : readFileSync(path, 'utf8');
}

/**
 * A subagent edits the file in the first turn, the main conversation in the second, when the client keeps its first
 * copy. Rows are 30 seconds apart; the copy was made between the second edit and its result.
 */
function writeTwoTurns(place: Place): void {
  const copy = { ...backup(place, NAME, 1, 'after the subagent\n'), backupTime: timeOf(5, 1_000) };
  writeSession(place, [
    snapshotOf('p1', {}),
    prompt('p1', null),
    result('done', 'p1', 'id_agent'),
    snapshotOf('p2', {}),
    prompt('p2', 'done'),
    edit(place, 'main', 'p2'),
    {
      type: 'file-history-delta',
      messageId: uuidOf('main'),
      snapshotMessageId: uuidOf('p2'),
      trackingPath: NAME,
      backup: copy,
      timestamp: timeOf(5, 1_000),
    },
    result('mainDone', 'main', 'id_main'),
  ]);
  writeSubagent(place, [
    { ...edit(place, 'sub', 'p1'), timestamp: timeOf(1, 1_000) },
    { ...result('subDone', 'sub', 'id_sub'), timestamp: timeOf(1, 2_000) },
  ]);
  writeFileSync(join(place.cwd, NAME), 'after both\n');
}

describe('A file that was edited before its first copy since the prompt', () => {
  it('is restored from our older copy if the client kept none before', () =>
    withPlace(async (place) => {
      writeTwoTurns(place);
      const checkpoints = [
        own(place, 'p1', Date.parse(timeOf(1, 1_500)), 'id_sub', 'original\n'),
        own(place, 'p2', Date.parse(timeOf(5, 500)), 'id_main', 'after the subagent\n'),
      ];
      const plan = await planWith(place, 'p1', checkpoints);
      assert.equal(wouldBe(place, plan), 'original\n');
      assert.deepEqual(laterCopies(plan), []);
      assert.equal(wouldBe(place, await planWith(place, 'p2', checkpoints)), 'after the subagent\n');
    }));

  it('is restored from the client’s copy if our earlier one was not stored', () =>
    withPlace(async (place) => {
      writeTwoTurns(place);
      const checkpoint = own(place, 'p1', Date.parse(timeOf(1, 1_500)), 'id_sub', '');
      const state = { kind: 'notKept', why: 'tooLarge' } as const;
      const files = checkpoint.files.map((file) => ({ ...file, state }));
      assert.equal(wouldBe(place, await planWith(place, 'p1', [{ ...checkpoint, files }])), 'after the subagent\n');
    }));

  it('is reported if no older copy exists: the effect of the edit stays', () =>
    withPlace(async (place) => {
      writeTwoTurns(place);
      const plan = await planWith(place, 'p1');
      assert.equal(wouldBe(place, plan), 'after the subagent\n');
      assert.deepEqual(laterCopies(plan), [[join(place.cwd, NAME), null]]);
      assert.deepEqual(laterCopies(await planWith(place, 'p2')), []);
    }));

  it('is reported with the line of the edit if the hook did not run for it', () =>
    withPlace(async (place) => {
      writeSession(place, [
        prompt('p1', null),
        edit(place, 'first', 'p1'),
        result('r1', 'first', 'id_first'),
        edit(place, 'second', 'r1'),
        result('r2', 'second', 'id_second'),
      ]);
      const plan = await planWith(place, 'p1', [
        own(place, 'p1', Date.parse(timeOf(3, 1_000)), 'id_second', 'between\n'),
      ]);
      assert.deepEqual(laterCopies(plan), [[join(place.cwd, NAME), 2]]);
    }));

  it('is not reported for failed edits, or edits made in parallel with the one that was copied', () =>
    withPlace(async (place) => {
      const failed = { type: 'tool_result', tool_use_id: 'id_failed', content: 'no', is_error: true };
      writeSession(place, [
        prompt('p1', null),
        edit(place, 'failed', 'p1'),
        prompt('r1', 'failed', { message: { role: 'user', content: [failed] } }),
        edit(place, 'first', 'r1'),
        edit(place, 'second', 'first'),
        result('r2', 'first', 'id_first'),
        result('r3', 'second', 'id_second'),
      ]);
      const plan = await planWith(place, 'p1', [own(place, 'p1', Date.parse(timeOf(4, 1_000)), 'id_first', 'was\n')]);
      assert.deepEqual(laterCopies(plan), []);
    }));
});
