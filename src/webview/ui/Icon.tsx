import type { JSX } from 'preact';

/** Outlines in a box of 16 × 16, drawn in the text colour. */
const PATHS = {
  agent: 'M3 6h10v7H3zM8 6V3M6.5 3h3M6 9v1M10 9v1M1.5 8.5v2M14.5 8.5v2',
  'arrow-down': 'M8 2.5v11m0 0 4-4m-4 4-4-4',
  'arrow-up': 'M8 13.5v-11m0 0 4 4m-4-4-4 4',
  braces: 'M6 2.5c-3 0-1 5-3.5 5.5C5 8.5 3 13.5 6 13.5M10 2.5c3 0 1 5 3.5 5.5C11 8.5 13 13.5 10 13.5',
  branch:
    'M4.5 5.5v5m0-5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0 5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Zm7-3a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0 0c0 2-2 2.5-4 2.5-1.7 0-3 .5-3 1.5',
  broken: 'M6.5 4.5 8 3a3 3 0 0 1 4.6 3.8M9.5 11.5 8 13a3 3 0 0 1-4.6-3.8M11 11l2.5 2.5M5 5 2.5 2.5',
  busy: 'M3 3h10v10H3zM5.5 8h5',
  check: 'm3 8.5 3.2 3.2L13 5',
  checklist: 'M2.5 4.5l1 1 2-2M8 4.5h6M2.5 8.5l1 1 2-2M8 8.5h6M2.5 12.5l1 1 2-2M8 12.5h6',
  chevron: 'M6 4l4 4-4 4',
  'chevron-down': 'm4 6 4 4 4-4',
  clock: 'M8 4.5V8l2.3 1.5M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Z',
  close: 'm4 4 8 8m0-8-8 8',
  copy: 'M5.5 5.5v-2a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-2m-7-5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1Z',
  create: 'M4 2h5.5L12 4.5V14H4zM8 6.5v5M5.5 9h5',
  diff: 'M8 2.5v6M5 5.5h6M5 12.5h6',
  done: 'M3 3h10v10H3zM5.5 8l2 2 3.5-4',
  edit: 'M3 13l.6-2.6L11 3l2 2-7.4 7.4zM9.6 4.4l2 2',
  error: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  file: 'M4 2h5.5L12 4.5V14H4zM9 2v3h3',
  filter: 'M2.5 4h11m-9 4h7m-5 4h3',
  fold: 'M2 8h12M8 1.5v4M6 3.5l2 2 2-2M8 14.5v-4M6 12.5l2-2 2 2',
  fork: 'M4 5.5v1A1.5 1.5 0 0 0 5.5 8h5A1.5 1.5 0 0 0 12 6.5v-1M8 8v2.5M4 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm8 0a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm-4 8a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z',
  globe: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM2 8h12M8 2c4 4 4 8 0 12M8 2c-4 4-4 8 0 12',
  image: 'M2 3h12v10H2zM2.5 11.5L6 8l3 3 2-2 2.5 2.5M10.5 6h.1',
  link: 'm6.5 9.5 3-3M7 4.5 8.2 3.3a2.9 2.9 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.2 1.2a2.9 2.9 0 0 1-4.5-4.5L4.5 7',
  list: 'M5.5 4h8m-8 4h8m-8 4h8M2.5 4h.1m-.1 4h.1m-.1 4h.1',
  more: 'M3 7.6h.8v.8H3Zm4.6 0h.8v.8h-.8Zm4.6 0h.8v.8h-.8Z',
  open: 'M9.5 2.5h4v4M13.5 2.5L8 8M11.5 9v4.5h-9v-9H7',
  person: 'M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8ZM2.5 14c.4-2.8 2.5-4.2 5.5-4.2s5.1 1.4 5.5 4.2',
  pending: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM5 8h6',
  play: 'M5 3.5v9l7-4.5z',
  plug: 'M5.5 2v3M10.5 2v3M4 5h8v2.5a4 4 0 0 1-8 0zM8 11.5V14',
  raw: 'm5.5 5-3 3 3 3m5-6 3 3-3 3',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3',
  rewind: 'M3 7.5h7a3 3 0 0 1 0 6H7m-4-6 3-3m-3 3 3 3',
  search: 'm10 10 3.5 3.5M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9Z',
  sparkle: 'M8 2l1.4 4.6L14 8l-4.6 1.4L8 14l-1.4-4.6L2 8l4.6-1.4z',
  square: 'M3 3h10v10H3z',
  stop: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM6 6h4v4H6z',
  terminal: 'M2 3.5h12v9H2zM4.5 6l2 2-2 2M8.5 10h3',
  thought: 'M8 2a4.5 4.5 0 0 1 2.5 8.2V12h-5v-1.8A4.5 4.5 0 0 1 8 2zM6 14h4',
  warning: 'M8 6.5v3m0 1.9v.1M7.1 2.9 1.9 12a1 1 0 0 0 .9 1.5h10.4a1 1 0 0 0 .9-1.5L8.9 2.9a1 1 0 0 0-1.8 0Z',
  wrench: 'M9.7 6.3a3.4 3.4 0 0 1 4-3.6l-2 2 .3 1.3 1.3.3 2-2a3.4 3.4 0 0 1-4.6 3.7l-5.5 5.5a1.5 1.5 0 0 1-2.1-2.1Z',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon beside words, or within a labelled button; hidden from screen readers. */
export function Icon({ name, className = 'icon' }: { name: IconName; className?: string }): JSX.Element {
  return (
    <svg class={className} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

export interface IconButtonProps {
  readonly icon: IconName;
  /** For screen readers and the tooltip. */
  readonly label: string;
  readonly onPress: () => void;
  /** For a toggle button. */
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
}

export function IconButton({ icon, label, onPress, isPressed, isDisabled }: IconButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      title={label}
      aria-label={label}
      aria-pressed={isPressed}
      disabled={isDisabled ?? false}
      onClick={onPress}
    >
      <Icon name={icon} />
    </button>
  );
}
