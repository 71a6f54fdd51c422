import type { SessionActivity } from '../../../src/protocol/sessionActivity';
import { MessageChannel } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import type { WorkerThread } from '../../../src/extension/rpc/workerClient';
import type { Log } from '../../../src/extension/log';
import type { Translate } from '../../../src/extension/text/translate';
import { createFormats } from '../../../src/extension/text/formats';
import type { EventSenders } from '../../../src/protocol/channel';
import { conversationChannel } from '../../../src/protocol/channels/conversation';
import { type ExportCalls, exportsChannel } from '../../../src/protocol/channels/exports';
import { type SearchCalls, searchChannel } from '../../../src/protocol/channels/search';
import {
  type ProjectSummary,
  type SessionsCalls,
  sessionsChannel,
  type SessionsSnapshot,
  type SessionSummary,
  type SessionsUpdate,
} from '../../../src/protocol/channels/sessions';
import { usageChannel } from '../../../src/protocol/channels/usage';
import { type WorkerCalls, workerChannel } from '../../../src/protocol/channels/worker';
import { createEvents } from '../../../src/protocol/rpcServer';

/** English, as VS Code shows it where no translation is installed. */
export const t: Translate = (message, ...args) =>
  message.replace(/\{(\d+)\}/g, (_whole, index: string) => String(args[Number(index)]));

export const formats = createFormats('en', t);

export function session(change: Partial<SessionSummary> = {}): SessionSummary {
  return {
    provider: 'claude',
    id: '44444444-4444-4444-8444-444444444444',
    path: '/c/projects/-p/44444444-4444-4444-8444-444444444444.jsonl',
    title: 'Mend the login form',
    parentSessionId: null,
    health: 'healthy',
    live: 'not-live',
    activity: null,
    doing: null,
    lastMessageMs: null,
    activityMs: 0,
    createdMs: null,
    bytes: null,
    loads: 28,
    of: 28,
    errorCount: 0,
    warningCount: 0,
    isRepairable: false,
    hasBackup: false,
    ...change,
  };
}

export function project(sessions: readonly SessionSummary[], change: Partial<ProjectSummary> = {}): ProjectSummary {
  return { folder: '/c/projects/-src-app', cwd: '/src/app', inWorkspace: true, sessions, ...change };
}

export function snapshot(
  projects: readonly ProjectSummary[],
  change: Partial<SessionsSnapshot> = {},
): SessionsSnapshot {
  return { revision: 1, phase: { kind: 'idle' }, projects, problem: null, isFolderMissing: false, ...change };
}

/** An update with these projects only; all earlier ones are removed. */
export function update(projects: readonly ProjectSummary[], change: Partial<SessionsUpdate> = {}): SessionsUpdate {
  const { phase, problem, isFolderMissing, revision } = snapshot([]);
  return {
    revision,
    configDir: '/c',
    isReset: true,
    phase,
    problem,
    isFolderMissing,
    order: projects.map((each) => each.folder),
    projects: projects.map((each) => ({ ...each, removed: [] })),
    ...change,
  };
}

export class RecordedLog implements Log {
  readonly lines: string[] = [];
  debug = (message: string): void => void this.lines.push(`debug: ${message}`);
  info = (message: string): void => void this.lines.push(`info: ${message}`);
  warn = (message: string): void => void this.lines.push(`warn: ${message}`);
  error = (message: string): void => void this.lines.push(`error: ${message}`);
}

type WorkerAnswers = WorkerCalls & SessionsCalls & SearchCalls & ExportCalls;

/** A worker that runs on this thread. Messages are cloned and posted as by a real one, and it can be made to die. */
export class FakeThread implements WorkerThread {
  readonly calls: { readonly method: string; readonly args: readonly unknown[] }[] = [];
  readonly events: EventSenders<typeof workerChannel> &
    EventSenders<typeof sessionsChannel> &
    EventSenders<typeof conversationChannel> &
    EventSenders<typeof searchChannel> &
    EventSenders<typeof exportsChannel> &
    EventSenders<typeof usageChannel>;
  hasEnded = false;
  readonly #channel = new MessageChannel();
  #onDeath: (reason: string) => void = () => undefined;

  /** `answers` by the names of calls. Every other call returns undefined. */
  constructor(answers: Partial<WorkerAnswers> = {}) {
    const port = this.#channel.port2;
    const rpc = createBirpc<object, object, false>(
      {},
      {
        post: (message: unknown) => {
          port.postMessage(message);
        },
        on: (listener) => {
          port.on('message', listener);
        },
        proxify: false,
        resolver: (name) => {
          const method = name.replace(/^.*\./, '');
          const answer = (answers as Record<string, ((...args: unknown[]) => unknown) | undefined>)[method];
          return (...args: unknown[]) => {
            this.calls.push({ method, args });
            return answer?.(...args);
          };
        },
      },
    );
    this.events = {
      ...createEvents(workerChannel, rpc),
      ...createEvents(sessionsChannel, rpc),
      ...createEvents(conversationChannel, rpc),
      ...createEvents(searchChannel, rpc),
      ...createEvents(exportsChannel, rpc),
      ...createEvents(usageChannel, rpc),
    };
  }

  post(message: unknown): void {
    this.#channel.port1.postMessage(message);
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#channel.port1.on('message', listener);
  }

  onDeath(listener: (reason: string) => void): void {
    this.#onDeath = listener;
  }

  die(reason: string): void {
    this.#close();
    this.#onDeath(reason);
  }

  end(): Promise<void> {
    this.hasEnded = true;
    this.#close();
    return Promise.resolve();
  }

  #close(): void {
    this.#channel.port1.close();
  }
}

/** A session of this state, as the registry says. */
export function activity(state: SessionActivity['state'], change: Partial<SessionActivity> = {}): SessionActivity {
  return {
    state,
    isInferred: false,
    source: 'terminal',
    pid: 7,
    sinceMs: null,
    waitingFor: null,
    agentName: null,
    ...change,
  };
}
