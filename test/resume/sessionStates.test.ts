import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installTerminal } from '../../scripts/setupVscode.mjs';
import { createEngine } from '../../src/core/engine';
import type { SessionSource, SessionStateName } from '../../src/protocol/sessionActivity';
import type { SessionOverview } from '../../src/protocol/message';
import { SessionReader } from '../rooms/conversation';
import { configDirOf } from '../rooms/format';
import { createPacer } from '../rooms/util';
import { findClient } from '../support/findClient';
import { type MockApi, startMockApi } from '../support/mockApi';
import { runSize } from '../support/runSize';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { temporaryFolder } from '../support/temporaryFolder';
import { LiveModel, liveReplier } from './support/liveModel';
import { gate, type LiveClient, LiveSession } from './support/liveSession';
import type { TerminalClient } from './support/terminalClient';

/** How often each moment is made. */
const TIMES = runSize().isFull ? 12 : 1;
/** A client writes its record at most so long after the moment. */
const RECORDED_MS = 400;
/** Longer than a command of the client needs to end. */
const TIMEOUT_MS = 60_000;

interface Moment {
  /** What a person would say that the session is doing. */
  readonly state: SessionStateName;
  /** The call that the list shows. */
  readonly call?: string;
  /** Nothing but the rows tells. */
  readonly isInferred?: boolean;
  /** Brings a session to the moment. */
  readonly reach: (live: LiveSession) => Promise<void>;
}

const unanswered = (): null => null;

/** A client that runs a command, after a whole turn. */
async function midCall(live: LiveSession): Promise<LiveClient> {
  const client = live.start();
  await client.prompt();
  const command = live.endlessCommand();
  live.model.script([command.call]);
  client.post();
  await command.started();
  return client;
}

/** A client in the middle of a reply. */
async function midReply(live: LiveSession): Promise<LiveClient> {
  const client = live.start();
  await client.prompt();
  live.model.script({ content: [live.model.say(), live.model.say()], until: gate().opened });
  client.post();
  await client.replied();
  return client;
}

/** A client that has asked the person something. */
async function asking(live: LiveSession, call: ReturnType<LiveModel['call']>): Promise<LiveClient> {
  const client = live.start({ answer: unanswered });
  await client.prompt();
  live.model.script([call]);
  const asked = client.next(({ request }) => request?.subtype === 'can_use_tool');
  client.post();
  await asked;
  return client;
}

function question(live: LiveSession): ReturnType<LiveModel['call']> {
  const options = ['Red', 'Blue'].map((label) => ({ label, description: label }));
  const asked = { question: 'Which colour?', header: 'Colour', multiSelect: false, options };
  return live.model.call('AskUserQuestion', { questions: [asked] });
}

const write = (live: LiveSession): ReturnType<LiveModel['call']> =>
  live.model.call('Write', { file_path: join(live.cwd, 'new.txt'), content: 'x' });

const MOMENTS: Readonly<Record<string, Moment>> = {
  'runs a command': {
    state: 'busy',
    call: 'Bash: touch',
    reach: async (live) => {
      await midCall(live);
    },
  },
  answers: {
    state: 'busy',
    reach: async (live) => {
      await midReply(live);
    },
  },
  'asks for an approval': {
    state: 'waiting-approval',
    call: 'Write',
    reach: async (live) => {
      await asking(live, write(live));
    },
  },
  'asks a question': {
    state: 'waiting-answer',
    call: 'AskUserQuestion',
    reach: async (live) => {
      await asking(live, question(live));
    },
  },
  'waits for the next prompt': {
    state: 'idle',
    reach: async (live) => {
      const client = live.start();
      await client.prompt();
      await client.settled();
    },
  },
  'waits for the next prompt after an interruption': {
    state: 'idle',
    reach: async (live) => {
      await (await midReply(live)).interrupt();
    },
  },
  'was killed while it ran a command': {
    state: 'crashed',
    reach: async (live) => {
      await (await midCall(live)).kill();
    },
  },
  'was killed while it answered': {
    state: 'crashed',
    reach: async (live) => {
      await (await midReply(live)).kill();
    },
  },
  'was killed while it asked': {
    state: 'crashed',
    reach: async (live) => {
      await (await asking(live, write(live))).kill();
    },
  },
  'was killed between two prompts': {
    state: 'crashed',
    reach: async (live) => {
      const client = live.start();
      await client.prompt();
      await client.settled();
      await client.kill();
    },
  },
  'ended after its turn': {
    state: 'ended',
    isInferred: true,
    reach: async (live) => {
      const client = live.start();
      await client.prompt();
      await client.close();
    },
  },
  'ended after it was interrupted': {
    state: 'interrupted',
    isInferred: true,
    reach: async (live) => {
      const client = await midReply(live);
      await client.interrupt();
      await client.close();
    },
  },
  'was told to end while it ran a command': {
    state: 'interrupted',
    isInferred: true,
    reach: async (live) => {
      await (await midCall(live)).kill('SIGTERM');
    },
  },
  'ended with an error of the API': {
    state: 'failed',
    isInferred: true,
    reach: async (live) => {
      const client = live.start();
      live.model.refuse({ status: 400, error: { type: 'invalid_request_error', message: 'No.' } });
      client.post();
      await client.result();
      await client.close();
    },
  },
  'was resumed and ended after a crash': {
    state: 'ended',
    isInferred: true,
    reach: async (live) => {
      const client = live.start();
      await client.prompt();
      await client.kill();
      const resumed = live.resume(client);
      await resumed.prompt();
      await resumed.close();
    },
  },
};

