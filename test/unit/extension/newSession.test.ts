import assert from 'node:assert/strict';
import { ClientChoice, type ClientPlace, shellWord } from '../../../src/extension/terminals/clientChoice';
import { warnOfInheritedEnvironment } from '../../../src/extension/terminals/inheritedEnvironment';
import { NewSessionFlow } from '../../../src/extension/terminals/newSessionFlow';
import { attachCommand, showTerminal } from '../../../src/extension/terminals/showTerminal';
import type { FoundClients } from '../../../src/protocol/client';
import type { FoundSession, RunningClient } from '../../../src/protocol/terminals';
import { type Answers, FakeDialogs } from './dialogFakes';
import { t } from './fakes';

const ID = '44444444-4444-4444-8444-444444444444';
const ON_PATH = { path: '/usr/bin/claude', version: '2.1.300' };
const OF_EXTENSION = { path: '/ext/claude code/claude', version: '2.1.330' };

function chooser(found: Partial<FoundClients>, isInstalled: boolean, answers: Answers = {}) {
  const dialogs = new FakeDialogs(answers);
  const copied: string[] = [];
  const choice = new ClientChoice({
    findClients: () => Promise.resolve({ onPath: null, ofExtension: null, ...found }),
    panel: { isInstalled: () => isInstalled, open: () => Promise.resolve() },
    shell: () => '/bin/bash',
    copy: (text) => Promise.resolve(void copied.push(text)),
    openLink: () => Promise.resolve(),
    dialogs,
    t,
  });
  return { dialogs, copied, choose: (place: ClientPlace) => choice.choose(place, 'Title') };
}

