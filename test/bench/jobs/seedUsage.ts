import { readFileSync } from 'node:fs';
import type { Job } from './job';

interface Tokens {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

interface Message {
  readonly id?: string;
  readonly usage?: Tokens;
}

interface UsageRow {
  readonly message?: Message;
  /** Content of `progress` rows: a whole row of a subagent. */
  readonly data?: { readonly message?: { readonly message?: Message } };
}

/**
 * Sums the cost of messages in the common way. A message is in several rows with the same cost and counts once.
 * Messages inside `progress` rows are counted separately: some tools treat them as messages of the session.
 */
export const seedUsage: Job = (next) => {
  const seen = new Set<string>();
  const total = { files: 0, input: 0, output: 0, cacheCreation: 0, cacheRead: 0 };
  const nested = { nestedInput: 0, nestedOutput: 0, nestedCacheCreation: 0, nestedCacheRead: 0 };
  for (let path = next(); path !== null; path = next()) {
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      if (line.trim() === '') continue;
      let row: UsageRow;
      try {
        // SAFETY: the corpus is written in this shape.
        row = JSON.parse(line) as UsageRow;
      } catch {
        continue;
      }
      const message = unseen(row.message, seen);
      if (message !== null) {
        total.input += message.input_tokens;
        total.output += message.output_tokens;
        total.cacheCreation += message.cache_creation_input_tokens;
        total.cacheRead += message.cache_read_input_tokens;
      }
      const inner = unseen(row.data?.message?.message, seen);
      if (inner !== null) {
        nested.nestedInput += inner.input_tokens;
        nested.nestedOutput += inner.output_tokens;
        nested.nestedCacheCreation += inner.cache_creation_input_tokens;
        nested.nestedCacheRead += inner.cache_read_input_tokens;
      }
    }
    total.files++;
  }
  return { ...total, ...nested };
};

function unseen(message: Message | undefined, seen: Set<string>): Tokens | null {
  if (message?.usage === undefined || message.id === undefined || seen.has(message.id)) return null;
  seen.add(message.id);
  return message.usage;
}
