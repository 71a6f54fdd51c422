import assert from 'node:assert/strict';
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createEngine } from '../../src/core/engine';
import type { SlimmedKind } from '../../src/protocol/slim';
import { addBulk } from '../support/addBulk';
import { addProgress } from '../support/addProgress';
import { blocksOf } from '../support/countedRows';
import { DIAGNOSTICS } from '../support/diagnosed';
import { findClient } from '../support/findClient';
import { damage } from '../support/damage';
import { FIXTURES, listDamageBases } from '../support/fixtures';
import { largeVariant } from '../support/largeVariant';
import { type MockApi, startMockApi } from '../support/mockApi';
import { quietMachine } from '../support/quietMachine';
import { type ClientRun, resumeWithRealClient } from '../support/realClient';
import { runSize } from '../support/runSize';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { tagRows } from '../support/tagRows';
import { withTemporaryFolder } from '../support/temporaryFolder';
import { assistant, chainRow, prompt, reply, result, type RowFields, transcript } from '../support/transcriptBuilder';

/** Every so many seeds, the transcript has more than 5 MiB before and after. */
const LARGE_EVERY = 5;

describe('The real client sends the same of a slimmed transcript', function () {
  const bases = listDamageBases();
  const seeds = runSize().seeds.filter((seed) => runSize().isFull || seed <= 15);
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

  for (const seed of seeds) {
    it(`as before: progress, repeated attachments and long outputs of seed ${seed}`, async () => {
      await withTemporaryFolder(async (folder) => {
        const filePath = join(folder, 'projects', '-p', '44444444-4444-4444-8444-444444444444.jsonl');
        await mkdir(dirname(filePath), { recursive: true });
        const original = await transcriptOf(bases[seed % bases.length] ?? '', seed);
        await writeFile(filePath, original);
        const engine = createEngine({ machine: quietMachine(), configDir: folder, diagnostics: DIAGNOSTICS });
        const before = await resumeWithRealClient(filePath, { client, api });
        const { result, problem } = await engine.slim(filePath, { mayBeLive: true });
        if (result.status === 'failed') assert.equal(result.reason, 'not-repairable', problem ?? '');
        if (result.status !== 'slimmed') return;
        assertSameRequest(await resumeWithRealClient(filePath, { client, api }), before);
        assert.equal((await engine.undoSlim(filePath, { mayBeLive: true })).result.status, 'restored');
        assert.ok((await readFile(filePath)).equals(original));
      });
    });
  }
});

describe('After a slim, the real client', function () {
  let client = '';

  before(async function () {
    this.timeout(0);
    client = await skipWhenUnavailable(this, () => findClient());
  });

  it('sends the same system prompt, that of the last snapshot', async () => {
    const rows = [
      ...[prompt('p1', null), snapshot('s1', 'p1', 'SNAPSHOT-A'), reply('r1', 's1')],
      ...[prompt('p2', 'r1'), snapshot('s2', 'p2', 'SNAPSHOT-B'), reply('r2', 's2')],
      ...[prompt('p3', 'r2'), snapshot('s3', 'p3', 'SNAPSHOT-B'), reply('r3', 's3')],
    ];
    await withSlim(rows, async ({ filePath, slim }) => {
      const api = await startMockApi();
      try {
        const before = await resumeWithRealClient(filePath, { client, api });
        const [kind] = await slim();
        assert.deepEqual([kind?.kind, kind?.rows], ['attachments', 1]);
        const after = await resumeWithRealClient(filePath, { client, api });
        assertSameRequest(after, before);
        assert.match(JSON.stringify(after.frame), /SNAPSHOT-B/);
        assert.doesNotMatch(JSON.stringify(after.frame), /SNAPSHOT-A/);
      } finally {
        await api.close();
      }
    });
  });

  it('answers an edit of a file that was read and edited before as it would have', async () => {
    const content = Array.from({ length: 3_000 }, (_, at) => `line ${at} of the file`).join('\n');
    await withTemporaryFolder(async (folder) => {
      const path = join(folder, 'a.txt');
      const edit = { file_path: path, old_string: 'line 7 of', new_string: 'LINE 7 of' };
      const edited = { filePath: path, oldString: 'line 7 of', newString: 'LINE 7 of', originalFile: content };
      const numbered = content
        .split('\n')
        .map((line, at) => `${at + 1}\t${line}`)
        .join('\n');
      const file = { filePath: path, content, numLines: 3_000, startLine: 1, totalLines: 3_000 };
      const called = (name: string, parent: string, tool: string, input: object): RowFields =>
        assistant(name, parent, [{ type: 'tool_use', id: `toolu_${name}`, name: tool, input }]);
      const got = [{ type: 'tool_result', tool_use_id: 'toolu_c1', content: numbered }];
      const rows = [
        ...[prompt('p1', null), called('c1', 'p1', 'Read', { file_path: path })],
        result('o1', 'c1', '', { message: { role: 'user', content: got }, toolUseResult: { type: 'text', file } }),
        ...[called('c2', 'o1', 'Edit', edit), result('o2', 'c2', 'toolu_c2', { toolUseResult: edited })],
        reply('r1', 'o2'),
      ];
      await withSlim(rows, async ({ filePath, slim }) => {
        const answerNow = async (): Promise<string> => {
          await writeFile(path, content.replace('line 7 of', 'LINE 7 of'));
          await utimes(path, new Date('2026-05-01'), new Date('2026-05-01'));
          return answerToEdit(filePath, client, folder, { ...edit, old_string: 'line 9 of', new_string: 'LINE 9 of' });
        };
        const before = await answerNow();
        assert.match(before, /has been updated successfully/);
        const [kind] = await slim();
        assert.deepEqual([kind?.kind, kind?.rows], ['outputs', 1]);
        assert.equal(await answerNow(), before);
      });
    });
  });
});

