import type { ComponentChildren, JSX } from 'preact';
import type { RowItem, ToolBlock, ToolInput } from '../../../shared/conversation';
import type { BlockHost } from '../blockHost';
import { Disclosure } from '../parts/Disclosure';
import { PlainText } from '../parts/PlainText';
import { useExpanded } from '../parts/useExpanded';

const PROMPT_LINES = 6;

/** What a subagent was told, and its own conversation. */
export function AgentInput(props: {
  readonly input: ToolInput & { readonly kind: 'agent' };
  readonly block: ToolBlock;
  readonly item: RowItem;
  readonly host: BlockHost;
}): JSX.Element {
  const { input, block, item, host } = props;
  return (
    <>
      <PlainText
        host={host}
        line={item.line}
        path={`${block.path}.input.prompt`}
        body={input.prompt}
        look="prose"
        foldLines={PROMPT_LINES}
      />
      {block.subagent !== null && (
        <Nested filePath={block.subagent} leafLine={null} block={block} item={item} host={host} />
      )}
      {block.subagent === null && block.subagentLeaf !== undefined && (
        <Nested filePath={host.filePath} leafLine={block.subagentLeaf} block={block} item={item} host={host} />
      )}
    </>
  );
}

function Nested(props: {
  readonly filePath: string;
  readonly leafLine: number | null;
  readonly block: ToolBlock;
  readonly item: RowItem;
  readonly host: BlockHost;
}): JSX.Element | null {
  const { filePath, leafLine, block, item, host } = props;
  const [isExpanded, toggle] = useExpanded(host, item.line, `${block.path}#subagent`, false);
  const conversation: ComponentChildren = host.subagent(filePath, leafLine);
  if (conversation === null || conversation === undefined || conversation === false) return null;
  return (
    <Disclosure
      className="block-subagent"
      label={host.t('Conversation of the subagent')}
      isExpanded={isExpanded}
      onToggle={toggle}
    >
      {() => conversation}
    </Disclosure>
  );
}
