import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Mutant } from './mutant';

const ROOT = resolve(__dirname, '../..');
/** What a test may read beside the sources; the copy shares it. */
const SHARED = ['node_modules', 'fixtures', 'docs', 'scripts', 'package.json', 'l10n', 'dist'];
const MAX_OUTPUT = 20_000;
/** For mutants that hang; their tests take a tenth of this otherwise. */
const HANGS_AFTER_MS = 15_000;
const ENDS_AFTER_MS = 600_000;

export interface TestRun {
  readonly passed: number;
  /** Full titles. */
  readonly failed: readonly string[];
  /** It did not come to an end, and was killed. */
  readonly hasHung: boolean;
  /** What mocha printed, for a run that did not get as far as its tests. */
  readonly output: string;
}

/** A copy of the sources and the tests, in which one guard at a time is removed. */
export class MutatedCopy {
  /** @param folder  absolute; it is filled, and the caller removes it */
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    for (const name of ['src', 'test']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    for (const name of SHARED) symlinkSync(join(ROOT, name), join(folder, name));
    for (const name of ['tsconfig.json', 'tsconfig.base.json']) cpSync(join(ROOT, name), join(folder, name));
  }

  /** Throws if the guard is not, or not only once, in the source. */
  async runWithout({ file, find, replacement, tests, hangs }: Mutant): Promise<TestRun> {
    const path = join(this.folder, 'src', file);
    const source = readFileSync(path, 'utf8');
    const parts = source.split(find);
    if (parts.length !== 2) throw new Error(`The guard is ${parts.length - 1} times in ${file}: ${find}`);
    writeFileSync(path, parts.join(replacement));
    try {
      return await this.run(tests, hangs === true ? HANGS_AFTER_MS : ENDS_AFTER_MS);
    } finally {
      writeFileSync(path, source);
    }
  }

  /** @param tests  paths from `test/`. Stops at the first test that fails. */
  run(tests: readonly string[], limitMs = ENDS_AFTER_MS): Promise<TestRun> {
    const mocha = join(ROOT, 'node_modules/mocha/bin/mocha.js');
    const files = tests.map((test) => join('test', test));
    const options = [
      '--no-config',
      '--require',
      'tsx/cjs',
      '--bail',
      '--timeout',
      '60000',
      '--reporter',
      'json-stream',
    ];
    return new Promise((done, fail) => {
      const child = spawn(process.execPath, [mocha, ...options, ...files], {
        cwd: this.folder,
        env: { ...process.env, RETHREAD_TEST_COUNTS: undefined },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      let hasHung = false;
      const timer = setTimeout(() => {
        hasHung = true;
        child.kill('SIGKILL');
      }, limitMs);
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      }
      child.once('error', fail);
      child.once('close', () => {
        clearTimeout(timer);
        done(runOf(output, hasHung));
      });
    });
  }
}

function runOf(output: string, hasHung: boolean): TestRun {
  const failed: string[] = [];
  let passed = 0;
  for (const line of output.split('\n')) {
    if (line.startsWith('["pass",')) passed += 1;
    const [, title] = /^\["fail",\{.*?"fullTitle":"((?:[^"\\]|\\.)*)"/.exec(line) ?? [];
    if (title !== undefined) failed.push(title);
  }
  return { passed, failed, hasHung, output: output.slice(-MAX_OUTPUT) };
}
