import { closeSync, openSync, writeSync } from 'node:fs';
import type { Chance } from './chance';
import type { WrittenSession } from './writeSession';

const ROWS_PER_WRITE = 10_000;
const STEP_MS = 1000;

/** Writes a session of 200-byte rows with little but their ids: the most ids for the number of bytes. */
export function writeTinyRows(
  filePath: string,
  { chance, targetBytes }: { chance: Chance; targetBytes: number },
): WrittenSession {
  const file = openSync(filePath, 'wx');
  let bytes = 0;
  let rows = 0;
  let parent: string | null = null;
  const startMs = Date.UTC(2026, 0, 1);
  try {
    while (bytes < targetBytes) {
      let text = '';
      for (let ahead = 0; ahead < ROWS_PER_WRITE; ahead++) {
        const uuid = chance.uuid();
        const link: string = parent === null ? 'null' : `"${parent}"`;
        const time = new Date(startMs + rows * STEP_MS).toISOString();
        text += `{"parentUuid":${link},"type":"user","message":{"role":"user","content":"go on"},"uuid":"${uuid}","timestamp":"${time}"}\n`;
        parent = uuid;
        rows++;
      }
      bytes += writeSync(file, text);
    }
  } finally {
    closeSync(file);
  }
  return { bytes, rows };
}
