import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import type { Finding } from '../../../src/protocol/repair';
import { quietMachine } from '../../support/quietMachine';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import {
  chainRow,
  lastPrompt,
  prompt,
  reply,
  type RowFields,
  transcript,
  uuidOf,
} from '../../support/transcriptBuilder';

const SESSION = '44444444-4444-4444-8444-444444444444';
const OTHER = '55555555-5555-4555-8555-555555555555';
const TERMINAL = { entrypoint: 'cli' };
const TALK = [prompt('p1', null, TERMINAL), reply('r1', 'p1', TERMINAL)];
/** Attachments with more than the client's list reads of each end. */
function notes(name: string, parent: string | null): readonly RowFields[] {
  const attachment = { type: 'date', content: 'x'.repeat(4000) };
  return Array.from({ length: 20 }, (_, at) =>
    chainRow('attachment', `${name} ${at}`, at === 0 ? parent : `${name} ${at - 1}`, { ...TERMINAL, attachment }),
  );
}

type Engine = ReturnType<typeof createEngine>;

async function inProject(
  rows: readonly RowFields[],
  work: (filePath: string, engine: Engine) => Promise<void>,
): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const filePath = join(folder, 'projects', '-p', `${SESSION}.jsonl`);
    mkdirSync(dirname(filePath), { recursive: true });
    writeFileSync(filePath, transcript(rows));
    await work(filePath, createEngine({ machine: quietMachine(), configDir: folder, createScanner: wasmScanners() }));
  });
}

async function findingsAt(filePath: string, engine: Engine, ofCode: string): Promise<readonly Finding[]> {
  const { result } = await engine.scan(filePath, { isThorough: true });
  return result.findings.filter(({ code }) => code === ofCode);
}

describe('A session that claude --resume does not list', () => {
  const program = [prompt('p1', null, { entrypoint: 'sdk-ts' }), reply('r1', 'p1', TERMINAL)];
  const subagent = [...TALK, { ...prompt('s1', null, TERMINAL), isSidechain: true }];
  const untitled = [
    ...notes('before', null),
    prompt('p1', 'before 19', TERMINAL),
    reply('r1', 'p1', TERMINAL),
    ...notes('behind', 'r1'),
  ];
  const reasons: readonly (readonly [why: string, rows: readonly RowFields[], action: string, says: RegExp])[] = [
    ['because a program started it', program, 'ask', /because a program started it \(sdk-ts\)/],
    ['because its beginning has messages of a subagent', subagent, 'ask', /messages of a subagent/],
    ['by a name, because no prompt is near its ends', untitled, 'ask', /lists this session as “\(session\)”/],
    [
      'because it belongs to a team',
      TALK.map((row) => ({ teamName: 't', ...row })),
      'tell',
      /belongs to an agent team/,
    ],
    [
      'because the background service started it',
      TALK.map((row) => ({ ...row, sessionKind: 'daemon' })),
      'tell',
      /background service started it/,
    ],
    [
      'because it began with /loop',
      [
        prompt('p1', null, { message: { role: 'user', content: '<command-name>/loop</command-name>' } }),
        ...TALK.slice(1),
      ],
      'tell',
      /began with \/loop/,
    ],
  ];
  for (const [why, rows, action, says] of reasons) {
    it(`is told of, ${why}`, () =>
      inProject(rows, async (filePath, engine) => {
        const [finding, ...others] = await findingsAt(filePath, engine, 'invisible');
        assert.deepEqual(others, []);
        assert.deepEqual([finding?.severity, finding?.action], ['info', action]);
        assert.match(finding?.message ?? '', says);
        assert.match(finding?.message ?? '', new RegExp(`claude --resume ${SESSION}`));
      }));
  }

  for (const [why, rows] of reasons.filter(([, , action]) => action === 'ask')) {
    it(`is listed after its repair, and loads the same, ${why}`, () =>
      inProject(rows, async (filePath, engine) => {
        const before = await engine.scan(filePath);
        const { result } = await engine.repair(filePath, { code: 'invisible' });
        assert.equal(result.status, 'repaired');
        assert.deepEqual(await findingsAt(filePath, engine, 'invisible'), []);
        const after = await engine.scan(filePath);
        assert.deepEqual(after.result.resume, before.result.resume);
        assert.equal((await engine.repair(filePath, { code: 'invisible' })).result.status, 'already_healthy');
        await engine.undoRepair(filePath);
        assert.deepEqual(readFileSync(filePath), transcript(rows));
      }));
  }

  it('keeps all other bytes when the entrypoint is changed', () =>
    inProject(program, async (filePath, engine) => {
      await engine.repair(filePath, { code: 'invisible' });
      assert.equal(readFileSync(filePath, 'utf8'), transcript(program).toString().replace('"sdk-ts"', '"cli"'));
    }));

  it('is repaired once for two reasons', () =>
    inProject([...program, ...subagent.slice(2)], async (filePath, engine) => {
      const { result } = await engine.repair(filePath, { code: 'invisible' });
      assert.deepEqual(
        result.edits.map(({ field }) => field),
        ['entrypoint', 'isSidechain'],
      );
    }));

  it('is not repaired if it is left out on purpose for another reason', () =>
    inProject(
      program.map((row) => ({ teamName: 't', ...row })),
      async (filePath, engine) => {
        const { result } = await engine.repair(filePath, { code: 'invisible' });
        assert.equal(result.status, 'already_healthy');
      },
    ));

  it('is told of, because it was continued in a session that has messages', () =>
    inProject([...TALK, { type: 'continued-in', continuedInSessionId: OTHER }], async (filePath, engine) => {
      assert.deepEqual(await findingsAt(filePath, engine, 'invisible'), []);
      writeFileSync(join(dirname(filePath), `${OTHER}.jsonl`), transcript(TALK));
      const [finding] = await findingsAt(filePath, engine, 'invisible');
      assert.equal(finding?.action, 'tell');
      assert.match(finding.message, new RegExp(`continued in the session ${OTHER}`));
    }));
});

