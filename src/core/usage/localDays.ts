import { QUARTER_MS } from './quarters';

const QUARTERS_PER_DAY = 96;
/** No zone is further from UTC. */
const MAX_OFFSET_QUARTERS = 16 * 4;
const DAY_MS = 24 * 60 * 60_000;

/** The calendar of a time zone. Days are `YYYY-MM-DD`. */
export class LocalDays {
  readonly #format: Intl.DateTimeFormat;
  /** First quarter of each day that was asked for. */
  readonly #starts = new Map<string, number>();
  /** The day that was found last, with its first quarter and that of the next one. */
  #last: { readonly day: string; readonly from: number; readonly to: number } | null = null;

  /** Throws a RangeError for a name that is none of a time zone. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  }

  /** The day that the quarter lies in. Fast for quarters that come day by day. */
  dayOf(quarter: number): string {
    if (this.#last === null || quarter < this.#last.from || quarter >= this.#last.to) {
      const day = this.#dayAt(quarter);
      this.#last = { day, from: this.startOf(day), to: this.startOf(addDays(day, 1)) };
    }
    return this.#last.day;
  }

  /** The first quarter of the day; of a day that the zone skipped, that of the next one. */
  startOf(day: string): number {
    const known = this.#starts.get(day);
    if (known !== undefined) return known;
    const midnight = (Date.parse(`${day}T00:00:00Z`) / DAY_MS) * QUARTERS_PER_DAY;
    let [before, from] = [midnight - MAX_OFFSET_QUARTERS - 1, midnight + MAX_OFFSET_QUARTERS];
    while (from - before > 1) {
      const middle = (before + from) >> 1;
      if (this.#dayAt(middle) < day) before = middle;
      else from = middle;
    }
    this.#starts.set(day, from);
    return from;
  }

  #dayAt(quarter: number): string {
    // MM/DD/YYYY: to take it apart is several times as fast as `formatToParts`.
    const [month = '', day = '', year = ''] = this.#format.format(quarter * QUARTER_MS).split('/');
    return `${year.padStart(4, '0')}-${month}-${day}`;
  }
}

/** The day so many days later. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
