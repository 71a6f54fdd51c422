import assert from 'node:assert/strict';
import { boundary, chainRow, prompt, reply, uuidOf, type RowFields } from '../../support/transcriptBuilder';
import { faultsOf } from './faultsOf';

const HEALTHY = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')];
const [P1 = {}, R1 = {}, P2 = {}, R2 = {}] = HEALTHY;

describe('A lost parent', () => {
  it('is an error that is fixed', () => {
    assert.deepEqual(faultsOf(HEALTHY), []);
    assert.deepEqual(faultsOf([P1, R1, prompt('p2', 'lost'), R2]), ['error auto dangling-parent: lines 3, rows p2']);
  });

  it('is any non-empty value that names no chain row', () => {
    for (const parentUuid of [42, {}, [], true, uuidOf('r1').toUpperCase()]) {
      assert.deepEqual(faultsOf([P1, R1, { ...P2, parentUuid }, R2]), ['error auto dangling-parent: lines 3, rows p2']);
    }
    for (const parentUuid of [null, undefined, '', 0, false]) {
      assert.deepEqual(faultsOf([P1, R1, { ...P2, parentUuid }, R2]), []);
    }
  });

  it('can be a row of a type that has no place in the tree', () => {
    const title = { type: 'custom-title', customTitle: 'x', uuid: uuidOf('title') };
    assert.deepEqual(faultsOf([P1, R1, title, prompt('p2', 'title'), R2]), [
      'error auto dangling-parent: lines 4, rows p2',
    ]);
  });

  it('is reported with all affected rows in one finding', () => {
    const rows = [P1, R1, prompt('p2', 'lost'), R2, prompt('p3', 'gone')];
    assert.deepEqual(faultsOf(rows), ['error auto dangling-parent: lines 3 5, rows p2 p3']);
  });

  it('costs nothing at the first message, whatever the other breaks of the file cost', () => {
    assert.deepEqual(faultsOf([prompt('p1', 'lost'), R1]), ['info tell dangling-parent: lines 1, rows p1']);
    assert.deepEqual(faultsOf([prompt('p1', 'lost'), R1, prompt('p2', 'gone'), R2]), [
      'error auto dangling-parent: lines 3, rows p2',
      'info tell dangling-parent: lines 1, rows p1',
    ]);
  });

  it('is an error at the first message if it leads over a row of another type to messages', () => {
    const title = { type: 'custom-title', customTitle: 'x', uuid: uuidOf('title'), parentUuid: uuidOf('r1') };
    const rows = [prompt('p2', 'title'), P1, R1, title, reply('r2', 'p2')];
    assert.deepEqual(faultsOf(rows), ['error auto dangling-parent: lines 1, rows p2']);
  });

  it('is not a parent that comes later in the file, or is on a damaged line', () => {
    assert.deepEqual(faultsOf([R1, P1, R2, P2]), []);
    const bytes = Buffer.from(HEALTHY.map((row, at) => `${at === 1 ? '\0' : ''}${JSON.stringify(row)}\n`).join(''));
    assert.deepEqual(faultsOf(bytes), ['error auto nul-bytes: lines 2']);
  });

  it('is harmless before a compaction, and on a subagent’s row, a boundary or a forked row', () => {
    const lost = (name: string, fields: RowFields = {}): RowFields => prompt(name, 'lost', fields);
    const info = (line: number, name: string): string[] => [`info tell dangling-parent: lines ${line}, rows ${name}`];
    const compacted = [lost('p1'), boundary('x', null), prompt('s', 'x')];
    assert.deepEqual(faultsOf(compacted), info(1, 'p1'));
    assert.deepEqual(faultsOf([...HEALTHY, lost('side', { isSidechain: true })]), info(5, 'side'));
    assert.deepEqual(faultsOf([...HEALTHY, boundary('x', 'lost'), prompt('s', 'x')]), info(5, 'x'));
    assert.deepEqual(faultsOf([lost('p1', { forkedFrom: { sessionId: 's' } }), R1]), info(1, 'p1'));
  });

  it('is harmful after a compaction', () => {
    assert.deepEqual(faultsOf([P1, boundary('x', null), prompt('s', 'x'), reply('e', 'lost')]), [
      'error auto dangling-parent: lines 4, rows e',
    ]);
  });
});

describe('A cycle', () => {
  it('consists of its own rows, without those that lead into it', () => {
    const rows = [P1, R1, prompt('p2', 'r2'), R2, prompt('p3', 'r2')];
    assert.deepEqual(faultsOf(rows), ['error auto cycle: lines 3 4, rows p2 r2']);
  });

  it('is a self-parent if it has one row', () => {
    assert.deepEqual(faultsOf([P1, R1, prompt('p2', 'p2'), R2]), ['error auto self-parent: lines 3, rows p2']);
  });

  it('is found once for each cycle, in one finding', () => {
    const rows = [prompt('a', 'b'), reply('b', 'a'), prompt('c', 'd'), reply('d', 'c'), prompt('e', 'e')];
    assert.deepEqual(faultsOf(rows), [
      'error auto self-parent: lines 5, rows e',
      'error auto cycle: lines 1 2 3 4, rows a b c d',
    ]);
  });

  it('is harmless among a subagent’s rows and before a compaction', () => {
    const ring = [prompt('a', 'b', { isSidechain: true }), reply('b', 'a', { isSidechain: true })];
    assert.deepEqual(faultsOf([...HEALTHY, ...ring]), ['info tell cycle: lines 5 6, rows a b']);
    assert.deepEqual(faultsOf([prompt('a', 'a'), boundary('x', null), prompt('s', 'x')]), [
      'info tell self-parent: lines 1, rows a',
    ]);
  });
});

