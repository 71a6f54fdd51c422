import { readFileSync } from 'node:fs';
import type { Job } from './job';

interface SeedRow {
  readonly uuid?: unknown;
  readonly parentUuid?: unknown;
}

/**
 * The common design of such tools: the whole file as a string, split into lines, each parsed with JSON.parse, and a map
 * of the links.
 */
export const seedScan: Job = (next) => {
  let files = 0;
  let bytes = 0;
  let malformed = 0;
  let orphans = 0;
  let depth = 0;
  for (let path = next(); path !== null; path = next()) {
    const text = readFileSync(path, 'utf8');
    const parents = new Map<string, string | null>();
    let last: string | null = null;
    for (const line of text.split('\n')) {
      if (line.trim() === '') continue;
      try {
        // SAFETY: unknown fields, checked before they are used.
        const { uuid, parentUuid } = JSON.parse(line) as SeedRow;
        if (typeof uuid !== 'string') continue;
        parents.set(uuid, typeof parentUuid === 'string' ? parentUuid : null);
        last = uuid;
      } catch {
        malformed++;
      }
    }
    for (const parent of parents.values()) if (parent !== null && !parents.has(parent)) orphans++;
    for (let steps = 0; last !== null && steps < parents.size; steps++) {
      last = parents.get(last) ?? null;
      depth++;
    }
    files++;
    bytes += Buffer.byteLength(text);
  }
  return { files, bytes, malformed, orphans, depth };
};
