import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { withRefusedPrompt } from '../support/poisonCases';
import { costlyAtRandom, COSTLY_CLASSES } from './costlyRows';
import { useJudgedClient } from './judgedClient';
import { POISON_CLASSES, poisonedAtRandom } from './poisonRows';
import type { ApiLimits } from './publishedRules';

const isFull = process.env['RETHREAD_POISON'] === 'full';

/** `RETHREAD_POISON=full` requests this number of variants of each class instead of one. */
const seeds = (full: number): readonly number[] => Array.from({ length: isFull ? full : 1 }, (_, at) => at + 1);

/** Classes that only some APIs refuse, or only for sizes that take too long here. They are found once a prompt was refused. */
const LIMITS: Readonly<Record<string, ApiLimits>> = {
  role: { strictRoles: true },
  'request-size': { maxBytes: 300_000 },
};

/** What the client writes into the transcript instead of the API's sentence. */
const TOO_LARGE =
  'Request too large (max 32MB). Accumulated images and attachments in the conversation pushed it over the limit.';

describe('A session whose every prompt is refused is accepted by the API after its repair', () => {
  const untouched = useJudgedClient();
  const judged = useJudgedClient();
  const counts = new Map<string, number>();

  after(() => {
    console.log([...counts].map(([code, count]) => `${code} ${count}`).join(', '));
  });

  for (const code of POISON_CLASSES) {
    for (const seed of seeds(17)) {
      it(`${code}, seed ${seed}`, async () => {
        const [first, second] = [untouched(), judged()];
        const { engine, filePath } = second;
        const text = poisonedAtRandom(code, seed);
        const limits = LIMITS[code];
        await writeFile(first.filePath, text);
        await writeFile(filePath, text);
        // The client reads a failed result for itself, and a null in it ends the client before it asks.
        const endsClient = text.includes('"content":[null');
        const asked = first.ask(limits).then(({ exitCode, accepted, refused: [sentence = ''] }) => {
          assert.equal(accepted, '', 'the real client is answered before the repair');
          assert.equal(sentence === '', endsClient, 'the real client is not refused before the repair');
          assert.notEqual(exitCode, 0);
          return sentence;
        });
        if (limits !== undefined) {
          const sentence = await asked;
          const shown = sentence.startsWith('Request') ? TOO_LARGE : `API Error: 400 ${sentence}`;
          await writeFile(filePath, withRefusedPrompt(text, shown));
        }
        const { result } = await engine.scan(filePath, { isThorough: true });
        assert.ok(
          result.findings.some((finding) => finding.code === code && finding.severity === 'error'),
          JSON.stringify(result.findings),
        );
        const repair = await engine.repair(filePath, { code: null });
        assert.equal(repair.result.status, 'repaired', repair.problem ?? '');
        const [, after] = await Promise.all([asked, second.ask(limits)]);
        assert.deepEqual([after.exitCode, ...after.refused], [0]);
        counts.set(code, (counts.get(code) ?? 0) + 1);
      });
    }
  }
});

describe('A session of which the client leaves out more than it has to is sent with all that is good after a repair by name', () => {
  const untouched = useJudgedClient();
  const judged = useJudgedClient();
  const counts = new Map<string, number>();

  after(() => {
    console.log([...counts].map(([code, count]) => `${code} ${count}`).join(', '));
  });

  for (const code of COSTLY_CLASSES) {
    for (const seed of seeds(10)) {
      it(`${code}, seed ${seed}`, async () => {
        const [first, second] = [untouched(), judged()];
        const { engine, filePath } = second;
        const { text, good } = costlyAtRandom(code, seed);
        await writeFile(first.filePath, text);
        await writeFile(filePath, text);
        assert.equal((await engine.repair(filePath, { code: null })).result.status, 'already_healthy');
        const repair = await engine.repair(filePath, { code });
        assert.equal(repair.result.status, 'repaired', repair.problem ?? '');
        const [before, after] = await Promise.all([first.ask(), second.ask()]);
        assert.ok(before.refused.length + before.lacks(good).length > 0, 'nothing is wrong before the repair');
        assert.deepEqual([after.exitCode, ...after.refused], [0]);
        assert.deepEqual(after.lacks(good), []);
        counts.set(code, (counts.get(code) ?? 0) + 1);
      });
    }
  }
});
