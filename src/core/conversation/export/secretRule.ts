/** How to find one kind of secret. */
export type SecretRule = MatchedRule | FoundRule;

interface NamedRule {
  /** As displayed to people: `[redacted: <kind>]`. */
  readonly kind: string;
  /** One of these texts must occur for the rule to match. They are checked first, because that is many times faster. */
  readonly hint?: string | readonly string[];
}

export interface MatchedRule extends NamedRule {
  /**
   * Global. The first group is kept and the second one is the secret; without groups, the whole match is. Takes linear
   * time on any text: no run of characters is matched from more than a few positions, and unbounded repetition is only
   * of single characters, for which the engine keeps no stack.
   */
  readonly expression: RegExp;
  /** Checks a form that is not always a secret. The match is at `at` in `text`, and `before` is its first group. */
  readonly isSecret?: (secret: string, before: string, text: string, at: number) => boolean;
}

/** For secrets that one expression cannot find. */
interface FoundRule extends NamedRule {
  readonly find: (text: string) => Iterable<{ readonly start: number; readonly end: number }>;
}
