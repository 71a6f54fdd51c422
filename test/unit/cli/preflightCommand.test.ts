import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { assistant, boundary, prompt, reply, type RowFields, transcript } from '../../support/transcriptBuilder';
import { NOW_MS, SESSION_ID } from './fakeEngine';
import { type CliRun, runCli } from './runCli';

const TIME = new Date(NOW_MS - 3 * 3_600_000).toISOString();
const USAGE = { input_tokens: 3_012, output_tokens: 1_300, cache_read_input_tokens: 80_000 };

function talk(usage: object, fields: RowFields = {}): readonly RowFields[] {
  const row = assistant('a', 'p', [{ type: 'text', text: 'x' }], { timestamp: TIME, version: '2.1.330', ...fields });
  const message = { id: 'm', role: 'assistant', model: 'claude-opus-5-5', content: [], usage };
  return [
    prompt('p', null, { timestamp: TIME }),
    { ...row, message: { ...message, content: [{ type: 'text', text: 'x' }] } },
  ];
}

async function run(rows: readonly RowFields[] | null, ...options: readonly string[]): Promise<CliRun> {
  return withTemporaryFolder(async (folder) => {
    const file = join(folder, `${SESSION_ID}.jsonl`);
    if (rows !== null) await writeFile(file, transcript(rows));
    const ran = await runCli(['preflight', file, ...options], undefined, { createEngine });
    return { ...ran, stdout: ran.stdout.replaceAll(folder, '~'), stderr: ran.stderr.replaceAll(folder, '~') };
  });
}

const CACHED = { ...USAGE, cache_creation_input_tokens: 1_000 };

