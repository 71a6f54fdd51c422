import table from './prices.json';

/** Of one model, US dollars for a million tokens; null where the table does not say. */
export interface TableFigures {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheWrite5m: number | null;
  readonly cacheWrite1h: number | null;
  readonly cacheRead: number | null;
}

export interface TablePeriod {
  /** First day, UTC; null: from the beginning. */
  readonly from: string | null;
  /** US dollars a call; null where the table does not say. */
  readonly webSearch: number | null;
  readonly base: TableFigures;
  /** For the whole of a request whose prompt is longer than `LONG_PROMPT_TOKENS`; null: as `base`. */
  readonly long: TableFigures | null;
}

export interface TableModel {
  readonly id: string;
  /** The latest period last. */
  readonly prices: readonly TablePeriod[];
  /** Tokens; null when it is not known. */
  readonly window: number | null;
}

/** What the longest rule that fits says of a model; null for one that no rule fits. `name`: see `plainModelName`. */
export function findInTable(name: string): TableModel | null {
  let best: TableModel | null = null;
  let bestLength = -1;
  for (const { text, fits, model } of RULES) {
    if (text.length > bestLength && fits(name)) [best, bestLength] = [model, text.length];
  }
  return best;
}

interface Rule {
  readonly text: string;
  readonly fits: (name: string) => boolean;
  readonly model: TableModel;
}

/** The date of a model, behind its name. */
const DATE = /^-\d{8}$/;
/** What makes it the name of another version: more digits, or a part of one or two. A date or `latest` does not. */
const VERSION_PART = /^(?:\d|[-._]\d{1,2}(?!\d))/;

// SAFETY: made by scripts/writePrices.mjs, in this shape.
const RULES: readonly Rule[] = (table.models as readonly (TableModel & { names: Record<string, string> })[]).flatMap(
  (model) => Object.entries(model.names).map(([text, kind]): Rule => ({ text, model, fits: fitOf(text, kind) })),
);

/** Vertex writes the date behind an `@`: a rule that ends in it is for dates, and for nothing else. */
function fitOf(text: string, kind: string): Rule['fits'] {
  const isVertex = text.endsWith('@');
  const name = isVertex ? text.slice(0, -1) : text;
  return (other) => {
    if (!other.startsWith(name)) return false;
    const rest = other.slice(name.length);
    if (rest === '') return true;
    if (kind === 'dated' || isVertex) return DATE.test(rest);
    return kind === 'start' && !VERSION_PART.test(rest);
  };
}
