import type { JSX } from 'preact';
import type { BlockProps } from './blockHost';
import { MarkdownText } from './markdown/MarkdownText';
import { Disclosure, Icon, useExpanded } from './parts/Disclosure';
import { PlainText } from './parts/PlainText';
import { VisibleText } from './parts/VisibleText';
import { formatCount, holdsHit, mayHoldHit } from './text/texts';

/** What a person typed, visually marked as theirs, or what Claude replied. */
export function TextBlock({ block, item, host }: BlockProps<'text'>): JSX.Element {
  const isPrompt = item.role === 'user';
  return (
    <div class={isPrompt ? 'block-prompt' : 'block-reply'}>
      <MarkdownText host={host} line={item.line} path={block.path} body={block.body} breaks={isPrompt} />
    </div>
  );
}

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

const MAX_TITLE_CHARS = 300;

/** One unobtrusive line that the client wrote for itself. */
export function NoteBlock({ block, item, host }: BlockProps<'note'>): JSX.Element {
  const { body, path } = block;
  const [isExpanded, toggle] = useExpanded(
    host,
    item.line,
    path,
    false,
    (find) => body !== null && (holdsHit(find, block.title) || mayHoldHit(find, body)),
  );
  const title = (
    <bdi class="block-note-title">
      <VisibleText text={block.title.slice(0, MAX_TITLE_CHARS)} strictness="prose" />
    </bdi>
  );
  if (body === null || (body.text === '' && body.more === 0)) {
    return <div class="block-quiet-line block-quiet-line-alone">{title}</div>;
  }
  return (
    <Disclosure className="block-note" label={title} isExpanded={isExpanded} onToggle={toggle}>
      {() => <PlainText host={host} line={item.line} path={path} body={body} look="terminal" />}
    </Disclosure>
  );
}

/** A line across the conversation at the point where a summary replaced everything before it. */
export function CompactionBlock({ block, host }: Omit<BlockProps<'compaction'>, 'item'>): JSX.Element {
  const { trigger, tokensBefore } = block;
  const facts = [
    trigger === null ? '' : triggerName(trigger, host.t.bind(host)),
    tokensBefore === null ? '' : host.t('{0} tokens before', formatCount(tokensBefore, host.locale)),
  ].filter((fact) => fact !== '');
  return (
    <div class="block-compaction">
      <span class="block-compaction-label">
        <Icon name="fold" />
        <strong>{host.t('Compacted')}</strong>
        {facts.map((fact) => (
          <span key={fact} class="block-compaction-fact">
            <VisibleText text={fact} />
          </span>
        ))}
      </span>
    </div>
  );
}

function triggerName(trigger: string, t: (english: string) => string): string {
  if (trigger === 'auto') return t('automatically');
  if (trigger === 'manual') return t('by /compact');
  return trigger.slice(0, 60);
}

export function ErrorBlock({ block, item, host }: BlockProps<'error'>): JSX.Element {
  return (
    <div class="block-error">
      <div class="block-error-head">
        <Icon name="error" />
        {host.t('Error')}
      </div>
      <PlainText host={host} line={item.line} path={block.path} body={block.body} look="prose" />
    </div>
  );
}

export function InterruptionBlock({ block, host }: Omit<BlockProps<'interruption'>, 'item'>): JSX.Element {
  return (
    <div class="block-interruption">
      <Icon name="stop" />
      {block.duringTool ? host.t('Interrupted by the user while a tool ran') : host.t('Interrupted by the user')}
    </div>
  );
}
