import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { messageRow } from '../../../src/core/history/sessionStore/sessionStore';
import { firstRow } from '../../../src/core/storage/store/appendRow';
import type { BenchCase } from '../context';
import { type Goal, judge } from '../goal';
import { measureJob } from '../measure';
import { alternate, spreadOf } from '../rounds';

const ROWS = 100_000;
const TEXT_BYTES = 400;
const ROUNDS = 5;
const LOADED: Goal = {
  goal: `A session of our own, ${ROWS.toLocaleString('en')} messages: loaded`,
  unit: 'ms',
  atMost: 1000,
};

/** From the disk to messages in memory. */
export const storedSession: BenchCase = async ({ isFullSize, measuring, log }) => {
  const path = join(measuring.home, 'messages.jsonl');
  const bytes = writeRows(path);
  log(`stored session: ${(bytes / 1e6).toFixed(0)} MB`);
  const { ours } = await alternate({ ours: () => measureJob(measuring, 'oursStored', [path]) }, ROUNDS);
  const found = ours[0]?.counts['messages'] ?? NaN;
  const note = found === ROWS ? `${(bytes / 1e6).toFixed(0)} MB` : `${found} messages were found`;
  return [judge(LOADED, { wall: spreadOf(ours.map(({ wallMs }) => wallMs)) }, isFullSize, note)];
};

function writeRows(path: string): number {
  const file = openSync(path, 'w');
  let bytes = writeSync(file, JSON.stringify(firstRow('messages')));
  for (let from = 0; from < ROWS; from += 1000) {
    const rows = Array.from({ length: 1000 }, (_, at) => `\n${JSON.stringify(rowOf(from + at))}`);
    bytes += writeSync(file, rows.join(''));
  }
  closeSync(file);
  return bytes;
}

function rowOf(at: number) {
  const text = `Message ${at}: "a few words"\n`.repeat(TEXT_BYTES / 25);
  const message = { role: at % 2 === 0 ? 'user' : 'assistant', content: [{ type: 'text', text }] };
  const uuid = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
  return messageRow({ uuid, timeMs: 1_780_000_000_000 + at, after: null, body: { type: message.role, message } });
}
