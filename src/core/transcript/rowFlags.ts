/** The class of a stored row, in the low bits of its flags. */
export const RowKind = { user: 1, assistant: 2, attachment: 3, system: 4, progress: 5, other: 6 } as const;

export type RowKind = (typeof RowKind)[keyof typeof RowKind];

const KIND_MASK = 0b111;

export function kindOf(flags: number): RowKind {
  // SAFETY: the builder writes no other value into these bits.
  return (flags & KIND_MASK) as RowKind;
}

/** How `parentUuid` is written in the row, in two bits. */
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
  /** Reports an error of the API; the client does not send it. */
  apiError: 1 << 7,
  /** `message.content` is a string, an empty array, or an array with a block that has a type. Of an attachment: see `isForSystem`. */
  usable: 1 << 8,
  /** The row counts in `resume.of` if it is on the main chain. */
  counted: 1 << 9,
  hasText: 1 << 10,
  hasToolUse: 1 << 11,
  hasToolResult: 1 << 12,
  /** NULs precede the row on its line, so only the reader for files over 5 MiB sees it. */
  nulPrefixed: 1 << 13,
  /** The client does not see the row, because it follows another value on its line, or a stray BOM. */
  hidden: 1 << 14,
  /** Copied from another session by a fork (`forkedFrom`). */
  forked: 1 << 15,
  /**
   * Holds only the reply that the client itself writes for a prompt without a response. Without `hasText`: an assistant row whose
   * content is an empty list. See `isOwnReply` and `isEmptyReply`.
   */
  noResponse: 1 << 16,
  /** The row has a `sourceToolAssistantUUID`. */
  toolSource: 1 << 17,
  /** The client parses the timestamp, but it is not a definite time: it has no time zone, or names a day that does not exist. */
  looseTime: 1 << 18,
  /** `isSidechain` is neither true nor false, so the row is neither on the main chain nor on a sidechain. */
  oddSidechain: 1 << 19,
  /** The client shows the row, but does not send it. */
  virtual: 1 << 20,
  /** The calls, or results, in the row are the API's own. Never set together with `hasToolUse` or `hasToolResult`. */
  hasServerCall: 1 << 21,
  hasServerResult: 1 << 22,
  /** A system row that keeps copies of files. */
  fileSnapshot: 1 << 23,
  /** The timestamp is a number, which the client reads as a time only where a walk continues by time. */
  numericTime: 1 << 24,
  /** Depends on the kind: see `isTextReply`, `isCompanion`, `isCommandOutput` and `isSilent`. */
  kindSpecific: 1 << 25,
  /** Clients before 2.1.275 load nothing if the file has such a row: it has no message, or an entry of a prompt is null. */
  oddMessage: 1 << 26,
  /** Clients before 2.1.275 load nothing if the history has such a row: its content has a form that they do not expect. */
  oddContent: 1 << 27,
  /** `isMeta` is true. */
  meta: 1 << 28,
  /** A user or assistant row whose `message` is not an object. */
  noMessage: 1 << 29,
  /** The row shares its line or spans several, so the reader for files over 5 MiB of clients before 2.1.282 does not see it. */
  sharesLine: 1 << 30,
  /** The only content is redacted thinking. */
  redacted: 1 << 31,
} as const;

export function hasFlag(flags: number, flag: number): boolean {
  return (flags & flag) !== 0;
}

/** Whether the row holds only the reply that the client itself writes for a prompt without a response. */
export function isOwnReply(flags: number): boolean {
  return (flags & (RowFlag.noResponse | RowFlag.hasText)) === (RowFlag.noResponse | RowFlag.hasText);
}

/** Whether it is an assistant row whose content is an empty list. */
export function isEmptyReply(flags: number): boolean {
  return (flags & (RowFlag.noResponse | RowFlag.hasText)) === RowFlag.noResponse;
}

/** Whether it is an assistant row whose content is a string. */
export function isTextReply(flags: number): boolean {
  return hasFlag(flags, RowFlag.kindSpecific) && kindOf(flags) === RowKind.assistant;
}

/** Whether it is a user row that neither begins nor ends a turn. (docs/format.md, "Companions") */
export function isCompanion(flags: number): boolean {
  return hasFlag(flags, RowFlag.kindSpecific) && kindOf(flags) === RowKind.user;
}

/** Whether it is a system row with a command and its output. (docs/format.md, "Request") */
export function isCommandOutput(flags: number): boolean {
  return hasFlag(flags, RowFlag.kindSpecific) && kindOf(flags) === RowKind.system;
}

/** Whether it is an attachment that the client does not send. (docs/format.md, "Request") */
export function isSilent(flags: number): boolean {
  return hasFlag(flags, RowFlag.kindSpecific) && kindOf(flags) === RowKind.attachment;
}

/** Whether it is an attachment with texts for the system. (docs/format.md, "Request") */
export function isForSystem(flags: number): boolean {
  return hasFlag(flags, RowFlag.usable) && kindOf(flags) === RowKind.attachment;
}

// assembly/rows.ts decides both in the same way.

/** Whether the row counts in `resume.of`. */
export function isCountedOnMain(flags: number): boolean {
  return (flags & (RowFlag.counted | RowFlag.sidechain)) === RowFlag.counted;
}

/**
 * Whether a user row with content is a prompt and not the result of a call, as far as its flags tell: to tell a few marks of the client
 * from prompts, the row has to be read.
 */
export function isPromptByFlags(flags: number): boolean {
  return kindOf(flags) === RowKind.user && !hasFlag(flags, RowFlag.hasToolResult | RowFlag.hasServerResult);
}

/** Whether it is a user or assistant row that no fork has copied, with a definite time if it has one. */
export function isOwnMessage(flags: number): boolean {
  const kind = kindOf(flags);
  return (kind === RowKind.user || kind === RowKind.assistant) && !hasFlag(flags, RowFlag.forked | RowFlag.looseTime);
}

/** Whether it is a user or assistant row that the client sees. */
export function isVisibleMessage(flags: number): boolean {
  const kind = kindOf(flags);
  return (kind === RowKind.user || kind === RowKind.assistant) && !hasFlag(flags, RowFlag.hidden);
}
