import { parseArgs } from 'node:util';
import { UsageError } from './usageError';

export type CommandName = 'scan' | 'repair';

export type CommandLine =
  | { readonly kind: 'help'; readonly command: CommandName | null }
  | { readonly kind: 'version' }
  | { readonly kind: 'scan'; readonly paths: readonly string[]; readonly isJson: boolean }
  | {
      readonly kind: 'repair';
      readonly paths: readonly string[];
      readonly isJson: boolean;
      readonly mode: 'apply' | 'dry-run' | 'undo';
    };

const SHARED_OPTIONS = { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } } as const;

/**
 * @param argv the arguments after the program's name
 * @throws UsageError
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const [first, ...rest] = argv;
  if (first === undefined) throw new UsageError('A command is needed: scan or repair.');
  if (first === 'scan') return parseScan(rest);
  if (first === 'repair') return parseRepair(rest);
  if (!first.startsWith('-')) throw new UsageError(`There is no command "${first}"; there are scan and repair.`);

  const { values } = parse(null, () =>
    parseArgs({
      args: [...argv],
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } },
      allowPositionals: true,
    }),
  );
  if (values.version === true) return { kind: 'version' };
  const command = argv.find((argument) => argument === 'scan' || argument === 'repair');
  if (values.help === true) return { kind: 'help', command: command ?? null };
  throw new UsageError('The command comes first: scan or repair.');
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

/** An empty PATH would mean the current folder, which is what `repair "$UNSET"` must never do. */
function checkPaths(command: CommandName, paths: readonly string[]): void {
  if (paths.includes('')) throw new UsageError('A PATH is empty.', command);
  if (paths.some((path) => path.includes('\0'))) throw new UsageError('A PATH holds a NUL byte.', command);
}

function parse<T>(command: CommandName | null, parser: () => T): T {
  try {
    return parser();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // parseArgs explains in a second sentence how to pass such a word as a positional; that is no help here.
    throw new UsageError(`${error.message.split('. ')[0]?.replace(/\.$/, '') ?? 'Unknown option'}.`, command);
  }
}
