import type { JSX } from 'preact';
import { MarkdownText } from '../markdown/MarkdownText';
import type { BlockProps } from './blockProps';

/** What a person typed, set apart as theirs, or what Claude replied. */
export function TextBlock({ block, item, host }: BlockProps<'text'>): JSX.Element {
  const isPrompt = item.role === 'user';
  return (
    <div class={isPrompt ? 'block-prompt' : 'block-reply'}>
      <MarkdownText host={host} line={item.line} path={block.path} body={block.body} breaks={isPrompt} />
    </div>
  );
}
