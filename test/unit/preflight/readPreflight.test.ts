import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import type { Preflight } from '../../../src/protocol/preflight';
import { diagnosticsFor } from '../../rooms/diagnose';
import { readPreflight } from '../../rooms/preflight';
import { PriceBook } from '../../rooms/usage';
import { createPacer } from '../../rooms/util';
import { quietMachine } from '../../support/quietMachine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import {
  assistant,
  boundary,
  chainRow,
  prompt,
  result,
  type RowFields,
  timeOf,
  transcript,
} from '../../support/transcriptBuilder';
import { plainScanner } from '../../support/plainScanner';

const CLIENT = '2.1.330';
/** The time of the first row; the others follow at intervals of 30 seconds. */
const START_MS = Date.parse(timeOf(0));
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NAME = '44444444-4444-4444-8444-444444444444.jsonl';

/** A reply after 70,000 tokens from the cache, 10,000 that were written to it, and 3,000 of input. */
function answer(name: string, parent: string | null, fields: RowFields = {}, model = 'claude-opus-5-5'): RowFields {
  const row = assistant(name, parent, [{ type: 'text', text: name }], { version: CLIENT, ...fields });
  const usage = {
    input_tokens: 3_000,
    output_tokens: 1_000,
    cache_read_input_tokens: 70_000,
    cache_creation_input_tokens: 10_000,
    cache_creation: { ephemeral_5m_input_tokens: 10_000, ephemeral_1h_input_tokens: 0 },
  };
  return { ...row, message: { ...(row['message'] as object), model, usage } }; // SAFETY: `assistant` has made it.
}

interface Asked {
  readonly nowMs?: number;
  readonly client?: string;
}

async function ask(filePath: string, { nowMs = START_MS + 60_000, client = CLIENT }: Asked = {}): Promise<Preflight> {
  const answered = await readPreflight(filePath, {
    createScanner: plainScanner,
    pacer: createPacer(10),
    diagnostics: diagnosticsFor(client, nowMs),
    prices: new PriceBook({}),
    nowMs,
  });
  if (answered.kind === 'problem') assert.fail(answered.problem.message);
  return answered.preflight;
}

async function read(rows: readonly RowFields[], asked: Asked = {}): Promise<Preflight> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, NAME);
    await writeFile(filePath, transcript(rows));
    return ask(filePath, asked);
  });
}

const codesOf = ({ causes }: Preflight): string[] => causes.map(({ code }) => code);
const TALK = [prompt('p', null), answer('a', 'p')];

