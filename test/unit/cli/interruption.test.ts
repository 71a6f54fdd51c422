import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { fakeEngine, repaired, scanned } from './fakeEngine';
import { runCli } from './runCli';

const FILES = Array.from({ length: 50 }, (_, at) => `/c/projects/p/${at}.jsonl`);

describe('An interruption', () => {
  it('by Ctrl-C ends a scan with exit code 130 and a document that can still be parsed', async () => {
    const stop = new AbortController();
    const engine = fakeEngine(
      FILES.map((file) => scanned(file)),
      [],
      {
        scan(filePath, options) {
          if (filePath === FILES[5]) stop.abort('SIGINT');
          return options?.signal?.aborted === true
            ? Promise.reject(new DOMException('aborted', 'AbortError'))
            : Promise.resolve(scanned(filePath));
        },
      },
    );
    const { code, stdout, stderr } = await runCli(['scan', '/c', '--json'], engine, { signal: stop.signal });
    assert.equal(code, 130);
    assert.equal(stderr, 'Stopped.\n');
    const { sessions } = JSON.parse(stdout) as { sessions: unknown[] };
    assert.ok(sessions.length < FILES.length);
  });

  it('by Ctrl-C prints no incomplete table', async () => {
    const stop = new AbortController();
    stop.abort('SIGINT');
    const { code, stdout } = await runCli(['scan', '/c'], fakeEngine([scanned('/c/a.jsonl')]), { signal: stop.signal });
    assert.equal(code, 130);
    assert.equal(stdout, '');
  });

  it('by SIGTERM exits with 143', async () => {
    const stop = new AbortController();
    stop.abort('SIGTERM');
    assert.equal((await runCli(['scan', '/c'], fakeEngine([]), { signal: stop.signal })).code, 143);
  });

  it('lets the current repair finish, starts no other, and reports what was done', async () => {
    const stop = new AbortController();
    const started: string[] = [];
    const engine = fakeEngine([], FILES.map(repaired), {
      async repair(filePath) {
        started.push(filePath);
        if (started.length === 2) stop.abort('SIGINT');
        await new Promise(setImmediate);
        return repaired(filePath);
      },
    });
    const { code, stdout } = await runCli(['repair', '/c'], engine, { signal: stop.signal });
    assert.equal(code, 130);
    assert.deepEqual(started, FILES.slice(0, 2));
    assert.match(stdout, /2 sessions repaired, as Claude Code 2\.1\.330 reads it\./);
  });

  it('by a reader that closes the pipe ends the work silently', async () => {
    let scans = 0;
    const engine = fakeEngine(
      FILES.map((file) => scanned(file)),
      [],
      {
        async scan(filePath) {
          scans += 1;
          await new Promise(setImmediate);
          return scanned(filePath);
        },
      },
    );
    const stdout = new Writable({
      highWaterMark: 1,
      write(_chunk, _encoding, done) {
        setImmediate(() => {
          done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
        });
      },
    });
    const { code, stderr } = await runCli(['scan', '/c', '--json'], engine, { stdout });
    assert.equal(code, 141);
    assert.equal(stderr, '');
    assert.ok(scans < FILES.length, `${scans} scans`);
  });

  it('by a full disk says that the output is not complete', async () => {
    const stdout = new Writable({
      write(_chunk, _encoding, done) {
        done(Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' }));
      },
    });
    const engine = fakeEngine(FILES.map((file) => scanned(file)));
    const { code, stderr } = await runCli(['scan', '/c', '--json'], engine, { stdout });
    assert.deepEqual([code, stderr], [2, 'The output could not be written (ENOSPC), so it is not complete.\n']);
  });
});
