import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import type { Finding } from '../../../src/protocol/repair';
import { diagnosticsFor } from '../../rooms/diagnose';
import { verdictOf } from '../../support/diagnosed';
import { scanBytes } from '../../support/scanBytes';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import {
  assistant,
  boundary,
  chainRow,
  nameOf,
  prompt,
  type RowFields,
  transcript,
  uuidOf,
} from '../../support/transcriptBuilder';

const OPUS = 'claude-opus-4-6';
const OPUS_LARGE = 'claude-opus-5-5';
const HAIKU = 'claude-haiku-4-5-20251001';

/** A reply after which the context holds so many tokens. */
function answer(name: string, parent: string, tokens: number, model = OPUS, fields: RowFields = {}): RowFields {
  return answerWith([{ type: 'text', text: '' }], name, parent, tokens, model, fields);
}

function answerWith(
  content: unknown,
  name: string,
  parent: string,
  tokens: number,
  model = OPUS,
  { id = `msg_${name}`, ...fields }: RowFields = {},
): RowFields {
  const cacheReads = Math.max(0, tokens - 307);
  const usage = {
    input_tokens: Math.min(7, tokens),
    output_tokens: tokens > 300 ? 200 : 0,
    cache_creation_input_tokens: tokens > 300 ? 100 : 0,
    cache_read_input_tokens: cacheReads,
  };
  return assistant(name, parent, content, { message: { id, role: 'assistant', model, content, usage }, ...fields });
}

function refusal(name: string, parent: string, text = 'Prompt is too long', fields: RowFields = {}): RowFields {
  const content = [{ type: 'text', text }];
  const message = { id: name, role: 'assistant', model: '<synthetic>', content, usage: { input_tokens: 0 } };
  return assistant(name, parent, content, { message, isApiErrorMessage: true, ...fields });
}

function modelNote(name: string, parent: string, modelId: string): RowFields {
  return chainRow('attachment', name, parent, { attachment: { type: 'model', identity: { modelId } } });
}

const START = [
  prompt('p1', null),
  answerWith([{ type: 'text', text: 'Done.' }], 'r1', 'p1', 20_000),
  prompt('p2', 'r1'),
];

/** The finding about a full context, which must be the same for both scanners, scanned and followed. */
async function overflow(rows: readonly RowFields[]): Promise<Finding | null> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
    writeFileSync(filePath, transcript(rows));
    const found = [verdictOf(scanBytes(transcript(rows))).result.findings];
    for (const createScanner of [undefined, wasmScanners()]) {
      const engine = createEngine({ configDir: folder, ...(createScanner === undefined ? {} : { createScanner }) });
      found.push((await engine.scan(filePath)).result.findings);
      const follower = engine.follow(filePath);
      found.push((await follower.read()).result.findings);
      follower.close();
    }
    const each = found.map((findings) => findings.find(({ code }) => code === 'context-overflow') ?? null);
    for (const other of each) assert.deepEqual(other, each[0]);
    return each[0] ?? null;
  });
}

async function isFull(rows: readonly RowFields[]): Promise<boolean> {
  return (await overflow(rows)) !== null;
}

/** The smallest number of tokens in the last reply with which the context is full. */
async function limitOf(rowsWith: (tokens: number) => readonly RowFields[], low: number, high: number): Promise<number> {
  let [sent, full] = [low, high];
  assert.deepEqual([await isFull(rowsWith(sent)), await isFull(rowsWith(full))], [false, true]);
  while (full - sent > 1) {
    const middle = (sent + full) >> 1;
    if (await isFull(rowsWith(middle))) full = middle;
    else sent = middle;
  }
  return full;
}

