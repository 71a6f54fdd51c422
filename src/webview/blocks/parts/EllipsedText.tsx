import type { JSX } from 'preact';
import { safeCut } from '../text/splitPages';
import { VisibleText } from './VisibleText';

const MAX_CHARS = 400;
const MAX_TAIL_CHARS = 32;

/** One line that gives way in its middle where there is no room: of a path, its end says most. */
export function EllipsedText({ text }: { text: string }): JSX.Element {
  const line = firstLine(text);
  const slash = Math.max(line.lastIndexOf('/'), line.lastIndexOf('\\'));
  const isPath = slash > 0 && line.length - slash <= MAX_TAIL_CHARS && !/\s/.test(line);
  const at = isPath ? slash : line.length;
  return (
    <bdi class="block-ellipsed">
      <span class="block-ellipsed-head">
        <VisibleText text={line.slice(0, at)} />
      </span>
      {isPath && (
        <span class="block-ellipsed-tail">
          <VisibleText text={line.slice(at)} />
        </span>
      )}
    </bdi>
  );
}

/** A path that is too long loses its beginning, anything else its end. */
function firstLine(text: string): string {
  const line = text.slice(0, 4 * MAX_CHARS).split('\n', 1)[0] ?? '';
  const isCut = line.length < text.trimEnd().length;
  return line.length > MAX_CHARS || isCut ? `${line.slice(0, safeCut(line, MAX_CHARS))}…` : line;
}
