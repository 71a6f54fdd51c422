import assert from 'node:assert/strict';
import { join } from 'node:path';
import { assertNoFaults } from '../support/assertNoFaults';
import { faultsOfCheck } from '../support/faultsOfCheck';
import { runSize } from '../support/runSize';
import { useResumeChecks } from '../support/useResumeChecks';
import { copyTranscript } from '../support/workingCopies';
import { faultsOfResults } from './support/faultsOfResults';
import { LIVE_SHAPES } from './support/liveShapes/allShapes';
import { useLiveShapes } from './support/useLiveShapes';

const QUICK = [
  'searches of the API',
  'a Stop hook that lets Claude go on once',
  'killed during a call, and resumed',
  '/compact with words',
  '/clear',
];

describe('The real client resumes what it wrote itself, as predicted', () => {
  const shapes = Object.entries(LIVE_SHAPES).filter(([name]) => runSize().isFull || QUICK.includes(name));
  const drive = useLiveShapes();
  const sessions = shapes.flatMap(([name, shape]) => Array.from({ length: shape.sessions }, (_, at) => ({ name, at })));
  const check = useResumeChecks(
    sessions.map(({ name, at }) => async (folder) => {
      const { transcripts, lacks } = await drive(name);
      assert.deepEqual(lacks, [], 'the client did something else');
      assert.equal(transcripts.length, LIVE_SHAPES[name]?.sessions);
      const own = join(folder, `${name.replace(/\W+/g, '-')}-${at}`);
      return { name, filePath: await copyTranscript(transcripts[at] ?? '', own), operations: [] };
    }),
  );

  sessions.forEach(({ name, at }, place) => {
    it(at === 0 ? name : `${name}: session ${at + 1}`, async () => {
      const { copy, check: checked } = await check(place);
      const { before, original, wasChanged } = checked;
      const { findings, resume } = before.scan;
      assertNoFaults(copy, [
        ...faultsOfCheck(checked),
        ...faultsOfResults(original, resume.missingLines, before.run.messages),
      ]);
      assert.deepEqual(
        findings.filter(({ severity }) => severity !== 'info'),
        [],
      );
      assert.equal(before.scan.status, 'healthy');
      assert.ok(before.leaf.isEqual);
      assert.equal(wasChanged, false);
    });
  });
});
