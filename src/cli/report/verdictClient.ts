import type { ClientInfo, ClientLimit } from '../../protocol/client';
import type { Page } from './page';
import { wrap } from './text';

/** The client that the verdicts of a report are for. */
export interface VerdictClient extends ClientInfo {
  /** The person named it. */
  readonly isNamed: boolean;
}

/** The end of a sentence about verdicts. */
export function readerOf({ version }: Pick<ClientInfo, 'version'>): string {
  return `, as Claude Code ${version} reads it`;
}

/** What a suggested command needs to give the same verdicts. */
export function clientOption({ isNamed, version }: VerdictClient): string {
  return isNamed ? ` --client ${version}` : '';
}

/** How far the verdicts can be relied on; empty for a client whose rules were measured. */
export function clientNote({ standing, version, newestMeasured, limits }: ClientInfo, page: Page): string[] {
  switch (standing) {
    case 'exact':
      return [];
    case 'newer':
      return approximate(`${version} is newer than ${newestMeasured}, whose rules stand in for its own.`, page);
    case 'between':
      return approximate(`the rules of ${version} were not measured.`, page);
    case 'older': {
      const known = limits.map((limit) => LIMITS[limit]);
      return approximate(`clients as old as ${version} load less than ${newestMeasured}: ${known.join('; ')}.`, page);
    }
  }
}

function approximate(why: string, page: Page): string[] {
  return [page.colors.yellow(wrap(`Approximate: ${why}`, page.width, ''))];
}

const LIMITS: Readonly<Record<ClientLimit, string>> = {
  'no-healing': 'nothing before a broken link',
  'nul-lines': 'no message behind NUL bytes',
  'glued-lines': 'no message that shares a line with another',
  'parallel-results': 'not all results of parallel calls',
  'leaf-by-time': 'only the branch with the newest time',
};
