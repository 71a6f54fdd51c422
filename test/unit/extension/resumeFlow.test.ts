import assert from 'node:assert/strict';
import { diagnosticsFor } from '../../rooms/diagnose';
import { resumeEnvironment, toResumeRepair } from '../../../src/extension/config/settings';
import type { SessionStatus } from '../../../src/protocol/session';
import type { ChosenClient } from '../../../src/extension/terminals/clientChoice';
import { ResumeFlow } from '../../../src/extension/terminals/resumeFlow';
import type { ResumeVerdict } from '../../../src/protocol/terminals';
import type { Finding } from '../../../src/protocol/repair';
import { type Answers, FakeDialogs } from './dialogFakes';
import { t } from './fakes';
import type { NamedSession, PlacedSession } from '../../../src/extension/sessions/sessionsState';

const ID = '44444444-4444-4444-8444-444444444444';
const SESSION: NamedSession = {
  provider: 'claude',
  id: ID,
  path: `/c/projects/-src-app/${ID}.jsonl`,
  title: 'Draw charts',
};
const MENDABLE: Finding = {
  code: 'dangling-parent',
  severity: 'error',
  action: 'auto',
  lines: [3],
  uuids: [],
  message: 'Row 3 continues a row that is not there.',
};

function verdict(change: {
  readonly findings?: readonly Finding[];
  readonly live?: ResumeVerdict['live'];
  readonly cwd?: string | null;
  readonly problem?: string;
  readonly isExact?: boolean;
  readonly loads?: number;
  readonly status?: SessionStatus;
}): ResumeVerdict {
  const { findings = [], live = 'not-live', cwd = '/src/app', problem = null, isExact = true } = change;
  const { loads = findings.length > 0 ? 9 : 28 } = change;
  const metadata = {
    title: 'Draw charts',
    cwd,
    model: null,
    gitBranch: null,
    clientVersion: null,
    lastMessageMs: null,
    parentSessionId: null,
    createdMs: null,
  };
  const { status = problem !== null ? 'unreadable' : findings.length > 0 ? 'corrupted' : 'healthy' } = change;
  return {
    scan: {
      result: {
        sessionId: ID,
        filePath: SESSION.path,
        provider: 'claude',
        status,
        chainDepth: 1,
        orphanCount: 0,
        fileSize: 1,
        messageCount: 1,
        resume: {
          loads,
          of: 28,
          leafUuid: null,
          missingLines: [],
          client: '2.1.330',
          isExact,
        },
        findings,
      },
      metadata,
      problem,
    },
    client: diagnosticsFor().client,
    live,
    why: live === 'maybe-live' ? 'It cannot be seen.' : null,
  };
}

interface Situation {
  readonly answers?: Answers;
  readonly found?: readonly ResumeVerdict[];
  readonly mode?: 'repair' | 'ask';
  readonly isRepaired?: boolean;
  readonly folders?: readonly string[];
  /** Null: there is no client. */
  readonly client?: ChosenClient | null;
  readonly movedTo?: string;
  /** Of another account. */
  readonly configDir?: string | null;
}

const CLIENT: ChosenClient = { kind: 'terminal', program: 'claude', version: '2.1.300' };

function setUp({
  answers = {},
  found = [verdict({})],
  mode = 'ask',
  isRepaired = true,
  folders = ['/src/app'],
  client = CLIENT,
  movedTo,
  configDir = null,
}: Situation) {
  const dialogs = new FakeDialogs(answers);
  const happened: string[] = [];
  const started: PlacedSession[] = [];
  const judgedFor: (string | null)[] = [];
  const left = [...found];
  const did = (what: string) => () => {
    happened.push(what);
    return Promise.resolve();
  };
  const flow = new ResumeFlow({
    chooseClient: (place) => {
      happened.push(`chose ${place}`);
      return Promise.resolve(client);
    },
    find: (session) => Promise.resolve({ ...session, path: movedTo ?? session.path }),
    judge: (_session, version, signal) => {
      judgedFor.push(version);
      if (signal.aborted) return Promise.reject(new Error('aborted'));
      return Promise.resolve((left.length > 1 ? left.shift() : left[0])!);
    },
    folderOf: () => '/src/app',
    isFolder: (path) => Promise.resolve(folders.includes(path)),
    repairMode: () => mode,
    repair: () => did('repaired')().then(() => isRepaired),
    offerRepair: (filePath) => void happened.push(`offered the repair of ${filePath}`),
    takeOffer: (_session, { kind }) => did(`took ${kind}`)(),
    fork: did('forked'),
    showTerminal: did('shown'),
    newSession: (folder, configDir) =>
      did(`new session in ${folder}${configDir === null ? '' : ` with ${configDir}`}`)(),
    extraConfigDirOf: () => configDir,
    start: (session) => {
      started.push(session);
      return Promise.resolve();
    },
    dialogs,
    t,
  });
  return { flow, dialogs, happened, started, judgedFor };
}

