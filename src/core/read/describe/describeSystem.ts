import type { ContentBlock } from '../../../shared/conversation';
import { objectField, stringField, type JsonObject } from '../../claude/json';
import { COMPACT_BOUNDARY } from '../../claude/rowTypes';
import { cutText, MAX_UNITS } from './cutText';
import { commandOf } from './describePrompt';
import { noteBlock, saidNote } from './quietBlocks';
import type { RowContext } from './rowContext';

/** What a system row says, by its subtype. */
export function describeSystem(row: JsonObject, { pathPrefix, earlierRows }: RowContext): ContentBlock {
  const subtype = stringField(row, 'subtype');
  const content = stringField(row, 'content');
  const path = `${pathPrefix}content`;
  switch (subtype) {
    case COMPACT_BOUNDARY: {
      const metadata = objectField(row, 'compactMetadata') ?? {};
      const tokens = metadata['preTokens'];
      const trigger = stringField(metadata, 'trigger');
      return {
        kind: 'compaction',
        trigger: trigger === null ? null : trigger.slice(0, 40),
        tokensBefore: typeof tokens === 'number' ? tokens : null,
        earlierRows,
      };
    }
    case 'turn_duration': {
      const duration = row['durationMs'];
      const title = 'Turn duration';
      if (typeof duration !== 'number') return noteBlock(title, pathPrefix, row);
      return saidNote(title, `${pathPrefix}durationMs`, `${(duration / 1000).toFixed(1)} s`);
    }
    case 'local_command': {
      const command = content === null ? null : commandOf(content);
      if (command !== null) return noteBlock(command, path);
      return content === null ? noteBlock('Command', pathPrefix, row) : noteBlock('Command output', path, content);
    }
    case 'api_error':
      return describeApiError(row, pathPrefix);
    default:
      break;
  }
  const title = subtype === null ? 'System' : asWords(subtype);
  if (stringField(row, 'level') === 'error' && content !== null) {
    return { kind: 'error', path, body: cutText(content, MAX_UNITS.text) };
  }
  return content === null || content === '' ? noteBlock(title, pathPrefix, row) : noteBlock(title, path, content);
}

/** `snake_case` as words. */
export function asWords(name: string): string {
  const words = name.slice(0, 100).replace(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function describeApiError(row: JsonObject, pathPrefix: string): ContentBlock {
  const content = stringField(row, 'content');
  if (content !== null) return { kind: 'error', path: `${pathPrefix}content`, body: cutText(content, MAX_UNITS.text) };
  const error = objectField(row, 'error');
  const message = error === null ? null : stringField(error, 'message');
  if (message === null) return noteBlock('Api error', pathPrefix, row);
  return { kind: 'error', path: `${pathPrefix}error.message`, body: cutText(message, MAX_UNITS.text) };
}
