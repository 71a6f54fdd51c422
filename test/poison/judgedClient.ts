import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, type Engine } from '../../src/core/engine';
import { findClient } from '../support/findClient';
import { type MockApi, startMockApi } from '../support/mockApi';
import { quietMachine } from '../support/quietMachine';
import { type ClientRun, resumeWithRealClient } from '../support/realClient';
import { removeFolder } from '../support/removeFolder';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { type ApiLimits, refusalOf } from './publishedRules';

/** What became of a prompt. */
export interface Answer {
  readonly exitCode: number | null;
  /** The sentences with which requests were refused. */
  readonly refused: readonly string[];
  /** The messages of the last request that was accepted, as JSON; empty if none was. */
  readonly accepted: string;
  /** Those of the texts that the last request with the prompt does not contain. */
  readonly lacks: (texts: readonly string[]) => readonly string[];
  readonly run: ClientRun;
}

/** What the API accepts, and what it has answered. */
interface Judge {
  limits: ApiLimits;
  readonly refused: string[];
  accepted: string;
}

/** The real client, an API that judges its requests, and a session file for them. */
export class JudgedClient {
  readonly filePath: string;

  constructor(
    private readonly client: string,
    private readonly api: MockApi,
    private readonly judge: Judge,
    readonly engine: Engine,
    folder: string,
  ) {
    this.filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
  }

  /** Lets the client ask one prompt in a copy of the session. */
  async ask(limits: ApiLimits = {}): Promise<Answer> {
    this.judge.limits = limits;
    this.judge.refused.length = 0;
    this.judge.accepted = '';
    const run = await resumeWithRealClient(this.filePath, { client: this.client, api: this.api });
    const { exitCode, messages } = run;
    const sent = JSON.stringify(messages);
    return {
      exitCode,
      refused: [...this.judge.refused],
      accepted: this.judge.accepted,
      lacks: (texts) => texts.filter((text) => !sent.includes(text)),
      run,
    };
  }
}

/** Registers what a suite with a judged client needs; ask for the client within a test. */
export function useJudgedClient(): () => JudgedClient {
  const judge: Judge = { limits: {}, refused: [], accepted: '' };
  let api: MockApi | null = null;
  let folder = '';
  let judged: JudgedClient | null = null;

  before(async function () {
    this.timeout(0);
    const client = await skipWhenUnavailable(this, () => findClient());
    folder = await mkdtemp(join(tmpdir(), 'rethread-poison-'));
    const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
    api = await startMockApi((messages, { system, tools }) => {
      const message = refusalOf(messages, { system, tools }, judge.limits);
      if (message === null) {
        judge.accepted = JSON.stringify(messages);
        return [{ type: 'text', text: 'OK.' }];
      }
      judge.refused.push(message);
      return message.startsWith('Request exceeds')
        ? { status: 413, error: { type: 'request_too_large', message } }
        : { status: 400, error: { type: 'invalid_request_error', message } };
    });
    judged = new JudgedClient(client, api, judge, engine, folder);
  });

  after(async () => {
    await api?.close();
    if (folder !== '') removeFolder(folder);
  });

  return () => {
    assert.ok(judged !== null);
    return judged;
  };
}
