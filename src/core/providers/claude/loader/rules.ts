import type { ClientInfo, ClientLimit, ClientStanding } from '../../../../protocol/client';

/** All differences between client versions in how they load a history. */
export interface LoaderRules {
  /** How far back in time, in milliseconds, a broken walk looks for a row at which to continue; 0: the walk ends. */
  readonly selfHealMs: number;
}

/** A client version, how well it is known, and how it loads a history. */
export interface Client extends ClientInfo {
  readonly rules: LoaderRules;
}

/** The newest client whose loader was measured; verdicts speak for it if no other client is named or found. */
export const NEWEST_MEASURED = '2.1.330';

/** The versions whose rules are known exactly, both ends included. */
const EXACT: readonly { readonly from: string; readonly to: string }[] = [{ from: '2.1.250', to: NEWEST_MEASURED }];

/**
 * Changes by client version, oldest first: a version has the changes of every entry up to it.
 * (docs/format.md, "Client versions")
 */
const CHANGES: readonly [
  { readonly since: '0'; readonly rules: LoaderRules },
  ...(readonly { readonly since: string; readonly rules: Partial<LoaderRules> }[]),
] = [
  { since: '0', rules: { selfHealMs: 0 } },
  { since: '2.1.200', rules: { selfHealMs: 5000 } },
];

/** What old clients are known to lose, by the newest version that was seen to. (docs/format.md, "Client versions") */
const LIMITS: readonly { readonly upTo: string; readonly limits: readonly ClientLimit[] }[] = [
  { upTo: '2.1.100', limits: ['no-healing', 'nul-lines', 'glued-lines'] },
  { upTo: '2.1.50', limits: ['parallel-results', 'leaf-by-time'] },
];

/** The client of a version such as `2.1.330`: those that are newer than every measured one have the newest rules. */
export function clientFor(version: string = NEWEST_MEASURED): Client {
  const limits = LIMITS.flatMap((each) => (isAtLeast(each.upTo, version) ? each.limits : []));
  const standing = standingOf(version, limits);
  return {
    version,
    isExact: standing === 'exact',
    standing,
    limits,
    newestMeasured: NEWEST_MEASURED,
    rules: loaderRules(version),
  };
}

/** The rules of a client version such as `2.1.330`; a missing part counts as 0. */
export function loaderRules(version: string = NEWEST_MEASURED): LoaderRules {
  const [oldest, ...later] = CHANGES;
  return later.reduce<LoaderRules>(
    (rules, change) => (isAtLeast(version, change.since) ? { ...rules, ...change.rules } : rules),
    oldest.rules,
  );
}

/** Whether a version is as new as the other one, or newer. */
export function isAtLeast(version: string, other: string): boolean {
  const [left = [], right = []] = [version, other].map((each) => each.split('.').map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function standingOf(version: string, limits: readonly ClientLimit[]): ClientStanding {
  if (EXACT.some(({ from, to }) => isAtLeast(version, from) && isAtLeast(to, version))) return 'exact';
  if (!isAtLeast(NEWEST_MEASURED, version)) return 'newer';
  return limits.length > 0 ? 'older' : 'between';
}
