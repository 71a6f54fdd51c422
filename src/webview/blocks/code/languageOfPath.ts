/** What the end of a path says of a file's language: its extension; null where it has none. */
export function languageOfPath(path: string): string | null {
  return /\.([\w+-]{1,12})$/.exec(path)?.[1]?.toLowerCase() ?? null;
}
