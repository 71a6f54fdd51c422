import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import type { ScannedSession } from '../../../src/protocol/session';
import { boundary, call, prompt, reply, transcript } from '../../support/transcriptBuilder';
import { corrupted, fakeEngine, NOW_MS, scanned, SESSION_ID } from './fakeEngine';
import { runCli } from './runCli';

const HEALTHY = `/c/projects/p/${SESSION_ID}.jsonl`;
const BROKEN = '/c/projects/p/22222222-2222-4222-8222-222222222222.jsonl';

interface ScanDocument {
  sessions: Record<string, unknown>[];
  totals: Record<string, unknown>;
}

function parseScan(stdout: string): ScanDocument {
  // SAFETY: the tests below check what the document holds.
  return JSON.parse(stdout) as ScanDocument;
}

function unreadable(filePath: string): ScannedSession {
  return scanned(filePath, { status: 'unreadable' }, { title: null }, 'Permission denied.');
}

/** What `scan` says of the memory of a healthy session with this transcript. */
async function memoryOf(text: string | Buffer): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'rethread-scan-'));
  try {
    const file = join(folder, `${SESSION_ID}.jsonl`);
    await writeFile(file, text);
    const { stdout } = await runCli(['scan', file], createEngine({ configDir: folder }), { home: folder, cwd: folder });
    return /^[✓!] healthy {2,}(.*?) {2,}/mu.exec(stdout)?.[1];
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('scan', () => {
  describe('--json', () => {
    it('prints one document with the fields of the contract in their order, and nothing else', async () => {
      const extended = corrupted(BROKEN);
      const engine = fakeEngine([
        { ...extended, result: Object.assign({ internal: 1 }, extended.result, { alsoInternal: 2 }) },
      ]);
      const { code, stdout, stderr } = await runCli(['scan', BROKEN, '--json'], engine);
      const document = parseScan(stdout);
      assert.equal(code, 1);
      assert.equal(stderr, '');
      assert.deepEqual(Object.keys(document), ['sessions', 'totals']);
      const [session] = document.sessions;
      assert.deepEqual(Object.keys(session ?? {}), [
        'sessionId',
        'filePath',
        'provider',
        'status',
        'live',
        'chainDepth',
        'orphanCount',
        'fileSize',
        'messageCount',
        'resume',
        'findings',
      ]);
      assert.deepEqual(Object.keys(session?.['resume'] ?? {}), [
        'loads',
        'of',
        'leafUuid',
        'missingLines',
        'client',
        'isExact',
      ]);
      const [finding] = session?.['findings'] as object[];
      assert.deepEqual(Object.keys(finding ?? {}), ['code', 'severity', 'action', 'lines', 'uuids', 'message']);
      assert.deepEqual(document.totals, {
        sessions: 1,
        healthy: 0,
        corrupted: 1,
        missing: 0,
        unreadable: 0,
        bytes: 2048,
      });
    });

    it('keeps the order in which the engine finds sessions, however long each scan takes', async () => {
      const files = Array.from({ length: 30 }, (_, at) => `/c/projects/p/${at}.jsonl`);
      let running = 0;
      let most = 0;
      const engine = fakeEngine(
        files.map((file) => scanned(file)),
        [],
        {
          async scan(filePath) {
            running += 1;
            most = Math.max(most, running);
            for (let turn = 0; turn < Number(/(\d+)\.jsonl/.exec(filePath)?.[1]) % 7; turn += 1)
              await Promise.resolve();
            await new Promise(setImmediate);
            running -= 1;
            return scanned(filePath);
          },
        },
      );
      const { stdout } = await runCli(['scan', '/c', '--json'], engine);
      assert.deepEqual(
        parseScan(stdout).sessions.map((session) => session['filePath']),
        files,
      );
      assert.ok(most >= 2 && most <= 4, `${most} at once`);
    });

    it('lists a transcript once if several PATHs name it', async () => {
      const { stdout } = await runCli(['scan', HEALTHY, '/c', '--json'], fakeEngine([scanned(HEALTHY)]));
      assert.equal(parseScan(stdout).sessions.length, 1);
    });

    it('prints an empty document if a folder has no sessions', async () => {
      const engine = fakeEngine([], [], {
        async *find() {
          // An empty folder.
        },
      });
      const { code, stdout } = await runCli(['scan', '/empty', '--json'], engine);
      assert.equal(code, 0);
      assert.deepEqual(parseScan(stdout).sessions, []);
    });

    it('reports a missing PATH in the document and on stderr, with exit code 2', async () => {
      const { code, stdout, stderr } = await runCli(['scan', 'nowhere.jsonl', '--json']);
      assert.equal(code, 2);
      assert.equal(parseScan(stdout).sessions[0]?.['status'], 'missing');
      assert.equal(parseScan(stdout).sessions[0]?.['filePath'], '/home/person/nowhere.jsonl');
      assert.equal(stderr, '~/nowhere.jsonl: There is no such file.\n');
    });
  });

  describe('exit code', () => {
    const cases: [string, ScannedSession[], number][] = [
      ['0 when all are healthy', [scanned(HEALTHY)], 0],
      ['1 when one is corrupted', [scanned(HEALTHY), corrupted(BROKEN)], 1],
      ['2 when one is unreadable', [scanned(HEALTHY), unreadable('/c/projects/p/x.jsonl')], 2],
      ['2 when some are corrupted and one is unreadable', [corrupted(BROKEN), unreadable('/c/projects/p/x.jsonl')], 2],
    ];
    for (const [what, sessions, expected] of cases) {
      it(`is ${what}`, async () => {
        for (const argv of [
          ['scan', '/c'],
          ['scan', '/c', '--json'],
        ]) {
          assert.equal((await runCli(argv, fakeEngine(sessions))).code, expected);
        }
      });
    }
  });

  describe('--client', () => {
    /** The clients that engines were made for, and what was printed. */
    const scanFor = async (argv: readonly string[], installed?: string | null) => {
      const clients: string[] = [];
      const run = await runCli(['scan', '/c', ...argv], undefined, {
        createEngine: ({ diagnostics: { client } }) => {
          clients.push(client.version);
          return fakeEngine([scanned(HEALTHY)]);
        },
        ...(installed === undefined ? {} : { findClient: () => Promise.resolve(installed) }),
      });
      return { ...run, clients };
    };

    it('is the client that is spoken for, else the installed one, else the newest measured one', async () => {
      assert.deepEqual((await scanFor(['--client', '2.1.300'], '2.1.320')).clients, ['2.1.300']);
      assert.deepEqual((await scanFor([], '2.1.320')).clients, ['2.1.320']);
      assert.deepEqual((await scanFor([], null)).clients, ['2.1.330']);
      assert.deepEqual((await scanFor([])).clients, ['2.1.330']);
    });

    it('is named once, and so is what is not known of it', async () => {
      const of = async (version: string): Promise<string> => (await scanFor(['--client', version])).stdout;
      assert.equal((await of('2.1.300')).match(/as Claude Code 2\.1\.300 reads it\./g)?.length, 1);
      assert.doesNotMatch(await of('2.1.300'), /Approximate/);
      assert.match(await of('2.1.400'), /^Approximate: 2\.1\.400 is newer than 2\.1\.330/m);
      assert.match(await of('2.1.150'), /^Approximate: the rules of 2\.1\.150 were not measured\.$/m);
      const old = (await of('2.1.50')).replaceAll('\n', ' ');
      assert.match(
        old,
        /Approximate: clients as old as 2\.1\.50 load less than 2\.1\.330: nothing before a broken link;/,
      );
      assert.match(
        old,
        /no message behind NUL bytes; .*results of parallel calls; only the branch with the newest time\./,
      );
      assert.doesNotMatch((await of('2.1.100')).replaceAll('\n', ' '), /parallel/);
    });

    it('is part of the suggested command if the person named it', async () => {
      const of = async (...options: string[]): Promise<string> =>
        (await runCli(['scan', '/c', ...options], fakeEngine([corrupted(BROKEN)]))).stdout;
      assert.match(await of('--client', '2.1.79'), / repair --dry-run --client 2\.1\.79 \S+$/m);
      assert.match(await of(), / repair --dry-run \/\S+$/m);
    });

    it('has to be a version', async () => {
      for (const version of ['auto', 'newest', '2.1', 'v2.1.330', '2.1.330-beta', '']) {
        for (const command of ['scan', 'repair']) {
          const { code, stdout, stderr } = await runCli([command, '/c', '--client', version]);
          assert.deepEqual([code, stdout], [2, '']);
          assert.match(stderr, /^--client needs a version of Claude Code, such as 2\.1\.330\.\n/);
        }
      }
    });
  });

  describe('table', () => {
    it('is short if there are no problems', async () => {
      const { stdout, stderr } = await runCli(['scan', '/c'], fakeEngine([scanned(HEALTHY)]));
      assert.equal(stderr, '');
      assert.equal(
        stdout,
        [
          '           Memory  Title        Project     Active  Size  Session',
          '✓ healthy     all  A calm talk  ~/work/app  2h ago  2 kB  11111111',
          '',
          '1 session, healthy (2 kB), as Claude Code 2.1.330 reads it.',
          'Whether Claude’s API would refuse a session is checked in full only if the session itself is named.',
          '',
        ].join('\n'),
      );
    });

    it('does not say so of a session that was named, and suggests the repair by its name where no other helps', async () => {
      const lost = {
        code: 'wrong-leaf',
        severity: 'error',
        action: 'ask',
        lines: [8],
        uuids: ['row-8'],
        message: 'Claude Code does not resume this conversation.',
      } as const;
      const { stdout } = await runCli(
        ['scan', BROKEN],
        fakeEngine([scanned(BROKEN, { status: 'corrupted', findings: [lost] })]),
      );
      assert.doesNotMatch(stdout, /checked in full/);
      assert.match(stdout, / repair --dry-run --class wrong-leaf \S+\n$/);
    });

    it('suggests no repair where none changes anything', async () => {
      const unread = {
        code: 'unread-row',
        severity: 'error',
        action: 'tell',
        lines: [3],
        uuids: [],
        message: 'It cannot be read.',
      } as const;
      const session = scanned(BROKEN, { status: 'corrupted', findings: [unread] });
      const { code, stdout } = await runCli(['scan', BROKEN], fakeEngine([session]));
      assert.equal(code, 1);
      assert.match(stdout, /unread-row line 3/);
      assert.doesNotMatch(stdout, /repair/);
    });

    it('lists corrupted sessions last, explains each finding and suggests the next step', async () => {
      const { stdout } = await runCli(['scan', '/c'], fakeEngine([corrupted(BROKEN), scanned(HEALTHY)]), {
        isTerminal: true,
        env: { NO_COLOR: '1' },
      });
      const lines = stdout.split('\n');
      assert.match(lines[1] ?? '', /^✓ healthy {2}.*all {2}A calm talk/);
      assert.match(lines[2] ?? '', /^✗ broken .*part {2}A broken talk/);
      assert.equal(
        lines.slice(3).join('\n'),
        [
          '',
          '✗ A broken talk',
          `  ${BROKEN}`,
          '  Claude remembers a part of this conversation.',
          '  dangling-parent line 8',
          '    The parent of this row is not in the file, so everything before it is lost',
          '    on resume.',
          '',
          '2 sessions: 1 healthy, 1 broken (4.1 kB), as Claude Code 2.1.330 reads it.',
          'Whether Claude’s API would refuse a session is checked in full only if the',
          'session itself is named.',
          `See what a repair would change: rethread repair --dry-run ${BROKEN}`,
          '',
        ].join('\n'),
      );
    });

    it('counts the messages of a healthy session whose rows are not all loaded, as show does', async () => {
      const rows = [prompt('p', null), reply('r', 'p'), prompt('q', 'r'), reply('s', 'q')];
      const [first = '', ...rest] = transcript(rows).toString().split('\n');
      const compacted = [
        ...rows,
        boundary('b', null),
        prompt('c', 'b', { isCompactSummary: true }),
        prompt('d', 'c'),
        reply('e', 'd'),
      ];
      const pretty = rows
        .map((row) => `${JSON.stringify(JSON.parse(transcript([row]).toString()), null, 2)}\n`)
        .join('');
      const unanswered = [prompt('p', null), call('c', 'p', 't1'), reply('r', 'c')];
      assert.equal(await memoryOf([first, first, ...rest].join('\n')), 'all');
      assert.equal(await memoryOf(pretty), 'all');
      assert.equal(await memoryOf(transcript(rows).toString().replaceAll('\n', '\0\n')), 'all');
      assert.equal(await memoryOf(transcript([...rows, reply('other', 'p')])), 'all of thread');
      assert.equal(await memoryOf(transcript(compacted)), 'summary + 2');
      assert.equal(await memoryOf(transcript(unanswered)), '2 of 3');
    });

    it('says how many healthy sessions have a warning', async () => {
      const full = {
        code: 'context-overflow',
        severity: 'warning',
        action: 'tell',
        lines: [8],
        uuids: ['row-8'],
        message: 'The history takes about 171,000 tokens.',
      } as const;
      const { stdout } = await runCli(
        ['scan', '/c'],
        fakeEngine([scanned(HEALTHY), scanned(BROKEN, { findings: [full] })]),
      );
      assert.match(stdout, /^! healthy /m);
      assert.match(
        stdout,
        /^2 sessions, all healthy, 1 with a warning \(4\.1 kB\), as Claude Code 2\.1\.330 reads it\.$/m,
      );
    });

    it('sorts healthy sessions by their last message, newest first', async () => {
      const sessions = [3, 1, 2].map((days) =>
        scanned(`/c/projects/p/${days}.jsonl`, {}, { title: `day ${days}`, lastMessageMs: NOW_MS - days * 86_400_000 }),
      );
      const { stdout } = await runCli(['scan', '/c'], fakeEngine(sessions));
      assert.deepEqual(stdout.match(/day \d/g), ['day 1', 'day 2', 'day 3']);
    });

    it('fits the width of the terminal, whatever titles and folders it contains', async () => {
      const sessions = ['日本語のとても長い題名'.repeat(9), 'e'.repeat(300), '🧵'.repeat(60), 'a\nb\tc'].map(
        (title, at) =>
          scanned(
            `/c/projects/p/${at}.jsonl`,
            { fileSize: 10 ** (3 * at) },
            { title, cwd: `/srv/${'deep/'.repeat(20)}end` },
          ),
      );
      for (const columns of [52, 60, 80, 120]) {
        const { stdout } = await runCli(['scan', '/c'], fakeEngine(sessions), { isTerminal: true, columns });
        for (const line of stdout.split('\n')) assert.ok(cellsOf(line) <= columns, `${columns}: ${line}`);
      }
    });

    it('prints no colour codes if stdout is not a terminal, or with NO_COLOR', async () => {
      const engine = fakeEngine([corrupted(BROKEN)]);
      const colored = await runCli(['scan', '/c'], engine, { isTerminal: true });
      assert.ok(colored.stdout.includes('\u001b[31m'));
      for (const overrides of [
        {},
        { isTerminal: true, env: { NO_COLOR: '1' } },
        { isTerminal: true, env: { TERM: 'dumb' } },
      ]) {
        assert.ok(!(await runCli(['scan', '/c'], engine, overrides)).stdout.includes('\u001b'));
      }
    });

    it('prints no control characters from a transcript', async () => {
      const evil = scanned(HEALTHY, {}, { title: 'x\u001b]0;owned\u0007\u009b31m\u202ey', cwd: '/\u001b[2Jz' });
      const { stdout } = await runCli(['scan', '/c'], fakeEngine([evil]));

      // eslint-disable-next-line no-control-regex -- control characters are what this searches for
      assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    });

    it('leaves out harmless findings, unless a single session is scanned', async () => {
      const odd = scanned(HEALTHY, {
        findings: [
          {
            code: 'torn-line',
            severity: 'info',
            action: 'tell',
            lines: [9],
            uuids: [],
            message: 'The last row is torn.',
          },
        ],
      });
      const other = scanned('/c/projects/p/other.jsonl');
      assert.doesNotMatch((await runCli(['scan', '/c'], fakeEngine([odd, other]))).stdout, /torn/);
      assert.match((await runCli(['scan', HEALTHY], fakeEngine([odd, other]))).stdout, /torn-line line 9/);
    });

    it('names unreadable sessions on stderr and counts them in the summary', async () => {
      const { stdout, stderr } = await runCli(['scan', '/c'], fakeEngine([scanned(HEALTHY), unreadable('/c/x.jsonl')]));
      assert.equal(stderr, '/c/x.jsonl: Permission denied.\n');
      assert.match(stdout, /2 sessions: 1 healthy, 1 unreadable/);
    });
  });

  describe('config folder', () => {
    it('says what no session needs, and how much that is', async () => {
      const home = await mkdtemp(join(tmpdir(), 'rethread-home-'));
      try {
        await mkdir(join(home, '.claude', 'debug'), { recursive: true });
        await writeFile(join(home, '.claude', 'debug', 'a.txt'), Buffer.alloc(2_000_000));
        const engine = fakeEngine([scanned(HEALTHY)]);
        const { stdout } = await runCli(['scan'], engine, { home });
        assert.match(
          stdout,
          /No session needs 2 MB besides: 1 debug log in\s~\/\.claude\/debug\s\(2 MB\)\.\sRethread\sremoves\snone\sof\sit\./,
        );
        const json = await runCli(['scan', '--json'], engine, { home });
        const path = join(home, '.claude', 'debug');
        assert.deepEqual(parseScan(json.stdout).totals['unneeded'], [
          { kind: 'debug-logs', path, entries: 1, bytes: 2_000_000 },
        ]);
        assert.equal(
          parseScan((await runCli(['scan', HEALTHY, '--json'], engine, { home })).stdout).totals['unneeded'],
          undefined,
        );
      } finally {
        await rm(home, { recursive: true });
      }
    });

    let home: string;
    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'rethread-cli-'));
      await writeFile(join(home, 'file'), '');
    });
    after(() => rm(home, { recursive: true }));

    it('is ~/.claude, or the value of CLAUDE_CONFIG_DIR', async () => {
      const asked: string[] = [];
      const createEngine = ({ configDir }: { configDir: string }): ReturnType<typeof fakeEngine> => {
        asked.push(configDir);
        return fakeEngine([]);
      };
      await runCli(['scan', 'x'], undefined, { createEngine });
      await runCli(['scan', 'x'], undefined, { createEngine, env: { CLAUDE_CONFIG_DIR: 'elsewhere' } });
      await runCli(['scan', 'x'], undefined, { createEngine, env: { CLAUDE_CONFIG_DIR: '' } });
      assert.deepEqual(asked, ['/home/person/.claude', '/home/person/elsewhere', '/home/person/.claude']);
    });

    it('is an unreadable input if it does not exist', async () => {
      const plain = await runCli(['scan'], undefined, { home });
      assert.equal(plain.code, 2);
      assert.equal(plain.stdout, '');
      assert.equal(plain.stderr, `There is no Claude Code config folder ${join(home, '.claude')}.\n`);
      const json = await runCli(['scan', '--json'], undefined, { home });
      assert.equal(json.code, 2);
      assert.deepEqual(parseScan(json.stdout).sessions, []);
    });

    it('is an unreadable input if it is a file', async () => {
      const { code, stderr } = await runCli(['scan'], undefined, { env: { CLAUDE_CONFIG_DIR: join(home, 'file') } });
      assert.equal(code, 2);
      assert.match(stderr, /is not a folder/);
    });

    it('can be without sessions', async () => {
      const { code, stdout } = await runCli(['scan'], fakeEngine([]), { env: { CLAUDE_CONFIG_DIR: home } });
      assert.equal(code, 0);
      assert.equal(stdout, 'No sessions found.\n');
    });
  });

  it('explains how to name a session if a PATH is a bare session id', async () => {
    const { code, stderr } = await runCli(['scan', SESSION_ID]);
    assert.equal(code, 2);
    assert.match(stderr, /There is no such file\. A session is named by its transcript/);
  });
});

/** Terminal columns, counted by hand: ASCII and box glyphs take one, CJK and emoji two. */
function cellsOf(line: string): number {
  // eslint-disable-next-line no-control-regex -- colour codes take no columns
  const plain = line.replace(/\u001b\[\d+m/gu, '');
  return Array.from(plain).reduce(
    (sum, character) => sum + (/[\u3000-\u9fff]|\p{Emoji_Presentation}/u.test(character) ? 2 : 1),
    0,
  );
}
