import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ForkRequest } from '../../../../src/protocol/history';
import {
  assistant,
  boundary,
  call,
  chainRow,
  lastPrompt,
  lines,
  nameOf,
  prompt,
  reply,
  result,
  type RowFields,
  transcript,
  uuidOf,
} from '../../../support/transcriptBuilder';
import { LARGE_FILE_BYTES } from '../../../rooms/transcript';
import { chainOf, forkedPath, type Row, rowsOf, SOURCE_ID, withForkFixture } from './forkFixture';
import { sessionRefOf } from '../../../rooms/format';

const TALK: readonly RowFields[] = [
  prompt('p1', null),
  reply('r1', 'p1'),
  prompt('p2', 'r1'),
  reply('r2', 'p2'),
  prompt('p2b', 'r1'),
  reply('r2b', 'p2b'),
  lastPrompt('r2b'),
];

const PARALLEL: readonly RowFields[] = [
  prompt('p1', null),
  assistant('think', 'p1', [{ type: 'thinking', thinking: 'so' }], {}, 'm'),
  call('u1', 'think', 't1', { message: 'm' }),
  call('u2', 'u1', 't2', { message: 'm' }),
  result('o1', 'u1', 't1'),
  result('o2', 'u2', 't2'),
  reply('r1', 'o2'),
];

/** The names of a fork's rows with those of their parents. */
async function fork(rows: readonly RowFields[] | Buffer, request: Partial<ForkRequest> = {}): Promise<string[]> {
  const bytes = Buffer.isBuffer(rows) ? rows : transcript(rows);
  return withForkFixture(bytes, async (fixture) => {
    const forked = await fixture.forkedRows(request);
    assert.deepEqual(readFileSync(fixture.filePath), bytes);
    return links(chainOf(forked));
  });
}

function links(rows: readonly Row[]): string[] {
  const name = (uuid: unknown): string => nameOf(typeof uuid === 'string' ? uuid : null) ?? 'root';
  return rows.map((row) => `${name(row['uuid'])} < ${name(row['parentUuid'])}`);
}

async function refusal(rows: readonly RowFields[] | Buffer, request: Partial<ForkRequest>): Promise<[string, string]> {
  return withForkFixture(Buffer.isBuffer(rows) ? rows : transcript(rows), async (fixture) => {
    const outcome = await fixture.fork(request);
    assert.equal(outcome.kind, 'refused');
    assert.match(outcome.problem, /^[A-Z][^\n]*\.$/);
    return [outcome.reason, outcome.problem];
  });
}

const at = (name: string, isBefore = false): Partial<ForkRequest> => ({ at: uuidOf(name), isBefore });

describe('A fork of rows of several lines', () => {
  it('has each of them on one line', async () => {
    const pretty = TALK.map((row) => `${JSON.stringify(row, null, 2)}\n`).join('');
    assert.deepEqual(await fork(Buffer.from(pretty)), await fork(TALK));
    const written = await withForkFixture(pretty, async (fixture) =>
      readFileSync(forkedPath(await fixture.fork()), 'utf8'),
    );
    assert.ok(written.startsWith('{   "parentUuid": null,   "isSidechain": false,   "type": "user",'));
  });
});

