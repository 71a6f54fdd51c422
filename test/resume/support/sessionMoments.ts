import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Liveness } from '../../../src/protocol/session';
import type { SessionStateName } from '../../../src/protocol/sessionActivity';
import type { LiveModel } from './liveModel';
import { gate, type LiveClient, type LiveSession } from './liveSession';
import type { PrintClient } from './printClient';
import type { TerminalClient } from './terminalClient';

/** A moment in the life of a session. */
export interface Moment {
  /** What a person would say that the session is doing. */
  readonly state: SessionStateName;
  /** The call that the list shows. */
  readonly call?: string;
  /** By default `live` until it is over. */
  readonly live?: Liveness;
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

/** What a program does. */
export const PROGRAM_MOMENTS: Readonly<Record<string, Moment>> = {
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
  // A client that a program drives records no `shell`.
  'has ended its turn while a command runs in the background': {
    state: 'idle',
    reach: async (live) => {
      const client = live.start();
      const command = live.endlessCommand({ run_in_background: true });
      live.model.script([command.call]);
      await client.prompt();
      await command.started();
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
export const TERMINAL_MOMENTS: Readonly<Record<string, Moment>> = {
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

/** What a client does that was started with one prompt. It cannot ask. */
export const PRINT_MOMENTS: Readonly<Record<string, Moment>> = {
  'runs a command': {
    state: 'busy',
    call: 'Bash: touch',
    reach: async (live) => {
      await callInPrint(live);
    },
  },
  answers: {
    state: 'busy',
    reach: async (live) => {
      live.model.script({ content: [live.model.say(), live.model.say()], until: gate().opened });
      live.print(['Go on.', ...BYPASSING]);
      await live.wrote('Go on.');
    },
  },
  'was killed while it ran a command': {
    state: 'crashed',
    reach: async (live) => {
      await (await callInPrint(live)).kill();
    },
  },
  'ended after its turn': {
    state: 'ended',
    isInferred: true,
    reach: async (live) => {
      await live.print(['Go on.']).ended();
    },
  },
  'ended with an error of the API': {
    state: 'failed',
    isInferred: true,
    reach: async (live) => {
      live.model.refuse({ status: 400, error: { type: 'invalid_request_error', message: 'No.' } });
      await live.print(['Go on.']).ended();
    },
  },
};

async function callInPrint(live: LiveSession): Promise<PrintClient> {
  const command = live.endlessCommand();
  live.model.script([command.call]);
  const client = live.print(['Go on.', ...BYPASSING]);
  await command.started();
  return client;
}

/** What a session in the background does. */
export const BACKGROUND_MOMENTS: Readonly<Record<string, Moment>> = {
  'has ended its turn': {
    state: 'idle',
    reach: async (live) => {
      await (await live.startInBackground(['Go on.'])).becomes('working', 'idle');
      await live.wrote('Done.');
    },
  },
  'runs a command': {
    state: 'busy',
    call: 'Bash: touch',
    reach: async (live) => {
      const command = live.endlessCommand();
      live.model.script([command.call]);
      await live.startInBackground(['Go on.', ...BYPASSING]);
      await command.started();
    },
  },
  'asks for an approval': {
    state: 'waiting-approval',
    call: 'Write',
    reach: async (live) => {
      live.model.script([write(live)]);
      await (await live.startInBackground(['Write it.', '--permission-mode', 'default'])).becomes('working', 'blocked');
    },
  },
  'asks a question': {
    state: 'waiting-answer',
    reach: async (live) => {
      live.model.script([question(live)]);
      await (await live.startInBackground(['Ask me.', '--permission-mode', 'default'])).becomes('working', 'blocked');
    },
  },
  'has ended its turn while a command runs in the background': {
    state: 'shell',
    reach: async (live) => {
      const command = live.endlessCommand({ run_in_background: true });
      live.model.script([command.call]);
      const background = await live.startInBackground(['Start it.', ...BYPASSING]);
      await command.started();
      await live.wrote('Done.');
      await background.becomes('working');
    },
  },
  'was killed while it ran a command': {
    state: 'crashed',
    live: 'maybe-live',
    reach: async (live) => {
      const command = live.endlessCommand();
      live.model.script([command.call]);
      const background = await live.startInBackground(['Go on.', ...BYPASSING]);
      await command.started();
      // One that dies in its first seconds is not started again: its job has failed.
      await delay(3_000);
      await background.kill();
      await background.becomes('crashed');
    },
  },
  'was stopped': {
    state: 'ended',
    reach: async (live) => {
      const background = await live.startInBackground(['Go on.']);
      await live.wrote('Done.');
      await background.becomes('working', 'idle');
      await background.stop();
      await background.becomes('stopped');
    },
  },
};

/** A client whose processes cannot be seen from here. */
const NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];
const elsewhere = (live: LiveSession): LiveSession => live.within(NAMESPACE);

/** What such a client does. */
export const UNSEEN_MOMENTS: Readonly<Record<string, Moment>> = {
  'runs a command': {
    state: 'busy',
    call: 'Bash: touch',
    live: 'maybe-live',
    reach: async (live) => {
      await midCall(elsewhere(live));
    },
  },
  'asks for an approval': {
    state: 'waiting-approval',
    call: 'Write',
    live: 'maybe-live',
    reach: async (live) => {
      await asking(elsewhere(live), write(live));
    },
  },
  'asks a question': {
    state: 'waiting-answer',
    call: 'AskUserQuestion',
    live: 'maybe-live',
    reach: async (live) => {
      await asking(elsewhere(live), question(live));
    },
  },
  'waits for the next prompt': {
    state: 'idle',
    live: 'maybe-live',
    reach: async (live) => {
      const client = elsewhere(live).start();
      await client.prompt();
      await client.settled();
    },
  },
  'ended after its turn': {
    state: 'ended',
    isInferred: true,
    reach: async (live) => {
      const client = elsewhere(live).start();
      await client.prompt();
      await client.close();
    },
  },
};
