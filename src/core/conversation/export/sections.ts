import type {
  BreakItem,
  ContentBlock,
  ConversationHead,
  ConversationItem,
  DiffHunk,
  RowItem,
  ToolInput,
  ToolResult,
} from '../../../protocol/conversation';
import { losesHistory } from '../../../protocol/losesHistory';
import { isResultAlone } from '../../../protocol/message';
import { memoryPhrase } from '../memoryPhrase';
import { cleanText } from './visibleText';

/** A part of a row, as in all formats for people. None of it is markup. */
export interface Section {
  /** What the part is; empty for a prompt or a reply. One line. */
  readonly label: string;
  readonly language: 'markdown' | 'text' | 'sh' | 'diff' | 'json';
  readonly text: string;
  /** Whether it is collapsed, because it interests few readers. */
  readonly isFolded: boolean;
  readonly images: readonly SectionImage[];
}

/** An image in the transcript. */
export interface SectionImage {
  /** Line of the row that contains it, and its path in the row. */
  readonly line: number;
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
}

const NO_IMAGES: readonly SectionImage[] = [];

/** The head of an exported conversation, as names and values. One line each. */
export function headFields(head: ConversationHead): readonly (readonly [string, string])[] {
  const fields: [string, string | null][] = [
    ['Session', head.id],
    ['Working directory', head.cwd],
    ['Git branch', head.gitBranch],
    ['Model', head.model],
    ['Claude remembers', memoryOf(head)],
  ];
  return fields.flatMap(([name, value]) => (value === null ? [] : [[name, oneLine(value)] as const]));
}

function memoryOf({ memory, losesMessages }: ConversationHead): string | null {
  return memory === undefined ? null : memoryPhrase({ ...memory, losesMessages: losesMessages === true });
}

export function titleOf(head: ConversationHead): string {
  return oneLine(head.title ?? head.id);
}

/**
 * The role, the time and the line number, on one line.
 *
 * @param above  as in `sectionsOf`
 */
export function headingOf(item: ConversationItem, above: ConversationItem | null): string {
  switch (item.kind) {
    case 'row':
      return rowHeading(item);
    case 'break':
      return `${isBeginning(item, above) ? 'Beginning' : 'Break'} · line ${item.line}`;
    case 'fault':
      return `Damaged line · line ${item.line}`;
  }
}

function rowHeading(row: RowItem): string {
  const name = isResultAlone(row.role, row.blocks) ? 'tool' : row.role;
  const role = name.charAt(0).toUpperCase() + name.slice(1);
  const time = row.timeMs === null ? null : timeOf(row.timeMs);
  const notes = [row.isSidechain ? 'subagent' : null, row.isLoaded === false ? 'not remembered' : null];
  return [role, time, `line ${row.line}`, ...notes].filter((part) => part !== null).join(' · ');
}

