import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ScanDocument } from './documents';
import { withTemporaryFolder } from '../support/temporaryFolder';

const ROOT = resolve(__dirname, '../..');
const SHIPPED =
  /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md|dist\/(?:cli\.js|cli\.mjs|cli\/[^/]+\.mjs|scanner\.wasm|THIRD-PARTY-NOTICES\.txt))$/;

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', [...args, '--no-audit', '--no-fund'], {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
}

describe('The npm package', () => {
  it('holds the command line and nothing else, and runs where it is installed', () =>
    withTemporaryFolder((folder) => {
      // SAFETY: what npm prints.
      const [packed] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT)) as {
        filename: string;
        files: { path: string }[];
      }[];
      const others = packed?.files.map(({ path }) => path).filter((path) => !SHIPPED.test(path));
      assert.deepEqual(others, []);
      const place = join(folder, 'place');
      mkdirSync(place);
      npm(['install', '--offline', '--prefix', place, join(folder, packed?.filename ?? '')], place);
      assert.deepEqual(
        readdirSync(join(place, 'node_modules')).filter((name) => !name.startsWith('.')),
        ['rethread'],
      );
      const program = join(place, 'node_modules', '.bin', process.platform === 'win32' ? 'rethread.cmd' : 'rethread');
      assert.ok(existsSync(program));
      const run = (...args: string[]): string =>
        execFileSync(program, args, {
          encoding: 'utf8',
          shell: process.platform === 'win32',
          env: { ...process.env, HOME: folder },
        });
      assert.match(run('--version'), /\d+\.\d+\.\d+/);
      // SAFETY: what the command prints.
      const { sessions } = JSON.parse(
        run('scan', join(ROOT, 'fixtures/recordings/legacy-1.0.128'), '--json'),
      ) as ScanDocument;
      assert.ok(sessions.length > 0 && sessions.every(({ status }) => status === 'healthy'));
      return Promise.resolve();
    })).timeout(120_000);
});
