import type { ComponentChildren, JSX } from 'preact';
import { Icon as Drawing, type IconName } from '../../ui/Icon';
import type { BlockHost, TextMatcher } from '../blockHost';
import { safeCut } from '../text/texts';
import { VisibleText } from './VisibleText';

/** A line that unfolds what is below it. The content is made when it is wanted first. */
export function Disclosure(props: {
  readonly label: ComponentChildren;
  readonly isExpanded: boolean;
  readonly onToggle: () => void;
  readonly className?: string;
  readonly children: () => ComponentChildren;
}): JSX.Element {
  return (
    <div class={`block-disclosure ${props.className ?? ''}`}>
      <button type="button" class="block-disclosure-line" aria-expanded={props.isExpanded} onClick={props.onToggle}>
        <Icon name="chevron" className="block-chevron" />
        {props.label}
      </button>
      {props.isExpanded && <div class="block-disclosure-body">{props.children()}</div>}
    </div>
  );
}

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

/** A path that opens its file in the editor. */
export function PathButton({ host, path }: { host: BlockHost; path: string }): JSX.Element {
  return (
    <button
      type="button"
      class="block-link block-path"
      title={host.t('Open file')}
      onClick={() => {
        host.act({ kind: 'openFile', path });
      }}
    >
      <EllipsedText text={path} />
    </button>
  );
}

/**
 * What is unfolded under `key`, and how to say otherwise. What folding hides is unfolded while the find bar stands at a
 * hit in it, whatever was said before; then it is as it was.
 */
export function useExpanded(
  host: BlockHost,
  line: number,
  key: string,
  byDefault: boolean,
  hides: (find: TextMatcher) => boolean = () => false,
): readonly [isExpanded: boolean, toggle: () => void] {
  const find = host.found(line);
  const isExpanded =
    find !== null && hides(find)
      ? (host.expanded.getSinceFound(line, key) ?? true)
      : (host.expanded.get(line, key) ?? byDefault);
  return [
    isExpanded,
    () => {
      host.expanded.set(line, key, !isExpanded);
    },
  ];
}

export type { IconName };

/** Decoration alone: what it says is said in words beside it. */
export function Icon({ name, className = '' }: { name: IconName; className?: string }): JSX.Element {
  return <Drawing name={name} className={`block-icon ${className}`} />;
}
