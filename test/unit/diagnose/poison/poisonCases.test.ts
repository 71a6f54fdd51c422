import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine, type Engine } from '../../../../src/core/engine';
import type { Finding } from '../../../../src/protocol/repair';
import { contentFindings } from '../../../support/contentFindings';
import { FIXTURES, listRecordings } from '../../../support/fixtures';
import { listPoisonCases, type PoisonCase, withRefusedPrompt } from '../../../support/poisonCases';
import { quietMachine } from '../../../support/quietMachine';
import { withTemporaryFolder } from '../../../support/temporaryFolder';

const CASES = listPoisonCases();

/** Refused by an older or another API alone: the transcript shows it only after a prompt was refused. */
const SEEN_BY_ERROR: ReadonlySet<string> = new Set([
  't6b-hollow-must-contain',
  'r1-starts-with-assistant',
  'r2-two-assistants',
]);
/** What the client heals and the transcript does not show: only the API can check a signature. */
const UNSEEN: ReadonlySet<string> = new Set([
  ...['t3-signature-foreign', 't4-altered-old-turn', 't5-altered-last-tool-turn', 't6-hollow-refused'],
  ...['t7-redacted-garbage', 't13-bound-prefix'],
]);
/** What the client heals dearly, and what a repair of that code changes instead: the fields of its edits. */
const OFFERED: Readonly<Record<string, readonly string[]>> = {
  'd1-pdf-invalid': ['line', 'parentUuid'],
  'd2-pdf-101-pages': ['line', 'parentUuid'],
  'd3-pdf-password': ['line', 'parentUuid'],
  'd4-result-pdf-invalid': ['line', 'parentUuid'],
  'i1-media-type': ['message.content.0.source.media_type'],
  'i2-mismatch': ['message.content.0.source.media_type'],
  'i3-empty': ['line', 'parentUuid'],
  'i4-base64': ['line', 'parentUuid'],
  'i4b-data-url': ['message.content.0.source.data'],
  'i5-unreadable': ['line', 'parentUuid'],
  'i5b-cut': ['line', 'parentUuid'],
  'i7-8000px': ['line', 'parentUuid'],
  'i8-many-2000px': ['message.content.0'],
  'i9-101-images': ['message.content.0'],
  'i10-result-unreadable': ['line', 'parentUuid'],
  'i10b-result-mismatch': ['message.content.0.content.0.source.media_type'],
  'i12-result-8000px': ['line', 'parentUuid'],
  'i13-old-and-good': ['line', 'parentUuid'],
  'i14-last-prompt-no-reply': ['line'],
  'i15-old-error-row': ['line', 'parentUuid'],
  'i16-own-error-row': ['line', 'parentUuid'],
  'i17-own-error-row-deleted': ['line'],
  't1-signature-empty': ['line'],
  't2-signature-missing': ['line'],
  't16-old-error-row': ['line'],
  'u6-id-twice': ['message.content.0.id', 'message.content.0.tool_use_id'],
  'u8b-assistant-between': ['parentUuid', 'parentUuid', 'parentUuid'],
  'w3-server-split': ['parentUuid', 'parentUuid', 'parentUuid'],
};

const CODES: Readonly<Record<string, string>> = { surrogate: 'lone-surrogate' };

function codeOf({ verdict }: PoisonCase): string {
  return CODES[verdict.class] ?? verdict.class;
}

/** As a person finds it: where the transcript alone does not show the fault, after a refused prompt. */
function textOf({ name, text, verdict }: PoisonCase): string {
  return SEEN_BY_ERROR.has(name) ? withRefusedPrompt(text, verdict.first.shown ?? '') : text;
}

interface Bench {
  readonly engine: Engine;
  readonly filePath: string;
}

function withCase<T>(text: string, use: (bench: Bench) => Promise<T>): Promise<T> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
    await writeFile(filePath, text);
    return use({ engine: createEngine({ machine: quietMachine(), configDir: join(folder, 'none') }), filePath });
  });
}

async function findingsOf({ engine, filePath }: Bench): Promise<readonly Finding[]> {
  return contentFindings((await engine.scan(filePath, { isThorough: true })).result);
}

