import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentFindings } from '../support/contentFindings';
import { withRefusedPrompt } from '../support/poisonCases';
import { image, png, reply, say, Session } from './costlyRows';
import { useJudgedClient } from './judgedClient';

const LOREM = 'lorem ipsum dolor ';
const TOO_LARGE =
  'Request too large (max 32MB). Accumulated images and attachments in the conversation pushed it over the limit.';

/** Larger than the API accepts, and no image that the client shrinks. */
function hugeImage() {
  return image(Buffer.concat([png(2), Buffer.alloc(4_200_000, 7)]));
}

function withTurns(...turns: readonly (string | readonly object[])[]): string {
  const session = new Session();
  for (const content of turns) {
    session.insert(session.rows.length - 1, [{ type: 'user', content }, reply('Seen.')]);
  }
  return session.text();
}

function withPictures(...pictures: readonly object[]): string {
  const session = new Session();
  for (const [at, picture] of pictures.entries()) {
    const id = `toolu_z${at}`;
    session.insert(session.rows.length - 1, [
      { type: 'user', content: 'Take a picture' },
      { type: 'assistant', content: [{ type: 'tool_use', id, name: 'Read', input: { file_path: '/x.png' } }] },
      { type: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: [picture] }] },
      reply('I see.'),
    ]);
  }
  return session.text();
}

describe('A session that is too large to be stored with the tests', () => {
  const untouched = useJudgedClient();
  const judged = useJudgedClient();

  it('is answered again, with the ends of its longest texts, if it has more text than the API accepts (z3)', async () => {
    const client = judged();
    const limits = { maxBytes: 250_000 };
    const turns = [6, 7, 8].map((turn) => `Turn ${turn}: ${LOREM.repeat(5000)} end of ${turn}`);
    const text = withTurns(...turns);
    await writeFile(client.filePath, text);
    const before = await client.ask(limits);
    assert.notEqual(before.exitCode, 0);
    assert.ok(before.refused.every((sentence) => sentence.startsWith('Request exceeds')));
    const refused = withRefusedPrompt(text, TOO_LARGE);
    await writeFile(client.filePath, refused);
    const { result } = await client.engine.repair(client.filePath, { code: null });
    assert.equal(result.status, 'repaired');
    const after = await client.ask(limits);
    assert.deepEqual([after.exitCode, ...after.refused], [0]);
    assert.deepEqual(after.lacks(['end of 6', 'end of 7', 'end of 8', 'Turn five']), []);
    const folder = join(client.filePath.replace('.jsonl', ''), 'removed');
    const kept = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
    assert.deepEqual(kept.sort(), turns);
    assert.equal((await client.engine.undoRepair(client.filePath)).result.status, 'repaired');
    assert.equal(await readFile(client.filePath, 'utf8'), refused);
  });

  for (const [name, text] of [
    ['in a prompt (i6)', (): string => withTurns([hugeImage(), say('look at this')])],
    ['in the result of a tool call (i11)', (): string => withPictures(hugeImage())],
  ] as const) {
    it(`is answered at the first prompt after a repair by name if an image ${name} exceeds 5 MB`, async () => {
      const client = judged();
      const first = untouched();
      await writeFile(client.filePath, text());
      await writeFile(first.filePath, text());
      const asked = first.ask();
      const { result: scanned } = await client.engine.scan(client.filePath, { isThorough: true });
      const findings = contentFindings(scanned);
      assert.deepEqual(
        findings.map(({ code, severity, action }) => [code, severity, action]),
        [['image', 'info', 'ask']],
      );
      const { result } = await client.engine.repair(client.filePath, { code: 'image' });
      assert.equal(result.status, 'repaired');
      const [before, after] = await Promise.all([asked, client.ask()]);
      assert.notEqual(before.exitCode, 0);
      assert.deepEqual(before.refused, []);
      assert.deepEqual([after.exitCode, ...after.refused], [0]);
    });
  }

  for (const [name, text, limits, sentence] of [
    [
      'the context window (z1)',
      withTurns(...[6, 7, 8].map((turn) => `Turn ${turn}: ${LOREM.repeat(3000)}`)),
      { maxTokens: 34_000 },
      'prompt is too long',
    ],
    [
      'a request, by its images (z2)',
      withPictures(...[1, 2, 3].map(() => image(Buffer.concat([png(4), Buffer.alloc(60_000, 7)])))),
      { maxBytes: 150_000 },
      'Request exceeds the maximum size',
    ],
  ] as const) {
    it(`has no finding above info, and is left alone, if it exceeds ${name}: the client compacts it`, async () => {
      const client = judged();
      await writeFile(client.filePath, text);
      const asked = client.ask(limits);
      const { result: scanned } = await client.engine.scan(client.filePath, { isThorough: true });
      const findings = contentFindings(scanned);
      assert.deepEqual(
        findings.filter(({ severity }) => severity !== 'info'),
        [],
      );
      const { result } = await client.engine.repair(client.filePath, { code: null });
      assert.equal(result.status, 'already_healthy');
      const answer = await asked;
      assert.equal(answer.exitCode, 0);
      assert.ok(answer.refused.length > 0, 'the first request is accepted');
      assert.ok(answer.refused.every((each) => each.startsWith(sentence)));
      assert.match(answer.accepted, /continued from a previous conversation/);
    });
  }
});
