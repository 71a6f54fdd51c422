import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diagnosticsFor } from '../rooms/diagnose';
import { createForks } from '../rooms/history';
import { nodeWriteFs } from '../rooms/storage';
import { createFileScanner } from '../rooms/transcript';
import { createPacer } from '../rooms/util';
import type { ForkRequest, ForkResult } from '../../src/protocol/history';
import { findClient, testedVersion } from '../support/findClient';
import { FIXTURES } from '../support/fixtures';
import { type MockApi, startMockApi } from '../support/mockApi';
import { rewindByClient } from '../support/rewindByClient';
import { runSize } from '../support/runSize';
import { wasmScanners } from '../support/scannerModule';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { temporaryFolder } from '../support/temporaryFolder';
import { sessionRefOf } from '../rooms/format';

const RECORDING = join(FIXTURES, 'recordings', 'file-history-rewind', 'dot-claude');
const SOURCE = '66666666-6666-4666-8666-666666666666';
const FILES = ['new1.txt', 'new2.txt', 'pre.txt', 'sub/s.txt', '../outside.txt'];
const CHANGED = 'changed since\n';
const promptUuid = (number: number): string => `a000000${number}-0000-4000-8000-00000000000${number}`;

describe('The real client rewinds files inside a fork', function () {
  this.timeout(120_000);
  let client = '';
  let api: MockApi | null = null;
  const prompts = runSize().isFull ? [4, 3, 2, 1] : [3, 1];

  before(async function () {
    client = await skipWhenUnavailable(this, findClient);
    api = await startMockApi();
  });

  after(() => api?.close());

  it('as in the session that was forked, even if that one was deleted', async () => {
    await withSession(async (session) => {
      const expected = await session.rewind(SOURCE, prompts);
      assert.ok(new Set(expected.map((state) => JSON.stringify(state))).size > 1);
      const { sessionId, filePath } = await session.fork({});
      rmSync(session.sourcePath);
      rmSync(session.backups(SOURCE), { recursive: true });
      assert.equal(statSync(filePath).mode & 0o777, 0o600);
      assert.deepEqual(await session.rewind(sessionId, prompts), expected);
    });
  });

  it('to the prompts that it holds, with the files that were known by then', async () => {
    await withSession(async (session) => {
      const { sessionId } = await session.fork({ at: promptUuid(3), isBefore: true });
      const [state] = await session.rewind(sessionId, [1]);
      const expected = { 'pre.txt': 'pre existing\n', 'sub/s.txt': 's1\n', '../outside.txt': CHANGED };
      assert.deepEqual(state, { 'new1.txt': null, 'new2.txt': null, ...expected });
      await assert.rejects(session.rewind(sessionId, [3]));
    });
  });

  type State = Readonly<Record<string, string | null>>;

  interface Session {
    readonly sourcePath: string;
    backups(sessionId: string): string;
    fork(cut: Partial<ForkRequest>): Promise<ForkResult>;
    /** The content of the files after each of the successive rewinds. */
    rewind(sessionId: string, to: readonly number[]): Promise<State[]>;
  }

  async function withSession(use: (session: Session) => Promise<void>): Promise<void> {
    const { path: root, remove } = await temporaryFolder();
    try {
      const home = join(root, 'home');
      const cwd = join(home, 'project');
      const configDir = join(home, '.claude');
      const folder = join(configDir, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
      const sourcePath = join(folder, `${SOURCE}.jsonl`);
      const backups = (sessionId: string): string => join(configDir, 'file-history', sessionId);
      mkdirSync(folder, { recursive: true });
      mkdirSync(join(cwd, 'sub'), { recursive: true });
      const recorded = readFileSync(join(RECORDING, 'projects', '-home-user-project', `${SOURCE}.jsonl`), 'utf8');
      writeFileSync(sourcePath, recorded.replaceAll('/home/user', home));
      cpSync(join(RECORDING, 'file-history', SOURCE), backups(SOURCE), { recursive: true, preserveTimestamps: true });
      await use({
        sourcePath,
        backups,
        async fork(cut) {
          const outcome = await createForks({
            capabilities: { fork: true },
            scanFile: createFileScanner(wasmScanners(), createPacer(10)),
            diagnostics: diagnosticsFor(testedVersion()),
            configDir: () => configDir,
            write: { fs: nodeWriteFs, now: Date.now, random: randomUUID },
            random: randomUUID,
          }).fork({ session: sessionRefOf(sourcePath), at: null, isBefore: false, title: null, ...cut });
          if (outcome.kind === 'refused') throw new Error(outcome.problem);
          assert.equal(outcome.warning, null);
          return outcome.result;
        },
        async rewind(sessionId, to) {
          for (const file of FILES) writeFileSync(join(cwd, file), CHANGED);
          const states: State[] = [];
          for (const number of to) {
            const place = { home, cwd, root, baseUrl: api?.urlFor('rewind') ?? '' };
            const answer = await rewindByClient(client, place, sessionId, promptUuid(number));
            if (answer.canRewind !== true) throw new Error(answer.error ?? 'It cannot be rewound');
            states.push(Object.fromEntries(FILES.map((file) => [file, readOrNull(join(cwd, file))])));
          }
          return states;
        },
      });
    } finally {
      remove();
    }
  }
});

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