describe('A session whose every prompt is refused', () => {
  const poisoned = CASES.filter(({ verdict }) => verdict.first.outcome === 'refused');

  it('is covered by every class that the real client does not heal', () => {
    const classes = new Set(poisoned.map(({ verdict }) => verdict.class));
    assert.equal(poisoned.length, 30);
    assert.deepEqual([...classes].sort(), [
      ...['block-type', 'cache-control', 'empty-content', 'empty-text', 'extra-field', 'mcp-type', 'role'],
      ...['server-tool', 'thinking', 'tool-input', 'tool-names', 'tool-pairing', 'tool-result'],
    ]);
  });

  for (const poison of poisoned) {
    const { name, verdict } = poison;
    it(`is broken, with the code of its class and the guilty line: ${name}`, async () => {
      const findings = await withCase(textOf(poison), findingsOf);
      assert.deepEqual(
        findings.map(({ code, severity }) => [code, severity]),
        [[codeOf(poison), 'error']],
      );
      const lines = findings[0]?.lines ?? [];
      const guilty = verdict.first.guilty?.lines ?? lines;
      assert.ok(
        guilty.some((line) => lines.includes(line)),
        `names ${lines.join(', ')}, guilty is ${guilty.join(', ')}`,
      );
    });
  }

  for (const poison of poisoned) {
    it(`is repaired once, exactly undone, and loses no message: ${poison.name}`, async () => {
      const text = textOf(poison);
      await withCase(text, async (bench) => {
        const { engine, filePath } = bench;
        const planned = await engine.planRepair(filePath);
        assert.equal(await readFile(filePath, 'utf8'), text);
        const { result, problem } = await engine.repair(filePath);
        assert.equal(problem, null);
        assert.equal(result.status, 'repaired');
        assert.deepEqual(result.edits, planned.result.edits);
        assert.ok(result.resumeAfter.loads >= result.resumeBefore.loads);
        assert.deepEqual(await findingsOf(bench), []);
        assert.equal((await engine.repair(filePath)).result.status, 'already_healthy');
        assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
        assert.equal(await readFile(filePath, 'utf8'), text);
      });
    });
  }
});

describe('A refused message that is in the file more than once', () => {
  for (const where of ['right behind it', 'at the end', 'at the end, written in another way'] as const) {
    it(`is repaired in all of its copies, so that they stay identical: ${where}`, async () => {
      const found = CASES.find(({ name }) => name === 'u13-input-string');
      const lines = found?.text.trimEnd().split('\n') ?? [];
      const at = lines.findIndex((line) => line.includes('"input":"'));
      const line = lines[at];
      assert.ok(line !== undefined);
      const copy = where.endsWith('another way') ? line.replaceAll('":', '" : ') : line;
      lines.splice(where === 'right behind it' ? at + 1 : lines.length, 0, copy);
      await withCase(`${lines.join('\n')}\n`, async (bench) => {
        const { result } = await bench.engine.repair(bench.filePath);
        assert.equal(result.status, 'repaired');
        assert.equal(result.edits.filter(({ field }) => field.endsWith('input')).length, 2);
        assert.deepEqual(
          (await findingsOf(bench)).filter(({ severity }) => severity === 'error'),
          [],
        );
        assert.equal((await bench.engine.repair(bench.filePath)).result.status, 'already_healthy');
        assert.equal((await bench.engine.undoRepair(bench.filePath)).result.status, 'repaired');
        assert.equal(await readFile(bench.filePath, 'utf8'), `${lines.join('\n')}\n`);
      });
    });
  }
});