/** In UTC, whatever the machine's time zone. */
function timeOf(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** @param above  the item before it; null if it is the first */
export function sectionsOf(item: ConversationItem, above: ConversationItem | null): readonly Section[] {
  switch (item.kind) {
    case 'row':
      return [...item.blocks.flatMap((block) => blockSections(block, item.line)), ...branchSections(item)];
    case 'break': {
      return [plain('', [breakText(item, above), ...item.findings.map(({ message }) => message)].join('\n'))];
    }
    case 'fault':
      return [plain('', item.findings.map(({ message }) => message).join('\n'))];
  }
}

function breakText(item: BreakItem, above: ConversationItem | null): string {
  if (item.isHealed) return 'A link leads nowhere here; Claude goes on above it by time.';
  if (isBeginning(item, above)) return 'The history begins here.';
  return 'A link leads nowhere here: nothing above reaches Claude.';
}

function isBeginning(item: BreakItem, above: ConversationItem | null): boolean {
  return !item.isHealed && !losesHistory(item, above ?? 'nothing');
}

function branchSections({ branches }: RowItem): readonly Section[] {
  if (branches.length === 0) return [];
  const lines = branches.map(
    ({ label, rows, leafLine }) => `${oneLine(label)} (${rows} lines, up to line ${leafLine})`,
  );
  return [plain('Other branches from here', lines.join('\n'))];
}

function blockSections(block: ContentBlock, line: number): readonly Section[] {
  switch (block.kind) {
    case 'text':
      return [{ ...plain('', block.body.text), language: 'markdown' }];
    case 'thinking':
      return [folded(block.isRedacted ? 'Thinking (encrypted)' : 'Thinking', block.body.text)];
    case 'tool':
      return [
        ...inputSections(block.name, block.title, block.input),
        ...resultSections(block.result, block.result?.line ?? line),
      ];
    case 'result':
      return resultSections(block.result, line);
    case 'image':
      return [{ ...plain('Image', ''), images: [imageAt(line, block)] }];
    case 'compaction': {
      const tokens = block.tokensBefore === null ? '' : `, ${block.tokensBefore} tokens before`;
      return [plain('Compaction', `${block.trigger ?? 'unknown trigger'}, ${block.earlierRows} lines above${tokens}`)];
    }
    case 'summary':
      return [{ ...folded('Summary', block.body.text), language: 'markdown' }];
    case 'interruption':
      return [plain('', block.duringTool ? 'Interrupted while a tool ran.' : 'Interrupted.')];
    case 'error':
      return [plain('Error', block.body.text)];
    case 'note':
      return [folded(oneLine(block.title), block.body?.text ?? '')];
    case 'raw':
      return [{ ...folded(oneLine(block.title), block.body.text), language: 'json' }];
  }
}

function inputSections(name: string, title: string, input: ToolInput): readonly Section[] {
  const label = (about: string | null): string =>
    oneLine(`${name}${about === null || about === '' ? '' : `: ${about}`}`);
  switch (input.kind) {
    case 'bash':
      return [{ ...plain(label(input.description), input.command.text), language: 'sh' }];
    case 'read': {
      const range = [
        input.offset === null ? null : `from line ${input.offset}`,
        input.limit === null ? null : `${input.limit} lines`,
      ].filter((part) => part !== null);
      return [plain(label(null), [input.filePath, ...range].join(', '))];
    }
    case 'diff':
      return [{ ...plain(label(input.filePath), input.hunks.map(hunkText).join('\n')), language: 'diff' }];
    case 'write':
      return [plain(label(input.filePath), input.content.text)];
    case 'search':
      return [plain(label(input.where), input.pattern)];
    case 'web':
      return [plain(label(null), [input.url, input.query, input.prompt].filter((part) => part !== null).join('\n'))];
    case 'agent':
      return [{ ...plain(label(input.agentType), input.prompt.text), language: 'markdown' }];
    case 'todos':
      return [plain(label(null), input.todos.map(({ text, status }) => `[${status}] ${text}`).join('\n'))];
    case 'json':
      return [{ ...plain(label(title.endsWith('…') ? null : title), input.json.text), language: 'json' }];
  }
}

const SIGNS = { context: ' ', added: '+', removed: '-' } as const;

function hunkText({ oldStart, newStart, lines }: DiffHunk): string {
  const counted = (kind: 'added' | 'removed'): number => lines.filter((line) => line.kind !== kind).length;
  const head =
    oldStart === null || newStart === null
      ? '@@'
      : `@@ -${oldStart},${counted('added')} +${newStart},${counted('removed')} @@`;
  return [head, ...lines.map(({ kind, text }) => SIGNS[kind] + text)].join('\n');
}

function resultSections(result: ToolResult | null, line: number): readonly Section[] {
  if (result === null) return [];
  const lines = [
    ...(result.text === null ? [] : [result.text.text]),
    ...(result.persisted === null ? [] : [`All of it was saved to ${result.persisted}`]),
  ];
  const images = result.images.map((image) => imageAt(line, image));
  return [{ ...folded(result.isError ? 'Error' : 'Result', lines.join('\n')), images }];
}

/** The text in place of an image that is not displayed. One line. */
export function nameOfImage({ mediaType, bytes, line }: SectionImage): string {
  return `Image: ${mediaType}, ${bytes} bytes, line ${line}`;
}

function imageAt(line: number, { path, mediaType, bytes }: Omit<SectionImage, 'line'>): SectionImage {
  return { line, path, mediaType, bytes };
}

function plain(label: string, text: string): Section {
  return { label, language: 'text', text, isFolded: false, images: NO_IMAGES };
}

function folded(label: string, text: string): Section {
  return { label, language: 'text', text, isFolded: true, images: NO_IMAGES };
}

function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim();
}
