import type { EpochMs } from '../probe/probeApi';
import { afterPaint } from './afterPaint';

/** What happened to the list since the newest key that was pressed in the window. */
export interface ListChanges {
  readonly keyMs: EpochMs | null;
  /** When the first rows were painted as they are now; null if nothing changed. */
  readonly changedMs: EpochMs | null;
}

interface SeenRows {
  readonly paintedMs: EpochMs;
  readonly labels: string;
}

/** The words above the list may move it and the rows at its lower end afterwards, so only so many rows count. */
const FIRST_ROWS = 12;

/** Starts to watch the list in the side bar. Returns what was seen so far. */
export function watchList(): () => ListChanges {
  let keyMs: EpochMs | null = null;
  let seen: SeenRows[] = [];
  const rows = document.querySelector('.part.sidebar .monaco-list-rows');
  if (rows === null) throw new Error('Failed to find the list');
  window.addEventListener(
    'keydown',
    () => {
      keyMs = Date.now();
      seen = [];
    },
    { capture: true },
  );
  new MutationObserver(() => {
    const [since, labels] = [seen, firstLabels(rows)];
    void afterPaint().then((paintedMs) => since.push({ paintedMs, labels }));
  }).observe(rows, { childList: true, subtree: true, characterData: true });
  return () => {
    const now = seen.at(-1)?.labels;
    const last = seen.findLastIndex(({ labels }) => labels !== now);
    return { keyMs, changedMs: seen[last + 1]?.paintedMs ?? null };
  };
}

function firstLabels(rows: Element): string {
  const place = (row: Element): number => Number(row.getAttribute('data-index'));
  const all = [...rows.querySelectorAll('.monaco-list-row')].sort((a, b) => place(a) - place(b));
  return all
    .slice(0, FIRST_ROWS)
    .map((row) => row.textContent)
    .join('\n');
}