function snapshot(name: string, parent: string, text: string): RowFields {
  const systemPrompt = [`${text} `.repeat(500)];
  const how = { reminderFold: false, echoWireToolInputs: false, contextRendering: 'announced' };
  return chainRow('attachment', name, parent, { attachment: { type: 'prompt_snapshot', systemPrompt, ...how } });
}

interface Slim {
  readonly filePath: string;
  /** Returns what was removed. */
  readonly slim: () => Promise<readonly SlimmedKind[]>;
}

async function withSlim(rows: readonly RowFields[], use: (session: Slim) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const filePath = join(folder, 'projects', '-p', '44444444-4444-4444-8444-444444444444.jsonl');
    await mkdir(dirname(filePath), { recursive: true });
    await writeFile(filePath, transcript(rows));
    const engine = createEngine({ machine: quietMachine(), configDir: folder, diagnostics: DIAGNOSTICS });
    const slim = async (): Promise<readonly SlimmedKind[]> => {
      const { result: done, problem } = await engine.slim(filePath, { mayBeLive: true });
      assert.equal(done.status, 'slimmed', problem ?? '');
      return done.kinds;
    };
    await use({ filePath, slim });
  });
}

/** What the client answers if Claude edits a file in the first turn after the resume. */
async function answerToEdit(filePath: string, client: string, folder: string, input: object): Promise<string> {
  let answer: unknown = null;
  const api = await startMockApi((messages) => {
    const content = messages.at(-1)?.content;
    const blocks: readonly { readonly tool_use_id?: unknown; readonly content?: unknown }[] = blocksOf(content);
    const answered = blocks.find((block) => block.tool_use_id === 'toolu_new');
    answer = answered?.content ?? answer;
    if (answered !== undefined) return [{ type: 'text', text: 'Done.' }];
    return [{ type: 'tool_use', id: 'toolu_new', name: 'Edit', input }];
  });
  try {
    const permissions = { defaultMode: 'acceptEdits', additionalDirectories: [folder] };
    const run = await resumeWithRealClient(filePath, { client, api, settings: { permissions } });
    assert.equal(run.exitCode, 0, run.stderr);
    return JSON.stringify(answer);
  } finally {
    await api.close();
  }
}

async function transcriptOf(base: string, seed: number): Promise<Buffer> {
  const recording = tagRows(await readFile(join(FIXTURES, base)));
  const bytes = addBulk(addProgress(seed % 2 === 0 ? recording : damage(recording, seed).bytes, seed), seed);
  return seed % LARGE_EVERY === 0 ? largeVariant(bytes, 'large', seed) : bytes;
}

/** Equal but for the folder of the run. */
function assertSameRequest(after: ClientRun, before: ClientRun): void {
  assert.deepEqual([after.exitCode, after.attachedTo], [before.exitCode, before.attachedTo], after.stderr);
  const [sent, sentBefore] = [after, before].map(({ messages, frame }) =>
    JSON.stringify({ messages, frame }).replaceAll(/rethread-client-\w+/g, 'folder-of-the-run'),
  );
  assert.equal(sent, sentBefore);
}
