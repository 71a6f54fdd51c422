import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { Writable } from 'node:stream';
import { createEngine } from '../../../src/core/engine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { call, nameOf, prompt, reply, result, transcript, type RowFields } from '../../support/transcriptBuilder';
import { runCli } from './runCli';
import { RunningCli } from './runningCli';

const ID = '4444abcd-4444-4444-8444-444444444444';
function prompts(count: number, from = 0): RowFields[] {
  return Array.from({ length: count }, (_, at) =>
    prompt(`p${from + at}`, from + at === 0 ? null : `p${from + at - 1}`),
  );
}

interface Message {
  readonly uuid: string | null;
  readonly line: number;
  readonly parts: readonly { readonly result?: unknown }[];
}

class Tail extends RunningCli {
  constructor(
    readonly home: string,
    readonly filePath: string,
    argv: readonly string[],
  ) {
    super(home, ['tail', ...argv]);
  }

  get messages(): Message[] {
    // SAFETY: the shape is the contract of this command.
    return this.documents as Message[];
  }

  get names(): (string | null)[] {
    return this.messages.map(({ uuid }) => (uuid === null ? null : nameOf(uuid)));
  }

  append(...rows: readonly RowFields[]): void {
    appendFileSync(this.filePath, transcript(rows));
  }

  async expect(...names: readonly string[]): Promise<void> {
    await this.until(() => this.names.length >= names.length);
    assert.deepEqual(this.names, names);
  }
}

/** Starts `tail` on a session of these rows. `FILE` in the arguments stands for its transcript. */
async function withTail(
  rows: readonly RowFields[],
  argv: readonly string[],
  check: (tail: Tail) => Promise<void>,
): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const project = join(folder, '.claude', 'projects', 'p');
    mkdirSync(project, { recursive: true });
    const filePath = join(project, `${ID}.jsonl`);
    writeFileSync(filePath, transcript(rows));
    const tail = new Tail(
      folder,
      filePath,
      argv.map((each) => (each === 'FILE' ? filePath : each)),
    );
    try {
      await check(tail);
    } finally {
      await tail.stop();
    }
  });
}