describe('The finding about a full context', () => {
  it('says that slimming does not help, if the session has progress', async () => {
    const progress = chainRow('progress', 'x', 'r1', { data: { type: 'bash_progress' } });
    const found = await overflow([...START, progress, answer('r2', 'p2', 168_000)]);
    assert.match(
      found?.message ?? '',
      /Slimming the session does not help, because it removes only what Claude does not load\.$/,
    );
  });

  it('is a warning that only tells, and names the reply at which to fork', async () => {
    const found = await overflow([...START, answer('r2', 'p2', 168_000)]);
    assert.ok(found !== null);
    const { severity, action, lines, uuids, message } = found;
    assert.deepEqual([severity, action, lines, uuids.map(nameOf)], ['warning', 'tell', [2], ['r1']]);
    assert.equal(
      message,
      'The history takes about 168,000 tokens, and the context window of claude-opus-4-6 has 200,000. Claude does not load it as it is: it compacts it first, unless automatic compaction is off. To keep the details, fork the session at the reply on line 2, or go back to it and run /compact there.',
    );
    const blocked = await overflow([...START, answer('r2', 'p2', 190_000)]);
    assert.match(
      blocked?.message ?? '',
      /it compacts it first, or refuses each prompt if automatic compaction is off\./,
    );
    const { result } = verdictOf(scanBytes(transcript([...START, answer('r2', 'p2', 190_000)])));
    assert.equal(result.status, 'healthy');
  });

  it('names no reply at which to fork if none leaves room', async () => {
    const found = await overflow([prompt('p1', null), answer('r1', 'p1', 190_000)]);
    assert.deepEqual(found?.lines, []);
    assert.match(
      found.message,
      / No earlier reply is known to leave room for a prompt, so compact the session, or start a new one\.$/,
    );
  });

  it('begins 33,000 tokens below the window, less what the client adds itself', async () => {
    const with_ = (model: string) => (tokens: number) => [...START, answer('r2', 'p2', tokens, model)];
    assert.equal(await limitOf(with_(OPUS), 150_000, 170_000), 165_400);
    assert.equal(await limitOf(with_('claude-sonnet-4-6'), 150_000, 170_000), 165_400);
    assert.equal(await limitOf(with_(OPUS_LARGE), 900_000, 990_000), 965_400);
    assert.equal(await limitOf(with_('claude-haiku-5-5-20260901'), 900_000, 990_000), 965_400);
  }).timeout(60_000);

  it('begins where it does for a model under its name at another host', async () => {
    const names = ['us.anthropic.claude-opus-4-6-v1:0', 'claude-opus-4-6@20260101'];
    const full = names.map((name) => isFull([...START, answer('r2', 'p2', 190_000, name)]));
    assert.deepEqual(await Promise.all(full), [true, true]);
  });

  it('begins above the window for models whose history is always sent', async () => {
    const limit = await limitOf((tokens) => [...START, answer('r2', 'p2', tokens, HAIKU)], 150_000, 250_000);
    assert.equal(limit, 200_001);
    const found = await overflow([...START, answer('r2', 'p2', 250_000, HAIKU)]);
    assert.match(found?.message ?? '', /The API refuses it as it is, and Claude then compacts it/);
  }).timeout(60_000);

  it('says nothing of the window of a model that has retired: the client continues with another', () => {
    const rows = [...START, answer('r2', 'p2', 250_000, 'claude-sonnet-4-5')];
    const found = [29, 30].map((day) => {
      const diagnostics = diagnosticsFor('2.1.330', new Date(2026, 10, day).getTime() + 1);
      return verdictOf(scanBytes(transcript(rows)), undefined, diagnostics).result.findings.map(({ code }) => code);
    });
    assert.deepEqual(found, [['context-overflow'], []]);
  });

  it('considers the large window if the newest attachment about the model names it', async () => {
    const large = modelNote('m1', 'p2', `${OPUS}[1m]`);
    assert.equal(await isFull([...START, large, answer('r2', 'm1', 300_000)]), false);
    assert.equal(await isFull([...START, large, answer('r2', 'm1', 1_000_001)]), true);
    assert.equal(await isFull([...START, large, modelNote('m2', 'm1', OPUS), answer('r2', 'm2', 300_000)]), true);
    assert.equal(
      await isFull([...START, modelNote('m1', 'p2', 'claude-sonnet-4-6[1m]'), answer('r2', 'm1', 300_000)]),
      true,
    );
  });

  it('is not made for a model whose window is unknown', async () => {
    for (const model of ['claude-nova-9', 'claude-opus-4-1', 'claude-3-7-sonnet-20250219', 'gpt-5']) {
      assert.equal(await isFull([...START, answer('r2', 'p2', 1_500_000, model)]), false, model);
    }
  });

  it('depends on the newest reply that counts tokens, and on its model', async () => {
    const full = [...START, answer('r2', 'p2', 190_000), prompt('p3', 'r2')];
    assert.equal(await isFull([...full, answer('r3', 'p3', 0)]), true);
    assert.equal(await isFull([...full, answer('r3', 'p3', 30_000)]), false);
    assert.equal(await isFull([...full, answer('r3', 'p3', 0, OPUS_LARGE)]), false);
    // Output alone is not a count of the context.
    const usage = { output_tokens: 170_000 };
    const message = { id: 'm', role: 'assistant', model: OPUS, content: [{ type: 'text', text: 'x' }], usage };
    assert.equal(await isFull([...START, assistant('r2', 'p2', [], { message })]), false);
  });

  it('depends on the last of several requests for one reply', async () => {
    const counts = { output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const request = (input: number, type = 'message') => ({ type, input_tokens: input, ...counts });
    const withRequests = (iterations: unknown) => {
      const usage = { ...request(190_000), iterations };
      const message = { id: 'm', role: 'assistant', model: OPUS, content: [{ type: 'text', text: 'x' }], usage };
      return [...START, assistant('r2', 'p2', [], { message })];
    };
    assert.equal(await isFull(withRequests([])), true);
    assert.equal(await isFull(withRequests(null)), true);
    assert.equal(await isFull(withRequests([request(190_000)])), true);
    assert.equal(await isFull(withRequests([request(90_000), request(100_000)])), false);
    assert.equal(await isFull(withRequests([request(10_000), request(180_000), request(5, 'compaction')])), true);
  });

  it('adds an estimate of the text after it: a token for 4 characters, or for 3 with newer models', async () => {
    const units = 4_000;
    const prompted = (model: string, text: unknown) => (tokens: number) => [
      ...START,
      answer('r2', 'p2', tokens, model),
      prompt('p3', 'r2', { message: { role: 'user', content: text } }),
    ];
    // Escapes, and characters of several bytes, count once.
    const text = '\n"é漢'.repeat(units / 4);
    assert.equal(await limitOf(prompted(OPUS, text), 150_000, 170_000), 164_400);
    assert.equal(await limitOf(prompted(OPUS_LARGE, text.slice(0, 3_000)), 900_000, 990_000), 964_400);
    const image = { type: 'image', source: { type: 'base64', data: 'x'.repeat(100_000) } };
    assert.equal(await limitOf(prompted(OPUS, [image]), 150_000, 170_000), 163_400);
  }).timeout(120_000);

  it('counts the other rows of the counted message, and results between them, as text', async () => {
    const limit = await limitOf(
      (tokens) => [
        ...START,
        answerWith([{ type: 'thinking', thinking: 'x'.repeat(900) }], 'a1', 'p2', tokens, OPUS, { id: 'm' }),
        answerWith([{ type: 'tool_use', id: 't1', name: 'Bash', input: { c: '\n' } }], 'a2', 'a1', tokens, OPUS, {
          id: 'm',
        }),
        chainRow('user', 'u1', 'a2', {
          message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'y'.repeat(3_984) }] },
        }),
      ],
      150_000,
      170_000,
    );
    // Bash{"c":"\n"} has 14 characters.
    assert.equal(limit, 165_400 - 996 - 4);
  }).timeout(60_000);

  it('is estimated from the text alone if no reply counts tokens', async () => {
    const rows = (length: number) => [
      prompt('p1', null, { message: { role: 'user', content: 'x'.repeat(length) } }),
      answer('r1', 'p1', 0),
      prompt('p2', 'r1', { message: { role: 'user', content: '' } }),
      answer('r2', 'p2', 0),
    ];
    assert.equal(await isFull(rows(661_000)), false);
    assert.equal(await isFull(rows(662_000)), true);
  });

  it('does not count what a compaction left behind, or kept', async () => {
    const before = [...START, answer('r2', 'p2', 190_000)];
    const summary = prompt('s', 'b', { isCompactSummary: true });
    const kept = { preservedMessages: { anchorUuid: uuidOf('s'), uuids: [uuidOf('p2'), uuidOf('r2')] } };
    assert.equal(await isFull([...before, boundary('b', null), summary]), false);
    assert.equal(await isFull([...before, boundary('b', null, kept), summary]), false);
    const after = [...before, boundary('b', null, kept), summary, prompt('p3', 'r2')];
    assert.equal(await isFull([...after, answer('r3', 'p3', 40_000)]), false);
    assert.equal(await isFull([...after, answer('r3', 'p3', 170_000)]), true);
  });

  it('takes two replies since the last compaction, unless a prompt would be refused', async () => {
    const one = (tokens: number) => [prompt('p1', null), answer('r1', 'p1', tokens)];
    assert.equal(await isFull(one(168_000)), false);
    assert.equal(await isFull(one(175_399)), false);
    assert.equal(await isFull(one(175_400)), true);
    const parts = [answer('r2', 'r1', 168_000, OPUS, { id: 'msg_r1' }), prompt('p2', 'r2')];
    assert.equal(await isFull([...one(168_000), ...parts]), false);
    assert.equal(await isFull([...one(168_000), answer('r2', 'r1', 168_000)]), true);
    const summary = [boundary('b', null), prompt('s', 'b', { isCompactSummary: true }), prompt('p3', 's')];
    assert.equal(await isFull([...START, ...summary, answer('r3', 'p3', 168_000)]), false);
    assert.equal(await isFull([...START, ...summary, answer('r3', 'p3', 176_000)]), true);
  });

  it('does not count rows beside the history', async () => {
    const branch = answer('r2', 'p2', 190_000);
    assert.equal(await isFull([...START, branch, prompt('p3', 'r1'), answer('r3', 'p3', 30_000)]), false);
    const subagent = answer('x', 'p2', 190_000, OPUS, { isSidechain: true });
    assert.equal(await isFull([...START, subagent, answer('r2', 'p2', 30_000)]), false);
  });
});

