// The bits of a row's flags. src/core/transcript/rowFlags.ts defines what they mean; a test compares the two.

export const KIND_USER: u32 = 1;
export const KIND_ASSISTANT: u32 = 2;
export const KIND_ATTACHMENT: u32 = 3;
export const KIND_SYSTEM: u32 = 4;
export const KIND_PROGRESS: u32 = 5;
export const KIND_OTHER: u32 = 6;
export const KIND_MASK: u32 = 0b111;

export const PARENT_NULL: u32 = 1 << 3;
export const PARENT_TEXT: u32 = 2 << 3;
/** Also the form of a parent that is neither text nor null. */
export const PARENT_MASK: u32 = 3 << 3;

export const SIDECHAIN: u32 = 1 << 5;
export const COMPACT_BOUNDARY: u32 = 1 << 6;
export const API_ERROR: u32 = 1 << 7;
export const USABLE: u32 = 1 << 8;
export const COUNTED: u32 = 1 << 9;
export const HAS_TEXT: u32 = 1 << 10;
export const HAS_TOOL_USE: u32 = 1 << 11;
export const HAS_TOOL_RESULT: u32 = 1 << 12;
export const NUL_PREFIXED: u32 = 1 << 13;
export const HIDDEN: u32 = 1 << 14;
export const FORKED: u32 = 1 << 15;
export const NO_RESPONSE: u32 = 1 << 16;
export const TOOL_SOURCE: u32 = 1 << 17;
export const LOOSE_TIME: u32 = 1 << 18;
export const VIRTUAL: u32 = 1 << 20;
export const HAS_SERVER_CALL: u32 = 1 << 21;
export const FILE_SNAPSHOT: u32 = 1 << 23;
export const NUMERIC_TIME: u32 = 1 << 24;
export const KIND_SPECIFIC: u32 = 1 << 25;
export const ODD_MESSAGE: u32 = 1 << 26;
export const ODD_CONTENT: u32 = 1 << 27;
export const META: u32 = 1 << 28;
export const REDACTED: u32 = 1 << 31;
