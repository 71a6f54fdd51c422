/** The day of the calendar in a time zone, `YYYY-MM-DD`. */
export function todayIn(timeZone: string, nowMs: number): string {
  const options = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const parts = new Intl.DateTimeFormat('en-CA-u-ca-gregory-nu-latn', options).formatToParts(nowMs);
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}
