import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine, type Engine } from '../../../../src/core/engine';
import { contentFindings } from '../../../support/contentFindings';
import { listPoisonCases, withRefusedPrompt } from '../../../support/poisonCases';
import { quietMachine } from '../../../support/quietMachine';
import { withTemporaryFolder } from '../../../support/temporaryFolder';

const SESSION = '44444444-4444-4444-8444-444444444444';

interface Bench {
  readonly engine: Engine;
  readonly folder: string;
  readonly filePath: string;
}

function withSession(text: string, use: (bench: Bench) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, `${SESSION}.jsonl`);
    await writeFile(filePath, text);
    await use({ engine: createEngine({ machine: quietMachine(), configDir: join(folder, 'none') }), folder, filePath });
  });
}

interface Row {
  readonly message?: {
    readonly content: string | { readonly source?: { readonly data: string }; readonly text?: string }[];
  };
}

function rowsOf(text: string): Row[] {
  // SAFETY: the rows of the fixtures have these fields.
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

function caseText(name: string): string {
  const found = listPoisonCases().find((each) => each.name === name);
  assert.ok(found !== undefined);
  return found.text;
}

/** The name that a text in the place of content gives of its file. */
function keptName(text: string | undefined): string {
  const name = new RegExp(`kept in ${SESSION}/removed/([0-9a-f]{16}\\.\\w+)`).exec(text ?? '')?.[1];
  assert.ok(name !== undefined, text);
  return name;
}

describe('What a repair takes out of a message', () => {
  const onlyImages = { code: 'image' };

  it('is kept as the file that it was, whose name takes its place', async () => {
    const text = caseText('i8-many-2000px');
    await withSession(text, async ({ engine, folder, filePath }) => {
      const { result } = await engine.repair(filePath, onlyImages);
      assert.equal(result.status, 'repaired');
      const [before, after] = [text, await readFile(filePath, 'utf8')].map(
        (each) => rowsOf(each)[22]?.message?.content,
      );
      assert.ok(Array.isArray(before) && Array.isArray(after));
      const kept = await readFile(join(folder, SESSION, 'removed', keptName(after[0]?.text)));
      assert.equal(kept.toString('base64'), before[0]?.source?.data);
      assert.deepEqual(after.slice(1), before.slice(1));
      assert.ok(result.edits.every(({ why }) => keptName(why) === keptName(after[0]?.text)));
    });
  });

  it('is written by no dry run', async () => {
    await withSession(caseText('i8-many-2000px'), async ({ engine, folder, filePath }) => {
      assert.equal((await engine.planRepair(filePath, onlyImages)).result.status, 'repaired');
      assert.deepEqual(await readdir(folder), [`${SESSION}.jsonl`]);
    });
  });

  it('stays where it is after an undo, because messages may name it', async () => {
    const text = caseText('i8-many-2000px');
    await withSession(text, async ({ engine, folder, filePath }) => {
      await engine.repair(filePath, onlyImages);
      assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
      assert.equal(await readFile(filePath, 'utf8'), text);
      assert.equal((await readdir(join(folder, SESSION, 'removed'))).length, 1);
    });
  });

  it('is a whole block of an unknown type, too, if that is long', async () => {
    const block = { type: 'audio', data: 'A'.repeat(5000) };
    const text = caseText('u19-inner-audio').replace(/\{"type":"audio"[^}]*\}/, JSON.stringify(block));
    await withSession(text, async ({ engine, folder, filePath }) => {
      assert.equal((await engine.repair(filePath, { code: null })).result.status, 'repaired');
      const name = keptName(await readFile(filePath, 'utf8'));
      assert.deepEqual(JSON.parse(await readFile(join(folder, SESSION, 'removed', name), 'utf8')), block);
    });
  });

  it('is thinking without a signature, too, whose file the edit names', async () => {
    const block = { type: 'thinking', thinking: 'unsigned', signature: '' };
    const text = caseText('h0-healthy').replace(/\{"type":"thinking"[^}]*\}/, JSON.stringify(block));
    await withSession(text, async ({ engine, folder, filePath }) => {
      const { result } = await engine.repair(filePath, { code: 'thinking' });
      const name = keptName(result.edits[0]?.why);
      assert.deepEqual(JSON.parse(await readFile(join(folder, SESSION, 'removed', name), 'utf8')), block);
    });
  });
});

