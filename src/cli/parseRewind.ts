import { parseArgs } from 'node:util';
import type { CommandLine } from './parseCommandLine';
import { checkPaths, parse, SHARED_OPTIONS } from './parseArguments';
import { UsageError } from './usageError';

/** What `rewind` is told. */
export type RewindOrder =
  | { readonly kind: 'undo'; readonly mayBeLive: boolean }
  | {
      readonly kind: 'rewind';
      readonly promptUuid: string;
      readonly isDryRun: boolean;
      /** As the person gave them; null for all files. */
      readonly only: readonly string[] | null;
      readonly mayLeaveRoots: boolean;
      readonly mayBeLive: boolean;
    };

export function parseCheckpoints(args: string[]): CommandLine {
  const { values, positionals } = parse('checkpoints', () =>
    parseArgs({ args, options: SHARED_OPTIONS, allowPositionals: true }),
  );
  if (values.help === true) return { kind: 'help', command: 'checkpoints' };
  checkPaths('checkpoints', positionals);
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    throw new UsageError('checkpoints needs one FILE: the transcript of a session.', 'checkpoints');
  }
  return { kind: 'checkpoints', file, isJson: values.json === true };
}

export function parseRewind(args: string[]): CommandLine {
  const { values, positionals } = parse('rewind', () =>
    parseArgs({
      args,
      options: {
        ...SHARED_OPTIONS,
        'dry-run': { type: 'boolean' },
        undo: { type: 'boolean' },
        only: { type: 'string', multiple: true },
        'allow-outside': { type: 'boolean' },
        'allow-live': { type: 'boolean' },
      },
      allowPositionals: true,
    }),
  );
  if (values.help === true) return { kind: 'help', command: 'rewind' };
  checkPaths('rewind', [...positionals, ...(values.only ?? [])]);
  const [file, promptUuid, ...more] = positionals;
  if (file === undefined) throw new UsageError('rewind needs a FILE: the transcript of a session.', 'rewind');
  const isJson = values.json === true;
  if (values.undo === true) {
    const isAlone = values['dry-run'] !== true && values.only === undefined && values['allow-outside'] !== true;
    if (!isAlone) throw new UsageError('--undo goes with --allow-live and --json alone.', 'rewind');
    if (promptUuid !== undefined) throw new UsageError('rewind --undo needs a FILE and nothing else.', 'rewind');
    return { kind: 'rewind', file, order: { kind: 'undo', mayBeLive: values['allow-live'] === true }, isJson };
  }
  if (promptUuid === undefined || promptUuid === '') {
    throw new UsageError('rewind needs a PROMPT: its uuid, which "checkpoints" lists.', 'rewind');
  }
  if (more.length > 0) throw new UsageError('rewind needs one FILE and one PROMPT.', 'rewind');
  return {
    kind: 'rewind',
    file,
    order: {
      kind: 'rewind',
      promptUuid,
      isDryRun: values['dry-run'] === true,
      only: values.only ?? null,
      mayLeaveRoots: values['allow-outside'] === true,
      mayBeLive: values['allow-live'] === true,
    },
    isJson,
  };
}