describe('tail', () => {
  it('prints the last ten messages, one on a line, and then each that is written, until it is interrupted', () =>
    withTail(prompts(12), ['FILE', '--json'], async (tail) => {
      const last = Array.from({ length: 10 }, (_, at) => `p${at + 2}`);
      await tail.expect(...last);
      tail.append(...prompts(2, 12));
      await tail.expect(...last, 'p12', 'p13');
      assert.deepEqual([await tail.stop(), tail.stderr.text], [0, '']);
    }));

  it('prints the objects that show prints', () =>
    withTail([prompt('p', null), call('c', 'p', 't1'), result('a', 'c', 't1')], [ID, '--json'], async (tail) => {
      await tail.expect('p', 'c');
      const { stdout } = await runCli(['show', ID, '--json'], undefined, {
        home: tail.home,
        cwd: tail.home,
        createEngine,
      });
      assert.deepEqual(tail.messages, (JSON.parse(stdout) as { messages: unknown }).messages);
    }));

  it('begins with the message that --from names', async () => {
    await withTail(prompts(12), ['FILE', '--json', '--from', '0'], async (tail) => {
      await tail.expect(...Array.from({ length: 12 }, (_, at) => `p${at}`));
    });
    await withTail(prompts(12), ['FILE', '--json', '--from', '13'], async (tail) => {
      tail.append(...prompts(3, 12));
      await tail.expect('p13', 'p14');
    });
  });

  it('prints a call again when it gets its result', () =>
    withTail([prompt('p', null), call('c', 'p', 't1')], ['FILE', '--json'], async (tail) => {
      await tail.expect('p', 'c');
      tail.append(result('a', 'c', 't1'));
      await tail.expect('p', 'c', 'c');
      const [, before, after] = tail.messages;
      assert.deepEqual([before?.uuid, before?.line], [after?.uuid, after?.line]);
      assert.equal(before?.parts[0]?.result, null);
      assert.notEqual(after?.parts[0]?.result, null);
    }));

  it('says that the history begins where the parent of its first message is missing, as show does', async () => {
    await withTail([prompt('p', 'gone'), reply('r', 'p')], ['FILE'], async (tail) => {
      await tail.until(() => tail.stdout.text.includes('reply r'));
      const stdout = stripVTControlCharacters(tail.stdout.text);
      assert.match(stdout, /^── the history begins here \(line 1\) ─+$/m);
      assert.doesNotMatch(stdout, /broken here/);
    });
    await withTail([prompt('p', null), reply('r', 'p'), prompt('q', 'gone')], ['FILE'], async (tail) => {
      await tail.until(() => tail.stdout.text.includes('prompt q'));
      const stdout = stripVTControlCharacters(tail.stdout.text);
      assert.match(stdout, /^── broken here: nothing above reaches Claude \(line 3\) ─+$/m);
    });
  });

  it('prints text for people without --json, and no control characters of the transcript', () =>
    withTail([prompt('p', null)], ['FILE'], async (tail) => {
      await tail.until(() => tail.stdout.text.includes('prompt p'));
      tail.append(reply('r', 'p', { message: { role: 'assistant', content: 'so \u001b]0;owned\u0007 it is' } }));
      await tail.until(() => tail.stdout.text.includes('it is'));
      assert.match(tail.stdout.text, /^❯ You/mu);
      assert.match(tail.stdout.text, /^● Claude/mu);
      assert.equal(stripVTControlCharacters(tail.stdout.text), tail.stdout.text);
    }));

  it('prints ten thousand messages that are written at once', () =>
    withTail(prompts(1), ['FILE', '--json'], async (tail) => {
      await tail.expect('p0');
      for (let at = 0; at < 100; at++) tail.append(...prompts(100, 1 + at * 100));
      await tail.until(() => tail.stdout.text.endsWith('\n') && tail.names.length > 10_000);
      assert.deepEqual(
        tail.names,
        Array.from({ length: 10_001 }, (_, at) => `p${at}`),
      );
    }));

  for (const [what, change] of [
    [
      'truncated',
      (path: string): void => {
        truncateSync(path, transcript(prompts(2)).length);
      },
    ],
    [
      'replaced',
      (path: string): void => {
        writeFileSync(`${path}.x`, transcript(prompts(2)));
        renameSync(`${path}.x`, path);
      },
    ],
  ] as const) {
    it(`says that the transcript was ${what}, and begins again`, () =>
      withTail(prompts(3), ['FILE', '--json'], async (tail) => {
        await tail.expect('p0', 'p1', 'p2');
        change(tail.filePath);
        await tail.expect('p0', 'p1', 'p2', 'p0', 'p1');
        tail.append(prompt('x', 'p1'));
        await tail.expect('p0', 'p1', 'p2', 'p0', 'p1', 'x');
        assert.match(tail.stderr.text, /^~\/\S+ was truncated or replaced\. Its messages begin again\.\n$/u);
      }));
  }

  it('says once that the transcript is gone, and goes on when it is back', () =>
    withTail(prompts(2), ['FILE', '--json'], async (tail) => {
      await tail.expect('p0', 'p1');
      const other = join(tail.home, 'other');
      renameSync(tail.filePath, other);
      await tail.until(() => tail.stderr.text !== '');
      await delay(20);
      renameSync(other, tail.filePath);
      tail.append(...prompts(1, 2));
      await tail.expect('p0', 'p1', 'p2');
      assert.match(tail.stderr.text, /^~\/\S+ is gone: it was deleted or moved\. Waiting for it\.\n$/u);
    }));

  it('goes on with the transcript of the session where that is moved to', () =>
    withTail(prompts(3), ['FILE', '--json', '--from', '1'], async (tail) => {
      await tail.expect('p1', 'p2');
      const project = join(tail.home, '.claude', 'projects', 'q');
      mkdirSync(project);
      const moved = join(project, `${ID}.jsonl`);
      renameSync(tail.filePath, moved);
      await tail.until(() => tail.stderr.text.includes(`The session is in ~/.claude/projects/q/${ID}.jsonl.\n`));
      appendFileSync(moved, transcript(prompts(1, 3)));
      await tail.expect('p1', 'p2', 'p3');
    }));

  it('waits for the transcript of a deleted session until it is interrupted', () =>
    withTail(prompts(1), ['FILE', '--json'], async (tail) => {
      await tail.expect('p0');
      rmSync(tail.filePath);
      await tail.until(() => tail.stderr.text !== '');
      assert.equal(await tail.stop('SIGTERM'), 0);
      assert.equal(tail.stderr.text.split('\n').length, 2);
    }));

  it('waits when a folder or a FIFO takes the place of the transcript', function () {
    if (process.platform === 'win32') this.skip();
    return withTail(prompts(1), ['FILE', '--json'], async (tail) => {
      await tail.expect('p0');
      rmSync(tail.filePath);
      execFileSync('mkfifo', [tail.filePath]);
      await tail.until(() => tail.stderr.text !== '');
      rmSync(tail.filePath);
      writeFileSync(tail.filePath, transcript([prompt('x', null)]));
      await tail.expect('p0', 'x');
    });
  });

  it('reports a transcript that cannot be read at the start', () =>
    withTail([], ['nowhere.jsonl', '--json'], async (tail) => {
      await tail.until(() => tail.stderr.text !== '');
      assert.deepEqual([await tail.stop(), tail.stdout.text], [2, '']);
      assert.equal(tail.stderr.text, '~/nowhere.jsonl does not exist.\n');
    }));

  it('follows a session that has no messages', () =>
    withTail([], [ID.slice(0, 8), '--json'], async (tail) => {
      tail.append(prompt('p', null));
      await tail.expect('p');
    }));

  it('ends when the reader of its output closes the pipe', () =>
    withTemporaryFolder(async (folder) => {
      const filePath = join(folder, `${ID}.jsonl`);
      writeFileSync(filePath, transcript(prompts(1)));
      const stdout = new Writable({
        write(_chunk, _encoding, done) {
          done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
        },
      });
      const { code, stderr } = await runCli(['tail', filePath, '--json'], undefined, {
        home: folder,
        createEngine,
        stdout,
      });
      assert.deepEqual([code, stderr], [141, '']);
    }));

  for (const [what, argv] of [
    ['no FILE', ['tail']],
    ['two FILEs', ['tail', 'a', 'b']],
    ['a --from that is no number', ['tail', 'a', '--from', 'x']],
  ] as const) {
    it(`is a usage error with ${what}`, async () => {
      const { code, stdout, stderr } = await runCli(argv);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /\nTry "rethread tail --help"\.\n$/);
    });
  }

  it('has a help text that says when a message is printed again', async () => {
    const { stdout } = await runCli(['tail', '--help']);
    assert.match(stdout, /printed\nagain as a whole; its line and uuid stay the same/u);
    for (const line of stdout.split('\n')) assert.ok(line.length <= 90, line);
  });
});
