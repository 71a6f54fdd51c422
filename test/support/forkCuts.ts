import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES, listRecordings } from './fixtures';
import { createRandom } from './random';
import { readRow, splitRows } from './rowText';

/** A place to fork a recording at. */
export interface ForkCut {
  /** Relative to `fixtures`. */
  readonly recording: string;
  /** null for what the client loads by default. */
  readonly at: string | null;
  readonly isBefore: boolean;
}

const CHAIN_TYPES = new Set<unknown>(['user', 'assistant', 'attachment', 'system', 'progress']);

/** Every main-chain row of every recording, the end of each, and the place before each prompt. */
export function listForkCuts(): ForkCut[] {
  return listRecordings().flatMap((recording) => {
    const rows = splitRows(readFileSync(join(FIXTURES, recording)))
      .map(readRow)
      .filter((row) => row !== null && CHAIN_TYPES.has(row.type) && !isSidechain(row));
    if (rows.length === 0) return [];
    const cuts: ForkCut[] = [{ recording, at: null, isBefore: false }];
    for (const row of rows) {
      if (typeof row?.uuid !== 'string') continue;
      cuts.push({ recording, at: row.uuid, isBefore: false });
      if (row.type === 'user' && typeof row.message?.content === 'string') {
        cuts.push({ recording, at: row.uuid, isBefore: true });
      }
    }
    return cuts;
  });
}

/** The given number of cuts, the same ones every time, from as many recordings as possible. */
export function sampleCuts(cuts: readonly ForkCut[], count: number, seed: number): ForkCut[] {
  const random = createRandom(seed);
  const byRecording = new Map<string, ForkCut[]>();
  for (const cut of cuts) byRecording.set(cut.recording, [...(byRecording.get(cut.recording) ?? []), cut]);
  const groups = [...byRecording.values()];
  return Array.from({ length: count }, (_, at) => {
    const group = groups[at % groups.length] ?? [];
    return group[random.below(group.length)];
  }).filter((cut) => cut !== undefined);
}

function isSidechain(row: object): boolean {
  return 'isSidechain' in row && row.isSidechain === true;
}