describe('Resuming in a terminal', () => {
  it('starts the client in the session’s folder, judged for the version of that client', async () => {
    const { flow, happened, judgedFor, started, dialogs } = setUp({});
    await flow.resume(SESSION);
    assert.deepEqual(started, [{ ...SESSION, cwd: '/src/app' }]);
    assert.deepEqual([happened, judgedFor], [['chose terminal'], ['2.1.300']]);
    assert.deepEqual([dialogs.questions, dialogs.messages], [[], []]);
  });

  it('takes a terminal for a session of another account, without a question', async () => {
    const { flow, happened, started } = setUp({ configDir: '/home/p/.claude-work' });
    await flow.resume(SESSION, 'ask');
    assert.deepEqual([happened, started.length], [['chose terminal'], 1]);
  });

  it('refuses the panel for a session of another account, which the panel would not find', async () => {
    const panel = { kind: 'panel', program: '', version: null } as const;
    const { flow, dialogs, started } = setUp({ configDir: '/home/p/.claude-work', client: panel });
    await flow.resume(SESSION, 'panel');
    assert.deepEqual(started, []);
    assert.match(dialogs.reported[0] ?? '', /panel does not find sessions in \/home\/p\/\.claude-work/);
  });

  it('does nothing without a client, not even a repair', async () => {
    const { flow, happened, judgedFor, started } = setUp({
      client: null,
      found: [verdict({ findings: [MENDABLE] })],
      mode: 'repair',
    });
    await flow.resume(SESSION);
    assert.deepEqual([happened, judgedFor, started], [['chose terminal'], [], []]);
  });

  it('finds a transcript that the client has moved', async () => {
    const { flow, started } = setUp({ movedTo: '/c/projects/-src-app-worktree/x.jsonl' });
    await flow.resume(SESSION);
    assert.equal(started[0]?.path, '/c/projects/-src-app-worktree/x.jsonl');
  });

  it('resumes without a check if the person does not wait, and says so', async () => {
    const { flow, dialogs, started, happened } = setUp({
      found: [verdict({ findings: [MENDABLE] })],
      mode: 'repair',
      answers: { skips: true },
    });
    await flow.resume(SESSION);
    assert.deepEqual(dialogs.notes, ['“Draw charts” is resumed without being checked.']);
    assert.deepEqual([started.length, happened], [1, ['chose terminal']]);
  });

  it('offers a new session in the folder of one that is gone', async () => {
    const gone = [verdict({ status: 'missing', problem: 'It does not exist.', cwd: null })];
    const { flow, started, happened } = setUp({
      found: gone,
      answers: { notify: { 'The transcript of “Draw charts” is gone': 'New Session' } },
    });
    await flow.resume(SESSION);
    assert.deepEqual([happened.slice(1), started], [['new session in /src/app'], []]);
  });

  it('offers a new session instead of one of which nothing loads and nothing can be repaired', async () => {
    const lost = [verdict({ findings: [{ ...MENDABLE, action: 'tell' }], loads: 0 })];
    const { flow, started, happened, dialogs } = setUp({ found: lost, answers: { ask: ['New Session'] } });
    await flow.resume(SESSION);
    assert.equal(dialogs.questions[0]?.message, 'Claude remembers nothing of “Draw charts”.');
    assert.deepEqual([happened.slice(1), started], [['new session in /src/app'], []]);
  });

  it('offers what helps a session of which nothing loads, but which is not lost', async () => {
    const offer = { kind: 'fork-newest', line: 4 } as const;
    const held: Finding = { ...MENDABLE, code: 'wrong-leaf', action: 'ask', offer };
    const found = [verdict({ findings: [held], loads: 0 })];
    const { flow, started, happened, dialogs } = setUp({ found, answers: { ask: ['Fork at Newest Messages'] } });
    await flow.resume(SESSION);
    assert.deepEqual(
      dialogs.questions.map(({ message, buttons }) => [message, buttons]),
      [['“Draw charts” is broken.', ['Fork at Newest Messages', 'Resume Anyway']]],
    );
    assert.deepEqual([happened.slice(1), started], [['took fork-newest'], []]);
  });

  it('starts in the folder that the tree knows if no row names one', async () => {
    const { flow, started } = setUp({ found: [verdict({ cwd: null })] });
    await flow.resume(SESSION);
    assert.equal(started[0]?.cwd, '/src/app');
  });

  it('reports a deleted folder, an unreadable session, and a name that is not an id', async () => {
    const gone = setUp({ folders: [] });
    await gone.flow.resume(SESSION);
    assert.deepEqual(gone.dialogs.reported, ['The folder that this session was in is gone: /src/app']);
    const unreadable = setUp({ found: [verdict({ problem: 'It does not exist.' })] });
    await unreadable.flow.resume(SESSION);
    assert.deepEqual(unreadable.dialogs.reported, ['It does not exist.']);
    for (const sessionId of [`${ID}; rm -rf ~`, '$(id)', '', `${ID}\n`, '--help', ID.slice(1)]) {
      const hostile = setUp({});
      await hostile.flow.resume({ ...SESSION, id: sessionId });
      assert.match(hostile.dialogs.reported[0] ?? '', /its name is no session id/);
      assert.deepEqual(hostile.started, []);
    }
    assert.deepEqual([gone.started, unreadable.started], [[], []]);
  });

  it('warns when Claude Code already runs the session, and offers its terminal and a fork', async () => {
    const live = [verdict({ live: 'live', findings: [MENDABLE] })];
    const act = async (answer: string | null, found = live) => {
      const scene = setUp({ found, answers: { ask: [answer] }, mode: 'repair' });
      await scene.flow.resume(SESSION);
      return [scene.happened.slice(1), scene.started.length];
    };
    assert.deepEqual(await act('Fork Session…'), [['forked'], 0]);
    assert.deepEqual(await act('Show Terminal'), [['shown'], 0]);
    // A session that a client has open is not repaired.
    assert.deepEqual(await act('Resume Anyway'), [[], 1]);
    assert.deepEqual(await act(null), [[], 0]);
    assert.deepEqual(await act('Resume Anyway', [verdict({ live: 'maybe-live' })]), [[], 1]);
  });

  describe('when the session is broken', () => {
    const corrupted = verdict({ findings: [MENDABLE] });

    it('repairs it first if the setting says so', async () => {
      const { flow, happened, started, dialogs } = setUp({ found: [corrupted], mode: 'repair' });
      await flow.resume(SESSION);
      assert.deepEqual([happened.slice(1), started.length, dialogs.questions.length], [['repaired'], 1, 0]);
    });

    it('asks for a client whose rules were not measured', async () => {
      const { flow, happened, dialogs } = setUp({
        found: [verdict({ findings: [MENDABLE], isExact: false })],
        mode: 'repair',
        answers: { ask: [null] },
      });
      await flow.resume(SESSION);
      assert.deepEqual(happened, ['chose terminal']);
      assert.equal(dialogs.questions.length, 1);
    });
    it('says that the API refuses every prompt of a session that it asks about', async () => {
      const refused = { ...MENDABLE, code: 'empty-text', action: 'ask', isRefused: true } as const;
      const found = [verdict({ findings: [refused] })];
      const { flow, dialogs } = setUp({ found, mode: 'repair', answers: { ask: [null] } });
      await flow.resume(SESSION);
      assert.equal(dialogs.questions[0]?.detail, 'As it is, Claude’s API refuses every prompt.');
    });
    it('asks if the repair could lose something or failed, or if the setting is off', async () => {
      const asked = { ...MENDABLE, action: 'ask' } as const;
      for (const situation of [
        { found: [verdict({ findings: [asked] })], mode: 'repair' },
        { found: [corrupted], mode: 'repair', isRepaired: false },
        { found: [corrupted], mode: 'ask' },
      ] as const) {
        const { flow, dialogs, started } = setUp({ ...situation, answers: { ask: ['Resume Anyway'] } });
        await flow.resume(SESSION);
        assert.equal(dialogs.questions[0]?.message, '“Draw charts” is broken.');
        assert.equal(dialogs.questions[0].detail, 'As it is, Claude remembers only a part of it.');
        assert.equal(started.length, 1);
      }
    });

    it('leads to the repair in the conversation, from where the person resumes', async () => {
      const { flow, happened, started } = setUp({ found: [corrupted], answers: { ask: ['Show the Repair'] } });
      await flow.resume(SESSION);
      assert.deepEqual(happened.slice(1), [`offered the repair of ${SESSION.path}`]);
      assert.equal(started.length, 0);
    });

    it('offers no repair if none is possible', async () => {
      const { flow, dialogs } = setUp({
        found: [verdict({ findings: [{ ...MENDABLE, action: 'tell' }] })],
        answers: { ask: [null] },
      });
      await flow.resume(SESSION);
      assert.deepEqual(dialogs.questions[0]?.buttons, ['Resume Anyway']);
    });
  });
});

