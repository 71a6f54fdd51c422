import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../../src/core/engine';
import { contentFindings } from '../../../support/contentFindings';
import { listPoisonCases } from '../../../support/poisonCases';
import { quietMachine } from '../../../support/quietMachine';
import { withTemporaryFolder } from '../../../support/temporaryFolder';

const HEALTHY = listPoisonCases().find(({ name }) => name === 'h0-healthy')?.text ?? '';

/** What is said of a session, and how the content is after its repair; `before` and `after` are JSON. */
interface Expected {
  readonly findings: readonly (readonly [code: string, severity: string])[];
  readonly after: string;
}

/** Repairs a session once; a second repair finds nothing to do, and an undo restores every byte. */
async function check(before: string, place: string, code: string | null, expected: Expected): Promise<void> {
  const text = HEALTHY.replace(place, before);
  assert.notEqual(text, HEALTHY);
  await withTemporaryFolder(async (folder) => {
    const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
    await writeFile(filePath, text);
    const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
    const { findings } = (await engine.scan(filePath, { isThorough: true })).result;
    assert.deepEqual(
      contentFindings({ findings }).map((each) => [each.code, each.severity]),
      expected.findings,
    );
    const { result, problem } = await engine.repair(filePath, { code });
    assert.equal(problem, null);
    const isChanged = expected.after !== before;
    assert.equal(result.status, isChanged ? 'repaired' : 'already_healthy');
    assert.equal(await readFile(filePath, 'utf8'), HEALTHY.replace(place, expected.after));
    assert.equal((await engine.repair(filePath, { code })).result.status, 'already_healthy');
    if (!isChanged) return;
    assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
    assert.equal(await readFile(filePath, 'utf8'), text);
  });
}

const RESULT = '"content":"ALPHA","is_error":false';
const PART = '{"type":"text","text":"part"}';
const ODD = '{"type":"odd"}';

function quoted(json: string): string {
  return JSON.stringify({ type: 'text', text: json });
}

describe('The result of a tool call whose content contains something that is not a block', () => {
  const cases: readonly (readonly [what: string, before: string, after: string])[] = [
    ['text', '"plain"', '{"type":"text","text":"plain"}'],
    ['text with escapes', '"caf\\u00e9 \\/"', '{"type":"text","text":"caf\\u00e9 \\/"}'],
    ['an empty text', '""', '{"type":"text","text":"[no output]"}'],
    ['an empty text beside others', `"",${PART}`, PART],
    ['null', 'null', '{"type":"text","text":"[no output]"}'],
    ['null beside others', `${PART},null`, PART],
    ['a number', '12345678901234567890', quoted('12345678901234567890')],
    ['a Boolean', `true,${PART}`, `${quoted('true')},${PART}`],
    ['a list', `["x", 1.50]`, quoted('["x", 1.50]')],
    ['a block within a list', `[${PART}]`, quoted(`[${PART}]`)],
    ['an object without a type', '{"text":"x"}', quoted('{"text":"x"}')],
  ];
  for (const [what, before, after] of cases) {
    it(`is refused, and keeps it as text: ${what}`, async () => {
      await check(`"content":[${before}],"is_error":false`, RESULT, null, {
        findings: [['mcp-type', 'error']],
        after: `"content":[${after}],"is_error":false`,
      });
    });
  }
});

describe('The result of a failed tool call', () => {
  const fails = (content: string): string => `"content":[${content}],"is_error":true`;

  for (const content of [`"plain",${PART}`, `${ODD},${PART}`, `${PART},7`, `{},${PART}`]) {
    it(`is sent without what is no text, and left alone: ${content}`, async () => {
      await check(fails(content), RESULT, null, { findings: [['tool-result', 'info']], after: fails(content) });
    });
  }

  for (const [content, after] of [
    ['"plain"', '{"type":"text","text":"plain"}'],
    [ODD, quoted(ODD)],
    ['7', quoted('7')],
    ['""', '{"type":"text","text":"[no output]"}'],
  ] as const) {
    it(`is refused if nothing of it is a text, which it then becomes: ${content}`, async () => {
      await check(fails(content), RESULT, null, {
        findings: [
          ['tool-result', 'error'],
          ['tool-result', 'info'],
        ],
        after: fails(after),
      });
    });
  }

  for (const [content, after] of [
    ['null', '{"type":"text","text":"[no output]"}'],
    [`null,${PART}`, PART],
    [`null,"plain"`, '{"type":"text","text":"plain"}'],
  ] as const) {
    it(`stops Claude Code itself if it contains null, and is mended: ${content}`, async () => {
      const text = HEALTHY.replace(RESULT, fails(content));
      await withTemporaryFolder(async (folder) => {
        const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
        await writeFile(filePath, text);
        const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
        const { findings } = (await engine.scan(filePath, { isThorough: true })).result;
        const finding = findings.find(({ severity }) => severity === 'error');
        assert.equal(finding?.code, 'tool-result');
        assert.match(finding.message, /Claude Code itself fails at every further prompt/);
        assert.equal((await engine.repair(filePath)).result.status, 'repaired');
        assert.equal(await readFile(filePath, 'utf8'), HEALTHY.replace(RESULT, fails(after)));
        assert.equal((await engine.repair(filePath)).result.status, 'already_healthy');
      });
    });
  }
});

describe('A message whose content contains something that is not a block', () => {
  const prompt = '"content":"Turn five: last plain question"';
  const reply = `"content":[{"type":"text","text":"It is ALPHA."}]`;

  for (const [where, place] of [
    ['a prompt', prompt],
    ['a reply', reply],
  ] as const) {
    for (const entry of ['"plain"', 'null', '7', '["x"]', '{"text":"x"}', '{"type":null}']) {
      it(`is sent without it, which a plain repair leaves as it is: ${entry} in ${where}`, async () => {
        const content = `"content":[${entry},${PART}]`;
        await check(content, place, null, { findings: [['block-type', 'info']], after: content });
      });
    }

    for (const [entry, after] of [
      [`"plain",${PART}`, `{"type":"text","text":"plain"},${PART}`],
      [`7,null,${PART}`, `${quoted('7')},null,${PART}`],
      [`{"text":"x"},${PART}`, `${quoted('{"text":"x"}')},${PART}`],
    ] as const) {
      it(`is sent with it after a repair by name: ${entry} in ${where}`, async () => {
        await check(`"content":[${entry}]`, place, 'block-type', {
          findings: [['block-type', 'info']],
          after: `"content":[${after}]`,
        });
      });
    }
  }
});
