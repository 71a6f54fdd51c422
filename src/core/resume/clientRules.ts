/** What differs between client versions in how a history is loaded. */
export interface ClientRules {
  /** How far back in time, in milliseconds, a broken walk looks for a row to go on at; 0: it ends. */
  readonly selfHealMs: number;
}

/** The rules by first version that has them, newest first. (docs/format.md, "Client versions") */
const RULES: readonly { readonly since: string; readonly rules: ClientRules }[] = [
  { since: '2.1.200', rules: { selfHealMs: 5000 } },
];

const OLDEST_RULES: ClientRules = { selfHealMs: 0 };

/** The client that `resume` speaks for. */
export const SIMULATED_CLIENT = '2.1.330';

export function clientRules(version: string): ClientRules {
  return RULES.find((entry) => compareVersions(version, entry.since) >= 0)?.rules ?? OLDEST_RULES;
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
