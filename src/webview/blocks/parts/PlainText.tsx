import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CutText } from '../../../protocol/conversation';
import { AnsiText } from '../ansi/AnsiText';
import type { BlockHost } from '../blockHost';
import { CodeText } from '../code/CodeBlock';
import { wholeTexts } from '../text/boundedCache';
import { firstPages, foldText, formatSize, pageOf } from '../text/texts';
import { useExpanded } from './Disclosure';
import { VisibleText } from './VisibleText';

export const FOLD_LINES = 12;

interface PlainTextProps {
  readonly host: BlockHost;
  readonly line: number;
  readonly path: string;
  readonly body: CutText;
  /** `prose` uses the panel's font, the others use the editor's. */
  readonly look: 'prose' | 'terminal' | 'code';
  /** Language of `code`. */
  readonly language?: string | null;
  readonly foldLines?: number;
  /** Formats a text for readability without changing its meaning. */
  readonly format?: (text: string) => string;
}

/** An unformatted text, folded after some lines and unfolded page by page. */
export function PlainText(props: PlainTextProps): JSX.Element | null {
  const { host, line, path, body, look, format, foldLines = FOLD_LINES } = props;
  const formatted = format === undefined ? body.text : format(body.text);
  const fold = foldText(formatted, foldLines);
  const paged = usePagedText({
    ...{ host, line, path, body, shown: fold.text, pageAt: pageOf },
    ...(format === undefined ? {} : { format }),
  });
  const { pages, end } = paged.isExpanded
    ? firstPages(paged.text, paged.pages)
    : { pages: [fold.text], end: fold.text.length };
  if (formatted === '' && body.more === 0) return null;
  return (
    <div class={`block-plain block-plain-${look}`}>
      {pages.map((page, at) => (
        <pre key={at} dir={look === 'code' ? 'ltr' : 'auto'}>
          <Page {...props} text={page} />
        </pre>
      ))}
      {(fold.isFolded || body.more > 0) && (
        <MoreLine host={host} paged={paged} lines={body.more > 0 ? null : fold.lines} shown={end} />
      )}
    </div>
  );
}

function Page({ look, language = null, text }: PlainTextProps & { readonly text: string }): JSX.Element {
  switch (look) {
    case 'terminal':
      return <AnsiText text={text} />;
    case 'code':
      return <CodeText text={text} language={language} />;
    case 'prose':
      return <VisibleText text={text} strictness="prose" />;
  }
}

/**
 * The line below a text that is not shown completely.
 * @param lines  number of lines of the whole text, if they were counted
 * @param shown  UTF-16 units of `paged.text` that are shown
 */
export function MoreLine(props: {
  readonly host: BlockHost;
  readonly paged: PagedText;
  readonly lines: number | null;
  readonly shown: number;
}): JSX.Element | null {
  const { host, paged, lines, shown } = props;
  if (!paged.isExpanded) {
    const label = lines === null ? host.t('Show all ({0})', paged.size) : host.t('Show all ({0} lines)', lines);
    return (
      <button type="button" data-unsearched class="block-link block-more" onClick={paged.toggle}>
        {label}
      </button>
    );
  }
  return (
    <div data-unsearched class="block-more">
      {paged.loaded?.kind === 'waiting' && <span role="status">{host.t('Loading…')}</span>}
      {paged.loaded?.kind === 'gone' && (
        <span role="status">{host.t('The rest is not in the transcript any more.')}</span>
      )}
      {shown < paged.text.length && (
        <button type="button" class="block-link" onClick={paged.showNextPage}>
          {host.t('Show more ({0} of {1})', formatSize(shown, host.locale), paged.size)}
        </button>
      )}
      <button type="button" class="block-link" onClick={paged.toggle}>
        {host.t('Show less')}
      </button>
    </div>
  );
}

interface PagedText {
  /** The known part of the text, formatted: the whole text once it is loaded. */
  readonly text: string;
  readonly isExpanded: boolean;
  readonly toggle: () => void;
  /** Null while nothing was requested. */
  readonly loaded: Loaded | null;
  /** Pages that the person requested, or that are needed to show the hit that was visited; at least 1. */
  readonly pages: number;
  readonly showNextPage: () => void;
  /** Size of the whole text, formatted for display. */
  readonly size: string;
}

export interface PagedTextOptions {
  readonly host: BlockHost;
  readonly line: number;
  readonly path: string;
  readonly body: CutText;
  /** The part of the text that is shown while it is folded. */
  readonly shown: string;
  readonly format?: (text: string) => string;
  /** Number of the page that contains an offset of the text, from 1. */
  readonly pageAt: (text: string, at: number) => number;
}

const MAX_PAGES = 10_000;
/** Most pages that are laid out at once to show a hit on the last of them: a megabyte. */
export const MAX_FOUND_PAGES = 16;

/** The shown part of a text: its beginning, or, if unfolded, the whole text page by page. */
export function usePagedText({ host, line, path, body, shown, format, pageAt }: PagedTextOptions): PagedText {
  const { more } = body;
  const length = body.text.length + more;
  const sought = host.found(line);
  const wanted = sought === null ? 0 : host.reached();
  // Hits that are visible do not require unfolding the rest.
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

type Loaded =
  { readonly kind: 'waiting' } | { readonly kind: 'there'; readonly text: string } | { readonly kind: 'gone' };

/** A text that is requested once it is wanted, and then cached. @param key  identifies it; includes its size */
export function useLoaded(key: string, isWanted: boolean, load: () => Promise<string | null>): Loaded | null {
  const [answer, setAnswer] = useState<{ readonly key: string; readonly text: string | null } | null>(null);
  const known = wholeTexts.get(key);
  const answered = answer?.key === key ? answer : null;
  const isSettled = known !== undefined || answered !== null;
  useEffect(() => {
    if (!isWanted || isSettled) return undefined;
    let isCurrent = true;
    const settle = (text: string | null): void => {
      if (text !== null) wholeTexts.set(key, text, text.length + key.length);
      if (isCurrent) setAnswer({ key, text });
    };
    load().then(settle, () => {
      settle(null);
    });
    return () => {
      isCurrent = false;
    };
    // `load` is a different function at each rendering; the key identifies what it loads.
  }, [key, isWanted, isSettled]);
  if (known !== undefined) return { kind: 'there', text: known };
  if (answered !== null) return answered.text === null ? { kind: 'gone' } : { kind: 'there', text: answered.text };
  return isWanted ? { kind: 'waiting' } : null;
}