/** What a person does in a terminal. */
const TERMINAL_MOMENTS: Readonly<Record<string, Moment>> = {
  'waits for the first prompt after a turn': {
    state: 'idle',
    reach: async (live) => {
      await turnInTerminal(live);
    },
  },
  'runs a command': {
    state: 'busy',
    call: 'Bash: touch',
    reach: async (live) => {
      await callInTerminal(live);
    },
  },
  'asks for an approval': {
    state: 'waiting-approval',
    call: 'Write',
    reach: async (live) => {
      const terminal = await live.startTerminal();
      live.model.script([write(live)]);
      await terminal.type('Write it.');
      await terminal.status('waiting');
    },
  },
  'asks a question': {
    state: 'waiting-answer',
    call: 'AskUserQuestion',
    reach: async (live) => {
      const terminal = await live.startTerminal();
      live.model.script([question(live)]);
      await terminal.type('Ask me.');
      await terminal.status('waiting');
    },
  },
  'has ended its turn while a command runs in the background': {
    state: 'shell',
    reach: async (live) => {
      const terminal = await live.startTerminal(BYPASSING);
      const command = live.endlessCommand({ run_in_background: true });
      live.model.script([command.call]);
      await terminal.type('Start it.');
      await command.started();
      await terminal.status('shell');
    },
  },
  'was interrupted': {
    state: 'idle',
    reach: async (live) => {
      const terminal = await callInTerminal(live);
      await terminal.press('Escape');
      await terminal.status('idle');
    },
  },
  'was killed while it ran a command': {
    state: 'crashed',
    reach: async (live) => {
      await (await callInTerminal(live)).kill();
    },
  },
  'was killed between two prompts': {
    state: 'crashed',
    reach: async (live) => {
      await (await turnInTerminal(live)).kill();
    },
  },
  'was left by /exit': {
    state: 'ended',
    isInferred: true,
    reach: async (live) => {
      await (await turnInTerminal(live)).exit();
    },
  },
};

/** Runs commands without asking. */
const BYPASSING = ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash'];

async function turnInTerminal(live: LiveSession): Promise<TerminalClient> {
  const terminal = await live.startTerminal();
  await terminal.type('Go on.');
  await live.wrote('Done.');
  await terminal.status('idle');
  return terminal;
}

async function callInTerminal(live: LiveSession): Promise<TerminalClient> {
  const terminal = await live.startTerminal(BYPASSING);
  const command = live.endlessCommand();
  live.model.script([command.call]);
  await terminal.type('Go on.');
  await command.started();
  return terminal;
}

describe('The state of a session of the real client', () => {
  let client = '';
  let api: MockApi;
  let folder: Awaited<ReturnType<typeof temporaryFolder>> | null = null;
  const models = new Map<string, LiveModel>();
  /** How often a moment of one state was given another, or the same. */
  const confusion = new Map<string, number>();
  let inferred = 0;

  before(async function () {
    this.timeout(600_000);
    client = await skipWhenUnavailable(this, findClient);
    api = await startMockApi(liveReplier(models));
    folder = await temporaryFolder();
  });

  after(async () => {
    await api.close();
    folder?.remove();
    for (const [answer, times] of [...confusion].sort()) console.log(`      ${answer}: ${times}`);
    console.log(`      read off the rows: ${inferred}`);
  });

  /** Makes the moment once, and reads the session as `list` does. */
  async function readAt(moment: Moment, tag: string): Promise<SessionOverview> {
    let number = 0;
    const numbered = (words: string): string => `[${++number}] ${words}`;
    const model = new LiveModel(numbered);
    models.set(tag, model);
    const live = new LiveSession(client, join(folder?.path ?? '', tag), api.urlFor(tag), model, numbered);
    await live.prepare();
    try {
      await moment.reach(live);
      await delay(RECORDED_MS);
      const [filePath = ''] = await live.transcripts();
      const engine = createEngine({ configDir: configDirOf(filePath) ?? '' });
      const { createScanner, diagnostics } = engine;
      const reader = new SessionReader({
        filePath,
        createScanner,
        diagnostics,
        pacer: createPacer(10),
        activityOf: (path, end) => engine.readActivities().of(path, end),
      });
      const overview = await reader.overview();
      reader.close();
      assert.ok(overview !== null, reader.problem ?? '');
      return overview;
    } finally {
      await live.close();
    }
  }

  function compare(name: string, moment: Moment, source: SessionSource): void {
    it(`is ${moment.state} where it ${name}, ${TIMES === 1 ? 'once' : `${TIMES} times`}`, async function () {
      this.timeout(TIMES * TIMEOUT_MS);
      for (let time = 0; time < TIMES; time++) {
        const { activity, call, live } = await readAt(moment, `${source}-${name.replaceAll(/[^a-z]/gu, '-')}-${time}`);
        const answer = `${source}: ${moment.state} is said to be ${activity.state}`;
        confusion.set(answer, (confusion.get(answer) ?? 0) + 1);
        if (activity.isInferred) inferred++;
        const isOver = ['crashed', 'ended', 'interrupted', 'failed'].includes(moment.state);
        assert.deepEqual(
          [activity.state, activity.isInferred, live, activity.source],
          [moment.state, moment.isInferred === true, isOver ? 'not-live' : 'live', source],
        );
        if (moment.call !== undefined) assert.ok(call?.startsWith(moment.call), `${name}: ${String(call)}`);
      }
    });
  }

  describe('that a program drives', () => {
    for (const [name, moment] of Object.entries(MOMENTS)) compare(name, moment, 'sdk');
  });

  describe('in a terminal', () => {
    before(async function () {
      this.timeout(600_000);
      await skipWhenUnavailable(this, installTerminal);
    });

    for (const [name, moment] of Object.entries(TERMINAL_MOMENTS)) compare(name, moment, 'terminal');
  });
});
