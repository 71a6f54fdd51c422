import type { SearchAuthor, SearchFilters, SearchQuery } from '../../../protocol/channels/search';
import type { ItemRole } from '../../../protocol/conversation';
import { rowRole, rowTexts } from '../../providers/claude/format/rowTexts';
import { isJsonObject, type JsonObject, objectField, stringField } from '../../util/json';
import { holdsPrompt } from '../messageCounter';
import type { BytePattern } from './candidateLines';
import { ToolTexts } from './toolTexts';

/** A row that meets the filters of a query. */
export interface WantedRow {
  readonly role: ItemRole;
  /** The row holds a tool result, which the client sends as a user message. */
  readonly isResult: boolean;
  /** Milliseconds since the epoch; null if the row has no time. */
  readonly timeMs: number | null;
  /** The texts to search. */
  readonly texts: readonly string[];
}

/** Which rows of one transcript a query searches. Expects the rows in file order. */
export class RowFilter {
  readonly #roles: SearchQuery['roles'];
  readonly #filters: SearchFilters | null;
  readonly #branch: string;
  readonly #tool: ToolTexts | null;

  constructor({ roles, filters }: Pick<SearchQuery, 'roles' | 'filters'>) {
    this.#roles = roles;
    this.#filters = filters ?? null;
    this.#branch = filters?.branch.toLowerCase() ?? '';
    const isAboutTools = filters !== undefined && (filters.tool !== '' || filters.author === 'tools');
    this.#tool = isAboutTools ? new ToolTexts(filters.tool) : null;
  }

  /** The pattern of the lines that must be read: those that may have a hit, and calls, since results do not name their tool. */
  widen(pattern: BytePattern | null): BytePattern | null {
    if (pattern === null || (this.#filters?.tool ?? '') === '') return pattern;
    const { expression, maxBytes } = pattern;
    return {
      expression: new RegExp(`${expression.source}|${CALL_TYPE}`, 'g'),
      maxBytes: Math.max(maxBytes, CALL_TYPE.length),
    };
  }

  /** Null if the row does not meet the filters. @param line  of the row, 1-based */
  wanted(row: JsonObject, line: number): WantedRow | null {
    const role = rowRole(row);
    if (role === null || (this.#roles.length > 0 && !this.#roles.includes(role))) return null;
    // Every call must be collected, whether or not its own row is wanted.
    const texts = this.#tool?.of(row) ?? null;
    const [isResult, timeMs] = [holdsResult(row), timeOf(row)];
    if (texts?.length === 0 || !this.#isInTime(timeMs) || !this.#isOnBranch(row)) return null;
    if (!this.#isBy(this.#filters?.author ?? null, row, { role, isResult, line })) return null;
    return { role, isResult, timeMs, texts: texts ?? rowTexts(row) };
  }

  #isInTime(timeMs: number | null): boolean {
    const { sinceMs, beforeMs } = this.#filters ?? { sinceMs: null, beforeMs: null };
    if (sinceMs === null && beforeMs === null) return true;
    return timeMs !== null && timeMs >= (sinceMs ?? -Infinity) && timeMs < (beforeMs ?? Infinity);
  }

  #isOnBranch(row: JsonObject): boolean {
    return this.#branch === '' || stringField(row, 'gitBranch')?.toLowerCase().includes(this.#branch) === true;
  }

  #isBy(
    author: SearchAuthor | null,
    row: JsonObject,
    { role, isResult, line }: Pick<WantedRow, 'role' | 'isResult'> & { readonly line: number },
  ): boolean {
    switch (author) {
      // For tools, only their texts are searched.
      case null:
      case 'tools':
        return true;
      case 'claude':
        // Like a conversation, which shows the result of a tool with its call, if the query names the tool.
        return role === 'assistant' || (isResult && this.#tool !== null);
      case 'you':
        // A prompt that was typed while Claude was at work is an attachment. Rows of a sidechain are prompts to subagents.
        if ((role !== 'user' && role !== 'attachment') || isResult || row['isSidechain'] === true) return false;
        return holdsPrompt(row, line);
    }
  }
}

/** The end of the type of every block with a call, as written in JSON. */
const CALL_TYPE = 'tool_use"';

function holdsResult(row: JsonObject): boolean {
  const content = objectField(row, 'message')?.['content'];
  return (
    Array.isArray(content) && content.some((block: unknown) => isJsonObject(block) && block['type'] === 'tool_result')
  );
}

function timeOf(row: JsonObject): number | null {
  const time = Date.parse(stringField(row, 'timestamp') ?? '');
  return Number.isNaN(time) ? null : time;
}
