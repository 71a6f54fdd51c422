import assert from 'node:assert/strict';
import { diagnosticsFor } from '../../rooms/diagnose';
import { resumeEnvironment, toResumeRepair } from '../../../src/extension/config/settings';
import { resumeCommand } from '../../../src/protocol/session';
import { ResumeFlow } from '../../../src/extension/history/resumeFlow';
import type { TerminalRequest } from '../../../src/extension/history/terminals';
import type { SessionDetails } from '../../../src/protocol/channels/sessions';
import type { Finding } from '../../../src/protocol/repair';
import { type Answers, FakeDialogs } from './dialogFakes';
import { activity, formats, t } from './fakes';
import type { NamedSession } from '../../../src/extension/sessions/sessionsState';

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

function details(change: {
  readonly findings?: readonly Finding[];
  readonly isRunning?: boolean;
  readonly cwd?: string | null;
  readonly problem?: string;
  readonly isExact?: boolean;
}): SessionDetails {
  const { findings = [], isRunning = false, cwd = '/src/app', problem = null, isExact = true } = change;
  const metadata = {
    title: 'Draw charts',
    cwd,
    model: null,
    gitBranch: null,
    clientVersion: null,
    lastMessageMs: null,
    parentSessionId: null,
  };
  const status = problem !== null ? 'unreadable' : findings.length > 0 ? 'corrupted' : 'healthy';
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
          loads: findings.length > 0 ? 9 : 28,
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
    metadata,
    client: diagnosticsFor().client,
    activity: activity(isRunning ? 'idle' : 'ended'),
    end: null,
    sweep: null,
  };
}

interface Situation {
  readonly answers?: Answers;
  readonly found?: readonly SessionDetails[];
  readonly mode?: 'repair' | 'ask';
  readonly isRepaired?: boolean;
  readonly folders?: readonly string[];
}

function setUp({
  answers = {},
  found = [details({})],
  mode = 'ask',
  isRepaired = true,
  folders = ['/src/app'],
}: Situation) {
  const dialogs = new FakeDialogs(answers);
  const happened: string[] = [];
  const terminals: TerminalRequest[] = [];
  const left = [...found];
  const did = (what: string) => () => {
    happened.push(what);
    return Promise.resolve();
  };
  const flow = new ResumeFlow({
    details: () => Promise.resolve((left.length > 1 ? left.shift() : left[0])!),
    isFolder: (path) => Promise.resolve(folders.includes(path)),
    repairMode: () => mode,
    repair: () => did('repaired')().then(() => isRepaired),
    previewRepair: did('previewed'),
    fork: did('forked'),
    environment: () => ({ CLAUDE_CONFIG_DIR: '/c' }),
    runInTerminal: (request) => terminals.push(request),
    dialogs,
    formats,
    t,
  });
  return { flow, dialogs, happened, terminals };
}

/** Without what a client tells its own commands: a client that inherits that writes no transcript. */
const ENVIRONMENT = {
  CLAUDECODE: null,
  CLAUDE_CODE_CHILD_SESSION: null,
  CLAUDE_CODE_ENTRYPOINT: null,
  CLAUDE_CODE_SESSION_ID: null,
  CLAUDE_CONFIG_DIR: '/c',
};

