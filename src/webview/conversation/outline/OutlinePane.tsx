import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { OutlineEntry } from '../../../protocol/conversation';
import { IconButton } from '../../ui/Icon';
import { useApp } from '../conversationApp';
import { forgottenName } from '../list/RowHeader';

/** All entries have this height, in pixels, so that only the visible ones need to be drawn. */
const ENTRY_PX = 30;
const OVERSCAN = 10;
/** Leaves room for the band above what was summarised. */
const JUMP_OFFSET_PX = -36;

/** The list of the conversation's prompts, for jumping. */
export function OutlinePane({ onJump }: { onJump: () => void }): JSX.Element {
  const { outline, store, t, formats } = useApp();
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [focused, setFocused] = useState<number | null>(null);
  const entries = outline.entries.value;
  const current = outline.current.value;
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      setHeight(element.clientHeight);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  useLayoutEffect(() => {
    if (focused === null && list.current !== null) keepInSight(list.current, current);
  }, [current, focused]);
  useLayoutEffect(() => {
    const { activeElement } = document;
    if (focused === null || list.current === null) return;
    if (activeElement !== document.body && !list.current.contains(activeElement)) return;
    keepInSight(list.current, focused);
    list.current.querySelector<HTMLElement>(`[data-entry="${focused}"]`)?.focus({ preventScroll: true });
  }, [focused, top]);

  const from = Math.max(0, Math.floor(top / ENTRY_PX) - OVERSCAN);
  const to = Math.min(entries.length, Math.ceil((top + height) / ENTRY_PX) + OVERSCAN);
  const tabStop = focused ?? Math.min(Math.max(current, from), to - 1);
  const jump = (entry: OutlineEntry): void => {
    void store.goTo(entry.index, JUMP_OFFSET_PX);
    onJump();
  };
  return (
    <nav class="outline" aria-label={t('Prompts')}>
      <div class="outline-head">
        <h2>{t('Prompts')}</h2>
        <span class="outline-count">{formats.number(entries.length)}</span>
        <IconButton
          icon="close"
          label={t('Hide prompts')}
          onPress={() => {
            outline.show(false);
          }}
        />
      </div>
      <div
        ref={list}
        class="outline-list"
        onScroll={(event) => {
          setTop(event.currentTarget.scrollTop);
        }}
        onFocusOut={({ currentTarget, relatedTarget }) => {
          // Without a target, the entry was scrolled out of view while it had the focus.
          if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) setFocused(null);
        }}
        onKeyDown={(event) => {
          const next = entryFor(event.key, tabStop, entries.length, Math.floor(height / ENTRY_PX));
          if (next === null) return;
          event.preventDefault();
          setFocused(next);
        }}
      >
        <ol class="outline-entries" style={{ height: `${entries.length * ENTRY_PX}px` }}>
          {entries.slice(from, to).map((entry, at) => (
            <li
              key={entry.line}
              class="outline-item"
              style={{ top: `${(from + at) * ENTRY_PX}px` }}
              aria-setsize={entries.length}
              aria-posinset={from + at + 1}
            >
              <button
                type="button"
                class={entry.forgottenAs === undefined ? 'outline-entry' : 'outline-entry is-forgotten'}
                data-entry={from + at}
                tabIndex={from + at === tabStop ? 0 : -1}
                aria-current={from + at === current ? 'location' : undefined}
                title={entry.timeMs === null ? entry.label : `${entry.label}\n${formats.dateTime(entry.timeMs)}`}
                onClick={() => {
                  jump(entry);
                }}
              >
                <span class="outline-label">{entry.label === '' ? t('Without words') : entry.label}</span>
                {entry.forgottenAs !== undefined && (
                  <span class="visually-hidden">{forgottenName(entry.forgottenAs, t)}</span>
                )}
              </button>
            </li>
          ))}
        </ol>
        {entries.length === 0 && <p class="outline-empty">{t('There are no prompts in this view.')}</p>}
      </div>
    </nav>
  );
}

function keepInSight(list: HTMLElement, at: number): void {
  if (at < 0) return;
  const top = at * ENTRY_PX;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + ENTRY_PX > list.scrollTop + list.clientHeight) list.scrollTop = top + ENTRY_PX - list.clientHeight;
}

function entryFor(key: string, at: number, count: number, page: number): number | null {
  const last = count - 1;
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: last }[key];
  return to === undefined ? null : Math.max(0, Math.min(last, to));
}
