// @ts-check
// `npm test`: everything, from a fresh clone. Every `test:<name>` script of package.json is a suite (`test:<name>:<size>` is
// not), and a check counts as one test. A suite that fails does not keep the others from running, and one that ran nothing
// has failed. Behind all output stand the tests that failed, with their reasons, since a record of a run may hold only its end;
// the last line is `N passed, N failed`, with `, N skipped` when something could not be had here.
// A test that opens a window is run a second time if it fails; the reason of the first failure is printed all the same.
// What keeps one core busy and minds no other runs side by side. What measures, or opens a window, runs alone: a window that
// waits for a core is another window.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installDependencies } from './installDependencies.mjs';
import { npmScript } from './npmCommand.mjs';
import { SKIPPED_EXIT_CODE } from './unavailable.mjs';

const STEP_TIMEOUT_MS = 12 * 60_000;
/** What a suite that is ended has to put its own processes away. */
const KILL_AFTER_MS = 20_000;
/** Characters that are shown again of a failure that no test tells of. */
const LAST_WORDS = 1500;
const CHECKS = ['build', 'typecheck', 'lint', 'format:check', 'deadcode', 'package'];
/** Lists that run at the same time, each from its first to its last; everything else follows, one after the other. */
const SIDE_BY_SIDE = [
  [['build']],
  [['package']],
  [
    ['lint', 'test:unit', 'test:sessions', 'test:cli', 'test:guards', 'test:faults'],
    [
      ...['typecheck', 'format:check', 'deadcode'],
      ...['test:resume', 'test:poison', 'test:live', 'test:rewind', 'test:usage', 'test:redaction', 'test:fuzz'],
    ],
  ],
];

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/** @typedef {{ title: string, reason: string }} Failure */

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const temporary = mkdtempSync(join(tmpdir(), 'rethread-test-'));
/** @type {Set<number>} */
const runningGroups = new Set();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.once(signal, () => process.exit(1));
}
process.once('exit', () => {
  for (const group of runningGroups) endGroup(group, 'SIGTERM');
  rmSync(temporary, { recursive: true, force: true });
});

try {
  installDependencies();
} catch (error) {
  console.log(`${error}\n\n${sentence({ passed: 0, failed: 1, skipped: 0 })}`);
  process.exit(1);
}
/** @type {{ scripts: Record<string, string> }} */
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const suites = Object.keys(scripts).filter((name) => /^test:[^:]+$/.test(name));

/** @type {(Counts & { name: string, seconds: number, startMs: number, failures: Failure[], repeated: Failure[] })[]} */
const results = [];
const rest = [...CHECKS, ...suites].filter((name) => !SIDE_BY_SIDE.flat(2).includes(name));
const stages = [...SIDE_BY_SIDE, ...rest.map((name) => [[name]])];
for (const stage of stages) await Promise.all(stage.map(runList));
results.sort((a, b) => a.startMs - b.startMs);

for (const { name, repeated } of results) {
  for (const { title, reason } of repeated) console.log(`\nTRIED AGAIN in ${name}: ${title}\n${indent(reason)}`);
}
for (const { name, failures } of results) {
  for (const { title, reason } of failures) console.log(`\nFAILED in ${name}: ${title}\n${indent(reason)}`);
}
console.log('');
for (const result of results) {
  const { name, seconds, repeated } = result;
  const again = repeated.length > 0 ? `, ${repeated.length} tried again` : '';
  console.log(`${name.padEnd(14)} ${String(seconds).padStart(4)} s   ${sentence(result)}${again}`);
}
const total = results.reduce(add, { passed: 0, failed: 0, skipped: 0 });
process.exitCode = total.failed > 0 ? 1 : 0;
console.log(`\n${sentence(total)}`);

