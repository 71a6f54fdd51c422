import type { GoalLine } from './goal';

export function markdownTable(lines: readonly GoalLine[]): string {
  return `| | measured | target | stretch | | |\n|---|---|---|---|---|---|\n${lines.map(tableRow).join('\n')}`;
}

function tableRow({ goal, measured, target, stretch, verdict, note }: GoalLine): string {
  const cells = [goal, measured.replaceAll('\n', ' · '), target, stretch, verdict, note];
  return `| ${cells.join(' | ')} |`;
}
