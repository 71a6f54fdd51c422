/** What was done to one operation, and what that did. */
export interface Counts {
  /** Calls of the file system that it makes without faults. */
  calls: number;
  /** Faults that had an effect. */
  faults: number;
  /** Deaths of its process, in this one and of real processes. */
  kills: number;
  /** Of these, processes that were ended with SIGKILL. */
  realKills: number;
  /** Bytes of which was checked whether they are still there. */
  checkedBytes: number;
  lostBytes: number;
  /** States after the next command that are neither the one before nor the one after. */
  mixed: number;
  /** Hidden files and locks that were there after the next command. */
  debris: number;
}

const COLUMNS: readonly (readonly [keyof Counts, string])[] = [
  ['calls', 'calls'],
  ['faults', 'faults'],
  ['kills', 'kills'],
  ['realKills', 'real kills'],
  ['checkedBytes', 'bytes checked'],
  ['lostBytes', 'bytes lost'],
  ['mixed', 'mixed'],
  ['debris', 'debris'],
];

const operations = new Map<string, Counts>();

function noCounts(): Counts {
  return { calls: 0, faults: 0, kills: 0, realKills: 0, checkedBytes: 0, lostBytes: 0, mixed: 0, debris: 0 };
}

/** The counts of an operation since this process started. */
export function countsOf(operation: string): Counts {
  const known = operations.get(operation) ?? noCounts();
  operations.set(operation, known);
  return known;
}

export function totalCounts(): Counts {
  const total = noCounts();
  for (const counts of operations.values()) for (const [key] of COLUMNS) total[key] += counts[key];
  return total;
}

/** One line for each operation, and one for all of them. */
export function countsTable(): string {
  const width = Math.max(...[...operations.keys()].map((name) => name.length)) + 2;
  const line = (name: string, cells: readonly string[]): string =>
    `      ${name.padEnd(width)}${cells.map((cell, at) => cell.padStart((COLUMNS[at]?.[1].length ?? 0) + 3)).join('')}`;
  const row = (name: string, counts: Counts): string =>
    line(
      name,
      COLUMNS.map(([key]) => counts[key].toLocaleString('en')),
    );
  return [
    line(
      'operation',
      COLUMNS.map(([, title]) => title),
    ),
    ...[...operations].map(([name, counts]) => row(name, counts)),
    row('all', totalCounts()),
  ].join('\n');
}