describe('What a preflight reads', () => {
  it('are the messages that Claude remembers, and the tokens, the price and the cache of the last reply', async () => {
    const preflight = await read(TALK);
    assert.deepEqual(preflight.messages, { loads: 2, of: 2, hasSummary: false });
    assert.deepEqual(preflight.tokens, { sent: 84_000, bound: 'about', uncached: 4_000 });
    assert.equal(preflight.model, 'claude-opus-5-5');
    // 80,000 tokens are read at $0.20 a million, and 4,000 are written at $5.
    assert.equal(preflight.costUsd, (80_000 * 0.2 + 4_000 * 5) / 1e6);
    assert.equal(preflight.changesAtMs, Date.parse(timeOf(1)) + 300_001);
  });

  it('costs as much as without a cache once the cache has expired', async () => {
    const preflight = await read(TALK, { nowMs: START_MS + HOUR_MS });
    assert.deepEqual(codesOf(preflight), ['cache-expired']);
    assert.equal(preflight.costUsd, (84_000 * 5) / 1e6);
  });

  it('has no price for an unknown model', async () => {
    const preflight = await read([prompt('p', null), answer('a', 'p', {}, 'claude-tomorrow')]);
    assert.deepEqual([preflight.tokens.sent, preflight.costUsd], [84_000, null]);
  });

  it('names the client that wrote the last reply if another one resumes', async () => {
    const preflight = await read(TALK, { client: '2.1.250' });
    assert.deepEqual(preflight.causes, [{ code: 'version-changed', from: '2.1.330', to: '2.1.250' }]);
    assert.equal(preflight.client, '2.1.250');
  });

  it('names no price where the client does not know the model and goes on with another', async () => {
    const talk = TALK.map(
      (row) =>
        JSON.parse(JSON.stringify(row).replaceAll('claude-opus-5-5', 'claude-3-7-sonnet-20250219')) as typeof row,
    );
    const preflight = await read(talk);
    assert.deepEqual(preflight.causes, [{ code: 'model-unknown', model: 'claude-3-7-sonnet-20250219' }]);
    assert.deepEqual([preflight.model, preflight.costUsd, preflight.tokens.uncached], [null, null, null]);
  });

  it('names no price where the model has retired and the client goes on with another', async () => {
    const talk = TALK.map(
      (row) => JSON.parse(JSON.stringify(row).replaceAll('claude-opus-5-5', 'claude-sonnet-4-5')) as typeof row,
    );
    const preflight = await read(talk, { nowMs: new Date(2026, 11, 1).getTime() });
    assert.deepEqual(codesOf(preflight), ['model-unknown', 'cache-expired']);
    assert.deepEqual([preflight.model, preflight.costUsd], [null, null]);
  });

  it('takes the model that the session has changed to, with its price', async () => {
    const attachment = { type: 'model', identity: { modelId: 'claude-sonnet-4-5' } };
    const preflight = await read([...TALK, chainRow('attachment', 'm', 'a', { attachment })]);
    assert.deepEqual(preflight.causes, [{ code: 'model-changed', from: 'claude-opus-5-5', to: 'claude-sonnet-4-5' }]);
    assert.equal(preflight.model, 'claude-sonnet-4-5');
    assert.equal(preflight.costUsd, (84_000 * 3.75) / 1e6);
  });

  it('does not take the size of the window or the date in a name for another model', async () => {
    const attachment = { type: 'model', identity: { modelId: 'claude-opus-5-5[1m]' } };
    const named = answer('a', 'p', {}, 'claude-opus-5-5-20260901');
    const preflight = await read([prompt('p', null), named, chainRow('attachment', 'm', 'a', { attachment })]);
    assert.deepEqual(codesOf(preflight), ['last-reply']);
  });

  it('knows no tokens between a compaction and the next reply', async () => {
    const summary = prompt('s', 'b', { isCompactSummary: true });
    const preflight = await read([...TALK, boundary('b', null), summary]);
    assert.deepEqual([preflight.tokens.sent, preflight.costUsd, codesOf(preflight)], [null, null, ['compacted']]);
    const after = await read([...TALK, boundary('b', null), summary, answer('c', 's')], { nowMs: START_MS + 150_000 });
    assert.deepEqual([after.tokens.sent, codesOf(after)], [84_000, ['last-reply']]);
  });

  it('knows no tokens before the first reply', async () => {
    assert.deepEqual(codesOf(await read([prompt('p', null)])), ['no-reply']);
  });

  it('limits the tokens at a break', async () => {
    const preflight = await read([...TALK, prompt('q', 'missing'), answer('b', 'q')], { nowMs: START_MS + 120_000 });
    assert.deepEqual(preflight.messages, { loads: 2, of: 4, hasSummary: false });
    assert.deepEqual(preflight.tokens, { sent: 84_000, bound: 'at-most', uncached: null });
    assert.deepEqual(codesOf(preflight), ['history-lost']);
  });

  it('calls no break that the parent of the first message is missing', async () => {
    const [first, ...others] = TALK;
    const preflight = await read([{ ...first, parentUuid: 'missing' }, ...others], { nowMs: START_MS + 60_000 });
    assert.deepEqual(preflight.tokens, { sent: 84_000, bound: 'about', uncached: 4_000 });
    assert.deepEqual(codesOf(preflight), ['last-reply']);
  });

  it('counts the replies before the last one for the lifetime of the cache', async () => {
    const usage = { input_tokens: 0, output_tokens: 1_000, cache_read_input_tokens: 80_000 };
    const last = answer('b', 'q');
    const rows = [...TALK, prompt('q', 'a'), { ...last, message: { ...(last['message'] as object), usage } }]; // SAFETY: as above.
    const preflight = await read(rows, { nowMs: START_MS + HOUR_MS });
    assert.deepEqual(
      preflight.causes.map((cause) => cause.code === 'cache-expired' && cause.lifetime),
      ['5m'],
    );
  });

  it('says what is wrong with a file that cannot be read', async () => {
    const question = { createScanner: plainScanner, pacer: createPacer(10), prices: new PriceBook({}), nowMs: 0 };
    const answered = await readPreflight('/nowhere/x.jsonl', { ...question, diagnostics: diagnosticsFor(CLIENT) });
    assert.ok(answered.kind === 'problem' && answered.problem.kind === 'missing');
  });
});