describe('The client of a session', () => {
  it('is the one on the PATH in a terminal, else the one in Claude Code’s extension', async () => {
    assert.deepEqual(await chooser({ onPath: ON_PATH, ofExtension: OF_EXTENSION }, true).choose('terminal'), {
      kind: 'terminal',
      program: 'claude',
      version: '2.1.300',
    });
    assert.deepEqual(await chooser({ ofExtension: OF_EXTENSION }, true).choose('terminal'), {
      kind: 'terminal',
      program: "'/ext/claude code/claude'",
      version: '2.1.330',
    });
  });

  it('is chosen by the person if both a terminal and the panel are possible', async () => {
    const { choose, dialogs } = chooser({ onPath: ON_PATH, ofExtension: OF_EXTENSION }, true, {
      choose: ['In Claude Code’s Panel'],
    });
    assert.equal((await choose('ask'))?.kind, 'panel');
    assert.deepEqual(dialogs.lists[0]?.lines, ['In a Terminal', 'In Claude Code’s Panel']);
    assert.equal((await chooser({ onPath: ON_PATH }, false).choose('ask'))?.kind, 'terminal');
  });

  it('is the panel if there is nothing for a terminal, once the person agrees', async () => {
    const agreed = chooser({}, true, { ask: ['Open in Claude Code’s Panel'] });
    assert.deepEqual(await agreed.choose('terminal'), { kind: 'panel', program: '', version: null });
    assert.equal(await chooser({}, true, { ask: [null] }).choose('terminal'), null);
  });

  it('is none without either: how to install it is said, and copied', async () => {
    const { choose, dialogs, copied } = chooser({}, false, {
      notify: { 'Claude Code was not found': 'Copy Install Command' },
    });
    assert.equal(await choose('panel'), null);
    await new Promise(setImmediate);
    assert.match(dialogs.reported[0] ?? '', /npm install -g @anthropic-ai\/claude-code/);
    assert.deepEqual(copied, ['npm install -g @anthropic-ai/claude-code']);
  });

  it('is called by its path as each shell needs it', () => {
    assert.equal(shellWord("/it's/claude", '/usr/bin/zsh'), "'/it'\\''s/claude'");
    assert.equal(
      shellWord("C:\\it's\\claude.exe", 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe'),
      "& 'C:\\it''s\\claude.exe'",
    );
    assert.equal(shellWord('C:\\a b\\claude.exe', 'C:\\Windows\\cmd.exe'), '"C:\\a b\\claude.exe"');
  });
});

function starter(
  folders: readonly string[],
  answers: Answers = {},
  last: FoundSession | null = null,
  hasClient = true,
  configDirs: readonly string[] = ['/home/person/.claude'],
  missing: readonly (string | undefined)[] = [],
) {
  const dialogs = new FakeDialogs(answers);
  const started: string[] = [];
  const flow = new NewSessionFlow({
    chooseClient: () => Promise.resolve(hasClient ? { kind: 'terminal', program: 'claude', version: '2.1.300' } : null),
    folders: () => folders,
    lastSession: (folder) => Promise.resolve(last?.cwd === folder ? last : null),
    resume: ({ id }) => Promise.resolve(void started.push(`resumed ${id}`)),
    start: (folder, _client, configDir) =>
      Promise.resolve(void started.push(`new in ${folder}${configDir === null ? '' : ` with ${configDir}`}`)),
    configDirs: () => configDirs,
    isFolder: (path) => Promise.resolve(!missing.includes(path)),
    homeDir: '/home/person',
    dialogs,
    t,
  });
  return { dialogs, started, flow };
}

const LAST: FoundSession = { provider: 'claude', id: ID, path: '/c/x.jsonl', title: 'Draw', cwd: '/src/app' };

describe('A new session', () => {
  it('starts in the only folder without a question', async () => {
    const { flow, started, dialogs } = starter(['/src/app']);
    await flow.newSession();
    assert.deepEqual([started, dialogs.lists], [['new in /src/app'], []]);
  });

  it('asks for the folder if there are several, and takes none if the person cancels', async () => {
    const { flow, started, dialogs } = starter(['/src/app', '/home/person/lib'], { choose: ['lib'] });
    await flow.newSession();
    assert.deepEqual(started, ['new in /home/person/lib']);
    assert.deepEqual(dialogs.lists[0]?.lines, ['app | /src/app', 'lib | ~/lib']);
    const cancelled = starter(['/src/app', '/lib'], { choose: [null] });
    await cancelled.flow.newSession();
    assert.deepEqual(cancelled.started, []);
  });

  it('asks for the config folder if there are several, unless it is given', async () => {
    const dirs = ['/home/person/.claude', '/home/person/.claude-work'];
    const { flow, started, dialogs } = starter(
      ['/src/app'],
      { choose: ['~/.claude-work', '~/.claude', null] },
      null,
      true,
      dirs,
    );
    await flow.newSession();
    assert.deepEqual(dialogs.lists[0]?.lines, ['~/.claude', '~/.claude-work']);
    await flow.newSession();
    await flow.newSession();
    assert.deepEqual(started, ['new in /src/app with /home/person/.claude-work', 'new in /src/app']);
    await flow.newSession('/src/app', '/other');
    await flow.newSession('/src/app', null);
    assert.deepEqual(started.slice(2), ['new in /src/app with /other', 'new in /src/app']);
    assert.equal(dialogs.lists.length, 3);
  });

  it('offers no config folder of another account that is not there', async () => {
    const dirs = ['/home/person/.claude', '/gone', '/home/person/.claude-work'];
    const several = starter(['/src/app'], { choose: ['~/.claude-work'] }, null, true, dirs, ['/gone', dirs[0]]);
    await several.flow.newSession();
    assert.deepEqual(several.dialogs.lists[0]?.lines, ['~/.claude', '~/.claude-work']);
    const one = starter(['/src/app'], {}, null, true, dirs.slice(0, 2), ['/gone']);
    await one.flow.newSession();
    assert.deepEqual([one.started, one.dialogs.lists], [['new in /src/app'], []]);
  });

  it('uses the home folder only if the person says so', async () => {
    const home = starter([], { ask: ['Use Home Folder'] });
    await home.flow.newSession();
    assert.deepEqual(home.started, ['new in /home/person']);
    const no = starter([], { ask: [null] });
    await no.flow.newSession();
    assert.deepEqual(no.started, []);
  });

  it('needs a client before anything is asked', async () => {
    const { flow, started, dialogs } = starter(['/a', '/b'], {}, null, false);
    await flow.newSession();
    await flow.continueLast();
    assert.deepEqual([started, dialogs.lists], [[], []]);
  });
});

describe('Continuing the last session', () => {
  it('resumes that of the chosen folder', async () => {
    const { flow, started } = starter(['/lib', '/src/app'], { choose: ['app'] }, LAST);
    await flow.continueLast();
    assert.deepEqual(started, [`resumed ${ID}`]);
  });

  it('names the folder if there is nothing to continue, and offers a new session', async () => {
    const { flow, started, dialogs } = starter(['/home/person/lib'], {
      notify: { 'There is no session': 'New Session…' },
    });
    await flow.continueLast();
    assert.deepEqual(dialogs.reported, ['There is no session to continue in ~/lib.']);
    assert.deepEqual(started, ['new in /home/person/lib']);
  });
});

const CLIENT: RunningClient = {
  pid: 11,
  sessionId: ID,
  ancestors: [],
  terminalId: null,
  tmux: null,
  jobId: null,
  cwd: null,
  entrypoint: 'cli',
};

describe('Showing the terminal of a session', () => {
  const session = { provider: 'claude', id: ID, path: '/c/x.jsonl', title: 'Draw charts' } as const;
  const act = async (clients: readonly RunningClient[], isHere = false, answers: Answers = {}) => {
    const dialogs = new FakeDialogs(answers);
    const copied: string[] = [];
    await showTerminal(session, {
      show: () => Promise.resolve(isHere),
      runningClients: () => Promise.resolve(clients),
      copy: (text) => Promise.resolve(void copied.push(text)),
      dialogs,
      t,
    });
    return { said: dialogs.reported, copied };
  };

  it('focuses the terminal if it is in this window', async () => {
    assert.deepEqual(await act([CLIENT], true), { said: [], copied: [] });
  });

  it('says where the session runs otherwise, with the command that attaches', async () => {
    const tmux = { ...CLIENT, tmux: 'it’s main' };
    const copying = { notify: { '“Draw charts” runs in': 'Copy Command' } };
    assert.deepEqual(await act([tmux], false, copying), {
      said: ["“Draw charts” runs in the tmux session it’s main. To attach to it: tmux attach -t 'it’s main'"],
      copied: ["tmux attach -t 'it’s main'"],
    });
    const job = { ...CLIENT, jobId: '44444444', entrypoint: 'cli' };
    assert.deepEqual((await act([job], false, copying)).copied, ['claude attach 44444444']);
    assert.equal(attachCommand({ ...CLIENT, tmux: "a'b" }), "tmux attach -t 'a'\\''b'");
  });

  it('says so if there is no such command, and if nothing runs', async () => {
    assert.match((await act([CLIENT])).said[0] ?? '', /another window or another terminal program \(process 11\)/);
    assert.match(
      (await act([{ ...CLIENT, entrypoint: 'claude-vscode' }])).said[0] ?? '',
      /Claude Code’s own extension/,
    );
    assert.match((await act([{ ...CLIENT, entrypoint: 'sdk-ts' }])).said[0] ?? '', /by a program/);
    assert.match((await act([])).said[0] ?? '', /^No client on this machine/);
  });
});

describe('A window that was opened by a running client', () => {
  const warn = async (
    environment: Record<string, string>,
    answer: string | null,
    kept = new Map<string, unknown>(),
    parentPid = 1,
  ) => {
    const dialogs = new FakeDialogs(answer === null ? {} : { notify: { 'This window was opened': answer } });
    const globalState = {
      get: (key: string) => kept.get(key),
      update: (key: string, value: unknown) => {
        kept.set(key, value);
        return Promise.resolve();
      },
    };
    await warnOfInheritedEnvironment({ environment, parentPid, globalState, dialogs, t });
    return dialogs.reported.length;
  };

  it('says so once, also after it was reloaded, until it is dismissed for good', async () => {
    const kept = new Map<string, unknown>();
    const environment = { CLAUDE_CODE_CHILD_SESSION: '1', CLAUDECODE: '1' };
    assert.equal(await warn(environment, null, kept), 1);
    assert.equal(await warn(environment, null, kept), 0);
    assert.equal(await warn(environment, 'Don’t Show Again', kept, 2), 1);
    assert.equal(await warn(environment, null, kept, 3), 0);
    assert.equal(await warn({ PATH: '/bin', CLAUDECODE: '' }, null), 0);
  });
});
