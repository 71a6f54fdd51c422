import type { ReadonlySignal } from '@preact/signals';

/** Translates a sentence into the window's language; `{0}`, `{1}` … are replaced by `args`. */
export type Translate = (english: string, ...args: readonly (string | number)[]) => string;

/** @param texts  translations by their English text; missing ones stay English */
export function createTranslate(texts: Readonly<Record<string, string>>): Translate {
  return (english, ...args) => {
    const text = Object.hasOwn(texts, english) ? (texts[english] ?? english) : english;
    return text.replace(/\{(\d)\}/g, (placeholder, at: string) => String(args[Number(at)] ?? placeholder));
  };
}

/** Formats figures and times for the person. */
export interface Formats {
  number(value: number): string;
  /** Time of day, with the date if it is not on the same day as `nowMs`. Both are in milliseconds since the epoch. */
  time(timeMs: number, nowMs: number): string;
  dateTime(timeMs: number): string;
}

/** @param locale  BCP 47; if Intl does not know it, the browser's own is used */
export function createFormats(locale: string): Formats {
  const known = supported(locale);
  const number = new Intl.NumberFormat(known);
  const clock = new Intl.DateTimeFormat(known, { timeStyle: 'short' });
  const day = new Intl.DateTimeFormat(known, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
  const full = new Intl.DateTimeFormat(known, { dateStyle: 'full', timeStyle: 'medium' });
  return {
    number: (value) => number.format(value),
    time: (timeMs, nowMs) => (isSameDay(timeMs, nowMs) ? clock : day).format(timeMs),
    dateTime: (timeMs) => full.format(timeMs),
  };
}

function isSameDay(oneMs: number, otherMs: number): boolean {
  return new Date(oneMs).toDateString() === new Date(otherMs).toDateString();
}

function supported(locale: string): string | undefined {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale)[0];
  } catch {
    return undefined;
  }
}

/** Makes the calling effect or component run again when one of the signals changes. */
export function dependOn(...signals: readonly ReadonlySignal<unknown>[]): void {
  signals.forEach((signal) => signal.value);
}
