import { countPaths } from '../core/usage/countPaths';
import { describeReport, LocalDays } from '../core/usage/describeReport';
import { PriceBook } from '../core/usage/prices';
import type { Spending } from '../protocol/usage';
import type { CommandContext } from './context';
import { Engines } from './engines';

/** What each of the sessions used, with its subagents, by the path of its transcript. Without those that cannot be read. */
export async function countSpending(
  context: CommandContext,
  transcripts: readonly { readonly path: string }[],
): Promise<ReadonlyMap<string, Spending>> {
  const { createScanner } = new Engines(context).default;
  const paths = transcripts.map(({ path }) => path);
  const nothing = (): void => undefined;
  const options = { createScanner, signal: context.signal, onListed: nothing, onCounted: nothing };
  const counted = await countPaths(paths, options).catch((error: unknown) => {
    if (context.signal.aborted) return null;
    throw error;
  });
  if (counted === null) return new Map();
  const { rows } = describeReport(counted.usage, 'session', new LocalDays('UTC'), new PriceBook({}));
  return new Map(rows.flatMap((row) => (row.filePath === null ? [] : [[row.filePath, row] as const])));
}
