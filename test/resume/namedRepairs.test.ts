import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createEngine } from '../../src/core/engine';
import { comparePrediction } from '../support/comparePrediction';
import { DIAGNOSTICS } from '../support/diagnosed';
import { findClient } from '../support/findClient';
import { FIXTURES, listCorruptCases, listRecordings } from '../support/fixtures';
import { judge } from '../support/judge';
import { largeVariant } from '../support/largeVariant';
import { type MockApi, startMockApi } from '../support/mockApi';
import { quietMachine } from '../support/quietMachine';
import { resumeWithRealClient } from '../support/realClient';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { withTemporaryFolder } from '../support/temporaryFolder';

const SESSION = '44444444-4444-4444-8444-444444444444';

/** Transcripts of which the client resumes an older branch, and the last message of the newer one. */
const LEFT = listCorruptCases()
  .filter(({ name, spacing }) => spacing === 'far' && /^o[14]-/.test(name))
  .flatMap(({ name, bytes }) => [
    { name, bytes },
    { name: `${name}, of more than 5 MiB`, bytes: largeVariant(bytes, 'large', 1) },
  ]);

describe('The real client, after a repair that was asked for by its name', function () {
  let client = '';
  let api: MockApi;

  before(async function () {
    this.timeout(0);
    client = await skipWhenUnavailable(this, () => findClient());
    api = await startMockApi();
  });

  after(async () => {
    await api.close();
  });

  async function repaired(bytes: Buffer, code: string, check: (filePath: string) => Promise<void>): Promise<void> {
    await withTemporaryFolder(async (folder) => {
      const filePath = join(folder, 'projects', '-p', `${SESSION}.jsonl`);
      mkdirSync(dirname(filePath), { recursive: true });
      writeFileSync(filePath, bytes);
      const engine = createEngine({ machine: quietMachine(), configDir: folder, diagnostics: DIAGNOSTICS });
      const before = await engine.scan(filePath);
      const outcome = await engine.repair(filePath, { code, mayBeLive: true });
      assert.equal(outcome.result.status, 'repaired', outcome.problem ?? '');
      await check(filePath);
      const { resume } = (await engine.scan(filePath)).result;
      const run = await resumeWithRealClient(filePath, { client, api });
      const judged = judge(readFileSync(filePath), run.messages);
      assert.ok(comparePrediction(readFileSync(filePath), resume, judged).isEqual, JSON.stringify([resume, judged]));
      if (code === 'invisible') assert.deepEqual(resume, before.result.resume);
      else assert.equal(run.attachedTo, resume.leafUuid);
    });
  }

  for (const { name, bytes } of LEFT) {
    it(`continues with the newest messages: ${name}`, async () => {
      await repaired(bytes, 'wrong-leaf', async (filePath) => {
        const engine = createEngine({
          machine: quietMachine(),
          configDir: dirname(filePath),
          diagnostics: DIAGNOSTICS,
        });
        const { resume, findings } = (await engine.scan(filePath)).result;
        assert.deepEqual(
          findings.filter(({ code }) => code === 'wrong-leaf'),
          [],
        );
        assert.ok(resume.loads < resume.of);
      });
    });
  }

  it('continues with the newest messages where it resumed nothing, because it would have continued from a subagent', async () => {
    const file = listRecordings().find((each) => each.includes('legacy-1.0.128') && each.includes('77777771')) ?? '';
    const recording = readFileSync(join(FIXTURES, file), 'utf8');
    const leafUuid = /"isSidechain":true.*"uuid":"(?<uuid>[^"]+)"/.exec(recording)?.groups?.['uuid'];
    assert.ok(leafUuid !== undefined, file);
    const misled = `${recording}${JSON.stringify({ type: 'last-prompt', lastPrompt: 'x', leafUuid, sessionId: SESSION })}\n`;
    const said: string[] = [];
    await repaired(Buffer.from(misled), 'wrong-leaf', async (filePath) => {
      const engine = createEngine({ machine: quietMachine(), configDir: dirname(filePath), diagnostics: DIAGNOSTICS });
      const { resume, findings } = (await engine.scan(filePath)).result;
      said.push(...findings.map(({ code }) => code));
      assert.equal(resume.loads, resume.of);
    });
    assert.ok(!said.includes('wrong-leaf'));
  });

  const unlisted = listRecordings().filter((file) => /77777771-|plain-chat|tools-parallel/.test(file));
  for (const file of unlisted) {
    it(`loads the same of a session that is listed then: ${file.split('/')[1]}`, async () => {
      await repaired(readFileSync(join(FIXTURES, file)), 'invisible', () => Promise.resolve());
    });
  }
});