describe('preflight', () => {
  it('says in one line what is remembered, sent and uncached, why, and what it costs', async () => {
    const { code, stdout, stderr } = await run(talk(CACHED));
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(
      stdout,
      'Resumed by Claude Code 2.1.330, Claude remembers all 2 messages. It sends about 85,300 tokens, all of them uncached: ' +
        'the cache is kept for 5 minutes, and was last used 3h ago. About $0.43.\n',
    );
  });

  it('says about with every figure that is estimated, and what is cached', async () => {
    const fields = { timestamp: new Date(NOW_MS - 60_000).toISOString() };
    const { stdout } = await run(talk(CACHED, fields));
    assert.match(
      stdout,
      /sends about 85,300 tokens, about 4,310 of them uncached: everything before the last reply is /,
    );
    assert.match(stdout, /\. About \$0\.04\.\n$/);
  });

  it('says that a summary is remembered in place of the messages before a compaction', async () => {
    const summary = prompt('s', 'b', { isCompactSummary: true, message: { role: 'user', content: 'What was said.' } });
    const compacted = [...talk(CACHED), boundary('b', null), summary];
    assert.match((await run(compacted)).stdout, /Claude remembers the summary\. /);
    const asked = [...compacted, prompt('q', 's')];
    assert.match((await run(asked)).stdout, /Claude remembers the summary and the last message\. /);
    assert.match((await run([...asked, reply('r', 'q')])).stdout, /remembers the summary and the last 2 messages\. /);
  });

  it('speaks of a break only where something is lost', async () => {
    const rows = talk(CACHED, { timestamp: new Date(NOW_MS - 60_000).toISOString() });
    const late = rows.map((row, at) => (at === 0 ? { ...row, parentUuid: 'gone' } : row));
    const { stdout } = await run(late);
    assert.match(
      stdout,
      /Claude remembers all 2 messages\. It sends about 85,300 tokens, about 4,310 of them uncached: /,
    );
    assert.doesNotMatch(stdout, /break|at most/);
    const lost = await run([prompt('o', null, { timestamp: new Date(NOW_MS - 86_400_000).toISOString() }), ...late]);
    assert.match(lost.stdout, /remembers 2 of 3 messages\. It sends at most about .* what came before a break/);
  });

  it('speaks of the client that is named', async () => {
    const { stdout } = await run(talk(CACHED), '--client', '2.1.250');
    assert.match(stdout, /^Resumed by Claude Code 2\.1\.250, .* by Claude Code 2\.1\.330, and 2\.1\.250 sends other/);
  });

  it('says what it does not know', async () => {
    const unpriced = talk(CACHED).map(
      (row) => JSON.parse(JSON.stringify(row).replace('opus-5-5', 'tomorrow')) as RowFields,
    ); // SAFETY: it was one.
    assert.match((await run(unpriced)).stdout, /The price of the model is not known\.\n$/);
    const unread = talk(USAGE, { timestamp: 'never' });
    assert.match(
      (await run(unread)).stdout,
      /How many of them are uncached is not known: the time of the last reply is/,
    );
    assert.match(
      (await run([prompt('p', null)])).stdout,
      /How many tokens it sends is not known: Claude has not replied/,
    );
    assert.match((await run([prompt('p', null)])).stdout, /Claude remembers the only message\. /);
    assert.match((await run([])).stdout, /Claude remembers nothing, because nothing was said\./);
  });

  it('prints one document with the fields of its contract', async () => {
    const { code, stdout } = await run(talk(CACHED), '--json');
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), {
      sessionId: SESSION_ID,
      filePath: `~/${SESSION_ID}.jsonl`,
      client: '2.1.330',
      messages: { loads: 2, of: 2 },
      tokens: { sent: 85_312, bound: 'about', uncached: 85_312 },
      causes: [
        {
          code: 'cache-expired',
          lifetime: '5m',
          ageMs: 3 * 3_600_000,
          isPartial: false,
          text: 'the cache is kept for 5 minutes, and was last used 3h ago',
        },
      ],
      costUsd: (85_312 * 5) / 1e6,
      model: 'claude-opus-5-5',
      rearms: [],
      changesAt: null,
      isExact: true,
      isRefused: false,
    });
  });

  it('says that a client is approximate whose rules were not measured', async () => {
    const { stdout } = await run(talk(CACHED), '--client', '2.0.60');
    assert.match(
      stdout,
      /^Resumed by Claude Code 2\.0\.60, .*\nApproximate: clients as old as 2\.0\.60 load less than /,
    );
    const { stdout: json } = await run(talk(CACHED), '--client', '2.0.60', '--json');
    assert.match(json, /"isExact": ?false/);
  });

  it('says that the API refuses every further prompt', async () => {
    const call = [{ type: 'tool_use', id: 'c', name: 'Bash', input: 'ls' }];
    const results = [{ type: 'tool_result', tool_use_id: 'c', content: 'ok' }];
    const rows = [
      prompt('p', null, { timestamp: TIME }),
      assistant('a', 'p', call, { timestamp: TIME }),
      prompt('r', 'a', { timestamp: TIME, message: { role: 'user', content: results } }),
    ];
    const { stdout } = await run(rows);
    assert.match(
      stdout,
      /Claude's API refuses every further prompt of this session: \S+ repair --dry-run \S+ says why\. /,
    );
    assert.match((await run(rows, '--json')).stdout, /"isRefused": ?true/);
  });

  it('names what starts again by itself', async () => {
    const content = [{ type: 'tool_use', id: 'c', name: 'CronCreate', input: { cron: '0 * * * *', prompt: 'Look' } }];
    const results = [{ type: 'tool_result', tool_use_id: 'c', content: 'ok' }];
    const rows = [
      prompt('p', null, { timestamp: TIME }),
      assistant('a', 'p', content, { timestamp: TIME }),
      prompt('r', 'a', {
        timestamp: TIME,
        message: { role: 'user', content: results },
        toolUseResult: { id: 'k', recurring: true, humanSchedule: 'Every hour' },
      }),
    ];
    assert.match((await run(rows)).stdout, /Starts again by itself: “Look” \(Every hour\)\.\n$/);
  });

  it('puts a missing transcript on stderr and exits with 2', async () => {
    const { code, stdout, stderr } = await run(null);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /does not exist/);
  });

  it('rejects several files, and a client that is no version', async () => {
    assert.equal((await runCli(['preflight', 'a', 'b'])).code, 2);
    assert.match((await run([], '--client', 'new')).stderr, /--client needs a version/);
  });
});
