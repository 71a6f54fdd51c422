import type { JSX } from 'preact';
import { MarkdownText } from '../markdown/MarkdownText';
import { Disclosure } from '../parts/Disclosure';
import { useExpanded } from '../parts/useExpanded';
import { mayHoldHit } from '../text/holdsHit';
import type { BlockProps } from './blockProps';

export function SummaryBlock({ block, item, host }: BlockProps<'summary'>): JSX.Element {
  const { body, path } = block;
  const [isExpanded, toggle] = useExpanded(host, item.line, path, false, (find) => mayHoldHit(find, body));
  return (
    <Disclosure
      className="block-summary"
      label={<span class="block-disclosure-name">{host.t('Summary of the conversation before')}</span>}
      isExpanded={isExpanded}
      onToggle={toggle}
    >
      {() => <MarkdownText host={host} line={item.line} path={path} body={body} breaks={false} />}
    </Disclosure>
  );
}