describe('A preflight of a session that Rethread has changed', () => {
  /** The preflight after a change, and what it would be if the last reply had come after the change. */
  async function change(rows: readonly RowFields[], act: 'repair' | 'slim'): Promise<readonly [Preflight, Preflight]> {
    return withTemporaryFolder(async (configDir) => {
      const engine = createEngine({ machine: quietMachine(), configDir });
      const filePath = join(configDir, NAME);
      const write = (offsetMs: number): Promise<void> =>
        writeFile(
          filePath,
          transcript(rows.map((row) => ({ ...row, timestamp: new Date(Date.now() + offsetMs).toISOString() }))),
        );
      await write(-60_000);
      const { result: outcome } = await engine[act](filePath, { mayBeLive: true });
      assert.ok(['repaired', 'slimmed'].includes(outcome.status), outcome.status);
      const before = await ask(filePath, { nowMs: Date.now() });
      await write(60_000);
      return [before, await ask(filePath, { nowMs: Date.now() + 60_000 })];
    });
  }

  it('says that a repair came after the last reply, and forgets it with the next one', async () => {
    const broken = [prompt('p', null), answer('a', 'p'), prompt('q', 'missing'), answer('b', 'q')];
    const [before, after] = await change(broken, 'repair');
    assert.deepEqual(codesOf(before), ['repaired']);
    assert.deepEqual([before.tokens.bound, before.tokens.uncached], ['at-least', null]);
    assert.ok(!codesOf(after).includes('repaired'));
  });

  it('does not take a slimmed session for a repaired one', async () => {
    const rows = [prompt('p', null), chainRow('progress', 'g', 'p', { data: {} }), answer('a', 'g')];
    const [before, after] = await change(rows, 'slim');
    assert.deepEqual([codesOf(before), codesOf(after)], [['last-reply'], ['last-reply']]);
  });
});

