import { isJsonObject, type JsonObject, objectField, stringField } from '../../../util/json';

/**
 * How the prompts begin that the client gives itself in a `user` row with `isMeta`, for example to continue a reply that was cut off.
 * It knows them by their texts. Read in the program of 2.1.330; 2.1.281 treats the two that were tried there in the same way.
 */
const HIDDEN_PROMPTS = [
  ...['Stop', 'TeammateIdle', 'TaskCreated', 'TaskCompleted'].map((event) => `${event} hook feedback:\n`),
  '[structured-output-enforce]',
  '[projects-reply-gate]',
  'You ended the turn without calling SendUserMessage.',
  'Linked in your reply but not sent:',
  'Goal check-in: «',
  'The previous response failed to produce a valid tool call.',
  'Your tool call was malformed and could not be parsed.',
  '[Your previous response had no visible output.',
  '[Your previous response reached the output limit with no visible output.',
  '<system-reminder>\nAbout the update above only: ',
  'The PermissionDenied hook indicated you may retry this tool call.',
  'The turn did not end: a tool call in your last message asked to end it',
  'Your response above was stopped by a safety classifier',
  'Your response above was cut off mid-stream',
  'Your response was cut off because it exceeded the output token limit.',
  'Output token limit hit',
];

/** The first bytes of these prompts, by which a scanner finds the rows that it must read more closely. All are ASCII. */
export const HIDDEN_PROMPT_STARTS: readonly string[] = [...new Set(HIDDEN_PROMPTS.map((prompt) => prompt.slice(0, 4)))];

/**
 * Whether a user row accompanies a turn, so that it neither begins nor ends one: what a call adds to its result, such as the text of a
 * skill, and the client's own prompts. (docs/format.md, "Companions")
 */
export function isCompanionRow(row: JsonObject): boolean {
  if (row['turnCompanion'] === true || stringField(row, 'sourceToolUseID') !== null) return true;
  if (row['isMeta'] !== true) return false;
  const text = firstTextOf(objectField(row, 'message')?.['content']);
  return text !== null && HIDDEN_PROMPTS.some((prompt) => text.startsWith(prompt));
}

function firstTextOf(content: unknown): string | null {
  if (typeof content === 'string') return content;
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  return isJsonObject(first) && first['type'] === 'text' ? stringField(first, 'text') : null;
}
