/** All differences between client versions in how they load a history. */
export interface LoaderRules {
  /** How far back in time, in milliseconds, a broken walk looks for a row at which to continue; 0: the walk ends. */
  readonly selfHealMs: number;
}

/** The newest client whose loader was measured; the default for verdicts. */
const SIMULATED_CLIENT = '2.1.330';

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

/** The rules of a client version such as `2.1.330`; a missing part counts as 0. */
export function loaderRules(version: string = SIMULATED_CLIENT): LoaderRules {
  const [oldest, ...later] = CHANGES;
  return later.reduce<LoaderRules>(
    (rules, change) => (isAtLeast(version, change.since) ? { ...rules, ...change.rules } : rules),
    oldest.rules,
  );
}

function isAtLeast(version: string, other: string): boolean {
  const [left = [], right = []] = [version, other].map((each) => each.split('.').map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
