/** How the view writes figures and days. */
export interface Figures {
  /** Short: 1.2M. */
  compact(value: number): string;
  exact(value: number): string;
  /** US dollars, as exact as people think of the sum. */
  usd(value: number): string;
  /** US dollars to a hundredth of a cent. */
  usdExact(value: number): string;
  /** Of 1. */
  percent(share: number): string;
  /** A day of the calendar, `YYYY-MM-DD`, by day and month. */
  day(day: string): string;
  /** With the day of the week. */
  wholeDay(day: string): string;
  weekday(day: string, length: 'short' | 'narrow'): string;
}

const SMALLEST_USD = 0.0001;

/** @param locale  BCP 47; one that Intl does not know is taken for the browser's own */
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
  const weekdays = {
    short: new Intl.DateTimeFormat(known, { weekday: 'short', timeZone: 'UTC' }),
    narrow: new Intl.DateTimeFormat(known, { weekday: 'narrow', timeZone: 'UTC' }),
  };
  const usd = (value: number): string => {
    if (value > 0 && value < SMALLEST_USD) return `<${finest.format(SMALLEST_USD)}`;
    if (value > 0 && value < 0.01) return fine.format(value);
    if (value >= 100_000) return short.format(value);
    return (value >= 1000 ? whole : cents).format(value);
  };
  return {
    compact: (value) => compact.format(value),
    exact: (value) => exact.format(value),
    usd,
    usdExact: (value) => (value > 0 && value < SMALLEST_USD ? usd(value) : finest.format(value)),
    percent: (share) => percent.format(share),
    day: (text) => day.format(noonOf(text)),
    wholeDay: (text) => wholeDay.format(noonOf(text)),
    weekday: (text, length) => weekdays[length].format(noonOf(text)),
  };
}

/** A time that is on that day in UTC, in which the days are written, too: no time zone moves it. */
function noonOf(day: string): number {
  const time = Date.parse(`${day}T12:00:00Z`);
  return Number.isFinite(time) ? time : 0;
}

/** The locale as Intl takes it; undefined, which is the browser's own, where it takes none of that name. */
function supportedLocale(locale: string): string | undefined {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale)[0];
  } catch {
    return undefined;
  }
}
