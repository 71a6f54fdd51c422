import type { ContentBlock } from '../../../shared/conversation';
import { objectField, stringField, type JsonObject } from '../../claude/json';
import { asWords } from './describeSystem';
import { noteBlock } from './quietBlocks';

/** What a client up to 2.1.50 wrote down while a tool, a hook or a subagent was at work. */
export function describeProgress(row: JsonObject, pathPrefix: string): ContentBlock {
  const data = objectField(row, 'data');
  if (data === null) return noteBlock('Progress', pathPrefix, row);
  const path = `${pathPrefix}data`;
  const hook = stringField(data, 'hookName');
  const type = asWords(stringField(data, 'type') ?? 'progress');
  const title = hook === null ? type : `${type}: ${hook}`;
  const output = stringField(data, 'fullOutput');
  return output === null ? noteBlock(title, path, data) : noteBlock(title, `${path}.fullOutput`, output);
}
