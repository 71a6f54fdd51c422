import type { JSX } from 'preact';
import type { CutText } from '../../../shared/conversation';
import { AnsiText } from '../ansi/AnsiText';
import type { BlockHost } from '../blockHost';
import { CodeText } from '../code/CodeText';
import { foldText } from '../text/foldText';
import { firstPages, pageOf } from '../text/splitPages';
import { MoreLine } from './MoreLine';
import { usePagedText } from './usePagedText';
import { VisibleText } from './VisibleText';

export const FOLD_LINES = 12;

interface PlainTextProps {
  readonly host: BlockHost;
  readonly line: number;
  readonly path: string;
  readonly body: CutText;
  /** `prose` is in the font of the panel, the others in the editor's. */
  readonly look: 'prose' | 'terminal' | 'code';
  /** Of code. */
  readonly language?: string | null;
  readonly foldLines?: number;
  /** Makes a text easier to read without changing what it says. */
  readonly format?: (text: string) => string;
}

/** A text as it is, folded after some lines, unfolded in pages. */
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