describe('A refused session in the list', () => {
  const rows = CASES.find(({ name }) => name === 'u13-input-string');
  assert.ok(rows !== undefined);
  const { text, verdict } = rows;
  const refused = withRefusedPrompt(text, verdict.first.shown ?? '');

  it('is found by a scan that looks at the request only if the last message is an error', () =>
    withCase(refused, async ({ engine, filePath }) => {
      const [finding] = (await engine.scan(filePath)).result.findings;
      assert.deepEqual([finding?.code, finding?.severity, finding?.isRefused], ['tool-input', 'error', true]);
    }));

  it('is not judged before a prompt was refused, unless somebody asks', () =>
    withCase(text, async (bench) => {
      assert.deepEqual((await bench.engine.scan(bench.filePath)).result.findings, []);
      assert.deepEqual(
        (await findingsOf(bench)).map(({ code }) => code),
        ['tool-input'],
      );
    }));

  it('is found as its transcript grows, and no longer once a reply follows', () =>
    withCase(text, async ({ engine, filePath }) => {
      const follower = engine.follow(filePath);
      const codes = async (): Promise<string[]> => (await follower.read()).result.findings.map(({ code }) => code);
      assert.deepEqual(await codes(), []);
      await appendFile(filePath, refused.slice(text.trimEnd().length + 1));
      assert.deepEqual(await codes(), ['tool-input']);
      // SAFETY: the row of the error has these fields.
      const error = JSON.parse(refused.trimEnd().split('\n').at(-1) ?? '') as { uuid: string; message: object };
      const uuid = '99999999-0000-4000-8000-000000000000';
      const message = { ...error.message, id: 'msg_1', model: 'claude-sonnet-4-5' };
      const reply = { ...error, uuid, parentUuid: error.uuid, isApiErrorMessage: false, message };
      await appendFile(filePath, `${JSON.stringify(reply)}\n`);
      assert.deepEqual(await codes(), []);
      follower.close();
    }));
});

describe('A session that the client heals or sends as it is', () => {
  const accepted = CASES.filter(({ verdict }) => verdict.first.outcome !== 'refused');

  for (const accepted1 of accepted) {
    const { name, verdict } = accepted1;
    it(`has no finding above info, and a plain repair leaves it alone: ${name}`, async () => {
      await withCase(accepted1.text, async (bench) => {
        const findings = await findingsOf(bench);
        assert.deepEqual(
          findings.filter(({ severity }) => severity !== 'info'),
          [],
        );
        const offers = findings.filter(({ action }) => action !== 'tell');
        assert.equal(offers.length, name in OFFERED ? 1 : 0);
        for (const { action, code, message } of offers) {
          assert.equal(action, 'ask');
          assert.ok(message.includes(`--class ${code}`), message);
        }
        for (const { code } of findings) assert.equal(code, codeOf(accepted1));
        if (verdict.first.outcome === 'healed after refusal' && !UNSEEN.has(name)) assert.equal(findings.length, 1);
        assert.equal((await bench.engine.repair(bench.filePath)).result.status, 'already_healthy');
      });
    });
  }

  for (const [name, fields] of Object.entries(OFFERED)) {
    it(`is repaired by name, keeps what nothing is wrong with, and is exactly undone: ${name}`, async () => {
      const offered = CASES.find((each) => each.name === name);
      assert.ok(offered !== undefined);
      const content = { code: codeOf(offered) };
      await withCase(offered.text, async (bench) => {
        const { engine, filePath } = bench;
        const planned = await engine.planRepair(filePath, content);
        assert.deepEqual(
          planned.result.edits.map(({ field }) => field),
          fields,
        );
        const { result, problem } = await engine.repair(filePath, content);
        assert.equal(problem, null);
        assert.deepEqual(result.edits, planned.result.edits);
        assert.ok(result.resumeAfter.loads >= result.resumeBefore.loads);
        assert.deepEqual(await findingsOf(bench), []);
        assert.equal((await engine.repair(filePath, content)).result.status, 'already_healthy');
        assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
        assert.equal(await readFile(filePath, 'utf8'), offered.text);
      });
    });
  }

  it('has no finding about a text before a result if the client joins its row with another', async () => {
    const healthy = CASES.find(({ name }) => name === 'h0-healthy')?.text ?? '';
    const lines = healthy.trimEnd().split('\n');
    const parallel = lines.findIndex(
      (line, at) => line.includes('"tool_result"') && lines[at + 1]?.includes('"tool_result"'),
    );
    assert.ok(parallel > 0);
    const content = '"content":[';
    lines[parallel] = lines[parallel]?.replace(content, `${content}{"type":"text","text":"note"},`) ?? '';
    assert.deepEqual(await withCase(`${lines.join('\n')}\n`, findingsOf), []);
  });

  for (const recording of listRecordings()) {
    it(`has no finding about its request: ${recording}`, async () => {
      const engine = createEngine({ machine: quietMachine(), configDir: '/nowhere' });
      const filePath = join(FIXTURES, recording);
      const [plain, judged] = [await engine.scan(filePath), await engine.scan(filePath, { isThorough: true })];
      assert.deepEqual(contentFindings(judged.result), plain.result.findings);
    });
  }
});
