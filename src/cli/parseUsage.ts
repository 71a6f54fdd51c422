import { parseArgs } from 'node:util';
import type { UsageGrouping } from '../protocol/usage';
import { checkPaths, parse, SHARED_OPTIONS } from './parseArguments';
import type { CommandLine } from './parseCommandLine';
import { UsageError } from './usageError';

export const GROUPINGS = ['session', 'project', 'day', 'model'] as const satisfies readonly UsageGrouping[];

/** What `usage` is told. */
export interface UsageQuestion {
  readonly by: UsageGrouping;
  /** IANA name. */
  readonly timeZone: string;
}

export function parseUsage(args: string[]): CommandLine {
  const { values, positionals } = parse('usage', () =>
    parseArgs({
      args,
      options: { ...SHARED_OPTIONS, by: { type: 'string' }, 'time-zone': { type: 'string' } },
      allowPositionals: true,
    }),
  );
  if (values.help === true) return { kind: 'help', command: 'usage' };
  checkPaths('usage', positionals);
  const question = { by: parseGrouping(values.by ?? 'day'), timeZone: parseTimeZone(values['time-zone']) };
  return { kind: 'usage', question, paths: positionals, isJson: values.json === true };
}

function parseGrouping(name: string): UsageGrouping {
  const by = GROUPINGS.find((each) => each === name);
  if (by === undefined) throw new UsageError(`--by needs one of ${GROUPINGS.join(', ')}.`, 'usage');
  return by;
}

/** The system's own without a name. */
function parseTimeZone(name: string | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', name === undefined ? {} : { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    throw new UsageError(`There is no time zone "${name ?? ''}"; one is named like Europe/Berlin.`, 'usage');
  }
}