describe('Resuming in a terminal', () => {
  it('runs claude in the session’s folder, in a terminal named after the session', async () => {
    const { flow, terminals, dialogs } = setUp({});
    await flow.resume(SESSION);
    assert.deepEqual(terminals, [
      { name: 'Draw charts', cwd: '/src/app', env: ENVIRONMENT, command: `claude --resume ${ID}` },
    ]);
    assert.deepEqual([dialogs.questions, dialogs.messages], [[], []]);
  });

  it('lets VS Code choose the folder if the session names none', async () => {
    const { flow, terminals } = setUp({ found: [details({ cwd: null })] });
    await flow.resume(SESSION);
    assert.equal(terminals[0]?.cwd, null);
  });

  it('reports a deleted folder, an unreadable session, and a name that is not an id', async () => {
    const gone = setUp({ folders: [] });
    await gone.flow.resume(SESSION);
    assert.deepEqual(gone.dialogs.reported, ['The folder that this session was in is gone: /src/app']);
    const unreadable = setUp({ found: [details({ problem: 'It does not exist.' })] });
    await unreadable.flow.resume(SESSION);
    assert.deepEqual(unreadable.dialogs.reported, ['It does not exist.']);
    for (const sessionId of [`${ID}; rm -rf ~`, '$(id)', '', `${ID}\n`, '--help', ID.slice(1)]) {
      const hostile = setUp({});
      await hostile.flow.resume({ ...SESSION, id: sessionId });
      assert.match(hostile.dialogs.reported[0] ?? '', /its name is no session id/);
      assert.deepEqual(hostile.terminals, []);
    }
    assert.deepEqual([gone.terminals, unreadable.terminals], [[], []]);
  });

  it('warns when Claude Code already runs the session, and offers a fork', async () => {
    const live = [details({ isRunning: true, findings: [MENDABLE] })];
    const fork = setUp({ found: live, answers: { ask: ['Fork Session…'] }, mode: 'repair' });
    await fork.flow.resume(SESSION);
    assert.deepEqual([fork.happened, fork.terminals.length], [['forked'], 0]);
    const anyway = setUp({ found: live, answers: { ask: ['Resume Anyway'] }, mode: 'repair' });
    await anyway.flow.resume(SESSION);
    // A session that a client has open is not repaired.
    assert.deepEqual([anyway.happened, anyway.terminals.length], [[], 1]);
    const no = setUp({ found: live, answers: { ask: [null] } });
    await no.flow.resume(SESSION);
    assert.deepEqual(no.terminals, []);
  });

  describe('when the session is broken', () => {
    const corrupted = details({ findings: [MENDABLE] });

    it('repairs it first if the setting says so', async () => {
      const { flow, happened, terminals, dialogs } = setUp({ found: [corrupted], mode: 'repair' });
      await flow.resume(SESSION);
      assert.deepEqual([happened, terminals.length, dialogs.questions.length], [['repaired'], 1, 0]);
    });

    it('asks for a client whose rules were not measured', async () => {
      const { flow, happened, dialogs } = setUp({
        found: [details({ findings: [MENDABLE], isExact: false })],
        mode: 'repair',
        answers: { ask: [null] },
      });
      await flow.resume(SESSION);
      assert.deepEqual(happened, []);
      assert.equal(dialogs.questions.length, 1);
    });
    it('asks if the repair could lose something or failed, or if the setting is off', async () => {
      const asked = { ...MENDABLE, action: 'ask' } as const;
      for (const situation of [
        { found: [details({ findings: [asked] })], mode: 'repair' },
        { found: [corrupted], mode: 'repair', isRepaired: false },
        { found: [corrupted], mode: 'ask' },
      ] as const) {
        const { flow, dialogs, terminals } = setUp({ ...situation, answers: { ask: ['Resume Anyway'] } });
        await flow.resume(SESSION);
        assert.equal(dialogs.questions[0]?.message, '“Draw charts” is corrupted.');
        assert.equal(dialogs.questions[0].detail, 'Claude will load 9 of 28 messages as it is.');
        assert.equal(terminals.length, 1);
      }
    });

    it('shows the repair, and resumes only after a repair', async () => {
      const repaired = setUp({ found: [corrupted, details({})], answers: { ask: ['Repair…'] } });
      await repaired.flow.resume(SESSION);
      assert.deepEqual([repaired.happened, repaired.terminals.length], [['previewed'], 1]);
      const cancelled = setUp({ found: [corrupted], answers: { ask: ['Repair…'] } });
      await cancelled.flow.resume(SESSION);
      assert.deepEqual([cancelled.happened, cancelled.terminals.length], [['previewed'], 0]);
    });

    it('offers no repair if none is possible', async () => {
      const { flow, dialogs } = setUp({
        found: [details({ findings: [{ ...MENDABLE, action: 'tell' }] })],
        answers: { ask: [null] },
      });
      await flow.resume(SESSION);
      assert.deepEqual(dialogs.questions[0]?.buttons, ['Resume Anyway']);
    });
  });
});

describe('The command that resumes a session', () => {
  it('consists only of the program and a session id', () => {
    assert.equal(resumeCommand(ID), `claude --resume ${ID}`);
    assert.equal(resumeCommand(`${ID} && ls`), null);
  });

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