describe('The terminal of a session', () => {
  it('states the config folder only if Claude Code would use another one', () => {
    const home = '/home/person';
    assert.deepEqual(resumeEnvironment('', undefined, home), {});
    assert.deepEqual(resumeEnvironment('', '/elsewhere', home), {});
    assert.deepEqual(resumeEnvironment('/elsewhere', '/elsewhere/', home), {});
    // Given its usual folder, it would look for its settings there, and not beside it.
    assert.deepEqual(resumeEnvironment('~/.claude', undefined, home), {});
    assert.deepEqual(resumeEnvironment('/other', undefined, home), { CLAUDE_CONFIG_DIR: '/other' });
    assert.deepEqual(resumeEnvironment('/other', '/elsewhere', home), { CLAUDE_CONFIG_DIR: '/other' });
    assert.deepEqual(resumeEnvironment('~/.claude', '/elsewhere', home), { CLAUDE_CONFIG_DIR: null });
  });
});

describe('The setting for automatic repairs', () => {
  it('repairs before resuming unless it is off or invalid', () => {
    assert.deepEqual(['whenResuming', 'background', 'off', 'x', 1, undefined].map(toResumeRepair), [
      'repair',
      'repair',
      'ask',
      'ask',
      'ask',
      'ask',
    ]);
  });
});
