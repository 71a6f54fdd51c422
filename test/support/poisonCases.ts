import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FIXTURES } from './fixtures';

/** What the real client answered to a prompt in a damaged session, against a mock of the API that judges requests. */
export type PoisonOutcome = 'ok' | 'healed after refusal' | 'no request' | 'refused';

export interface PoisonVerdict {
  readonly class: string;
  readonly description: string;
  /** How the mock differed from the API in this case; absent if it did not. */
  readonly mock?: Readonly<Record<string, unknown>>;
  /** Further arguments of the client; absent if there were none. */
  readonly args?: string;
  readonly first: {
    readonly outcome: PoisonOutcome;
    /** What the client printed. */
    readonly shown?: string;
    /** First letters of the roles of the first request, with the prompt. */
    readonly roles?: string;
    readonly guilty?: { readonly lines: readonly number[] };
  };
}

export interface PoisonCase {
  readonly name: string;
  readonly text: string;
  readonly verdict: PoisonVerdict;
}

/** The damaged histories of fixtures/poison with what was measured of each. */
export function listPoisonCases(): readonly PoisonCase[] {
  const folder = join(FIXTURES, 'poison');
  // SAFETY: a fixture of this repository, written in this shape.
  const { cases } = JSON.parse(readFileSync(join(folder, 'verdicts.json'), 'utf8')) as {
    cases: Readonly<Record<string, PoisonVerdict>>;
  };
  const files = readdirSync(join(folder, 'cases')).sort();
  return files.map((file): PoisonCase => {
    const name = basename(file, '.jsonl');
    const verdict = cases[name];
    if (verdict === undefined) throw new Error(`No verdict for ${name}`);
    return { name, text: readFileSync(join(folder, 'cases', file), 'utf8'), verdict };
  });
}

/** The session after a prompt that was refused with this error. */
export function withRefusedPrompt(text: string, shown: string): string {
  const rows = text.trimEnd().split('\n');
  // Titles and other metadata, which have no uuid, may follow the last message.
  const end = rows.findLast((row) => row.includes('"uuid":')) ?? '';
  // SAFETY: the messages of the fixtures have these fields.
  const last = JSON.parse(end) as { uuid: string; sessionId: string; timestamp: string };
  const { sessionId, timestamp } = last;
  const shared = { isSidechain: false, sessionId, timestamp, cwd: '/home/user/project', version: '2.1.330' };
  const content = [{ type: 'text', text: shown }];
  const prompt = { parentUuid: last.uuid, ...shared, type: 'user', uuid: uuidOf(1) };
  const error = { parentUuid: uuidOf(1), ...shared, type: 'assistant', uuid: uuidOf(2) };
  const message = { id: 'refused', role: 'assistant', model: '<synthetic>', content };
  return [
    ...rows,
    JSON.stringify({ ...prompt, message: { role: 'user', content: 'Go on.' } }),
    JSON.stringify({ ...error, isApiErrorMessage: true, apiErrorStatus: 400, error: 'unknown', message }),
    '',
  ].join('\n');
}

function uuidOf(number: number): string {
  return `bbbbbbbb-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
