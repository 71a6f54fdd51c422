/** The context window of a model, and what the client does before it is full. (docs/format.md, "Full context") */
export interface ContextWindow {
  /** Tokens. */
  readonly tokens: number;
  /** The client compacts before it sends a history that nearly fills the window. Otherwise, only after the API refused it. */
  readonly compactsFirst: boolean;
  /** By how many characters the client divides a text to estimate its tokens. */
  readonly charactersPerToken: 3 | 4;
}

const SMALL = 200_000;
const LARGE = 1_000_000;

/**
 * By model, without the date in its id. A resume does not continue with a model that is not listed: the client's default
 * model, which depends on the account, takes its place.
 */
const WINDOWS: ReadonlyMap<string, ContextWindow> = new Map([
  ...['opus-4-6', 'sonnet-4-6'].map((model) => entry(model, SMALL, true, 4)),
  ...['opus-4-5', 'sonnet-4-5', 'haiku-4-5'].map((model) => entry(model, SMALL, false, 4)),
  ...[
    'opus-4-7',
    'opus-4-8',
    'opus-5',
    'opus-5-5',
    'sonnet-5',
    'sonnet-5-5',
    'haiku-5-5',
    'fable-5',
    'fable-5-1',
    'fable-5-2',
    'mythos-5',
    'mythos-5-1',
    'mythos-5-2',
  ].map((model) => entry(model, LARGE, true, 3)),
]);

/** The longest first. */
const NAMES: readonly string[] = [...WINDOWS.keys()].sort((a, b) => b.length - a.length);

function entry(
  model: string,
  tokens: number,
  compactsFirst: boolean,
  charactersPerToken: 3 | 4,
): readonly [string, ContextWindow] {
  return [`claude-${model}`, { tokens, compactsFirst, charactersPerToken }];
}

/** Models of the small window have a large one under a name with this suffix. */
const LARGE_SUFFIX = '[1m]';
const DATE = /-20\d{6}$/;

/** Null if the window is unknown. `announced`: the name under which the session uses the model; null if unknown. */
export function contextWindow(model: string, announced: string | null): ContextWindow | null {
  const base = plainModel(model);
  const window = WINDOWS.get(base);
  if (window === undefined) return null;
  const isLarge = [model, announced].some(
    (name) => name !== null && namesLargeWindow(name) && plainModel(name) === base,
  );
  return isLarge && window.tokens < LARGE ? { ...window, tokens: LARGE, compactsFirst: false } : window;
}

/** Whether the name says that the model has its large window. */
export function namesLargeWindow(model: string): boolean {
  return model.endsWith(LARGE_SUFFIX);
}

/**
 * The name by which a resume continues with a model; null if it does not continue with it.
 * @param retired names of models that have retired, as this function returns them
 */
export function resumableModel(model: string | null, retired: readonly string[]): string | null {
  const name = model === null ? null : plainModel(model);
  return name !== null && WINDOWS.has(name) && !retired.includes(name) ? name : null;
}

/**
 * The name of a model without the size of its window, its date, and what other hosts than Anthropic put around it: the client
 * searches for the names that it knows, the longest first. (docs/format.md, "Full context")
 */
export function plainModel(model: string): string {
  const lower = model.toLowerCase();
  const known = NAMES.find((name) => lower.includes(name));
  if (known !== undefined) return known;
  return (lower.endsWith(LARGE_SUFFIX) ? lower.slice(0, -LARGE_SUFFIX.length) : lower).replace(DATE, '');
}
