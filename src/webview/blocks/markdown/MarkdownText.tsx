import { type ComponentChildren, createElement, Fragment, type JSX } from 'preact';
import type { CutText } from '../../../protocol/conversation';
import type { BlockHost } from '../blockHost';
import { CodeBlock } from '../code/CodeBlock';
import { Icon } from '../parts/Disclosure';
import { MAX_FOUND_PAGES, MoreLine, usePagedText } from '../parts/PlainText';
import { VisibleText } from '../parts/VisibleText';
import { ActionLink } from './ActionLink';
import { type MarkdownElement, type MarkdownNode, type MarkdownTag, parseMarkdown } from './parseMarkdown';
import { splitMarkdown } from './splitMarkdown';

const CHUNKS_AT_FIRST = 2;
const CHUNKS_A_PAGE = 4;

/** A text by a person or by Claude. @param breaks  each newline is a line break */
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

/** The panel itself has the heading above this level. Headings in a text never skip a level, whatever the text does. */
const TOP_LEVEL = 2;
const MAX_LEVEL = 6;

interface Context {
  readonly host: BlockHost;
  /** Level of the previous heading. */
  level: number;
}

function MarkdownNodes({ host, nodes }: { host: BlockHost; nodes: readonly MarkdownNode[] }): JSX.Element {
  return <>{childrenOf(nodes, { host, level: TOP_LEVEL - 1 }, null)}</>;
}

function childrenOf(nodes: readonly MarkdownNode[], context: Context, parent: MarkdownTag | null): ComponentChildren[] {
  return nodes.map((node, at) => {
    if (typeof node !== 'string') return <Fragment key={at}>{elementOf(node, context)}</Fragment>;
    return <VisibleText key={at} text={node} strictness={parent === 'code' ? 'code' : 'prose'} />;
  });
}

function elementOf(node: MarkdownElement, context: Context): ComponentChildren {
  const { host } = context;
  const children = (): ComponentChildren[] => childrenOf(node.children, context, node.tag);
  switch (node.tag) {
    case 'pre':
      return <CodeBlock host={host} code={textOf(node).replace(/\n$/, '')} language={node.language ?? ''} />;
    case 'a':
      return (
        <ActionLink host={host} href={node.href ?? ''}>
          {children()}
        </ActionLink>
      );
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6': {
      const depth = Number(node.tag[1]);
      context.level = Math.min(context.level + 1, depth + TOP_LEVEL - 1, MAX_LEVEL);
      return createElement(`h${context.level}`, { class: `block-heading block-heading-${depth}` }, children());
    }
    case 'table':
      return (
        <div class="block-table" role="group" tabIndex={0} aria-label={host.t('Table')}>
          <table>{children()}</table>
        </div>
      );
    case 'th':
    case 'td':
      return createElement(
        node.tag,
        { class: node.look === null ? '' : `block-cell-${node.look}`, dir: 'auto' },
        children(),
      );
    case 'i':
      return (
        <span class="block-task" role="img" aria-label={node.look === 'done' ? host.t('Done') : host.t('Open')}>
          <Icon name={node.look === 'done' ? 'done' : 'square'} />
        </span>
      );
    case 'ol':
      return (
        <ol {...(node.start === null ? {} : { start: node.start })} dir="auto">
          {children()}
        </ol>
      );
    case 'br':
    case 'hr':
      return createElement(node.tag, {});
    case 'p':
      return createElement('p', { class: node.look === 'verbatim' ? 'block-verbatim' : '', dir: 'auto' }, children());
    case 'code':
      return <code dir="ltr">{children()}</code>;
    default:
      return createElement(node.tag, {}, children());
  }
}

function textOf(node: MarkdownNode): string {
  return typeof node === 'string' ? node : node.children.map(textOf).join('');
}
