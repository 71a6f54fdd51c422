import type { JSX } from 'preact';

/** Lines on a square of 16, drawn with the colour of the text. */
const PATHS = {
  chevron: 'M6 4l4 4-4 4',
  terminal: 'M2 3.5h12v9H2zM4.5 6l2 2-2 2M8.5 10h3',
  file: 'M4 2h5.5L12 4.5V14H4zM9 2v3h3',
  edit: 'M3 13l.6-2.6L11 3l2 2-7.4 7.4zM9.6 4.4l2 2',
  create: 'M4 2h5.5L12 4.5V14H4zM8 6.5v5M5.5 9h5',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.3 10.3L14 14',
  globe: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM2 8h12M8 2c4 4 4 8 0 12M8 2c-4 4-4 8 0 12',
  agent: 'M3 6h10v7H3zM8 6V3M6.5 3h3M6 9v1M10 9v1M1.5 8.5v2M14.5 8.5v2',
  checklist: 'M2.5 4.5l1 1 2-2M8 4.5h6M2.5 8.5l1 1 2-2M8 8.5h6M2.5 12.5l1 1 2-2M8 12.5h6',
  braces: 'M6 2.5c-3 0-1 5-3.5 5.5C5 8.5 3 13.5 6 13.5M10 2.5c3 0 1 5 3.5 5.5C11 8.5 13 13.5 10 13.5',
  plug: 'M5.5 2v3M10.5 2v3M4 5h8v2.5a4 4 0 0 1-8 0zM8 11.5V14',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  error: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4',
  pending: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM5 8h6',
  warning: 'M8 2.5L14.5 13.5H1.5zM8 6.5v3.5M8 11.5v.5',
  stop: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM6 6h4v4H6z',
  copy: 'M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3',
  image: 'M2 3h12v10H2zM2.5 11.5L6 8l3 3 2-2 2.5 2.5M10.5 6h.1',
  thought: 'M8 2a4.5 4.5 0 0 1 2.5 8.2V12h-5v-1.8A4.5 4.5 0 0 1 8 2zM6 14h4',
  open: 'M9.5 2.5h4v4M13.5 2.5L8 8M11.5 9v4.5h-9v-9H7',
  diff: 'M8 2.5v6M5 5.5h6M5 12.5h6',
  fold: 'M2 8h12M8 1.5v4M6 3.5l2 2 2-2M8 14.5v-4M6 12.5l2-2 2 2',
  square: 'M3 3h10v10H3z',
  done: 'M3 3h10v10H3zM5.5 8l2 2 3.5-4',
  busy: 'M3 3h10v10H3zM5.5 8h5',
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration alone: what it says is said in words beside it. */
export function Icon({ name, className = '' }: { name: IconName; className?: string }): JSX.Element {
  return (
    <svg
      class={`block-icon ${className}`}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
