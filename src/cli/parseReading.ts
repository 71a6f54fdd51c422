import { parseArgs } from 'node:util';
import type { CommandName } from './commandNames';
import { checkPaths, parse, SHARED_OPTIONS } from './parseArguments';
import { UsageError } from './usageError';

/** Which messages of a session are shown. */
export interface ShowRange {
  /** The uuid, or the line, of the row that a branch ends with; null for what Claude goes on from. */
  readonly branch: string | null;
  /** Counted from 0. */
  readonly from: number;
  readonly count: number;
}

interface Help<T extends CommandName> {
  readonly kind: 'help';
  readonly command: T;
}

const MAX_NUMBER = 1_000_000_000;

export function parseShow(
  args: string[],
): Help<'show'> | { kind: 'show'; file: string; range: ShowRange; isJson: boolean } {
  const { values, positionals } = parse('show', () =>
    parseArgs({
      args,
      options: {
        ...SHARED_OPTIONS,
        branch: { type: 'string' },
        from: { type: 'string' },
        count: { type: 'string' },
      },
      allowPositionals: true,
    }),
  );
  if (values.help === true) return { kind: 'help', command: 'show' };
  const file = oneFile('show', positionals);
  if (values.branch === '') throw new UsageError('--branch needs the uuid, or the line, of a row.', 'show');
  const range: ShowRange = {
    branch: values.branch ?? null,
    from: values.from === undefined ? 0 : wholeNumber('--from', values.from, 0),
    count: values.count === undefined ? Infinity : wholeNumber('--count', values.count, 1),
  };
  return { kind: 'show', file, range, isJson: values.json === true };
}

export function parseTasks(args: string[]): Help<'tasks'> | { kind: 'tasks'; file: string; isJson: boolean } {
  const { values, positionals } = parse('tasks', () =>
    parseArgs({ args, options: SHARED_OPTIONS, allowPositionals: true }),
  );
  if (values.help === true) return { kind: 'help', command: 'tasks' };
  return { kind: 'tasks', file: oneFile('tasks', positionals), isJson: values.json === true };
}

function oneFile(command: CommandName, positionals: readonly string[]): string {
  checkPaths(command, positionals);
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    throw new UsageError(`${command} needs one FILE: the transcript of a session.`, command);
  }
  return file;
}

function wholeNumber(option: string, value: string, min: number): number {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : -1;
  if (number < min || number > MAX_NUMBER) {
    throw new UsageError(`${option} needs a number from ${min} to ${MAX_NUMBER}.`, 'show');
  }
  return number;
}
