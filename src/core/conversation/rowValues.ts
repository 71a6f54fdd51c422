import type { EditTexts } from '../../protocol/channels/conversation';
import { readMovedText } from '../providers/claude/files/readMovedText';
import { NO_ID } from '../transcript/idTable';
import { rowAtLine, type TranscriptRows } from '../transcript/transcriptRows';
import { isJsonObject, type JsonObject, objectField, stringField } from '../util/json';
import { editsOf } from './items/describeToolCall';
import { parsePartPath, parseValuePath, valueAt, valueText } from './items/itemText';
import { readImageSource } from './items/rowContext';

/** Maximum length of a text in UTF-16 units; longer texts are truncated. */
const MAX_TEXT_UNITS = 10 * 1024 * 1024;
/** Maximum length of an image in base64 characters. */
const MAX_IMAGE_UNITS = 14 * 1024 * 1024;
const MAX_RAW_LINE_BYTES = 16 * 1024 * 1024;
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

/** The whole of a truncated text; null if there is none at the path. */
export function readText(rows: TranscriptRows, line: number, path: string): string | null {
  const part = parsePartPath(path);
  const value = readValue(rows, line, part.path);
  return value === undefined ? null : valueText(value, MAX_TEXT_UNITS).text.slice(part.from, part.to);
}

/** An image as a data URL; null if it is not an image, is broken, or is too large. */
export function readImage(rows: TranscriptRows, line: number, path: string): string | null {
  const image = readImageSource(readValue(rows, line, path));
  if (image === null || image.base64.length > MAX_IMAGE_UNITS || !BASE64.test(image.base64)) return null;
  return `data:${image.mediaType};base64,${image.base64.replace(/\s+/g, '')}`;
}

/** The line as it is in the file; only its beginning if it exceeds 16 MiB. */
export function readRawLine(rows: TranscriptRows, line: number): string {
  return rows.line(line, MAX_RAW_LINE_BYTES).toString('utf8');
}

/** The change that the call at `path` made to a file; null if the call is not an edit. `transcriptPath`: of the rows. */
export function readEdit(rows: TranscriptRows, line: number, path: string, transcriptPath: string): EditTexts | null {
  const call = readValue(rows, line, path);
  const input = isJsonObject(call) ? objectField(call, 'input') : null;
  const filePath = input === null ? null : (stringField(input, 'file_path') ?? stringField(input, 'notebook_path'));
  if (!isJsonObject(call) || input === null || filePath === null) return null;
  const named = readOriginal(rows, line, stringField(call, 'id'));
  const original = named === null ? null : readMovedText(transcriptPath, named);
  const content = stringField(input, 'content') ?? stringField(input, 'new_source');
  if (content !== null) return bounded({ filePath, before: original ?? '', after: content });
  const edits = editsOf(input);
  if (edits === null) return null;
  let after = original;
  for (const { before: replaced, after: replacement } of edits) {
    if (after === null || replaced === '' || !after.includes(replaced)) after = null;
    else if (input['replace_all'] === true) after = after.split(replaced).join(replacement);
    else after = after.replace(replaced, () => replacement);
  }
  if (original !== null && after !== null) return bounded({ filePath, before: original, after });
  const passages = (side: 'before' | 'after'): string => edits.map((edit) => edit[side]).join('\n');
  return bounded({ filePath, before: passages('before'), after: passages('after') });
}

/** The file before the edit, from the result of the call. */
function readOriginal(rows: TranscriptRows, line: number, id: string | null): string | null {
  const { table } = rows;
  const row = rowAtLine(table, line);
  if (row === NO_ID || id === null) return null;
  const calls = new Set(table.toolUses(row));
  for (let at = 0; at < table.count; at++) {
    if (!table.toolResults(at).some((key) => calls.has(key))) continue;
    const object = rows.object(at);
    const details = object !== null && answers(object, id) ? objectField(object, 'toolUseResult') : null;
    const original = details === null ? null : stringField(details, 'originalFile');
    if (original !== null) return original;
  }
  return null;
}

function answers(row: JsonObject, id: string): boolean {
  const content = objectField(row, 'message')?.['content'];
  if (!Array.isArray(content)) return false;
  return (content as readonly unknown[]).some((block) => isJsonObject(block) && block['tool_use_id'] === id);
}

/** Undefined if there is no value. */
function readValue(rows: TranscriptRows, line: number, path: string): unknown {
  const parsed = parseValuePath(path);
  if (parsed === null) return undefined;
  const first = rowAtLine(rows.table, line);
  const row = first + parsed.object;
  const isStored = first !== NO_ID && row < rows.table.count && rows.table.line(row) === line;
  const object = isStored ? rows.object(row) : rows.objectsOfLine(line)[parsed.object];
  if (object === null || object === undefined) {
    // A line without an object, or an overlong one, is returned unparsed.
    return parsed.keys.length === 0 ? rows.line(line, MAX_RAW_LINE_BYTES).toString('utf8') : undefined;
  }
  return valueAt(object, parsed.keys);
}

function bounded({ filePath, before, after }: EditTexts): EditTexts {
  return { filePath, before: before.slice(0, MAX_TEXT_UNITS), after: after.slice(0, MAX_TEXT_UNITS) };
}
