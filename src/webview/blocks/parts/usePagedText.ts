import { useMemo } from 'preact/hooks';
import type { CutText } from '../../../shared/conversation';
import type { BlockHost } from '../blockHost';
import { formatSize } from '../text/formatSize';
import { useExpanded } from './useExpanded';
import { useLoaded, type Loaded } from './useLoaded';

export interface PagedText {
  /** As much of the text as is known, in its format: all of it once it was loaded. */
  readonly text: string;
  readonly isExpanded: boolean;
  readonly toggle: () => void;
  /** Null while nothing was asked for. */
  readonly loaded: Loaded | null;
  /** Pages that the person asked for, or that lead to the hit that was gone to; one at the least. */
  readonly pages: number;
  readonly showNextPage: () => void;
  /** UTF-16 units of the whole text, formatted. */
  readonly size: string;
}

export interface PagedTextParts {
  readonly host: BlockHost;
  readonly line: number;
  readonly path: string;
  readonly body: CutText;
  /** What of the text is shown while it is folded. */
  readonly shown: string;
  readonly format?: (text: string) => string;
  /** Number of the page that holds a place of the text, from 1. */
  readonly pageAt: (text: string, at: number) => number;
}

const MAX_PAGES = 10_000;
/** Pages that are laid out at once because a hit is on the last of them: a megabyte. */
export const MAX_FOUND_PAGES = 16;

/** What is shown of a text: its beginning, or all of what was cut off, page by page. */
export function usePagedText({ host, line, path, body, shown, format, pageAt }: PagedTextParts): PagedText {
  const { more } = body;
  const length = body.text.length + more;
  const sought = host.found(line);
  const wanted = sought === null ? 0 : host.reached();
  // Hits that are in sight are no reason to unfold the rest.
  const find = useMemo(
    () => (sought === null || sought(shown, wanted).length === wanted ? null : sought),
    [sought, shown, wanted],
  );
  const isAsked = host.expanded.get(line, `${path}#all`) === true;
  const key = `${host.filePath}\n${line}\n${path}\n${length}`;
  const loaded = useLoaded(key, more > 0 && (isAsked || find !== null), () => host.text(line, path));
  const raw = loaded?.kind === 'there' ? loaded.text : body.text;
  const text = useMemo(() => format?.(raw) ?? raw, [raw, format]);
  const foundPage = useMemo(() => {
    const hit = find?.(text, wanted).at(-1);
    return hit === undefined || hit.start < shown.length ? null : Math.min(pageAt(text, hit.start), MAX_FOUND_PAGES);
  }, [find, text, wanted]);
  const [isExpanded, toggle] = useExpanded(host, line, `${path}#all`, false, () => foundPage !== null);
  let asked = 1;
  while (asked < MAX_PAGES && host.expanded.get(line, `${path}#page${asked + 1}`) === true) asked += 1;
  const pages = Math.max(asked, foundPage ?? 1);
  return {
    text,
    isExpanded,
    toggle,
    loaded,
    pages,
    showNextPage: () => {
      for (let page = asked + 1; page <= pages + 1; page++) host.expanded.set(line, `${path}#page${page}`, true);
    },
    size: formatSize(length, host.locale),
  };
}
