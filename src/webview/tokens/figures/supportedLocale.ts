/** The locale as Intl takes it; undefined, which is the browser's own, where it takes none of that name. */
export function supportedLocale(locale: string): string | undefined {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale)[0];
  } catch {
    return undefined;
  }
}
