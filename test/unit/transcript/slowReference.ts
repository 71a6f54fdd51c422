import { type LooseRow as RowOfCount, parseRow } from '../../support/countedRows';

/** What the comparison needs of a line that is a row, read in the most naive way. */
export interface SlowRow {
  readonly line: number;
  readonly kind: string;
  readonly uuid: string | null;
  readonly parent: string | null;
  readonly parentForm: 'absent' | 'null' | 'text' | 'other';
  readonly timestamp: number;
  readonly isCounted: boolean;
  readonly isSidechain: boolean;
  readonly toolUses: readonly string[];
  readonly toolResults: readonly string[];
}

interface LooseRow extends RowOfCount {
  readonly timestamp?: unknown;
}

interface Block {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly id?: unknown;
  readonly tool_use_id?: unknown;
}

const CHAIN = ['user', 'assistant', 'attachment', 'system', 'progress'];

/** Reads the whole file as one string and parses each line with JSON.parse; shares no code with the engine. */
export function readSlowly(bytes: Buffer): SlowRow[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .flatMap((text, at): SlowRow[] => {
      const row: LooseRow | null = parseRow(text);
      if (row === null || Array.isArray(row)) return [];
      const type = typeof row.type === 'string' ? row.type : '';
      const kind = CHAIN.includes(type) ? type : 'other';
      if (kind === 'other' && typeof row.uuid !== 'string') return [];
      const isMessage = type === 'user' || type === 'assistant';
      const blocks = isMessage ? blocksOf(row.message?.content) : [];
      return [
        {
          line: at + 1,
          kind,
          uuid: typeof row.uuid === 'string' && row.uuid !== '' ? row.uuid : null,
          parent: typeof row.parentUuid === 'string' && row.parentUuid !== '' ? row.parentUuid : null,
          parentForm: formOf(row.parentUuid),
          timestamp: typeof row.timestamp === 'string' ? Date.parse(row.timestamp) : Number.NaN,
          isCounted: !row.isMeta && blocks.some(isContent),
          isSidechain: Boolean(row.isSidechain),
          toolUses: blocks.filter((block) => block.type === 'tool_use').map((block) => callId(block.id)),
          toolResults: blocks.filter((block) => block.type === 'tool_result').map((block) => callId(block.tool_use_id)),
        },
      ];
    });
}

function callId(id: unknown): string {
  return id instanceof Object ? 'object' : String(id);
}

function formOf(parent: unknown): SlowRow['parentForm'] {
  if (parent === undefined) return 'absent';
  if (!parent) return 'null';
  return typeof parent === 'string' ? 'text' : 'other';
}

function blocksOf(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter(
    (block): block is Block => typeof block === 'object' && block !== null && !Array.isArray(block),
  );
}

function isContent({ type, text }: Block): boolean {
  if (type === 'thinking') return false;
  return type !== 'text' || (typeof text === 'string' && text.trim() !== '');
}