/** @param {readonly string[]} names */
async function runList(names) {
  for (const name of names) {
    const startMs = Date.now();
    const file = join(temporary, name.replace(':', '-'));
    const [countsFile, outputFile] = [`${file}.jsonl`, `${file}.txt`];
    const exitCode = await runScript(name, { countsFile, outputFile });
    // As a whole, so that what runs at the same time is not mixed up.
    const output = readFileSync(outputFile, 'utf8');
    console.log(`\n━━ npm run ${name}\n${output}`);
    const isCheck = CHECKS.includes(name);
    const counts = isCheck ? checkCounts(exitCode) : suiteCounts(exitCode, countsFile);
    const runs = isCheck ? [] : readCounts(countsFile);
    const failures = runs.flatMap((run) => run.failures ?? []);
    const repeated = runs.flatMap((run) => run.repeated ?? []);
    if (counts.failed > failures.length) failures.push({ title: 'its last words', reason: output.slice(-LAST_WORDS) });
    results.push({ name, ...counts, failures, repeated, startMs, seconds: Math.round((Date.now() - startMs) / 1000) });
  }
}

/**
 * @param {string} name
 * @param {{ countsFile: string, outputFile: string }} files  where the suite's reporter appends its counts, and what it prints goes
 * @returns {Promise<number | null>} its exit code; null when it was ended by a signal
 */
function runScript(name, { countsFile, outputFile }) {
  return new Promise((done, fail) => {
    const output = openSync(outputFile, 'a');
    const child = spawn(process.execPath, [npmScript(), 'run', '--silent', name], {
      env: { ...process.env, RETHREAD_TEST_COUNTS: countsFile },
      stdio: ['ignore', output, output],
      // A group of its own, so that all of it can be ended.
      detached: true,
    });
    closeSync(output);
    const group = child.pid ?? 0;
    if (group !== 0) runningGroups.add(group);
    const timer = setTimeout(() => {
      console.log(`${name} took more than ${STEP_TIMEOUT_MS / 60_000} minutes and was ended`);
      endGroup(group, 'SIGTERM');
    }, STEP_TIMEOUT_MS);
    const lastTimer = setTimeout(() => endGroup(group, 'SIGKILL'), STEP_TIMEOUT_MS + KILL_AFTER_MS);
    child.once('error', fail);
    child.once('exit', (code) => {
      clearTimeout(timer);
      clearTimeout(lastTimer);
      runningGroups.delete(group);
      done(code);
    });
  });
}

/**
 * @param {number} group
 * @param {NodeJS.Signals} signal
 */
function endGroup(group, signal) {
  if (!runningGroups.has(group)) return;
  try {
    process.kill(-group, signal);
  } catch {
    // It has ended by itself.
  }
}

/**
 * @param {number | null} exitCode
 * @returns {Counts}
 */
function checkCounts(exitCode) {
  const hasPassed = exitCode === 0;
  return { passed: hasPassed ? 1 : 0, failed: hasPassed ? 0 : 1, skipped: 0 };
}

/**
 * @param {number | null} exitCode
 * @param {string} countsFile
 * @returns {Counts}
 */
function suiteCounts(exitCode, countsFile) {
  const counts = readCounts(countsFile).reduce(add, { passed: 0, failed: 0, skipped: 0 });
  if (exitCode === SKIPPED_EXIT_CODE) return { ...counts, skipped: Math.max(counts.skipped, 1) };
  const hasRun = counts.passed + counts.failed + counts.skipped > 0;
  if (!hasRun) console.log('This suite ran no tests.');
  // A suite that dies after its last test has failed, too.
  const hasFailedOtherwise = !hasRun || (exitCode !== 0 && counts.failed === 0);
  return hasFailedOtherwise ? { ...counts, failed: counts.failed + 1 } : counts;
}

/**
 * @param {string} file
 * @returns {(Counts & { failures?: Failure[], repeated?: Failure[] })[]}
 */
function readCounts(file) {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}

/**
 * @param {Counts} a
 * @param {Counts} b
 * @returns {Counts}
 */
function add(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** @param {string} text */
function indent(text) {
  return text.replace(/^/gm, '    ');
}

/** @param {Counts} counts */
function sentence({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