describe('A fork', () => {
  it('ends where Claude would continue, if no row is given', async () => {
    assert.deepEqual(await fork(TALK), ['p1 < root', 'r1 < p1', 'p2b < r1', 'r2b < p2b']);
  });

  it('ends with the given row, on whatever branch it is', async () => {
    assert.deepEqual(await fork(TALK, at('r2')), ['p1 < root', 'r1 < p1', 'p2 < r1', 'r2 < p2']);
    assert.deepEqual(await fork(TALK, at('p2')), ['p1 < root', 'r1 < p1', 'p2 < r1']);
  });

  it('ends with a row on a branch of a session of more than 5 MiB, which Claude drops while it reads', async () => {
    const filler = { type: 'queue-operation', content: 'x'.repeat(LARGE_FILE_BYTES) };
    assert.deepEqual(await fork([filler, ...TALK], at('r2')), ['p1 < root', 'r1 < p1', 'p2 < r1', 'r2 < p2']);
    assert.deepEqual(await fork([filler, ...TALK]), ['p1 < root', 'r1 < p1', 'p2b < r1', 'r2b < p2b']);
  });

  it('of more than 5 MiB holds parallel calls and their results', async () => {
    const long = prompt('p1', null, { message: { role: 'user', content: 'x'.repeat(LARGE_FILE_BYTES) } });
    const small = await fork(PARALLEL);
    assert.deepEqual(await fork([long, ...PARALLEL.slice(1)]), small);
    assert.equal(small.length, PARALLEL.length);
  });

  it('ends before the given row if requested', async () => {
    assert.deepEqual(await fork(TALK, at('p2', true)), ['p1 < root', 'r1 < p1']);
    assert.equal((await refusal(TALK, at('p1', true)))[0], 'empty');
  });

  for (const name of ['think', 'u1', 'u2', 'o1', 'o2']) {
    it(`never ends between a call and its result, nor inside a message: at ${name}`, async () => {
      const rows = await fork(PARALLEL, at(name));
      assert.deepEqual(rows.toSorted(), ['o1 < u1', 'o2 < u2', 'p1 < root', 'think < p1', 'u1 < think', 'u2 < u1']);
      assert.equal(rows.at(-1), 'o2 < u2');
    });
    it(`leaves out the row before which it ends, and all that would bring it back: before ${name}`, async () => {
      assert.deepEqual(await fork(PARALLEL, at(name, true)), ['p1 < root']);
    });
  }

  it('has no compaction boundary when it is cut before one', async () => {
    const rows = [prompt('p1', null), reply('r1', 'p1'), boundary('b', null), prompt('s', 'b'), reply('r2', 's')];
    assert.deepEqual(await fork(rows, at('r1')), ['p1 < root', 'r1 < p1']);
    assert.deepEqual(await fork(rows, at('r2')), ['b < root', 's < b', 'r2 < s']);
  });

  it('carries over what a compaction preserved, and the client links it in the same way', async () => {
    const preservedMessages = { anchorUuid: uuidOf('s'), uuids: [uuidOf('p2'), uuidOf('r2')] };
    const rows = [
      ...[prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')],
      ...[boundary('b', null, { preservedMessages }), prompt('s', 'b'), prompt('p3', 's'), reply('r3', 'p3')],
    ];
    assert.deepEqual(await fork(rows), ['b < root', 's < b', 'p2 < s', 'r2 < p2', 'p3 < s', 'r3 < p3']);
    assert.deepEqual(await fork(rows, at('r2')), ['p1 < root', 'r1 < p1', 'p2 < r1', 'r2 < p2']);
  });

  it('links across a lost parent as Claude does', async () => {
    const soon = { timestamp: '2026-06-01T10:00:01.000Z' };
    const near = [prompt('p1', null, { timestamp: '2026-06-01T10:00:00.000Z' }), reply('r1', 'gone', soon)];
    assert.deepEqual(await fork(near), ['p1 < root', 'r1 < p1']);
  });

  it('begins where the history is broken, and reports it', async () => {
    await withForkFixture(
      transcript([prompt('p1', null), prompt('p2', 'gone'), reply('r2', 'p2')]),
      async (fixture) => {
        const outcome = await fixture.fork();
        assert.deepEqual(links(chainOf(rowsOf(forkedPath(outcome)))), ['p2 < root', 'r2 < p2']);
        assert.ok(outcome.kind === 'forked');
        assert.match(outcome.warning ?? '', /broken; repair the session first/);
      },
    );
  });

  it('is not called broken where only the parent of the first message is missing', async () => {
    await withForkFixture(transcript([prompt('p1', 'gone'), reply('r1', 'p1')]), async (fixture) => {
      const outcome = await fixture.fork();
      assert.ok(outcome.kind === 'forked');
      assert.equal(outcome.warning, null);
    });
  });

  it('does not begin with a compaction whose summary is lost, and says that its history is broken', async () => {
    // The walk goes on at a row of the same time: at the compaction.
    const timestamp = '2026-01-01T10:20:00.000Z';
    const rows = [
      ...[
        prompt('p1', null),
        reply('r1', 'p1'),
        { ...boundary('b', null), timestamp },
        prompt('sum', 'b', { timestamp }),
      ],
      ...[prompt('p3', 'gone', { timestamp }), reply('r3', 'p3')],
    ];
    await withForkFixture(transcript(rows), async (fixture) => {
      const outcome = await fixture.fork();
      assert.ok(outcome.kind === 'forked');
      assert.match(outcome.warning ?? '', /Its history begins where that of the session is broken/);
    });
    assert.deepEqual(await fork(rows), ['p3 < root', 'r3 < p3']);
  });

  it('has no cycles', async () => {
    const rows = [prompt('p1', 'r1'), reply('r1', 'p1'), reply('self', 'self')];
    assert.deepEqual(await fork(rows, at('r1')), ['p1 < root', 'r1 < p1']);
    assert.deepEqual(await fork(rows, at('self')), ['self < root']);
  });

  it('holds one row of each uuid: the one that Claude keeps', async () => {
    const rows = [prompt('p1', null), reply('r1', 'p1', { slug: 'early' }), reply('r1', 'p1', { slug: 'late' })];
    const forked = await withForkFixture(transcript(rows), (fixture) => fixture.forkedRows());
    assert.deepEqual(
      chainOf(forked).map((row) => row['slug']),
      [undefined, 'late'],
    );
  });

  it('skips progress rows, and replaces one by its parent', async () => {
    const rows = [prompt('p1', null), chainRow('progress', 'x', 'p1', { data: {} }), reply('r1', 'x')];
    assert.deepEqual(await fork(rows), ['p1 < root', 'r1 < p1']);
    assert.deepEqual(await fork(rows, at('x')), ['p1 < root']);
  });

  it('gives a row without a uuid one, so that the next row can name it', async () => {
    const times = (seconds: number) => ({ timestamp: `2026-06-01T10:00:0${seconds}.000Z` });
    const nameless = { ...prompt('p1', null, times(0)), uuid: null };
    const rows = await withForkFixture(transcript([nameless, reply('r1', 'gone', times(1))]), (fixture) =>
      fixture.forkedRows(),
    );
    const [first, second] = chainOf(rows);
    assert.match(String(first?.['uuid']), /^[0-9a-f-]{36}$/);
    assert.equal(second?.['parentUuid'], first?.['uuid']);
  });

  it('writes damaged lines as clean rows', async () => {
    const [p1 = '', r1 = '', p2 = '', r2 = ''] = lines([
      prompt('p1', null),
      reply('r1', 'p1'),
      prompt('p2', 'r1'),
      reply('r2', 'p2'),
    ]);
    const bytes = Buffer.from(`\ufeff${p1}\r\n${r1}${p1}\n\n  ${p2} rest\n${r2}\0\0\n{"type":"user","mess`);
    assert.deepEqual(await fork(bytes), ['p1 < root', 'r1 < p1', 'p2 < r1', 'r2 < p2']);
  });

  it('is refused at a row that Claude does not see', async () => {
    const [p1 = '', r1 = ''] = lines([prompt('p1', null), reply('r1', 'p1')]);
    const bytes = Buffer.from(`${p1}${r1}\n`);
    assert.deepEqual(await refusal(bytes, at('r1')), [
      'not-forkable',
      'Claude does not see this message, because its line is damaged. Repair the session first.',
    ]);
  });

  it('is refused at a subagent’s row, at an unknown row, and where there is none', async () => {
    const rows = [prompt('p1', null), prompt('side', null, { isSidechain: true })];
    assert.equal((await refusal(rows, at('side')))[0], 'not-forkable');
    assert.equal((await refusal(rows, at('nobody')))[0], 'unknown-row');
    assert.equal((await refusal(rows, { at: '' }))[0], 'unknown-row');
    const named = { type: 'custom-title', customTitle: 'x', uuid: uuidOf('title') };
    assert.equal((await refusal([...rows, named], at('title')))[0], 'unknown-row');
    assert.equal((await refusal([], {}))[0], 'empty');
    assert.equal((await refusal([chainRow('system', 's', null)], at('s')))[0], 'empty');
  });

  it('is refused without a transcript', async () => {
    await withForkFixture('', async (fixture) => {
      const missing = await fixture.fork({ session: sessionRefOf(`${fixture.filePath}x`) });
      assert.ok(missing.kind === 'refused' && missing.reason === 'missing');
      const folder = await fixture.fork({ session: sessionRefOf(join(fixture.filePath, '..')) });
      assert.ok(folder.kind === 'refused' && folder.reason === 'unreadable');
    });
  });
});

describe('The transcript of a fork', () => {
  it('is private, lies beside its source, and states its origin', async () => {
    await withForkFixture(transcript(TALK), async (fixture) => {
      const outcome = await fixture.fork({ title: ' Another\n way ' });
      assert.ok(outcome.kind === 'forked');
      const { sessionId, filePath, parentSessionId, rowsCopied } = outcome.result;
      assert.equal(filePath, join(fixture.filePath, '..', `${sessionId}.jsonl`));
      assert.deepEqual([parentSessionId, rowsCopied, outcome.title], [SOURCE_ID, 4, 'Another way']);
      assert.deepEqual([outcome.loads, outcome.of, outcome.warning], [4, 4, null]);
      assert.equal(statSync(filePath).mode & 0o777, 0o600);
      const rows = rowsOf(filePath);
      assert.ok(rows.every((row) => row['sessionId'] === sessionId && row['type'] !== 'last-prompt'));
      assert.deepEqual(rows.at(-1), { type: 'custom-title', customTitle: 'Another way', sessionId });
      for (const row of chainOf(rows)) {
        assert.deepEqual(row['forkedFrom'], { sessionId: SOURCE_ID, messageUuid: row['uuid'] });
        assert.equal(Object.keys(row).at(-1), 'forkedFrom');
      }
    });
  });

  it('is named after its source', async () => {
    const titleOf = (rows: readonly RowFields[]): Promise<string> =>
      withForkFixture(transcript(rows), async (fixture) => {
        const outcome = await fixture.fork();
        return outcome.kind === 'forked' ? outcome.title : outcome.problem;
      });
    const titled = (customTitle: string): RowFields => ({ type: 'custom-title', customTitle, sessionId: SOURCE_ID });
    assert.equal(await titleOf([prompt('p1', null), titled('Mend it')]), 'Mend it (fork)');
    assert.equal(await titleOf([prompt('p1', null), titled('Mend it (fork)')]), 'Mend it (fork 2)');
    assert.equal(await titleOf([prompt('p1', null), titled('Mend it (fork 9)')]), 'Mend it (fork 10)');
    assert.equal(await titleOf([prompt('p1', null), titled('x'.repeat(150))]), `${'x'.repeat(99)}… (fork)`);
    assert.equal(await titleOf([prompt('p1', null, { message: { content: '<tag>' } })]), 'Untitled (fork)');
  });

  it('carries over the same rows as the client’s own /branch, of this session only', async () => {
    const replaced = { type: 'content-replacement', sessionId: SOURCE_ID, replacements: [{ kind: 'x' }] };
    const others = [
      { ...replaced, sessionId: 'another' },
      { type: 'mode', mode: 'normal', sessionId: SOURCE_ID },
    ];
    const rows = await withForkFixture(transcript([...TALK, replaced, ...others]), (fixture) => fixture.forkedRows());
    const carried = rows.filter((row) => row['forkedFrom'] === undefined && row['type'] !== 'custom-title');
    assert.deepEqual(
      carried.map((row) => [row['type'], row['replacements']]),
      [['content-replacement', [{ kind: 'x' }]]],
    );
  });

  it('can be forked again', async () => {
    await withForkFixture(transcript(TALK), async (fixture) => {
      const first = await fixture.fork();
      assert.ok(first.kind === 'forked');
      const second = await fixture.forkedRows({ session: sessionRefOf(first.result.filePath), ...at('r1') });
      assert.deepEqual(links(chainOf(second)), ['p1 < root', 'r1 < p1']);
      for (const row of chainOf(second)) {
        assert.deepEqual(row['forkedFrom'], { sessionId: first.result.sessionId, messageUuid: row['uuid'] });
      }
    });
  });
});
