import type { CutText } from '../../../shared/conversation';
import type { BlockHost } from '../blockHost';
import { formatSize } from '../text/formatSize';
import { useExpanded } from './useExpanded';
import { useLoaded, type Loaded } from './useLoaded';

export interface PagedText {
  /** As much of the text as is known: all of it once it was loaded. */
  readonly text: string;
  readonly isExpanded: boolean;
  readonly toggle: () => void;
  /** Null while nothing was asked for. */
  readonly loaded: Loaded | null;
  /** Pages that the person asked for; one at the least. */
  readonly pages: number;
  readonly showNextPage: () => void;
  /** UTF-16 units of the whole text, formatted. */
  readonly size: string;
}

const MAX_PAGES = 10_000;

/** What is shown of a text: its beginning, or all of what was cut off, page by page. @param hidden  what folding hides */
export function usePagedText(host: BlockHost, line: number, path: string, body: CutText, hidden: string): PagedText {
  const length = body.text.length + body.more;
  const [isExpanded, toggle] = useExpanded(host, line, `${path}#all`, false, hidden);
  const key = `${host.filePath}\n${line}\n${path}\n${length}`;
  const loaded = useLoaded(key, isExpanded && body.more > 0, () => host.text(line, path));
  let pages = 1;
  while (pages < MAX_PAGES && host.expanded.get(line, `${path}#page${pages + 1}`) === true) pages += 1;
  return {
    text: loaded?.kind === 'there' ? loaded.text : body.text,
    isExpanded,
    toggle,
    loaded,
    pages,
    showNextPage: () => {
      host.expanded.set(line, `${path}#page${pages + 1}`, true);
    },
    size: formatSize(length, host.locale),
  };
}
