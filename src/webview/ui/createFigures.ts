/** Formats of figures and days in the view. */
export interface Figures {
  /** Short, for example 1.2M. */
  compact(value: number): string;
  exact(value: number): string;
  /** US dollars, with a precision that suits the amount. */
  usd(value: number): string;
  /** US dollars to a hundredth of a cent. */
  usdExact(value: number): string;
  /** `share` is a fraction of 1. */
  percent(share: number): string;
  /** A calendar day, `YYYY-MM-DD`, as day and month. */
  day(day: string): string;
  /** The same with the weekday. */
  wholeDay(day: string): string;
  /** The same with the full names and the year. */
  longDay(day: string): string;
  /** The short name of the day's month. */
  month(day: string): string;
  weekday(day: string, length: 'short' | 'narrow'): string;
  /** On which day a week begins: 0 for Sunday to 6 for Saturday. */
  readonly firstWeekday: number;
}

const SMALLEST_USD = 0.0001;

/** @param locale  BCP 47; if Intl does not know it, the browser's own is used */
export function createFigures(locale: string): Figures {
  const known = supportedLocale(locale);
  const compact = new Intl.NumberFormat(known, { notation: 'compact', maximumFractionDigits: 1 });
  const exact = new Intl.NumberFormat(known);
  const percent = new Intl.NumberFormat(known, { style: 'percent', maximumFractionDigits: 0 });
  const dollars = (fractionDigits: number, least = fractionDigits): Intl.NumberFormat =>
    new Intl.NumberFormat(known, {
      style: 'currency',
      currency: 'USD',
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: least,
      maximumFractionDigits: fractionDigits,
    });
  const short = new Intl.NumberFormat(known, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    notation: 'compact',
    maximumFractionDigits: 1,
  });
  const [whole, cents, fine, finest] = [dollars(0), dollars(2), dollars(4, 3), dollars(4, 2)];
  const day = new Intl.DateTimeFormat(known, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const wholeDay = new Intl.DateTimeFormat(known, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
  const longDay = new Intl.DateTimeFormat(known, { dateStyle: 'full', timeZone: 'UTC' });
  const month = new Intl.DateTimeFormat(known, { month: 'short', timeZone: 'UTC' });
  const weekdays = {
    short: new Intl.DateTimeFormat(known, { weekday: 'short', timeZone: 'UTC' }),
    narrow: new Intl.DateTimeFormat(known, { weekday: 'narrow', timeZone: 'UTC' }),
  };
  const usd = (value: number): string => {
    if (value > 0 && value < SMALLEST_USD) return `<${finest.format(SMALLEST_USD)}`;
    if (value > 0 && value < 0.01) return fine.format(value);
    if (Math.abs(value) >= 100_000) return short.format(value);
    return (Math.abs(value) >= 1000 ? whole : cents).format(value);
  };
  return {
    compact: (value) => compact.format(value),
    exact: (value) => exact.format(value),
    usd,
    usdExact: (value) => (value > 0 && value < SMALLEST_USD ? usd(value) : finest.format(value)),
    percent: (share) => percent.format(share),
    day: (text) => day.format(noonOf(text)),
    wholeDay: (text) => wholeDay.format(noonOf(text)),
    longDay: (text) => longDay.format(noonOf(text)),
    month: (text) => month.format(noonOf(text)),
    weekday: (text, length) => weekdays[length].format(noonOf(text)),
    firstWeekday: firstWeekdayOf(exact.resolvedOptions().locale),
  };
}

const MONDAY = 1;

/** Monday where the browser does not know it. */
function firstWeekdayOf(locale: string): number {
  // SAFETY: the types lack both forms in which browsers offer it; each may be absent.
  const known = new Intl.Locale(locale) as Intl.Locale & {
    readonly weekInfo?: { readonly firstDay?: number };
    getWeekInfo?(): { readonly firstDay?: number };
  };
  // Sunday is 7 there.
  return ((known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? MONDAY) % 7;
}

/** Noon of the day in UTC. Days are also formatted in UTC, so no time zone changes the date. */
function noonOf(day: string): number {
  const time = Date.parse(`${day}T12:00:00Z`);
  return Number.isFinite(time) ? time : 0;
}

/** The locale, if Intl supports it; otherwise undefined, which selects the browser's own. */
function supportedLocale(locale: string): string | undefined {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale)[0];
  } catch {
    return undefined;
  }
}
