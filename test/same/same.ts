// `npm run same -- <commit> [--random N] [--seed S] [--only command,…] [--file N | --fixture PATH] [--keep DIR]`: runs
// the same command lines in the build of a commit and that of the working tree, for all fixtures and N random
// transcripts, in one process. Exits with 1 if any answer differs, or if nothing was compared. --file and --fixture
// select one transcript;
// --keep copies the files of a difference into a folder.
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../support/temporaryFolder';
import { askSide, dropSyncs } from './askSide';
import { buildCommit, buildWorkingTree, type Side } from './buildSide';
import { COMMANDS, hasContent, listInvocations, type CommandName, type Invocation } from './commands';
import { compareAnswers, uuidsIn, type AnswerDifference } from './compareAnswers';
import { clearPlace, listFixtureCases, type Case, type Place } from './places';
import { randomCase } from './randomCases';

const DEFAULT_RANDOM = 300;
/** A few differences show a mistake as well as thousands. */
const MAX_DIFFERENCES = 10;
const PROGRESS_MS = 10_000;

interface Count {
  comparisons: number;
  /** Command lines whose answer is not empty. */
  withContent: number;
  ms: [judge: number, candidate: number];
}

interface Run {
  readonly sides: readonly [judge: Side, candidate: Side];
  readonly only: ReadonlySet<CommandName>;
  readonly counts: Map<CommandName, Count>;
  readonly keep: string | undefined;
  differences: number;
}

const { values, positionals } = parseArgs({
  options: {
    random: { type: 'string', default: String(DEFAULT_RANDOM) },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    only: { type: 'string', default: COMMANDS.join(',') },
    file: { type: 'string' },
    fixture: { type: 'string' },
    keep: { type: 'string' },
  },
  allowPositionals: true,
});

void main();

async function main(): Promise<void> {
  const startMs = Date.now();
  const [commit] = positionals;
  if (commit === undefined || positionals.length > 1) throw new RangeError('Name one commit: npm run same -- <commit>');
  const seed = wholeNumber('seed', values.seed);
  const cases = listCases(seed);
  const sides = [await buildCommit(commit), await buildWorkingTree()] as const;
  const run: Run = { sides, only: parseCommands(values.only), counts: new Map(), keep: values.keep, differences: 0 };
  console.log(`${sides[0].name} against the ${sides[1].name}, seed ${seed}, ${cases.length} files`);
  await dropSyncs();
  const files = await compareCases(cases, run);
  const isWhole = files === cases.length;
  printCounts(run);
  const idle = [...run.only].filter((command) => (run.counts.get(command)?.withContent ?? 0) === 0);
  const isOne = values.file !== undefined || values.fixture !== undefined;
  const comparisons = [...run.counts.values()].reduce((sum, count) => sum + count.comparisons, 0);
  if (!isWhole) console.log('Not every file was compared.');
  // A single file may have no tasks, and nothing to repair.
  if (idle.length > 0 && !isOne) console.log(`Nothing of substance was compared for ${idle.join(', ')}.`);
  const isProof = isWhole && comparisons > 0 && (isOne || idle.length === 0);
  const seconds = ((Date.now() - startMs) / 1000).toFixed(1);
  console.log(`${files} files, ${comparisons} comparisons, ${run.differences} differences, ${seconds} seconds`);
  process.exitCode = isProof && run.differences === 0 ? 0 : 1;
}

/** Created one by one: thousands of them are not kept. */
function listCases(seed: number): { readonly length: number; readonly at: (place: number) => Case } {
  if (values.file !== undefined) {
    const file = wholeNumber('file', values.file);
    return { length: 1, at: () => randomCase(seed, file) };
  }
  const fixtures = listFixtureCases().filter(({ name }) => values.fixture === undefined || name === values.fixture);
  const random = values.fixture === undefined ? wholeNumber('random', values.random) : 0;
  return {
    length: fixtures.length + random,
    at: (place) => fixtures[place] ?? randomCase(seed, place - fixtures.length),
  };
}

