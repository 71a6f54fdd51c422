import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withTemporaryFolder } from '../../support/temporaryFolder';

export type Row = Record<string, unknown>;

/** A config folder that a test fills itself. */
export class UsageFolder {
  #files = 0;

  constructor(readonly configDir: string) {}

  /** Path of a session's transcript in the project `-p`. */
  path(name: string, project = '-p'): string {
    return join(this.configDir, 'projects', project, `${name}.jsonl`);
  }

  /** Each written file is newer than the ones before. */
  write(path: string, rows: readonly (Row | string)[]): string {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, textOf(rows));
    const ms = Date.UTC(2026, 0, 1) + this.#files++ * 1000;
    utimesSync(path, new Date(ms), new Date(ms));
    return path;
  }

  append(path: string, rows: readonly (Row | string)[]): void {
    appendFileSync(path, textOf(rows));
  }
}

export function withUsageFolder<T>(use: (folder: UsageFolder) => Promise<T>): Promise<T> {
  return withTemporaryFolder((path) => use(new UsageFolder(path)));
}

/** A row of a reply with 10 input tokens and `output` output tokens. */
export function answer(id: unknown, output: number, fields: Row = {}, message: Row = {}): Row {
  return {
    type: 'assistant',
    uuid: `uuid of ${String(id)}`,
    timestamp: '2026-11-21T10:00:00.000Z',
    sessionId: 's',
    ...fields,
    message: {
      id,
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: [{ type: 'text', text: 'x' }],
      usage: { input_tokens: 10, output_tokens: output },
      ...message,
    },
  };
}

function textOf(rows: readonly (Row | string)[]): string {
  return rows.map((row) => (typeof row === 'string' ? row : `${JSON.stringify(row)}\n`)).join('');
}
