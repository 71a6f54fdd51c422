import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lines, prompt, reply, uuidOf } from '../support/transcriptBuilder';
import { assertPeakBelow, runMeasured } from './runMeasured';

const PROJECTS = 200;
/** What the program needs for a few sessions, and for each more: 300 MB for a hundred thousand. */
const BASE_MIB = 150;
const MIB_PER_SESSION = 0.00136;

/** Scans a config folder with very many short sessions, as a table and as JSON. */
export function describeManySessions(sessions: number): void {
  describe(`A config folder with ${sessions.toLocaleString('en')} sessions`, function () {
    this.timeout(0);
    let folder = '';
    const bound = Math.round(BASE_MIB + MIB_PER_SESSION * sessions);

    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'rethread-many-'));
      writeSessions(join(folder, '.claude'), sessions);
    });

    after(async () => {
      await rm(folder, { recursive: true, force: true });
    });

    it(`is scanned within ${bound} MiB`, async () => {
      const run = await runMeasured(folder, ['scan', join(folder, '.claude')]);
      // SAFETY: the shape is the contract of the command; its values are checked here.
      const { totals } = run.document as { totals: { sessions: number; healthy: number } };
      assert.deepEqual([run.code, totals.sessions, totals.healthy], [0, sessions, sessions], run.stderr);
      assertPeakBelow(bound, run, 'scan --json');
    });

    it(`is printed as a table within ${bound} MiB`, async () => {
      const run = await runMeasured(folder, ['scan', join(folder, '.claude')], 'text');
      const printed = String(run.document).split('\n');
      assert.equal(run.code, 0, run.stderr);
      assert.equal(printed.filter((line) => line.startsWith('✓ healthy')).length, sessions);
      const summary = `${sessions.toLocaleString('en')} sessions, all healthy`;
      assert.ok(printed.at(-3)?.startsWith(summary), printed.slice(-3).join('\n'));
      assertPeakBelow(bound, run, 'scan');
    });
  });
}

function writeSessions(configDir: string, sessions: number): void {
  const rows = lines([prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')]);
  const text = rows.map((row) => `${row}\n`).join('');
  const names = ['p1', 'r1', 'p2', 'r2'].map((name) => uuidOf(name).slice(0, 8));
  for (let project = 0; project < PROJECTS; project++)
    mkdirSync(join(configDir, 'projects', `-p-${project}`), { recursive: true });
  for (let session = 0; session < sessions; session++) {
    const id = `${session.toString(16).padStart(8, '0')}-4444-4444-8444-444444444444`;
    // The rows of each session have their own uuids.
    let own = text.replaceAll('44444444-4444-4444-8444-444444444444', id);
    for (const [at, name] of names.entries())
      own = own.replaceAll(name, (session * 4 + at).toString(16).padStart(8, '0'));
    writeFileSync(join(configDir, 'projects', `-p-${session % PROJECTS}`, `${id}.jsonl`), own);
  }
}