describe('A duplicate uuid', () => {
  it('is an error if the rows differ', () => {
    const other = reply('r1', 'p1', { message: { id: 'm', content: 'other' } });
    assert.deepEqual(faultsOf([P1, R1, P2, other]), ['error auto duplicate-uuid: lines 2 4, rows r1 r1']);
  });

  it('is harmless if the rows are the same, byte for byte', () => {
    const bytes = Buffer.from([P1, R1, P2, P2, R2].map((row) => `${JSON.stringify(row)}\n`).join(''));
    assert.deepEqual(faultsOf(bytes), ['info tell duplicate-uuid: lines 3 4, rows p2 p2']);
  });

  it('is harmless if the rows hold the same message, however they are written and whatever they tell of its circumstances', () => {
    const said = { ...P2, version: '2.1.1', sessionId: 'a', toolUseResult: 'shown', timestamp: '2026-01-01T00:00:00Z' };
    const { message, ...others }: RowFields = said;
    const line = JSON.stringify(said);
    const copies = [
      `${line} `,
      `${line}\r`,
      JSON.stringify(said, null, 1).replaceAll('\n', ''),
      JSON.stringify({ message, ...others }),
      JSON.stringify({ ...said, version: '2.1.9', sessionId: 'b', cwd: '/elsewhere', gitBranch: 'other' }),
      JSON.stringify({ ...said, timestamp: '2026-01-01T00:00:00.000+00:00' }),
      JSON.stringify({ ...said, toolUseResult: undefined, forkedFrom: { sessionId: 'a' } }),
    ];
    for (const copy of copies) {
      const bytes = Buffer.from([P1, R1].map((row) => `${JSON.stringify(row)}\n`).join('') + `${line}\n${copy}\n`);
      assert.deepEqual(faultsOf(bytes), ['info tell duplicate-uuid: lines 3 4, rows p2 p2'], copy);
    }
  });

  it('is an error if the rows say the same at different places, to different ends or at different times', () => {
    const said = { ...P2, timestamp: '2026-01-01T00:00:00Z' };
    const others = [
      { ...said, parentUuid: uuidOf('p1') },
      { ...said, isMeta: true },
      { ...said, message: { role: 'user', content: [{ type: 'text', text: 'prompt p2' }] } },
      { ...said, timestamp: '2026-01-01T00:00:01Z' },
      { ...said, type: 'attachment', attachment: { type: 'file' } },
    ];
    for (const other of others) {
      const bytes = Buffer.from([P1, R1, said, other].map((row) => `${JSON.stringify(row)}\n`).join(''));
      assert.deepEqual(faultsOf(bytes), ['error auto duplicate-uuid: lines 3 4, rows p2 p2'], JSON.stringify(other));
    }
  });

  it('is harmless if the earlier row precedes a compaction', () => {
    const rows = [P1, boundary('x', null), prompt('s', 'x'), prompt('p1', 's')];
    assert.deepEqual(faultsOf(rows), ['info tell duplicate-uuid: lines 1 4, rows p1 p1']);
  });

  it('is not reported if the other row is not a chain row', () => {
    const title = { type: 'custom-title', customTitle: 'x', uuid: uuidOf('r1') };
    assert.deepEqual(faultsOf([...HEALTHY, title]), []);
  });
});

describe('A progress fork', () => {
  const progress = (toolUseID: string, type = 'hook_progress'): RowFields =>
    chainRow('progress', 'x', 'r1', { data: { type }, toolUseID });
  const stop = (toolUseID: string): RowFields =>
    chainRow('system', 'stop', 'x', { subtype: 'stop_hook_summary', toolUseID });
  const rows = (...between: RowFields[]): RowFields[] => [P1, R1, ...between, prompt('p2', 'stop'), R2];

  it('is the summary of a stop hook that is linked to the progress of the same call', () => {
    assert.deepEqual(faultsOf(rows(progress('call'), stop('call'))), ['info tell progress-fork: lines 4, rows stop']);
  });

  it('is not any other progress row in a chain', () => {
    assert.deepEqual(faultsOf(rows(progress('call'), stop('other'))), []);
    assert.deepEqual(faultsOf(rows(progress('call', 'bash_progress'), stop('call'))), []);
    assert.deepEqual(faultsOf([P1, progress('call'), reply('r2', 'x')]).length, 1);
    assert.deepEqual(faultsOf([P1, R1, progress('call'), prompt('p2', 'x')]), []);
  });

  it('is not reported before a compaction', () => {
    assert.deepEqual(faultsOf([P1, R1, progress('call'), stop('call'), boundary('b', null), prompt('s', 'b')]), []);
  });
});
