import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { createEngine } from '../../../src/core/engine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import {
  assistant,
  boundary,
  call,
  prompt,
  reply,
  result,
  transcript,
  type RowFields,
} from '../../support/transcriptBuilder';
import { runCli, type CliRun } from './runCli';

const ID = '44444444-4444-4444-8444-444444444444';
const TALK: readonly RowFields[] = [
  prompt('p', null, { message: { role: 'user', content: 'Mend the \u001b]0;owned\u0007 parser\n\n    indented' } }),
  assistant('t', 'p', [{ type: 'thinking', thinking: 'Where is it?' }], {}, 'msg_1'),
  assistant('c', 't', [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } }], {}, 'msg_1'),
  result('a', 'c', 't1', {
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'one\ntwo' }] },
  }),
  call('d', 'a', 't2'),
  reply('old', 'd'),
  reply('r', 'd'),
];

/** Runs `show` with these arguments on a session of these rows. `FILE` in them stands for its transcript. */
function show(rows: readonly RowFields[], argv: readonly string[], options: object = {}): Promise<CliRun> {
  return showText(transcript(rows), argv, options);
}

async function showText(text: string | Buffer, argv: readonly string[], options: object = {}): Promise<CliRun> {
  const runs: CliRun[] = [];
  await withTemporaryFolder(async (folder) => {
    const file = join(folder, `${ID}.jsonl`);
    await writeFile(file, text);
    const engine = createEngine({ configDir: folder });
    const given = argv.map((each) => (each === 'FILE' ? file : each));
    const { code, stdout, stderr } = await runCli(given, engine, { home: folder, cwd: folder, ...options });
    runs.push({ code, stdout: stdout.replaceAll(folder, '~'), stderr: stderr.replaceAll(folder, '~') });
  });
  const [run] = runs;
  if (run === undefined) throw new Error('Failed to run the command');
  return run;
}

function hasCodes(text: string): boolean {
  return ['\u001b', '\u0007'].some((code) => text.includes(code));
}

