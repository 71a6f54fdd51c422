/** The findings of a contender. Equal numbers from two contenders mean that they did the same work. */
export type Counts = Readonly<Record<string, number>>;

/** Returns the next transcript; null if there is none left. Threads that share the work take from one list. */
export type NextFile = () => string | null;

/** One way to process transcripts. Runs in a thread of a separate process. */
export type Job = (next: NextFile) => Promise<Counts> | Counts;

/** The sum of the counts of several threads. */
export function addCounts(all: readonly Counts[]): Counts {
  const sum: Record<string, number> = {};
  for (const counts of all) for (const [name, value] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + value;
  return sum;
}
