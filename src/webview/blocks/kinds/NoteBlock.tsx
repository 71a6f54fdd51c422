import type { JSX } from 'preact';
import { Disclosure } from '../parts/Disclosure';
import { PlainText } from '../parts/PlainText';
import { useExpanded } from '../parts/useExpanded';
import { VisibleText } from '../parts/VisibleText';
import { holdsHit, mayHoldHit } from '../text/holdsHit';
import type { BlockProps } from './blockProps';

const MAX_TITLE_CHARS = 300;

/** What the client wrote down for itself: one quiet line. */
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
