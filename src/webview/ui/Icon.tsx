import type { JSX } from 'preact';

/** Outlines in a box of 16 × 16, drawn in the colour of the text. */
const PATHS = {
  'arrow-down': 'M8 2.5v11m0 0 4-4m-4 4-4-4',
  'arrow-up': 'M8 13.5v-11m0 0 4 4m-4-4-4 4',
  branch:
    'M4.5 5.5v5m0-5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0 5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Zm7-3a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0 0c0 2-2 2.5-4 2.5-1.7 0-3 .5-3 1.5',
  broken: 'M6.5 4.5 8 3a3 3 0 0 1 4.6 3.8M9.5 11.5 8 13a3 3 0 0 1-4.6-3.8M11 11l2.5 2.5M5 5 2.5 2.5',
  check: 'm3 8.5 3.2 3.2L13 5',
  'chevron-down': 'm4 6 4 4 4-4',
  clock: 'M8 4.5V8l2.3 1.5M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Z',
  close: 'm4 4 8 8m0-8-8 8',
  copy: 'M5.5 5.5v-2a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-2m-7-5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1Z',
  error: 'M8 5v3.7m0 2.2v.1M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Z',
  filter: 'M2.5 4h11m-9 4h7m-5 4h3',
  fork: 'M4 5.5v1A1.5 1.5 0 0 0 5.5 8h5A1.5 1.5 0 0 0 12 6.5v-1M8 8v2.5M4 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm8 0a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm-4 8a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z',
  link: 'm6.5 9.5 3-3M7 4.5 8.2 3.3a2.9 2.9 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.2 1.2a2.9 2.9 0 0 1-4.5-4.5L4.5 7',
  list: 'M5.5 4h8m-8 4h8m-8 4h8M2.5 4h.1m-.1 4h.1m-.1 4h.1',
  more: 'M3 7.6h.8v.8H3Zm4.6 0h.8v.8h-.8Zm4.6 0h.8v.8h-.8Z',
  raw: 'm5.5 5-3 3 3 3m5-6 3 3-3 3',
  rewind: 'M3 7.5h7a3 3 0 0 1 0 6H7m-4-6 3-3m-3 3 3 3',
  search: 'm10 10 3.5 3.5M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9Z',
  warning: 'M8 6.5v3m0 1.9v.1M7.1 2.9 1.9 12a1 1 0 0 0 .9 1.5h10.4a1 1 0 0 0 .9-1.5L8.9 2.9a1 1 0 0 0-1.8 0Z',
  wrench: 'M9.7 6.3a3.4 3.4 0 0 1 4-3.6l-2 2 .3 1.3 1.3.3 2-2a3.4 3.4 0 0 1-4.6 3.7l-5.5 5.5a1.5 1.5 0 0 1-2.1-2.1Z',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside words, or within a button that has a label: said to nobody by itself. */
export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
