export interface FilePlace {
  readonly path: string;
  /** 1-based. */
  readonly line?: number;
  readonly endLine?: number;
}

const PLACE =
  /^(?:file:\/\/(?:\/(?=[a-z]:))?)?(.*?)(?::(\d+)(?:-(\d+)|:\d+)?|#(?:L(\d+)(?:C\d+)?(?:-L?(\d+)(?:C\d+)?)?|.*))?$/i;

/** What a link to a file names: `src/a.ts:42`, `a.ts#L10-L20`, an address with `file:`. */
export function filePlace(href: string): FilePlace {
  const [, path = href, line, end, hashLine, hashEnd] = PLACE.exec(href) ?? [];
  const [from, to] = [Number(line ?? hashLine), Number(end ?? hashEnd)];
  return { path: decoded(path), ...(from > 0 && { line: from }), ...(to > from && { endLine: to }) };
}

/** Markdown has spaces of paths encoded; a path may hold a percent sign as well. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
