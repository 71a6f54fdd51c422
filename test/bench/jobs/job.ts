/** What a contender found; the same numbers from two contenders mean that they did the same work. */
export type Counts = Readonly<Record<string, number>>;

/** Gives the next transcript; null when there is none left. Threads that share the work take from one row. */
export type NextFile = () => string | null;

/** One way to go through transcripts. Runs in a thread of a process of its own. */
export type Job = (next: NextFile) => Promise<Counts> | Counts;

/** The counts of several threads as one. */
export function addCounts(all: readonly Counts[]): Counts {
  const sum: Record<string, number> = {};
  for (const counts of all) for (const [name, value] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + value;
  return sum;
}
