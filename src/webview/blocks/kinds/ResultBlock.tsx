import type { JSX } from 'preact';
import { EllipsedText } from '../parts/EllipsedText';
import { useExpanded } from '../parts/useExpanded';
import { mayHoldHit } from '../text/holdsHit';
import { Card } from '../tools/Card';
import { ResultStatus } from '../tools/ResultStatus';
import { ToolResultView } from '../tools/ToolResultView';
import type { BlockProps } from './blockProps';

/** A result whose call is somewhere else, or lost. */
export function ResultBlock({ block, item, host }: BlockProps<'result'>): JSX.Element {
  const { result, path, toolUseId } = block;
  const [isExpanded, toggle] = useExpanded(
    host,
    item.line,
    `${path}#card`,
    true,
    (find) => result.text !== null && mayHoldHit(find, result.text),
  );
  return (
    <Card
      icon="pending"
      name={host.t('Result without its call')}
      title={toolUseId === null ? null : <EllipsedText text={toolUseId} />}
      status={<ResultStatus host={host} result={result} />}
      look={result.isError ? 'error' : 'ok'}
      isExpanded={isExpanded}
      onToggle={toggle}
    >
      {() => <ToolResultView host={host} line={item.line} result={result} input={null} />}
    </Card>
  );
}
