import Table from 'cli-table3';
import color from 'picocolors';
import type { GoalLine, Verdict } from './goal';

const COLORS: Readonly<Record<Verdict, (text: string) => string>> = {
  'stretch held': color.green,
  held: color.green,
  missed: color.red,
  small: color.dim,
  'not measured': color.yellow,
  shown: color.dim,
};

export function printTable(lines: readonly GoalLine[]): void {
  const table = new Table({
    head: ['', 'measured', 'target', 'stretch', '', 'note'],
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [38, 36, 10, 10, 14, 44],
  });
  for (const { goal, measured, target, stretch, verdict, note } of lines) {
    table.push([goal, measured, target, stretch, COLORS[verdict](verdict), note]);
  }
  console.log(table.toString());
}
