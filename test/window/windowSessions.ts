import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareCorpus } from '../bench/corpus';
import { createChance } from '../bench/corpus/chance';
import { createTexts } from '../bench/corpus/texts';
import type { WindowSizes } from './windowSizes';

/** Paths of the transcripts that are opened. */
export interface WindowSessions {
  /** A typical session: calls, results, images. */
  readonly large: string;
  /** A session that grows at its end. */
  readonly growing: string;
  /** A session of very many rows; the first is `FIRST_ROW`, the last `LAST_ROW`. */
  readonly long: string;
  /** A session of one row. */
  readonly empty: string;
}

export const FIRST_ROW = 'the very first row';
export const LAST_ROW = 'the very last row';

const SEED = 1;
const STEP_MS = 1000;

/** Writes the sessions into a Claude Code config folder; the same sizes give the same sessions. */
export function writeWindowSessions(configDir: string, { sessionBytes, longRows }: WindowSizes): WindowSessions {
  const folder = join(configDir, 'projects', '-home-dev-project');
  mkdirSync(folder, { recursive: true });
  const place = (digit: number): string => join(folder, `${digit}0000000-0000-4000-8000-000000000000.jsonl`);
  const sessions = { large: place(1), growing: place(2), long: place(3), empty: place(4) };
  const plan = { files: 1, bytes: sessionBytes, seed: SEED, folders: 37, links: 1, rows: 'real' } as const;
  const [source = ''] = prepareCorpus(plan).files;
  for (const target of [sessions.large, sessions.growing]) copyFileSync(source, target);
  writeFileSync(sessions.long, talk(longRows));
  writeFileSync(sessions.empty, talk(1));
  return sessions;
}

/** Prompts and replies in turn: as many items as rows. */
function talk(rows: number): string {
  const chance = createChance(SEED);
  const texts = createTexts(chance);
  const lines: string[] = [];
  let parentUuid: string | null = null;
  for (let row = 0; row < rows; row++) {
    const uuid = chance.uuid();
    const isPrompt = row % 2 === 0;
    const place = row === 0 ? FIRST_ROW : row === rows - 1 ? LAST_ROW : `row ${row}`;
    const text = `${place}: ${texts.prose(chance.around(isPrompt ? 120 : 300, 1, 20, 6000))}`;
    const timestamp = new Date(Date.UTC(2026, 0, 1) + row * STEP_MS).toISOString();
    const message = isPrompt
      ? { role: 'user', content: text }
      : { id: `msg_${row}`, type: 'message', role: 'assistant', content: [{ type: 'text', text }] };
    const type = isPrompt ? 'user' : 'assistant';
    lines.push(`${JSON.stringify({ parentUuid, isSidechain: false, type, message, uuid, timestamp })}\n`);
    parentUuid = uuid;
  }
  return lines.join('');
}
