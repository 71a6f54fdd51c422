import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createOwnCheckpoints } from '../rooms/history';
import { nodeWriteFs } from '../rooms/storage';
import { temporaryFolder } from '../support/temporaryFolder';
import { bundleProgram } from './support/bundleProgram';
import { rewindSize } from './support/rewindSize';

const LARGE_BYTES = rewindSize().isFull ? 1_000_000_000 : 60_000_000;
const MAX_BYTES = 2_000_000_000;
const SESSION = 'large';
/** The memory of a started Node, and a few pieces of a file. */
const MAX_PEAK_MB = 110;

/**
 * Prints on stderr how much memory the program used, in MB. Linux's own peak of this program, because `maxRSS` would include that of
 * the process that started it.
 */
const MEASURED = `process.on('exit', () => {
  let peakKb = process.resourceUsage().maxRSS;
  try {
    peakKb = Number(/VmHWM:\\s+(\\d+)/.exec(require('node:fs').readFileSync('/proc/self/status', 'utf8'))[1]);
  } catch {}
  process.stderr.write('peak ' + peakKb / 1024);
});
require(process.argv[1]);`;

describe('A checkpoint of a large file', function () {
  this.timeout(300_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let program: string;

  before(async () => {
    folder = await temporaryFolder();
    program = await bundleProgram('src/cli/main.ts', join(folder.path, 'program'));
  });
  after(() => {
    folder.remove();
  });

  async function runHook(path: string): Promise<number> {
    const configDir = join(folder.path, 'config');
    const child = spawn(
      process.execPath,
      ['-e', MEASURED, program, 'checkpoint', '--hook', '--max-file-size-mb', '2000'],
      {
        env: { PATH: process.env['PATH'], CLAUDE_CONFIG_DIR: configDir },
      },
    );
    child.stdin.end(
      JSON.stringify({ session_id: SESSION, cwd: folder.path, tool_name: 'Write', tool_input: { file_path: path } }),
    );
    const [said, measured] = [text(child.stdout), text(child.stderr)];
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    assert.equal(await said, '');
    return Number((await measured).split('peak ')[1]);
  }

  const states = async () => {
    const configDir = join(folder.path, 'config');
    mkdirSync(configDir, { recursive: true });
    const parts = { fs: nodeWriteFs, now: Date.now, random: () => 'x', configDir: () => configDir };
    return (await createOwnCheckpoints(parts).read(SESSION)).map(({ files }) => files[0]?.state);
  };

  it(`of ${LARGE_BYTES / 1e6} MB is taken piece by piece`, async () => {
    const path = join(folder.path, 'large');
    const file = openSync(path, 'w');
    for (let at = 0; at < LARGE_BYTES / 1e6; at++) writeSync(file, Buffer.alloc(1e6, `${at} `));
    closeSync(file);
    const peakMb = await runHook(path);
    console.log(`      ${peakMb.toFixed(0)} MB`);
    assert.ok(peakMb < MAX_PEAK_MB, `${peakMb} MB`);
    const [state] = await states();
    assert.ok(state?.kind === 'file');
    assert.deepEqual([state.size, statSync(state.contentPath).size], [LARGE_BYTES, LARGE_BYTES]);
  });

  it('above the limit is not taken, which is reported', async () => {
    const path = join(folder.path, 'too large');
    writeFileSync(path, '');
    truncateSync(path, MAX_BYTES + 1);
    await runHook(path);
    assert.deepEqual((await states()).at(-1), {
      kind: 'notKept',
      why: 'tooLarge',
      size: MAX_BYTES + 1,
      maxBytes: MAX_BYTES,
    });
  });
});
