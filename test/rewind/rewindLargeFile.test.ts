import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { RewindFilesResult } from '../../src/protocol/history';
import { temporaryFolder } from '../support/temporaryFolder';
import { PROMPT, sessionWith } from '../unit/history/rewind/oneFile';
import { backup, SESSION } from '../unit/history/rewind/rewindFixture';
import { bundleProgram } from './support/bundleProgram';
import { makePlace, type Place } from './support/place';
import { rewindSize } from './support/rewindSize';

const LARGE_BYTES = rewindSize().isFull ? 1_000_000_000 : 60_000_000;
/** The memory of a Node with the whole program loaded, and a few pieces of a file. */
const MAX_PEAK_MB = 160;

/** Prints on stderr how much memory the program used, in MB. The build fills in the version. */
const MEASURED = `globalThis.__RETHREAD_VERSION__ = '0';
process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS / 1024));
require(process.argv[1]);`;

describe('A rewind of a large file', function () {
  this.timeout(600_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let program: string;
  let place: Place;

  before(async () => {
    folder = await temporaryFolder();
    program = await bundleProgram('src/cli/main.ts', join(folder.path, 'program'));
    place = makePlace(folder.path, SESSION);
    const kept = backup(place, 'large.bin', 1, '');
    writeLarge(join(place.backupFolder, kept.backupFileName ?? ''), 'was');
    writeLarge(join(place.cwd, 'large.bin'), 'is');
    sessionWith(place, { 'large.bin': kept });
  });
  after(() => {
    folder.remove();
  });

  async function run(...args: string[]): Promise<{ readonly result: RewindFilesResult; readonly peakMb: number }> {
    const child = spawn(process.execPath, ['-e', MEASURED, program, 'rewind', place.filePath, ...args, '--json'], {
      cwd: place.cwd,
      env: { PATH: process.env['PATH'], HOME: place.home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [said, measured] = [text(child.stdout), text(child.stderr)];
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    // SAFETY: what the command line prints with --json.
    return { result: JSON.parse(await said) as RewindFilesResult, peakMb: Number((await measured).split('peak ')[1]) };
  }

  for (const [label, args] of [
    ['is looked at', [PROMPT, '--dry-run']],
    ['is made', [PROMPT]],
    ['is undone', ['--undo']],
  ] as const) {
    it(`of ${LARGE_BYTES / 1e6} MB ${label} piece by piece`, async () => {
      const { result, peakMb } = await run(...args);
      console.log(`      ${peakMb.toFixed(0)} MB`);
      assert.deepEqual(result.filesChanged, [join(place.cwd, 'large.bin')]);
      assert.deepEqual([result.insertions, result.deletions], [0, 0]);
      assert.ok(peakMb < MAX_PEAK_MB, `${peakMb} MB`);
      assert.equal(statSync(join(place.cwd, 'large.bin')).size, LARGE_BYTES);
      assert.equal(existsSync(join(place.configDir, 'rethread')), label !== 'is looked at');
    });
  }
});

function writeLarge(path: string, word: string): void {
  const file = openSync(path, 'w');
  for (let at = 0; at < LARGE_BYTES / 1e6; at++) writeSync(file, Buffer.alloc(1e6, `${word} ${at}\n`));
  closeSync(file);
}
