import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { FoundHit, FoundSession, HitAuthor } from '../../protocol/channels/searchView';
import { Icon, type IconName } from '../ui/Icon';
import { useApp } from './searchApp';
import { type FoundProject, hitKey, type SearchState } from './searchState';

/** What was found: projects, their sessions, and the hits in each. Rows are only added at the end. */
export function ResultTree(): JSX.Element {
  const { state, t } = useApp();
  const scroller = useRef<HTMLDivElement>(null);
  const tree = useRef<HTMLDivElement>(null);
  const [found, hits] = [state.found.value, state.hits.value];
  const [active, current] = [state.active.value, state.current.value];
  const shown = useRef<string | null>(null);
  useLayoutEffect(() => {
    const [element, wanted] = [scroller.current, state.lostScrollTop];
    if (element === null || wanted === null) return;
    // Reached once as many results are there again.
    element.scrollTop = wanted;
    if (element.scrollTop >= wanted - 1) state.forgetScroll();
  }, [hits]);
  useLayoutEffect(() => {
    const key = current === null ? null : hitKey(current);
    const isNew = key !== shown.current;
    shown.current = key;
    if (isNew && state.lostScrollTop === null)
      tree.current?.querySelector('.is-active')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const forgetScroll = (): void => {
    state.forgetScroll();
  };
  const activeAt = state.rows.value.findIndex(({ key }) => key === active);
  return (
    <div
      ref={scroller}
      class="results"
      onScroll={(event) => {
        state.scrolled(event.currentTarget.scrollTop);
      }}
      onWheel={forgetScroll}
      onPointerDown={forgetScroll}
    >
      {hits > 0 && (
        <div
          ref={tree}
          class="tree"
          role="tree"
          aria-label={t('Search results')}
          tabIndex={0}
          aria-activedescendant={activeAt < 0 ? undefined : rowId(active)}
          onFocus={() => {
            if (activeAt < 0) state.active.value = state.rows.peek()[0]?.key ?? null;
          }}
          onKeyDown={(event) => {
            forgetScroll();
            if (event.ctrlKey || event.altKey || event.metaKey || !pressed(event, state)) return;
            event.preventDefault();
            tree.current?.querySelector('.is-active')?.scrollIntoView({ block: 'nearest' });
          }}
        >
          {found.map((project, at) => (
            <ProjectRows key={project.project.folder} found={project} at={at} size={found.length} />
          ))}
        </div>
      )}
    </div>
  );
}

/** Carries out a key. Returns false if it means nothing to the tree. */
function pressed({ key }: KeyboardEvent, state: SearchState): boolean {
  const rows = state.rows.peek();
  const at = rows.findIndex((each) => each.key === state.active.peek());
  const row = rows[at];
  const goTo = (to: number): void => {
    state.active.value = rows[Math.min(Math.max(to, 0), rows.length - 1)]?.key ?? null;
  };
  switch (key) {
    case 'ArrowDown':
      goTo(at + 1);
      return true;
    case 'ArrowUp':
      if (at <= 0) state.inputAsked.value++;
      else goTo(at - 1);
      return true;
    case 'PageDown':
      goTo(at + PAGE_ROWS);
      return true;
    case 'PageUp':
      goTo(at - PAGE_ROWS);
      return true;
    case 'Home':
      goTo(0);
      return true;
    case 'End':
      goTo(rows.length - 1);
      return true;
    case 'Escape':
      state.inputAsked.value++;
      return true;
  }
  if (row === undefined) return false;
  const isFolded = state.folded.peek().has(row.key);
  switch (key) {
    case 'ArrowLeft':
      if (row.kind !== 'hit' && !isFolded) state.setFolded(row.key, true);
      else if (row.kind !== 'project') state.active.value = row.parent;
      return true;
    case 'ArrowRight':
      if (row.kind === 'hit') return true;
      if (isFolded) state.setFolded(row.key, false);
      else goTo(at + 1);
      return true;
    case 'Enter':
    case ' ':
      if (row.kind === 'hit') state.open(row.place, key === 'Enter' ? 'keep' : 'preview');
      else state.setFolded(row.key, !isFolded);
      return true;
    default:
      return false;
  }
}

/** Rows that Page Up and Page Down skip. */
const PAGE_ROWS = 10;

function ProjectRows({ found, at, size }: { found: FoundProject; at: number; size: number }): JSX.Element {
  const { state, formats } = useApp();
  const { project, sessions, hits } = found;
  const isFolded = state.folded.value.has(project.folder);
  return (
    <>
      <GroupRow rowKey={project.folder} level={1} at={at} size={size} isFolded={isFolded} title={project.around}>
        <span class="label project-label">{project.label}</span>
        <span class="aside around">{project.around}</span>
        <Badge count={hits} text={formats.number(hits)} />
      </GroupRow>
      {!isFolded &&
        sessions.map((session, place) => (
          <SessionRows key={session.filePath} session={session} at={place} size={sessions.length} />
        ))}
    </>
  );
}

function SessionRows({ session, at, size }: { session: FoundSession; at: number; size: number }): JSX.Element {
  const { state, formats } = useApp();
  const { filePath, title, age, hits } = session;
  const isFolded = state.folded.value.has(filePath);
  return (
    <>
      <GroupRow rowKey={filePath} level={2} at={at} size={size} isFolded={isFolded} title={title}>
        <span class="label">{title}</span>
        {age !== null && <span class="aside">{age}</span>}
        <Badge count={hits.length} text={formats.number(hits.length)} />
      </GroupRow>
      {!isFolded &&
        hits.map((hit, place) => <HitRow key={hit.line} filePath={filePath} hit={hit} at={place} size={hits.length} />)}
    </>
  );
}

interface GroupRowProps {
  readonly rowKey: string;
  readonly level: 1 | 2;
  /** Index among its siblings. */
  readonly at: number;
  readonly size: number;
  readonly isFolded: boolean;
  readonly title: string;
  readonly children: ComponentChildren;
}

function GroupRow({ rowKey, level, at, size, isFolded, title, children }: GroupRowProps): JSX.Element {
  const { state } = useApp();
  const isActive = state.active.value === rowKey;
  return (
    <div
      id={rowId(rowKey)}
      class={`row level-${level}${isActive ? ' is-active' : ''}`}
      role="treeitem"
      aria-level={level}
      aria-posinset={at + 1}
      aria-setsize={size}
      aria-expanded={!isFolded}
      aria-selected={false}
      title={title}
      onClick={() => {
        state.active.value = rowKey;
        state.setFolded(rowKey, !isFolded);
      }}
    >
      <Icon name={isFolded ? 'chevron' : 'chevron-down'} />
      {children}
    </div>
  );
}

function Badge({ count, text }: { count: number; text: string }): JSX.Element {
  const { t } = useApp();
  return (
    <span class="badge">
      <span aria-hidden="true">{text}</span>
      <span class="visually-hidden">{count === 1 ? t('1 result') : t('{0} results', text)}</span>
    </span>
  );
}

const AUTHOR_ICONS: Record<HitAuthor, IconName> = {
  you: 'person',
  claude: 'sparkle',
  tools: 'terminal',
  client: 'list',
};

interface HitRowProps {
  readonly filePath: string;
  readonly hit: FoundHit;
  readonly at: number;
  readonly size: number;
}

function HitRow({ filePath, hit: found, at, size }: HitRowProps): JSX.Element {
  const { state, formats, t } = useApp();
  const place = { filePath, line: found.line };
  const key = hitKey(place);
  const isActive = state.active.value === key;
  const current = state.current.value;
  const isCurrent = current?.line === place.line && current.filePath === filePath;
  const { excerpt, hit, author, timeMs } = found;
  const authors: Record<HitAuthor, string> = {
    you: t('You'),
    claude: t('Claude'),
    tools: t('Tool result'),
    client: t('Note of Claude Code'),
  };
  const from = timeMs === null ? authors[author] : `${authors[author]}, ${formats.dateTime(timeMs)}`;
  return (
    <div
      id={rowId(key)}
      class={`row hit${isActive ? ' is-active' : ''}${isCurrent ? ' is-current' : ''}`}
      role="treeitem"
      aria-level={3}
      aria-posinset={at + 1}
      aria-setsize={size}
      aria-selected={isCurrent}
      title={`${from}\n${excerpt}`}
      onClick={() => {
        state.open(place, 'preview');
      }}
      onDblClick={() => {
        state.open(place, 'keep');
      }}
    >
      <Icon name={AUTHOR_ICONS[author]} />
      <span class="visually-hidden">{authors[author]}: </span>
      <span class="excerpt">
        {tail(excerpt.slice(0, hit.start))}
        <mark>{excerpt.slice(hit.start, hit.end)}</mark>
        {excerpt.slice(hit.end)}
      </span>
    </div>
  );
}

/** More would push the hit out of a narrow view. In UTF-16 units. */
const MAX_BEFORE = 26;

function tail(before: string): string {
  if (before.length <= MAX_BEFORE) return before;
  const end = before.slice(1 - MAX_BEFORE);
  // From the start of a word, if one is near. Never half a surrogate pair.
  const word = /^\S{0,10}\s(?=\S)/u.exec(end)?.[0].length ?? 0;
  return `…${end.slice(word).replace(/^[\udc00-\udfff]/, '')}`;
}

function rowId(key: string | null): string | undefined {
  return key === null ? undefined : `row:${encodeURIComponent(key)}`;
}
