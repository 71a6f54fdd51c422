import type { JSX } from 'preact';
import { MarkdownText } from '../markdown/MarkdownText';
import { Disclosure } from '../parts/Disclosure';
import { Icon } from '../parts/Icon';
import { useExpanded } from '../parts/useExpanded';
import { VisibleText } from '../parts/VisibleText';
import { mayHoldHit } from '../text/holdsHit';
import type { BlockProps } from './blockProps';

const MAX_LABEL_CHARS = 160;

export function ThinkingBlock({ block, item, host }: BlockProps<'thinking'>): JSX.Element {
  const { body, path, isRedacted } = block;
  const [isExpanded, toggle] = useExpanded(host, item.line, path, false, (find) => mayHoldHit(find, body));
  if (body.text === '' && body.more === 0) {
    return (
      <div class="block-quiet-line">
        <Icon name="thought" />
        {isRedacted ? host.t('Thinking, redacted') : host.t('Thinking, not kept')}
      </div>
    );
  }
  const label = (
    <>
      <Icon name="thought" />
      <span class="block-disclosure-name">{isRedacted ? host.t('Thinking, redacted') : host.t('Thinking')}</span>
      {!isExpanded && (
        <bdi class="block-disclosure-begin">
          <VisibleText text={body.text.slice(0, MAX_LABEL_CHARS)} strictness="prose" />
        </bdi>
      )}
    </>
  );
  return (
    <Disclosure className="block-thinking" label={label} isExpanded={isExpanded} onToggle={toggle}>
      {() => <MarkdownText host={host} line={item.line} path={path} body={body} breaks={false} />}
    </Disclosure>
  );
}
