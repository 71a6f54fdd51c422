import type { ComponentChildren, JSX } from 'preact';
import type { RowItem, ToolBlock } from '../../../shared/conversation';
import { toolName } from '../../../shared/toolName';
import type { BlockHost, TextMatcher } from '../blockHost';
import { EllipsedText } from '../parts/EllipsedText';
import { useExpanded } from '../parts/useExpanded';
import { VisibleText } from '../parts/VisibleText';
import { holdsHit, mayHoldHit } from '../text/holdsHit';
import { textsOf } from '../text/textsOf';
import { Card } from './Card';
import { HeadActions } from './HeadActions';
import { ResultStatus } from './ResultStatus';
import { ToolInputView } from './ToolInputView';
import { isOpenAtFirst, toolIcon } from './toolLook';
import { ToolResultView } from './ToolResultView';

const MAX_NAME_CHARS = 120;

/** A call of a tool and what came of it. */
export function ToolCard({ block, item, host }: { block: ToolBlock; item: RowItem; host: BlockHost }): JSX.Element {
  const { result } = block;
  const [isExpanded, toggle] = useExpanded(host, item.line, block.path, isOpenAtFirst(block), (find) =>
    hidesHit(block, find),
  );
  return (
    <Card
      icon={toolIcon(block)}
      name={<VisibleText text={toolName(block.name).slice(0, MAX_NAME_CHARS)} />}
      title={isExpanded && isTitleInBody(block) ? null : <EllipsedText text={block.title} />}
      status={<ResultStatus host={host} result={result} />}
      actions={<HeadActions block={block} item={item} host={host} />}
      look={result === null ? 'none' : result.isError ? 'error' : 'ok'}
      isExpanded={isExpanded}
      onToggle={toggle}
    >
      {(): ComponentChildren => (
        <>
          <ToolInputView block={block} item={item} host={host} />
          {result !== null && <ToolResultView host={host} line={result.line} result={result} input={block.input} />}
        </>
      )}
    </Card>
  );
}

/** The command stands below its line once the card is open; said twice it is noise. */
function isTitleInBody({ input }: ToolBlock): boolean {
  return input.kind === 'bash' && input.description === null;
}

/** Whether there is a hit in the input or in the result, or may be in what was cut off of it. */
function hidesHit({ input, result }: ToolBlock, find: TextMatcher): boolean {
  if (textsOf(input).some((text) => holdsHit(find, text))) return true;
  return result?.text ? mayHoldHit(find, result.text) : false;
}
