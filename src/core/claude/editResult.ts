import { isJsonObject, objectField, stringField, type JsonObject } from './json';

/** What the result of an edit tells of the file. (docs/format.md, "What rows hold beside messages") */
export interface EditResult {
  readonly path: string;
  /** The file before; null when there was none, undefined when the row does not say. */
  readonly before: string | null | undefined;
  /** The file after; null when the row does not say. */
  readonly after: string | null;
}

/** Of a row's bytes: a row without it is no result of an edit. */
export const EDIT_RESULT_NEEDLE = '"filePath"';

/** Null for every other row. */
export function readEditResult(row: JsonObject): EditResult | null {
  const result = row['type'] === 'user' ? objectField(row, 'toolUseResult') : null;
  const path = result === null ? null : stringField(result, 'filePath');
  // What Read tells has its path a level lower.
  if (result === null || path === null) return null;
  const content = stringField(result, 'content');
  const original = result['originalFile'] ?? result['originalFileContents'];
  const before = typeof original === 'string' ? original : result['type'] === 'create' ? null : undefined;
  if (content !== null) return { path, before, after: content };
  const edits = editsOf(result);
  if (edits === null) return { path, before, after: null };
  return { path, before, after: typeof before === 'string' ? applyEdits(before, edits) : null };
}

interface Edit {
  readonly from: string;
  readonly to: string;
  readonly isEverywhere: boolean;
}

function editsOf(result: JsonObject): readonly Edit[] | null {
  const list: unknown = result['edits'];
  const edits = (Array.isArray(list) ? (list as readonly unknown[]) : [result]).map(editOf);
  return edits.every((edit) => edit !== null) ? edits : null;
}

function editOf(value: unknown): Edit | null {
  if (!isJsonObject(value)) return null;
  const from = stringField(value, 'oldString') ?? stringField(value, 'old_string');
  const to = stringField(value, 'newString') ?? stringField(value, 'new_string');
  if (from === null || to === null) return null;
  return { from, to, isEverywhere: value['replaceAll'] === true || value['replace_all'] === true };
}

/** Null when the edits are not of this text. */
function applyEdits(text: string, edits: readonly Edit[]): string | null {
  let edited = text;
  for (const { from, to, isEverywhere } of edits) {
    if (from === '' ? edited !== '' : !edited.includes(from)) return null;
    if (isEverywhere && from !== '') edited = edited.split(from).join(to);
    else edited = edited.replace(from, () => to);
  }
  return edited;
}