describe('A field that the API does not accept', () => {
  const cases: readonly (readonly [what: string, key: string, json: string, isKept: boolean])[] = [
    ['a text', 'meta', '"what \\u00e9lse"', true],
    ['an object', 'meta', '{ "n": 12345678901234567890 }', true],
    ['a list', 'meta', '[1.0]', true],
    ['an empty text', 'meta', '" "', false],
    ['an empty object', 'meta', '{}', false],
    ['a number', 'index', '7', false],
    ['null', 'meta', 'null', false],
  ];
  for (const [what, key, json, isKept] of cases) {
    it(`is kept in a file, as it is written, if it can be content: ${what}${isKept ? '' : ' cannot'}`, async () => {
      const text = caseText('h0-healthy').replace('"name":"Bash"', `"name":"Bash","${key}":${json}`);
      await withSession(text, async ({ engine, folder, filePath }) => {
        const { result } = await engine.repair(filePath);
        assert.equal(result.status, 'repaired');
        assert.equal(await readFile(filePath, 'utf8'), caseText('h0-healthy'));
        const names = await readdir(join(folder, SESSION, 'removed')).catch(() => []);
        assert.equal(names.length, isKept ? 1 : 0);
        for (const name of names) {
          assert.equal(keptName(result.edits[0]?.why), name);
          assert.equal(await readFile(join(folder, SESSION, 'removed', name), 'utf8'), json);
        }
      });
    });
  }

  it('is a mark for the cache in most thinking, which says nothing and is not kept', async () => {
    const marked = '"type":"thinking","cache_control":{"type":"ephemeral"},';
    const text = caseText('h0-healthy').replace('"type":"thinking",', marked);
    await withSession(text, async ({ engine, folder, filePath }) => {
      assert.equal((await engine.repair(filePath)).result.status, 'repaired');
      assert.equal(await readFile(filePath, 'utf8'), caseText('h0-healthy'));
      assert.ok(!(await readdir(folder)).includes(SESSION));
    });
  });
});

describe('Where nothing is taken out', () => {
  it("no file is written: Claude's own mark leaves the image in its message", async () => {
    await withSession(caseText('i5-unreadable'), async ({ engine, folder, filePath }) => {
      assert.equal((await engine.repair(filePath, { code: 'image' })).result.status, 'repaired');
      assert.ok(!(await readdir(folder)).includes(SESSION));
    });
  });
});

