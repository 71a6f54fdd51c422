import * as v from 'valibot';

/** Items in one answer. */
const MAX_ITEMS = 500;
/** UTF-16 units of a text that is searched for. */
const MAX_QUERY_LENGTH = 10_000;
const MAX_COPY_LENGTH = 64 * 1024 * 1024;

export const PATH = v.pipe(v.string(), v.minLength(1), v.maxLength(4096));
/** Of a block within its row. */
export const BLOCK_PATH = v.pipe(v.string(), v.maxLength(1000));
export const LINE = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
export const FROM = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const COUNT = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(MAX_ITEMS));

export const VIEW = v.variant('kind', [
  v.object({ kind: v.literal('chain') }),
  v.object({ kind: v.literal('branch'), leafLine: LINE }),
  v.object({ kind: v.literal('file') }),
]);

export const FIND_QUERY = v.object({
  text: v.pipe(v.string(), v.maxLength(MAX_QUERY_LENGTH)),
  isRegExp: v.boolean(),
  isCaseSensitive: v.boolean(),
  roles: v.pipe(
    v.array(v.picklist(['user', 'assistant', 'system', 'attachment', 'progress', 'unknown'])),
    v.maxLength(6),
  ),
  tool: v.nullable(v.pipe(v.string(), v.maxLength(500))),
});

export const NAVIGATION = v.object({
  view: VIEW,
  at: v.nullable(v.object({ line: LINE, offsetPx: v.pipe(v.number(), v.finite()) })),
});

const TIME = v.pipe(v.number(), v.finite());
export const PAGE_TIMES = v.object({
  beganMs: TIME,
  ranMs: TIME,
  answeredMs: TIME,
  drawnMs: TIME,
  paintedMs: TIME,
});

export const ACTION = v.variant('kind', [
  v.object({ kind: v.literal('copy'), text: v.pipe(v.string(), v.maxLength(MAX_COPY_LENGTH)) }),
  v.object({ kind: v.literal('copyLink'), line: LINE }),
  v.object({ kind: v.literal('revealLine'), filePath: PATH, line: LINE }),
  v.object({ kind: v.literal('openFile'), path: PATH, line: v.exactOptional(LINE), endLine: v.exactOptional(LINE) }),
  v.object({ kind: v.literal('openDiff'), filePath: PATH, line: LINE, path: BLOCK_PATH }),
  v.object({ kind: v.literal('openConversation'), filePath: PATH }),
  v.object({ kind: v.literal('repair') }),
  v.object({ kind: v.literal('fork'), line: LINE }),
  v.object({ kind: v.literal('rewind'), line: LINE }),
  v.object({ kind: v.literal('openLink'), href: v.pipe(v.string(), v.maxLength(8192)) }),
]);
