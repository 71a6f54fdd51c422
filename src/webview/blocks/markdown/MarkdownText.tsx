import type { JSX } from 'preact';
import type { CutText } from '../../../shared/conversation';
import type { BlockHost } from '../blockHost';
import { MoreLine } from '../parts/MoreLine';
import { MAX_FOUND_PAGES, usePagedText } from '../parts/usePagedText';
import { VisibleText } from '../parts/VisibleText';
import { MarkdownNodes } from './MarkdownNodes';
import { parseMarkdown } from './parseMarkdown';
import { splitMarkdown } from './splitMarkdown';

const CHUNKS_AT_FIRST = 2;
const CHUNKS_A_PAGE = 4;

/** A text of a person or of Claude. @param breaks  an end of a line is one */
export function MarkdownText(props: {
  readonly host: BlockHost;
  readonly line: number;
  readonly path: string;
  readonly body: CutText;
  readonly breaks: boolean;
}): JSX.Element {
  const { host, line, path, body, breaks } = props;
  const first = splitMarkdown(body.text, CHUNKS_AT_FIRST);
  const isCut = body.more > 0 || first.end < body.text.length;
  const paged = usePagedText({ host, line, path, body, shown: body.text.slice(0, first.end), pageAt });
  const { chunks, end } = paged.isExpanded ? splitMarkdown(paged.text, paged.pages * CHUNKS_A_PAGE) : first;
  return (
    <div class="block-markdown" dir="auto">
      {chunks.map((chunk, at) => (
        <Chunk key={at} host={host} text={chunk} breaks={breaks} />
      ))}
      {isCut && <MoreLine host={host} paged={paged} lines={null} shown={end} />}
    </div>
  );
}

function pageAt(text: string, at: number): number {
  let page = 1;
  while (page < MAX_FOUND_PAGES && splitMarkdown(text, page * CHUNKS_A_PAGE).end <= at) page += 1;
  return page;
}

function Chunk(props: { readonly host: BlockHost; readonly text: string; readonly breaks: boolean }): JSX.Element {
  const nodes = parseMarkdown(props.text, props.breaks);
  if (nodes !== null) return <MarkdownNodes host={props.host} nodes={nodes} />;
  return (
    <div class="block-verbatim">
      <VisibleText text={props.text} strictness="prose" />
    </div>
  );
}