describe('A session that claude --resume lists', () => {
  const listed: Readonly<Record<string, readonly RowFields[]>> = {
    'from a terminal': TALK,
    'from the official extension': TALK.map((row) => ({ ...row, entrypoint: 'claude-vscode' })),
    'with a title at its end and prompts in its middle': [
      ...notes('before', null),
      prompt('p1', 'before 19', TERMINAL),
      ...notes('behind', 'p1'),
      lastPrompt('p1'),
    ],
    'whose first prompt is too long for the list': [
      prompt('p1', null, { ...TERMINAL, message: { role: 'user', content: 'x'.repeat(70_000) } }),
      ...notes('behind', 'p1'),
    ],
    'in whose text the words stand': [
      prompt('p1', null, {
        ...TERMINAL,
        message: { role: 'user', content: '"isSidechain":true, "entrypoint":"sdk-ts"' },
      }),
      reply('r1', 'p1', TERMINAL),
    ],
  };
  for (const [which, rows] of Object.entries(listed)) {
    it(`has no finding about that: one ${which}`, () =>
      inProject(rows, async (filePath, engine) => {
        assert.deepEqual(await findingsAt(filePath, engine, 'invisible'), []);
      }));
  }

  it('has no finding in a scan of many sessions, which reads nothing else of the file', () =>
    inProject([prompt('p1', null, { entrypoint: 'sdk-ts' })], async (filePath, engine) => {
      assert.deepEqual((await engine.scan(filePath)).result.findings, []);
    }));
});

describe('A session without messages', () => {
  const stub = [{ type: 'mode', mode: 'normal', sessionId: SESSION }];

  it('leads to the one that it was to continue', () =>
    inProject(stub, async (filePath, engine) => {
      const original = join(dirname(filePath), `${OTHER}.jsonl`);
      writeFileSync(original, transcript([...TALK, { type: 'continued-in', continuedInSessionId: SESSION }]));
      const [finding, ...others] = await findingsAt(filePath, engine, 'ghost-stub');
      assert.deepEqual(others, []);
      assert.deepEqual([finding?.severity, finding?.action], ['info', 'tell']);
      assert.match(finding?.message ?? '', new RegExp(`open the session ${OTHER}, ${original}`));
    }));

  it('is not reported if no other session leads to it', () =>
    inProject(stub, async (filePath, engine) => {
      writeFileSync(join(dirname(filePath), `${OTHER}.jsonl`), transcript(TALK));
      assert.deepEqual(await findingsAt(filePath, engine, 'ghost-stub'), []);
    }));

  it('is not reported if the other one has gone on itself', () =>
    inProject(stub, async (filePath, engine) => {
      const rows = [...TALK, { type: 'continued-in', continuedInSessionId: SESSION }, prompt('p2', 'r1')];
      writeFileSync(join(dirname(filePath), `${OTHER}.jsonl`), transcript(rows));
      assert.deepEqual(await findingsAt(filePath, engine, 'ghost-stub'), []);
    }));
});

describe('Messages of another session in a transcript', () => {
  const foreign = { sessionId: OTHER };

  it('are told of if they are among its own', () =>
    inProject([...TALK, prompt('p2', 'r1', foreign), reply('r2', 'p2', foreign)], async (filePath, engine) => {
      const [finding, ...others] = await findingsAt(filePath, engine, 'foreign-rows');
      assert.deepEqual(others, []);
      assert.deepEqual([finding?.severity, finding?.action, finding?.lines], ['info', 'tell', [3, 4]]);
      assert.deepEqual(finding?.uuids, [uuidOf('p2'), uuidOf('r2')]);
      assert.equal(
        finding.message,
        `Messages of the session ${OTHER} are among those of this session, on 2 lines, and Claude remembers them here.`,
      );
    }));

  const explained: Readonly<Record<string, readonly RowFields[]>> = {
    'at its beginning, where a resume under another id has copied them': [
      prompt('p1', null, foreign),
      reply('r1', 'p1', foreign),
      prompt('p2', 'r1'),
    ],
    'that a fork has copied': [...TALK, prompt('p2', 'r1', { ...foreign, forkedFrom: { sessionId: OTHER } })],
    'that do not load': [...TALK, prompt('p2', 'p1', foreign), lastPrompt('r1')],
    'in a file with another name': TALK.map((row) => ({ ...row, ...foreign })),
    'that are named in a text only': [
      ...TALK,
      prompt('p2', 'r1', { message: { role: 'user', content: `"sessionId":"${OTHER}"` } }),
    ],
  };
  for (const [where, rows] of Object.entries(explained)) {
    it(`are not reported ${where}`, () =>
      inProject(rows, async (filePath, engine) => {
        assert.deepEqual(await findingsAt(filePath, engine, 'foreign-rows'), []);
      }));
  }
});
