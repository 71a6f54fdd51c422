import { objectField, stringField, type JsonObject } from './json';

/** Where and with what a row was written; null where it does not say. */
export interface SessionContext {
  readonly cwd: string | null;
  readonly gitBranch: string | null;
  readonly clientVersion: string | null;
  /** The model that answered; not of rows that only report an API error. */
  readonly model: string | null;
}

export function readSessionContext(row: JsonObject): SessionContext {
  const isAnswer = row['type'] === 'assistant' && !row['isApiErrorMessage'];
  return {
    cwd: stringField(row, 'cwd'),
    gitBranch: stringField(row, 'gitBranch'),
    clientVersion: stringField(row, 'version'),
    model: isAnswer ? stringField(objectField(row, 'message') ?? {}, 'model') : null,
  };
}
