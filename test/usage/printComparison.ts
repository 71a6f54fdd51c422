import Table from 'cli-table3';

const HEAD = ['', '', 'input', 'output', 'cache write', 'cache read', 'cost', ''];

/** Prints the counts of both, one line each. */
export function printComparison(lines: readonly (readonly string[])[]): void {
  const table = new Table({
    head: HEAD,
    colAligns: ['left', 'left', 'right', 'right', 'right', 'right', 'right', 'left'],
    style: { head: [], border: [], compact: true },
  });
  for (const line of lines) table.push([...line]);
  console.log(table.toString());
}