describe('What starts again by itself', () => {
  const CRON = { cron: '*/10 * * * *', prompt: 'Check\nthe build' };

  function schedule(input: object, details: object, name = 'c'): readonly RowFields[] {
    const content = [{ type: 'tool_use', id: `call_${name}`, name: 'CronCreate', input }];
    return [
      prompt(`p${name}`, null),
      assistant(name, `p${name}`, content),
      result(`r${name}`, name, `call_${name}`, { toolUseResult: details }),
    ];
  }

  const loops = schedule(CRON, { id: 'k1', recurring: true, humanSchedule: 'Every 10 minutes' });
  const expected = { kind: 'loop', id: 'k1', what: 'Check the build', when: 'Every 10 minutes' };

  it('is a prompt that Claude has scheduled', async () => {
    assert.deepEqual((await read(loops)).rearms, [expected]);
  });

  it('is nothing that was deleted', async () => {
    const content = [{ type: 'tool_use', id: 'call_d', name: 'CronDelete', input: { id: 'k1' } }];
    assert.deepEqual((await read([...loops, assistant('d', 'rc', content)])).rearms, []);
  });

  it('is nothing whose call has failed', async () => {
    const [ask = {}, call = {}, answered = {}] = loops;
    const content = [{ type: 'tool_result', tool_use_id: 'call_c', content: 'no', is_error: true }];
    assert.deepEqual((await read([ask, call, { ...answered, message: { role: 'user', content } }])).rearms, []);
  });

  it('is nothing that is kept in the file of the project', async () => {
    assert.deepEqual((await read(schedule(CRON, { id: 'k1', recurring: true, durable: true }))).rearms, []);
  });

  it('ends with the age of the prompt: after 7 days, or as the client said, at most 30 days', async () => {
    const at = async (days: number, maxAgeMs?: number): Promise<number> => {
      const rows = schedule(CRON, { id: 'k1', recurring: true, ...(maxAgeMs === undefined ? {} : { maxAgeMs }) });
      return (await read(rows, { nowMs: START_MS + days * DAY_MS })).rearms.length;
    };
    assert.deepEqual([await at(6.9), await at(7.1)], [1, 0]);
    assert.deepEqual([await at(7.1, 20 * DAY_MS), await at(20.1, 20 * DAY_MS)], [1, 0]);
    assert.deepEqual([await at(29.9, 0), await at(30.1, 0)], [1, 0]);
  });

  it('is a prompt for later until its time has come', async () => {
    const nextFireAt = START_MS + 2 * HOUR_MS;
    const rows = schedule({ cron: '30 14 28 2 *', prompt: 'x' }, { id: 'k2', recurring: false, nextFireAt });
    const [found] = (await read(rows, { nowMs: START_MS + HOUR_MS })).rearms;
    assert.deepEqual([found?.kind, found?.when], ['once', '30 14 28 2 *']);
    assert.deepEqual((await read(rows, { nowMs: START_MS + 3 * HOUR_MS })).rearms, []);
  });

  it('takes the time of a prompt for later from its cron expression if the client did not say it', async () => {
    const first = new Date(START_MS + 2 * HOUR_MS);
    const fields = [first.getMinutes(), first.getHours(), first.getDate(), first.getMonth() + 1, '*'];
    const rows = schedule({ cron: fields.join(' '), prompt: 'x' }, { id: 'k2', recurring: false });
    const at = async (hours: number): Promise<number> =>
      (await read(rows, { nowMs: START_MS + hours * HOUR_MS })).rearms.length;
    assert.deepEqual([await at(1), await at(3)], [1, 0]);
    for (const cron of ['61 * * * *', 'x', '* * * *', '0 0 31 2 *', '']) {
      const odd = schedule({ cron, prompt: 'x' }, { id: 'k2', recurring: false });
      assert.deepEqual((await read(odd)).rearms, [], cron);
    }
  });

  it('is carried over a compaction by the note of the client, unless that says that it ended', async () => {
    const task = { id: 'k1', ...CRON, createdAt: START_MS, recurring: true };
    const carried = (fields: object): readonly RowFields[] => [
      ...loops,
      boundary('b', null),
      prompt('s', 'b', { isCompactSummary: true }),
      chainRow('attachment', 'n', 's', { attachment: { type: 'session_cron_carry', tasks: [task], ...fields } }),
      answer('z', 'n'),
    ];
    assert.deepEqual((await read(carried({}))).rearms, [{ ...expected, when: CRON.cron }]);
    assert.deepEqual((await read(carried({ ended: ['k1'] }))).rearms, []);
    assert.deepEqual((await read(carried({ tasks: [{ id: 'k1' }, null, 7] }))).rearms, []);
  });

  it('is neither a command in the background, a monitor nor a wake-up', async () => {
    const calls = ['Bash', 'Monitor', 'ScheduleWakeup'].map((name) => ({
      type: 'tool_use',
      id: name,
      name,
      input: {},
    }));
    const rows = [
      prompt('p', null),
      assistant('a', 'p', calls),
      result('x', 'a', 'Bash', { toolUseResult: { backgroundTaskId: 'b1', stdout: '' } }),
      result('y', 'x', 'Monitor', { toolUseResult: { taskId: 'm1', timeoutMs: 0 } }),
      result('z', 'y', 'ScheduleWakeup', { toolUseResult: { scheduledFor: START_MS + DAY_MS } }),
    ];
    assert.deepEqual((await read(rows)).rearms, []);
  });

  it('is for 2.1.250 what it reads: no age of its own for each prompt, and no note of a compaction', async () => {
    const client = '2.1.250';
    const old = schedule(CRON, { id: 'k1', recurring: true, maxAgeMs: 20 * DAY_MS });
    assert.deepEqual((await read(loops, { client })).rearms, [expected]);
    assert.deepEqual((await read(old, { client, nowMs: START_MS + 8 * DAY_MS })).rearms, []);
    const task = { id: 'k1', ...CRON, createdAt: START_MS, recurring: true };
    const note = chainRow('attachment', 'n', 's', { attachment: { type: 'session_cron_carry', tasks: [task] } });
    const rows = [...TALK, boundary('b', null), prompt('s', 'b', { isCompactSummary: true }), note, answer('z', 'n')];
    assert.deepEqual((await read(rows, { client })).rearms, []);
    assert.equal((await read(rows)).rearms.length, 1);
  });

  it('is not claimed of clients that were not looked at', async () => {
    assert.deepEqual((await read(loops, { client: '2.1.249' })).rearms, []);
  });
});
