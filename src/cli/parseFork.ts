import { parseArgs } from 'node:util';
import type { ForkRequest } from '../protocol/history';
import { checkPaths, parse, SHARED_OPTIONS } from './parseArguments';
import type { CommandLine } from './parseCommandLine';
import { UsageError } from './usageError';

/** Where `fork` cuts, and what it calls the new session. */
export type ForkCut = Omit<ForkRequest, 'filePath'>;

export function parseFork(args: string[]): CommandLine {
  const { values, positionals } = parse('fork', () =>
    parseArgs({
      args,
      options: {
        ...SHARED_OPTIONS,
        at: { type: 'string' },
        before: { type: 'boolean' },
        title: { type: 'string' },
      },
      allowPositionals: true,
    }),
  );
  if (values.help === true) return { kind: 'help', command: 'fork' };
  checkPaths('fork', positionals);
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    throw new UsageError('fork needs one FILE: the transcript of a session.', 'fork');
  }
  if (values.at === '') throw new UsageError('--at needs the uuid of a row.', 'fork');
  const isBefore = values.before === true;
  if (isBefore && values.at === undefined) throw new UsageError('--before needs a row: --at UUID.', 'fork');
  const cut: ForkCut = { at: values.at ?? null, isBefore, title: values.title ?? null };
  return { kind: 'fork', file, cut, isJson: values.json === true };
}