/** Returns how many were compared completely. */
async function compareCases(cases: ReturnType<typeof listCases>, run: Run): Promise<number> {
  const folder = await temporaryFolder();
  const root = join(folder.path, 'place');
  // No part of either build finds a real config folder, in whatever way it is looked up.
  process.env['HOME'] = clearPlace(root).home;
  process.env['USERPROFILE'] = process.env['HOME'];
  delete process.env['CLAUDE_CONFIG_DIR'];
  let printedMs = Date.now();
  try {
    for (let at = 0; at < cases.length; at++) {
      await compareCase(cases.at(at), clearPlace(root), run);
      if (run.differences >= MAX_DIFFERENCES) return at + 1;
      if (Date.now() - printedMs < PROGRESS_MS) continue;
      printedMs = Date.now();
      console.log(`  ${at + 1} of ${cases.length} files`);
    }
    return cases.length;
  } finally {
    folder.remove();
  }
}

async function compareCase(one: Case, place: Place, run: Run): Promise<void> {
  const { filePath, history } = one.write(place);
  const known = knownIds(place);
  for (const invocation of listInvocations(place, filePath, one.seed)) {
    if (!run.only.has(invocation.command)) continue;
    const difference = await compareInvocation(invocation, place, run, (uuid) => known.has(uuid));
    if (difference === null) continue;
    run.differences++;
    printDifference(one, history, invocation, difference, run);
    if (run.keep !== undefined) cpSync(place.root, join(run.keep, one.name.replace(/\W+/g, '-')), { recursive: true });
    if (run.differences >= MAX_DIFFERENCES) return;
  }
}

/** Null if both sides give the same answer. */
async function compareInvocation(
  invocation: Invocation,
  place: Place,
  { sides, counts }: Run,
  isKnownId: (uuid: string) => boolean,
): Promise<AnswerDifference | null> {
  const startMs = performance.now();
  const expected = await askSide(sides[0], invocation, place);
  const betweenMs = performance.now();
  const actual = await askSide(sides[1], invocation, place);
  const endMs = performance.now();
  const count = counts.get(invocation.command) ?? { comparisons: 0, withContent: 0, ms: [0, 0] };
  counts.set(invocation.command, count);
  count.comparisons++;
  if (hasContent(invocation.command, expected)) count.withContent++;
  count.ms[0] += betweenMs - startMs;
  count.ms[1] += endMs - betweenMs;
  return compareAnswers(invocation, expected, actual, isKnownId);
}

/** The uuids in all files of the place. */
function knownIds({ root }: Place): ReadonlySet<string> {
  const known = new Set<string>();
  for (const path of readdirSync(root, { recursive: true }) as string[]) {
    for (const uuid of uuidsIn(path)) known.add(uuid);
    const file = join(root, path);
    if (statSync(file).isFile()) for (const uuid of uuidsIn(readFileSync(file, 'latin1'))) known.add(uuid);
  }
  return known;
}

function printDifference(
  one: Case,
  history: readonly string[],
  { command, argv }: Invocation,
  { where, expected, actual }: AnswerDifference,
  { sides }: Run,
): void {
  const lines = [
    `DIFFERENCE in ${command}: ${one.name}`,
    ...history.map((step) => `  · ${step}`),
    `  rethread ${argv.join(' ')}`,
    `  at ${where}`,
    `  ${sides[0].name}: ${expected}`,
    `  ${sides[1].name}: ${actual}`,
    `  again with: npm run same -- ${sides[0].name} ${one.options} --only ${command}`,
  ];
  console.log(lines.join('\n'));
}

function printCounts({ counts, sides }: Run): void {
  for (const [command, { comparisons, withContent, ms }] of counts) {
    const [judge, candidate] = ms.map((sum) => (sum / 1000).toFixed(1));
    const times = `${judge} s at ${sides[0].name}, ${candidate} s in the ${sides[1].name}`;
    console.log(`${command}: ${comparisons} comparisons, ${withContent} with content, ${times}`);
  }
}

function parseCommands(text: string): ReadonlySet<CommandName> {
  const names = text.split(',').map((name) => {
    const command = COMMANDS.find((each) => each === name);
    if (command === undefined) throw new RangeError(`--only takes ${COMMANDS.join(',')}, not ${name}`);
    return command;
  });
  return new Set(names);
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) throw new RangeError(`--${name} is a whole number, not ${text}`);
  return number;
}
