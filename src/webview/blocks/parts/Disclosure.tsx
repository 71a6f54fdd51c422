import type { ComponentChildren, JSX } from 'preact';
import { Icon as Drawing, type IconName } from '../../ui/Icon';
import type { BlockHost, TextMatcher } from '../blockHost';
import { relativePath, safeCut } from '../text/texts';
import { VisibleText } from './VisibleText';

/** A line that unfolds the content below it. The content is created when it is first unfolded. */
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

/** One line that is shortened in the middle if space is limited, because the end of a path says most. */
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

/** Cuts a long path at the beginning, and any other text at the end. */
function firstLine(text: string): string {
  const line = text.slice(0, 4 * MAX_CHARS).split('\n', 1)[0] ?? '';
  const isCut = line.length < text.trimEnd().length;
  return line.length > MAX_CHARS || isCut ? `${line.slice(0, safeCut(line, MAX_CHARS))}…` : line;
}

/** A path that opens its file in the editor when clicked. */
export function PathButton({ host, path }: { host: BlockHost; path: string }): JSX.Element {
  return (
    <button
      type="button"
      class="block-link block-path"
      title={`${host.t('Open file')}: ${path}`}
      onClick={() => {
        host.act({ kind: 'openFile', path });
      }}
    >
      <EllipsedText text={relativePath(path, host.folder)} />
    </button>
  );
}

/** What unfolding content depends on. */
export type ExpandingHost = Pick<BlockHost, 'expanded' | 'found'>;

/**
 * Whether the content under `key` is unfolded, and a function that toggles it. While the find bar is at a hit in the
 * content, it is unfolded regardless of earlier choices, which apply again afterwards.
 */
export function useExpanded(
  host: ExpandingHost,
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

/** Decorative only: the text beside it has the same meaning. */
export function Icon({ name, className = '' }: { name: IconName; className?: string }): JSX.Element {
  return <Drawing name={name} className={`block-icon ${className}`} />;
}
