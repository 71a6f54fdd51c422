import { createElement, Fragment, type ComponentChildren, type JSX } from 'preact';
import type { BlockHost } from '../blockHost';
import { CodeBlock } from '../code/CodeBlock';
import { Icon } from '../parts/Icon';
import { VisibleText } from '../parts/VisibleText';
import { ActionLink } from './ActionLink';
import type { MarkdownElement, MarkdownNode, MarkdownTag } from './parseMarkdown';

/** A panel's own heading is above; a heading of a text never skips a level, whatever the text does. */
const TOP_LEVEL = 2;
const MAX_LEVEL = 6;

interface Context {
  readonly host: BlockHost;
  /** Level of the heading before. */
  level: number;
}

export function MarkdownNodes({ host, nodes }: { host: BlockHost; nodes: readonly MarkdownNode[] }): JSX.Element {
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
