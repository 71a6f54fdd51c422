/** The class of a stored row, in the low bits of its flags. */
export const RowKind = { user: 1, assistant: 2, attachment: 3, system: 4, progress: 5, other: 6 } as const;

export type RowKind = (typeof RowKind)[keyof typeof RowKind];

const KIND_MASK = 0b111;

export function kindOf(flags: number): RowKind {
  // SAFETY: the builder writes no other value into these bits.
  return (flags & KIND_MASK) as RowKind;
}

/** How `parentUuid` stands in the row, in two bits. */
export const ParentForm = { absent: 0 << 3, null: 1 << 3, text: 2 << 3, other: 3 << 3 } as const;

export type ParentForm = (typeof ParentForm)[keyof typeof ParentForm];

const PARENT_MASK = 0b11 << 3;

export function parentFormOf(flags: number): ParentForm {
  // SAFETY: the mask leaves the two bits that `ParentForm` names.
  return flags & PARENT_MASK;
}

export const RowFlag = {
  sidechain: 1 << 5,
  compactBoundary: 1 << 6,
  apiError: 1 << 7,
  /** `message.content` is a string or an array. */
  usable: 1 << 8,
  /** The row counts in `resume.of` when it is on the main lane. */
  counted: 1 << 9,
  hasText: 1 << 10,
  hasToolUse: 1 << 11,
  hasToolResult: 1 << 12,
  /** NULs stand before the row on its line: only the reader for files over 5 MiB sees it. */
  nulPrefixed: 1 << 13,
  /** The client does not see the row: it stands behind another value on its line, or behind a stray BOM. */
  hidden: 1 << 14,
  /** Copied from another session by a fork (`forkedFrom`). */
  forked: 1 << 15,
  /** Holds only the reply that the client writes itself for a prompt that was left without one. */
  noResponse: 1 << 16,
  /** It has a `sourceToolAssistantUUID`. */
  toolSource: 1 << 17,
  /** The client makes a time of its timestamp, and it is none: it names no zone, or no day of the calendar. */
  looseTime: 1 << 18,
  /** `isSidechain` is neither true nor false: the row is of no lane that others are of. */
  oddLane: 1 << 19,
} as const;

export function hasFlag(flags: number, flag: number): boolean {
  return (flags & flag) !== 0;
}
