import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchSizes } from './benchSizes';
import { bundlePrograms } from './bundlePrograms';
import { prepareCorpus, type Corpus } from './corpus';
import { measureCounting, measureJob, warmUp, type Measuring } from './measure';
import { alternate, ratioOf, spreadOf } from './rounds';

const FILES = 240;
const BYTES = 300e6;
const ROUNDS = 3;

/** A part of the full-size ratio, where compiling the scanner weighs little: a loaded machine must not fail here. */
const MIN_TIMES_SEED = 2;
const MIN_USAGE_TIMES_SEED = 3.5;
const MAX_TIMES_TENTH = 11;
const MAX_PEAK_MB = 120;
/** About half and a sixth of what is measured on a machine with other load, too. */
const MIN_TIMES_SCRATCH = 2;
const MIN_TIMES_ANEW = 8;

describe('A corpus of 300 MB', function () {
  this.timeout(90_000);
  const sizes = benchSizes(FILES, BYTES);
  let measuring: Measuring;
  let corpus: Corpus;

  before(async () => {
    measuring = { programs: await bundlePrograms(), home: mkdtempSync(join(tmpdir(), 'rethread-bench-home-')) };
    corpus = prepareCorpus(sizes.mixed);
    warmUp(corpus.files);
  });

  after(() => {
    rmSync(measuring.home, { recursive: true, force: true });
  });

  it(`is scanned cold in less than 1/${MIN_TIMES_SEED} of the CPU time of JSON.parse on each line`, async () => {
    const { ours, seed } = await alternate(
      {
        ours: () => measureJob(measuring, 'oursScan', corpus.files),
        seed: () => measureJob(measuring, 'seedScan', corpus.files),
      },
      ROUNDS,
    );
    for (const { counts } of ours) assert.deepEqual([counts['files'], counts['bytes']], [FILES, corpus.bytes]);
    const { median } = ratioOf(seed, ours, 'cpuMs');
    console.log(`      ${median.toFixed(2)} times as fast`);
    assert.ok(median >= MIN_TIMES_SEED, `${median.toFixed(2)} times`);
  });

  it('has the token counts of JSON.parse on each line, in a fraction of its CPU time', async () => {
    const { ours, seed } = await alternate(
      {
        ours: () => measureJob(measuring, 'oursUsage', corpus.files),
        seed: () => measureJob(measuring, 'seedUsage', corpus.files),
      },
      ROUNDS,
    );
    for (const [name, count] of Object.entries(ours[0]?.counts ?? {})) assert.equal(count, seed[0]?.counts[name], name);
    const { median } = ratioOf(seed, ours, 'cpuMs');
    console.log(`      ${median.toFixed(2)} times as fast`);
    assert.ok(median >= MIN_USAGE_TIMES_SEED, `${median.toFixed(2)} times`);
  });

  it('is not counted again by the Tokens view, neither when it opens nor after a message', async () => {
    const task = { sessions: 3000, messages: 50, rounds: 5, grownMessages: 2000 };
    const folder = mkdtempSync(join(measuring.home, 'tokens-'));
    const { paints, appends, scratch, anew } = await measureCounting(measuring, { folder, ...task });
    const medianOf = (times: typeof paints): number => spreadOf(times.map(({ cpuMs }) => cpuMs)).median;
    const opening = scratch.cpuMs / medianOf(paints);
    const appending = medianOf(anew) / medianOf(appends);
    console.log(`      ${opening.toFixed(1)} times as fast to open, ${appending.toFixed(1)} times after a message`);
    assert.ok(opening >= MIN_TIMES_SCRATCH, `${opening.toFixed(2)} times`);
    assert.ok(appending >= MIN_TIMES_ANEW, `${appending.toFixed(2)} times`);
  });

  it('takes at most eleven times the CPU time with ten times the files', async () => {
    const few = prepareCorpus(sizes.tenth).files;
    const many = prepareCorpus(sizes.tenfold).files;
    const measured = await alternate(
      {
        few: () => measureJob(measuring, 'oursScan', few),
        many: () => measureJob(measuring, 'oursScan', many),
      },
      ROUNDS,
    );
    assert.ok(ratioOf(measured.many, measured.few, 'cpuMs').median <= MAX_TIMES_TENTH);
  });

  it(`never needs more than ${MAX_PEAK_MB} MB per process`, async () => {
    for (const { files } of [corpus, prepareCorpus(sizes.oneFile)]) {
      const { peakMb = NaN } = await measureJob(measuring, 'oursScan', files);
      assert.ok(peakMb <= MAX_PEAK_MB, `${peakMb.toFixed(0)} MB`);
    }
  });
});
