import type { ForkOutcome } from '../../protocol/history';
import { countOf, formatCount, printable, shellPath, shortenHome, wrap } from './format';
import type { Page } from './page';

/** What was made, how much Claude will load of it, and how to go on there. */
export function forkReport(fork: ForkOutcome & { readonly kind: 'forked' }, page: Page): string {
  const { colors, home } = page;
  const { result, title, cwd, loads, of, warning } = fork;
  const resume = `claude --resume ${result.sessionId}`;
  const command = cwd === null ? resume : `cd ${shellPath(cwd, home)} && ${resume}`;
  const loaded = `Claude loads ${formatCount(loads)} of ${countOf(of, 'message')}`;
  const lines = [
    `${colors.green('✓')} ${colors.bold(printable(title))}`,
    `  ${colors.dim(printable(shortenHome(result.filePath, home)))}`,
    `  ${countOf(result.rowsCopied, 'row')} copied; ${loaded}.`,
    ...(warning === null ? [] : [colors.yellow(wrap(printable(warning), page.width, '  '))]),
    `  Resume:  ${printable(command)}`,
  ];
  return `${lines.join('\n')}\n`;
}
