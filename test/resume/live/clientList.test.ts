import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { encodeProjectPath } from '../../rooms/format';
import { findClient } from '../../support/findClient';
import { quietMachine } from '../../support/quietMachine';
import type { ClientPlace } from '../../support/realClient';
import { removeFolder } from '../../support/removeFolder';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import { chainRow, prompt, reply, type RowFields, transcript } from '../../support/transcriptBuilder';
import { TerminalClient } from '../support/terminalClient';

const TERMINAL = { entrypoint: 'cli' };

/** A prompt by which the list names its session, and a reply. */
function talk(title: string, first: RowFields = TERMINAL): readonly RowFields[] {
  const asked = { message: { role: 'user', content: title } };
  return [prompt(title, null, { ...asked, ...first }), reply(`r ${title}`, title, TERMINAL)];
}

/** Attachments with more than the client's list reads of each end. */
function notes(name: string, parent: string | null): readonly RowFields[] {
  const attachment = { type: 'date', content: 'x'.repeat(4000) };
  return Array.from({ length: 20 }, (_, at) =>
    chainRow('attachment', `${name} ${at}`, at === 0 ? parent : `${name} ${at - 1}`, { ...TERMINAL, attachment }),
  );
}

/** By the first digit of their ids. */
const SESSIONS: Readonly<Record<string, readonly RowFields[]>> = {
  '1': talk('A terminal talk'),
  '2': talk('A program talk', { entrypoint: 'sdk-ts' }),
  '3': [...talk('A talk with a subagent'), { ...prompt('sub', null, TERMINAL), isSidechain: true }],
  '4': [
    ...notes('before', null),
    prompt('hidden', 'before 19', { ...TERMINAL, message: { role: 'user', content: 'A talk in the middle' } }),
    reply('answer', 'hidden', TERMINAL),
    ...notes('behind', 'answer'),
  ],
  '5': talk('A team talk', { ...TERMINAL, teamName: 'team' }),
  '6': talk('A service talk', { ...TERMINAL, sessionKind: 'daemon' }),
  '7': [...talk('A continued talk'), { type: 'continued-in', continuedInSessionId: idOf('1') }],
};

function idOf(digit: string): string {
  return `${digit.repeat(8)}-${digit.repeat(4)}-4${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`;
}

describe('The list of claude --resume', function () {
  let client = '';
  let place: ClientPlace;
  let project = '';

  before(async function () {
    this.timeout(0);
    client = await skipWhenUnavailable(this, () => findClient());
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'rethread-list-')));
    place = { root, home: join(root, 'home'), cwd: join(root, 'work'), baseUrl: 'http://127.0.0.1:9' };
    project = join(place.home, '.claude', 'projects', encodeProjectPath(place.cwd));
    mkdirSync(place.cwd, { recursive: true });
    mkdirSync(project, { recursive: true });
    for (const [digit, rows] of Object.entries(SESSIONS)) {
      const filePath = join(project, `${idOf(digit)}.jsonl`);
      writeFileSync(filePath, transcript(rows.map((row) => ({ cwd: place.cwd, ...row, sessionId: idOf(digit) }))));
      utimesSync(filePath, new Date(), new Date());
    }
  });

  after(() => {
    removeFolder(place.root);
  });

  async function listed(): Promise<string> {
    const terminal = await TerminalClient.start(client, place, ['--resume'], ['RETHREAD_TEST=1']);
    try {
      await terminal.shows('A terminal talk');
      return await terminal.screen();
    } finally {
      await terminal.close();
    }
  }

  it('leaves out, and names, the sessions that Rethread says it does', async () => {
    const screen = await listed();
    const engine = createEngine({ machine: quietMachine(), configDir: join(place.home, '.claude') });
    for (const digit of Object.keys(SESSIONS)) {
      const { result } = await engine.scan(join(project, `${idOf(digit)}.jsonl`), { isThorough: true });
      assert.equal(
        result.findings.some(({ code }) => code === 'invisible'),
        digit !== '1',
        digit,
      );
    }
    assert.match(screen, /\(session\)/);
    assert.doesNotMatch(screen, /A (?:program|team|service|continued) talk|A talk with|A talk in/, screen);
  }).timeout(120_000);

  it('has them after a repair by name, but not those that it leaves out on purpose', async () => {
    const engine = createEngine({ machine: quietMachine(), configDir: join(place.home, '.claude') });
    for (const digit of Object.keys(SESSIONS)) {
      const filePath = join(project, `${idOf(digit)}.jsonl`);
      await engine.repair(filePath, { code: 'invisible', mayBeLive: true });
    }
    const screen = await listed();
    for (const title of ['A program talk', 'A talk with a subagent', 'A talk in the middle']) {
      assert.ok(screen.includes(title), `${title}: ${screen}`);
    }
    assert.doesNotMatch(screen, /A (?:team|service|continued) talk/, screen);
  }).timeout(120_000);
});