describe('The finding about a full context, where the last prompt was refused', () => {
  const refused = [...START, refusal('e', 'p2')];

  it('is made whatever the estimate is', async () => {
    const found = await overflow(refused);
    assert.deepEqual(found?.lines, [2, 4]);
    assert.match(found.message, /^The last prompt was refused because the history is too long\. The next prompt/);
    assert.match(found.message, /The next prompt is refused as well if the history is still too long/);
    for (const text of [
      'Prompt is too long · automatic compaction failed: API Error: 400',
      'Autocompact is thrashing: the context refilled',
      'API Error: 400 {"type":"error","error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
    ]) {
      assert.equal(await isFull([...START, refusal('e', 'p2', text)]), true, text);
    }
    for (const text of [
      'API Error: 500 overloaded',
      'API Error: 400 messages.1: prompt',
      'Credit balance is too low',
    ]) {
      assert.equal(await isFull([...START, refusal('e', 'p2', text)]), false, text);
    }
  });

  it('names the numbers that the API gave', async () => {
    const errorDetails = '400 {"error":{"message":"prompt is too long: 231234 tokens > 200000 maximum"}}';
    const found = await overflow([...START, refusal('e', 'p2', 'Prompt is too long', { errorDetails })]);
    assert.match(
      found?.message ?? '',
      /takes about 231,000 tokens, and the context window of claude-opus-4-6 has 200,000\./,
    );
    assert.match(found?.message ?? '', /the reply on line 2/);
  });

  it('is made for a model whose window is unknown, without numbers', async () => {
    const rows = [prompt('p1', null), answer('r1', 'p1', 20_000, 'claude-nova-9'), prompt('p2', 'r1')];
    const found = await overflow([...rows, refusal('e', 'p2')]);
    assert.equal(
      found?.message,
      'The last prompt was refused because the history is too long. The next prompt is refused as well if the history is still too long and Claude does not compact it. To keep the details, fork the session at an earlier reply, or go back to it and run /compact there.',
    );
    assert.deepEqual(found.uuids.map(nameOf), ['e']);
  });

  it('does not suggest a fork at the refusal, even if that counts tokens', async () => {
    const content = [{ type: 'text', text: 'Prompt is too long' }];
    const usage = { input_tokens: 30_000, output_tokens: 10 };
    const message = { id: 'e', role: 'assistant', model: '<synthetic>', content, usage };
    const found = await overflow([...START, refusal('e', 'p2', '', { message })]);
    assert.deepEqual(found?.uuids.map(nameOf), ['r1', 'e']);
    assert.match(found.message, /fork the session at the reply on line 2,/);
  });

  it('remains if later prompts have no reply', async () => {
    assert.equal(await isFull([...refused, prompt('p3', 'e')]), true);
    assert.equal(await isFull([...refused, prompt('p3', 'e'), refusal('e2', 'p3', 'API Error: 500')]), false);
  });

  it('ends with a reply, or with a compaction', async () => {
    assert.equal(await isFull([...refused, prompt('p3', 'e'), answer('r3', 'p3', 21_000)]), false);
    assert.equal(await isFull([...refused, boundary('b', null), prompt('s', 'b', { isCompactSummary: true })]), false);
    const kept = { preservedMessages: { anchorUuid: uuidOf('s'), uuids: [uuidOf('p2'), uuidOf('e')] } };
    assert.equal(await isFull([...refused, boundary('b', null, kept), prompt('s', 'b')]), false);
  });

  it('is not made for a refusal beside the history', async () => {
    assert.equal(await isFull([...refused, prompt('p3', 'r1'), answer('r3', 'p3', 21_000)]), false);
  });
});

