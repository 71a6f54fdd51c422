import { CCUSAGE_VERSIONS, setupCcusage } from '../../../scripts/setupCcusage.mjs';
import { Unavailable } from '../../../scripts/unavailable.mjs';
import { prepareCorpus, type Corpus } from '../corpus';
import type { BenchCase, BenchContext } from '../context';
import { judge, notMeasured, type Goal, type GoalLine } from '../goal';
import type { Counts } from '../jobs/job';
import { measureJob, measureProgram, warmUp, type Measurement } from '../measure';
import { alternate, ratioOf, spreadOf, type Contenders } from '../rounds';

const AGAINST_SEED: Goal = { goal: 'Token counts: against the seed way', unit: '×', atLeast: 7 };
const AGAINST_NATIVE: Goal = {
  goal: `Token counts: CPU of ccusage ${CCUSAGE_VERSIONS.native} (native)`,
  unit: '×',
  atLeast: 2.5,
};
const AGAINST_JAVASCRIPT: Goal = { goal: `Token counts: CPU of ccusage ${CCUSAGE_VERSIONS.javascript}`, unit: '×' };
const TOTALS = ['input', 'output', 'cacheCreation', 'cacheRead'] as const;

/** The usage of every message, summed over all sessions. */
export const tokenCounts: BenchCase = async (context) => {
  const { sizes, isFullSize, measuring, log } = context;
  const corpus = prepareCorpus(sizes.mixed);
  log('token counts');
  warmUp(corpus.files);
  const { ours, seed } = await alternate(
    {
      ours: () => measureJob(measuring, 'oursUsage', corpus.files),
      seed: () => measureJob(measuring, 'seedUsage', corpus.files),
    },
    sizes.rounds,
  );
  const mine = ours[0]?.counts ?? {};
  const theirs = seed[0]?.counts ?? {};
  const spreads = { wall: ratioOf(seed, ours, 'wallMs'), CPU: ratioOf(seed, ours, 'cpuMs') };
  return [
    judge(AGAINST_SEED, spreads, isFullSize, compareTotals(mine, theirs, 'the same totals', 'The seed way')),
    await againstCcusage(context, corpus, 'native', theirs),
    await againstCcusage(context, corpus, 'javascript', theirs),
  ];
};

async function againstCcusage(
  { sizes, isFullSize, measuring, log }: BenchContext,
  corpus: Corpus,
  kind: keyof typeof CCUSAGE_VERSIONS,
  expected: Counts,
): Promise<GoalLine> {
  const goal = kind === 'native' ? AGAINST_NATIVE : AGAINST_JAVASCRIPT;
  let command: readonly string[];
  try {
    command = setupCcusage(kind);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return notMeasured(goal, error.message);
  }
  log(`token counts: ccusage ${CCUSAGE_VERSIONS[kind]}`);
  let found: Counts = {};
  const contenders = {
    ours: () => measureJob(measuring, 'oursUsage', corpus.files, { isFromStart: true }),
    ccusage: async (): Promise<Measurement> => {
      const env = { CLAUDE_CONFIG_DIR: corpus.configDir };
      const run = await measureProgram(measuring, [...command, 'daily', '--offline', '--json'], env);
      found = readTotals(run.stdout);
      return run;
    },
  } satisfies Contenders;
  const { ours, ccusage } = await alternate(contenders, kind === 'native' ? sizes.rounds : sizes.slowRounds);
  const cpu = ratioOf(ccusage, ours, 'cpuMs');
  const seconds = (spreadOf(ccusage.map(({ cpuMs }) => cpuMs)).median / 1000).toFixed(2);
  return judge(goal, { CPU: cpu }, isFullSize, `${seconds} s; ${explainTotals(found, expected)}`);
}

function readTotals(json: string): Counts {
  // SAFETY: what both versions print with --json.
  const { totals } = JSON.parse(json) as { totals: Counts };
  return {
    input: totals['inputTokens'] ?? NaN,
    output: totals['outputTokens'] ?? NaN,
    cacheCreation: totals['cacheCreationTokens'] ?? NaN,
    cacheRead: totals['cacheReadTokens'] ?? NaN,
  };
}

/** The messages that a tool must have counted to get its totals. */
function explainTotals(found: Counts, expected: Counts): string {
  const nested = Object.fromEntries(
    TOTALS.map((name) => [
      name,
      (expected[name] ?? 0) + (expected[`nested${name[0]?.toUpperCase()}${name.slice(1)}`] ?? 0),
    ]),
  );
  if (TOTALS.every((name) => found[name] === nested[name])) {
    return 'its totals are ours and, to the token, those of the messages inside `progress` rows';
  }
  return compareTotals(found, expected, 'the same totals, to the token', 'It');
}

function compareTotals(found: Counts, expected: Counts, same: string, who: string): string {
  const differences = TOTALS.filter((name) => found[name] !== expected[name]).map(
    (name) => `${name} ${(found[name] ?? NaN) - (expected[name] ?? NaN)}`,
  );
  return differences.length === 0 ? same : `${who} differs: ${differences.join(', ')}`;
}