describe('The result of a failed tool call with an image', () => {
  const DATA = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } };

  /** The content of the result on line 18 of a healthy session, before and after a repair. */
  async function contentAfter(content: readonly object[], use: (after: unknown, bench: Bench) => Promise<void>) {
    const text = caseText('h0-healthy').replace(
      '"content":"ALPHA","is_error":false',
      `"content":${JSON.stringify(content)},"is_error":true`,
    );
    await withSession(text, async (bench) => {
      const { result, problem } = await bench.engine.repair(bench.filePath, { code: null });
      assert.deepEqual([result.status, problem], ['repaired', null]);
      const blocks = rowsOf(await readFile(bench.filePath, 'utf8'))[17]?.message?.content;
      assert.ok(Array.isArray(blocks));
      // SAFETY: the only block of the row is a result.
      const { content: after } = blocks[0] as { readonly content?: unknown };
      await use(after, bench);
      assert.deepEqual(
        contentFindings((await bench.engine.scan(bench.filePath, { isThorough: true })).result).filter(
          ({ severity }) => severity === 'error',
        ),
        [],
      );
      assert.equal((await bench.engine.undoRepair(bench.filePath)).result.status, 'repaired');
      assert.equal(await readFile(bench.filePath, 'utf8'), text);
    });
  }

  it('names the file in which the image is kept if it has nothing else', async () => {
    await contentAfter([picture], async (after, { folder }) => {
      const name = keptName(JSON.stringify(after));
      assert.deepEqual(after, [{ type: 'text', text: `[image removed; kept in ${SESSION}/removed/${name}]` }]);
      assert.equal((await readFile(join(folder, SESSION, 'removed', name))).toString('base64'), DATA);
    });
  });

  it('keeps its image where only the text behind that is empty', async () => {
    await contentAfter([picture, { type: 'text', text: '' }], async (after, { folder }) => {
      assert.deepEqual(after, [picture, { type: 'text', text: '[no output]' }]);
      assert.ok(!(await readdir(folder)).includes(SESSION));
    });
  });

  it('keeps its image where only the content behind that is of an unknown kind', async () => {
    await contentAfter([picture, { type: 'odd' }], (after) => {
      assert.deepEqual(after, [picture, { type: 'text', text: '{"type":"odd"}' }]);
      return Promise.resolve();
    });
  });
});

describe('A history that the API has refused because of its size', () => {
  const REFUSED =
    'Request too large (max 32MB). Accumulated images and attachments in the conversation pushed it over the limit.';

  /** Prompts of these lengths behind a healthy history. */
  function withPrompts(lengths: readonly number[]): string {
    const rows = caseText('h0-healthy').trimEnd().split('\n');
    // SAFETY: the last row of the fixture has these fields.
    const last = JSON.parse(rows.at(-1) ?? '') as { uuid: string };
    let parentUuid = last.uuid;
    for (const [at, length] of lengths.entries()) {
      const uuid = `dddddddd-0000-4000-8000-${String(at).padStart(12, '0')}`;
      const content = `${at} `.padEnd(length - 4, 'lorem ') + ' end';
      rows.push(JSON.stringify({ ...last, parentUuid, uuid, type: 'user', message: { role: 'user', content } }));
      parentUuid = uuid;
    }
    return withRefusedPrompt(`${rows.join('\n')}\n`, REFUSED);
  }

  it('loses the beginnings of as many of its longest texts as it takes, which are kept', async function () {
    this.timeout(60_000);
    const lengths = [15_000_000, 50_000, 12_000_000, 30_000, 9_000_000];
    await withSession(withPrompts(lengths), async ({ engine, folder, filePath }) => {
      const { result, problem } = await engine.repair(filePath, { code: null });
      assert.equal(problem, null);
      assert.deepEqual(
        result.edits.map(({ line }) => line),
        [23],
      );
      const content = rowsOf(await readFile(filePath, 'utf8'))[22]?.message?.content;
      assert.ok(typeof content === 'string' && content.length < 1200 && content.endsWith(' end'));
      const kept = await readFile(join(folder, SESSION, 'removed', keptName(content)), 'utf8');
      assert.equal(kept, result.edits[0]?.from);
      assert.equal((await engine.repair(filePath, { code: null })).result.status, 'already_healthy');
      assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
      assert.equal(await readFile(filePath, 'utf8'), withPrompts(lengths));
    });
  });

  it('loses the beginnings of all long texts if something before the API accepts less', async () => {
    await withSession(withPrompts([50_000, 500, 30_000]), async ({ engine, filePath }) => {
      const { result } = await engine.repair(filePath, { code: null });
      assert.deepEqual(
        result.edits.map(({ line }) => line),
        [23, 25],
      );
      assert.deepEqual(contentFindings((await engine.scan(filePath, { isThorough: true })).result), []);
    });
  });

  it('is left alone if no text is long', async () => {
    await withSession(withPrompts([500, 600]), async ({ engine, filePath }) => {
      assert.equal((await engine.repair(filePath, { code: null })).result.status, 'already_healthy');
    });
  });
});
