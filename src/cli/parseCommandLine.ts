import { parseArgs } from 'node:util';
import type { SearchQuery } from '../protocol/channels/search';
import type { ItemRole } from '../protocol/conversation';
import { commandList, type CommandName, COMMANDS } from './commandNames';
import { checkPaths, parse, SHARED_OPTIONS } from './parseArguments';
import { type ForkCut, parseFork } from './parseFork';
import { parseShow, parseTasks, type ShowRange } from './parseReading';
import { parseCheckpoints, parseRewind, type RewindOrder } from './parseRewind';
import { parseUsage, type UsageQuestion } from './parseUsage';
import { UsageError } from './usageError';

/** Whose rows `search` may be told to look at; `progress` rows hold nothing that it looks for. */
export const SEARCH_ROLES = [
  'user',
  'assistant',
  'system',
  'attachment',
  'unknown',
] as const satisfies readonly ItemRole[];

/** Rows that `search` ends with. */
export const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 1_000_000;

export type CommandLine =
  | { readonly kind: 'help'; readonly command: CommandName | null }
  | { readonly kind: 'version' }
  | { readonly kind: 'checkpoint' }
  | { readonly kind: 'checkpoints'; readonly file: string; readonly isJson: boolean }
  | { readonly kind: 'rewind'; readonly file: string; readonly order: RewindOrder; readonly isJson: boolean }
  | { readonly kind: 'scan'; readonly paths: readonly string[]; readonly isJson: boolean }
  | {
      readonly kind: 'repair';
      readonly paths: readonly string[];
      readonly isJson: boolean;
      readonly mode: 'apply' | 'dry-run' | 'undo';
    }
  | { readonly kind: 'show'; readonly file: string; readonly range: ShowRange; readonly isJson: boolean }
  | { readonly kind: 'fork'; readonly file: string; readonly cut: ForkCut; readonly isJson: boolean }
  | { readonly kind: 'tasks'; readonly file: string; readonly isJson: boolean }
  | {
      readonly kind: 'usage';
      readonly question: UsageQuestion;
      readonly paths: readonly string[];
      readonly isJson: boolean;
    }
  | {
      readonly kind: 'search';
      readonly query: SearchQuery;
      readonly paths: readonly string[];
      readonly isJson: boolean;
    };

/**
 * @param argv the arguments after the program's name
 * @throws UsageError
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const [first, ...rest] = argv;
  if (first === undefined) throw new UsageError(`A command is needed: ${commandList('or')}.`);
  if (first === 'scan') return parseScan(rest);
  if (first === 'repair') return parseRepair(rest);
  if (first === 'show') return parseShow(rest);
  if (first === 'tasks') return parseTasks(rest);
  if (first === 'usage') return parseUsage(rest);
  if (first === 'search') return parseSearch(rest);
  if (first === 'fork') return parseFork(rest);
  if (first === 'checkpoints') return parseCheckpoints(rest);
  if (first === 'rewind') return parseRewind(rest);
  if (first === 'checkpoint') return parseCheckpoint(rest);
  if (!first.startsWith('-')) throw new UsageError(`There is no command "${first}"; there are ${commandList('and')}.`);

  const { values } = parse(null, () =>
    parseArgs({
      args: [...argv],
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } },
      allowPositionals: true,
    }),
  );
  if (values.version === true) return { kind: 'version' };
  const command = COMMANDS.find((name) => argv.includes(name));
  if (values.help === true) return { kind: 'help', command: command ?? null };
  throw new UsageError(`The command comes first: ${commandList('or')}.`);
}

/** What else stands there is ignored: a hook that complains would stop Claude. */
function parseCheckpoint(args: readonly string[]): CommandLine {
  const isHelp = args.includes('--help') || args.includes('-h');
  return isHelp ? { kind: 'help', command: 'checkpoint' } : { kind: 'checkpoint' };
}

function parseScan(args: string[]): CommandLine {
  const { values, positionals } = parse('scan', () =>
    parseArgs({ args, options: SHARED_OPTIONS, allowPositionals: true }),
  );
  if (values.help === true) return { kind: 'help', command: 'scan' };
  checkPaths('scan', positionals);
  return { kind: 'scan', paths: positionals, isJson: values.json === true };
}

function parseRepair(args: string[]): CommandLine {
  const { values, positionals } = parse('repair', () =>
    parseArgs({
      args,
      options: { ...SHARED_OPTIONS, 'dry-run': { type: 'boolean' }, undo: { type: 'boolean' } },
      allowPositionals: true,
    }),
  );
  if (values.help === true) return { kind: 'help', command: 'repair' };
  if (positionals.length === 0) {
    throw new UsageError('repair needs a PATH: a transcript, a project folder or a config folder.', 'repair');
  }
  checkPaths('repair', positionals);
  const isDryRun = values['dry-run'] === true;
  if (isDryRun && values.undo === true) throw new UsageError('--dry-run and --undo exclude each other.', 'repair');
  const mode = isDryRun ? 'dry-run' : values.undo === true ? 'undo' : 'apply';
  return { kind: 'repair', paths: positionals, isJson: values.json === true, mode };
}

function parseSearch(args: string[]): CommandLine {
  const { values, positionals } = parse('search', () =>
    parseArgs({
      args,
      options: {
        ...SHARED_OPTIONS,
        regex: { type: 'boolean' },
        case: { type: 'boolean' },
        role: { type: 'string', multiple: true },
        limit: { type: 'string' },
      },
      allowPositionals: true,
    }),
  );
  if (values.help === true) return { kind: 'help', command: 'search' };
  const [text, ...paths] = positionals;
  if (text === undefined || text === '') throw new UsageError('search needs a TEXT to look for.', 'search');
  checkPaths('search', paths);
  const query: SearchQuery = {
    text,
    isRegExp: values.regex === true,
    isCaseSensitive: values.case === true,
    roles: (values.role ?? []).map(parseRole),
    limit: parseLimit(values.limit),
  };
  return { kind: 'search', query, paths, isJson: values.json === true };
}

function parseRole(name: string): ItemRole {
  const role = SEARCH_ROLES.find((each) => each === name);
  if (role === undefined) {
    throw new UsageError(`There is no role "${name}"; there are ${SEARCH_ROLES.join(', ')}.`, 'search');
  }
  return role;
}

function parseLimit(value: string | undefined): number {
  if (value === undefined) return DEFAULT_LIMIT;
  const limit = /^\d{1,7}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > MAX_LIMIT) throw new UsageError(`--limit needs a number from 1 to ${MAX_LIMIT}.`, 'search');
  return limit;
}
