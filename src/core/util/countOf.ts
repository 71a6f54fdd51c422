/** "1 line", "3 lines", "1,200 lines", in English. */
export function countOf(amount: number, noun: string): string {
  // `toLocaleString` costs tens of microseconds in V8, and every session has such sentences.
  const figure = amount < 1000 ? String(amount) : amount.toLocaleString('en');
  return `${figure} ${noun}${amount === 1 ? '' : 's'}`;
}