describe('show', () => {
  it('prints one document: the session, its messages and their number', async () => {
    const { code, stdout, stderr } = await show(TALK, ['show', 'FILE', '--json']);
    assert.deepEqual([code, stderr], [0, '']);
    // SAFETY: checked below.
    const document = JSON.parse(stdout) as {
      session: Record<string, unknown>;
      messages: { kind: string; index: number; line: number; parts: { kind: string }[] }[];
      total: number;
    };
    assert.deepEqual(Object.keys(document), ['session', 'messages', 'total']);
    assert.equal(document.session['sessionId'], ID);
    assert.equal(document.total, 5);
    assert.deepEqual(
      document.messages.map(({ line, parts }) => [line, ...parts.map(({ kind }) => kind)]),
      [
        [1, 'text'],
        [2, 'thinking'],
        [3, 'tool'],
        [5, 'tool'],
        [7, 'text'],
      ],
    );
    assert.equal(stdout.trimEnd().split('\n').length, 7);
  });

  it('prints the requested messages, and the total count', async () => {
    const { stdout } = await show(TALK, ['show', 'FILE', '--json', '--from', '1', '--count', '2']);
    // SAFETY: the shape is the contract of this command.
    const { messages, total } = JSON.parse(stdout) as { messages: { index: number }[]; total: number };
    assert.deepEqual([messages.map(({ index }) => index), total], [[1, 2], 5]);
    const page = await show(TALK, ['show', 'FILE', '--from', '1', '--count', '2']);
    assert.match(page.stdout, /\n1–2 of 5, counted from 0\.\n$/);
  });

  it('prints a readable conversation: the speaker, the text, and each call on one line', async () => {
    const { code, stdout } = await show(TALK, ['show', 'FILE'], { columns: 80 });
    assert.equal(code, 0);
    const lines = stdout.split('\n');
    assert.ok(
      lines.some((line) => line.startsWith('❯ You  ')),
      stdout,
    );
    assert.equal(lines.filter((line) => line.startsWith('● Claude  ')).length, 3, stdout);
    assert.ok(lines.includes('  ∴ Where is it?'));
    assert.ok(lines.includes('  ✓ Bash  npm test  one (2 lines)'), stdout);
    assert.ok(
      lines.some((line) => line.startsWith('  … Bash') && line.endsWith('no result')),
      stdout,
    );
    assert.ok(lines.includes('      indented'), 'spaces that mean something stay');
    assert.match(stdout, /⑂ 1 message of another branch \(--branch 6\): reply old/);
    assert.match(stdout, /ended · .* · 5 messages/);
    for (const line of lines) assert.ok(line.length <= 120, line);
  });

  it('prints a text of hundreds of thousands of lines', async () => {
    const text = Array.from({ length: 300_000 }, (_, line) => `line ${line}`).join('\n');
    const rows = [prompt('p1', null, { message: { role: 'user', content: text } })];
    const { code, stdout, stderr } = await show(rows, ['show', 'FILE']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.ok(stdout.includes('\n  line 299999\n'));
  });

  it('shows another branch', async () => {
    const { stdout } = await show(TALK, ['show', 'FILE', '--branch', '6']);
    assert.match(stdout, /reply old/);
    assert.doesNotMatch(stdout, /^ {2}reply r$/m);
    const missing = await show(TALK, ['show', 'FILE', '--branch', 'nobody']);
    assert.deepEqual([missing.code, missing.stdout], [2, '']);
    assert.match(missing.stderr, /has no message nobody\./);
  });

  it('counts the messages of another branch also where they span several lines', async () => {
    const pretty = TALK.map((row) => JSON.stringify(row, null, 2)).join('\n');
    for (const text of [transcript(TALK), `${pretty}\n`]) {
      const { stdout } = await showText(text, ['show', 'FILE']);
      assert.match(stdout, /⑂ 1 message of another branch/);
      // The call without a result is of this thread.
      assert.match(stdout, /Claude remembers 3 of 5 messages/);
    }
  });

  it('shows breaks and compactions', async () => {
    const rows = [
      prompt('p', null),
      reply('r', 'p'),
      boundary('b', null, { trigger: 'auto', preTokens: 154_000 }),
      prompt('q', 'b'),
      reply('s', 'nowhere'),
    ];
    const { stdout } = await show(rows, ['show', 'FILE']);
    assert.match(stdout, /── compacted \(auto, 154,000 tokens before\)/);
    assert.match(stdout, /── (broken here|a link leads nowhere).* \(line 5\)/);
  });

  it('says that the history begins where the parent of its first message is missing', async () => {
    const { stdout } = await show([prompt('p', 'gone'), reply('r', 'p')], ['show', 'FILE']);
    assert.match(stdout, /^── the history begins here \(line 1\) ─+$/m);
    assert.doesNotMatch(stdout, /broken here/);
    const lost = await show([prompt('p', null), reply('r', 'p'), prompt('q', 'gone')], ['show', 'FILE', '--from', '2']);
    assert.match(lost.stdout, /^── broken here: nothing above reaches Claude \(line 3\) ─+$/m);
  });

  it('marks the part of a message that is not remembered', async () => {
    const rows = [
      prompt('p', null),
      assistant('t', 'p', [{ type: 'text', text: 'Let me look.' }], {}, 'msg_1'),
      assistant('c', 't', [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }], {}, 'msg_1'),
      assistant('r', 'c', [{ type: 'text', text: 'Done.' }], {}, 'msg_2'),
    ];
    const { stdout } = await show(rows, ['show', 'FILE']);
    assert.match(stdout, /Claude remembers 2 of 3 messages/);
    assert.match(
      stdout,
      /^● Claude {2}[\d:]+ {2}line 2\n {2}Let me look\.\n\n● Claude {2}[\d:]+ {2}line 3 {2}not remembered\n/m,
    );
    assert.match(stdout, /^● Claude {2}[\d:]+ {2}line 4\n {2}Done\./m);
  });

  it('says that a result without its call is of a tool', async () => {
    const result = [{ type: 'tool_result', tool_use_id: 'gone', content: 'A file' }];
    const rows = [
      prompt('p', null),
      { ...prompt('q', 'p'), message: { role: 'user', content: result } },
      reply('r', 'q'),
    ];
    const { stdout } = await show(rows, ['show', 'FILE']);
    assert.match(stdout, /^· Tool {2}.*\n {2}⎿ result without its call/m);
    assert.equal(stdout.match(/❯ You/g)?.length, 1);
  });

  it('prints no control characters from a transcript, and colours only on a terminal', async () => {
    assert.ok(!hasCodes((await show(TALK, ['show', 'FILE'])).stdout));
    const colored = await show(TALK, ['show', 'FILE'], { isTerminal: true });
    assert.ok(colored.stdout.includes('\u001b[1m'));
    assert.ok(!hasCodes(stripVTControlCharacters(colored.stdout)));
  });

  it('reports what cannot be read', async () => {
    const { code, stdout, stderr } = await show(TALK, ['show', '/nowhere.jsonl', '--json']);
    assert.deepEqual([code, stdout, stderr], [2, '', '/nowhere.jsonl does not exist.\n']);
  });

  it('reports a session without messages', async () => {
    const { code, stdout } = await show([], ['show', 'FILE']);
    assert.equal(code, 0);
    assert.match(stdout, /no messages/);
  });

  for (const [what, argv] of [
    ['no FILE', ['show']],
    ['two FILEs', ['show', 'a', 'b']],
    ['an empty FILE', ['show', '']],
    ['a --from that is no number', ['show', 'a', '--from', 'x']],
    ['a --count of nothing', ['show', 'a', '--count', '0']],
    ['an empty --branch', ['show', 'a', '--branch', '']],
    ['an unknown option', ['show', 'a', '--all']],
  ] as const) {
    it(`is a usage error with ${what}`, async () => {
      const { code, stdout, stderr } = await runCli(argv);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /\nTry "rethread show --help"\.\n$/);
    });
  }

  it('has a help text', async () => {
    assert.match((await runCli(['show', '--help'])).stdout, /^Usage: rethread show FILE \[options\]/);
  });
});