describe('The finding about a full context, as the transcript grows', () => {
  for (const [name, createScanner] of Object.entries({ plain: undefined, fast: wasmScanners() })) {
    it(`comes and goes as in a whole scan, with the ${name} scanner`, () =>
      withTemporaryFolder(async (folder) => {
        const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
        const rows = [
          ...START,
          answer('r2', 'p2', 160_000),
          prompt('p3', 'r2', { message: { role: 'user', content: 'x'.repeat(30_000) } }),
          answerWith([{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }], 'a3', 'p3', 164_000),
          chainRow('user', 'u3', 'a3', {
            message: {
              role: 'user',
              content: [{ type: 'tool_result', tool_use_id: 't1', content: 'y'.repeat(6_000) }],
            },
          }),
          answer('r3', 'u3', 170_000),
          prompt('p4', 'r3'),
          refusal('e', 'p4'),
          prompt('p5', 'e'),
          answer('r5', 'p5', 100_000),
          prompt('p6', 'r5'),
          answer('r6', 'p6', 166_000),
        ];
        const all = transcript(rows).toString('utf8').split('\n').slice(0, -1);
        writeFileSync(filePath, '');
        const engine = createEngine({ configDir: folder, ...(createScanner === undefined ? {} : { createScanner }) });
        const follower = engine.follow(filePath);
        const seen: boolean[] = [];
        for (const [at, line] of all.entries()) {
          appendFileSync(filePath, `${line}\n`);
          const { result } = await follower.read();
          const { result: whole } = await engine.scan(filePath);
          assert.deepEqual(result, whole, `line ${at + 1}`);
          seen.push(result.findings.some(({ code }) => code === 'context-overflow'));
        }
        follower.close();
        const full = seen.flatMap((is, at) => (is ? [at + 1] : []));
        assert.deepEqual(full, [5, 7, 8, 9, 10, 11, 14]);
      }));
  }
});
