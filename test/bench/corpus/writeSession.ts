import { closeSync, openSync, utimesSync, writeSync } from 'node:fs';
import type { Chance } from './chance';
import { SessionRows } from './sessionRows';
import type { Texts } from './texts';

const WRITE_CHARS = 4 * 1024 * 1024;
const MAX_IMAGE_BYTES = 4_900_000;

/** How many of a hundred thousand sessions have which damage. */
const SHARES = { brokenChain: 0.04, malformedLine: 0.015, tornTail: 0.02 };

export interface WrittenSession {
  readonly bytes: number;
  readonly rows: number;
}

/** Writes a session of about `targetBytes`: it ends with the step that reaches this size. */
export function writeSession(
  filePath: string,
  { chance, texts, sessionId, targetBytes }: { chance: Chance; texts: Texts; sessionId: string; targetBytes: number },
): WrittenSession {
  const session = new SessionRows(chance, texts, sessionId, Math.min(MAX_IMAGE_BYTES, targetBytes / 10));
  const breakAt = chance.hasLuck(SHARES.brokenChain) ? chance.next() * targetBytes : Infinity;
  const malformAt = chance.hasLuck(SHARES.malformedLine) ? chance.next() * targetBytes : Infinity;
  const isTorn = chance.hasLuck(SHARES.tornTail);
  const file = openSync(filePath, 'wx');
  let isBroken = false;
  let isMalformed = false;
  let bytes = 0;
  let rows = 0;
  let text = '';
  const write = (): void => {
    writeSync(file, text);
    text = '';
  };
  try {
    for (let step = session.first(); ; step = session.next()) {
      for (const row of step) {
        let line = JSON.stringify(row);
        if (!isMalformed && bytes >= malformAt) {
          isMalformed = true;
          line = malform(line, chance);
        }
        text += `${line}\n`;
        bytes += Buffer.byteLength(line) + 1;
        rows++;
      }
      if (text.length > WRITE_CHARS) write();
      if (bytes >= targetBytes) break;
      if (!isBroken && bytes >= breakAt) {
        isBroken = true;
        session.breakChain();
      }
    }
    if (isTorn) {
      const torn = JSON.stringify(session.next()[0]).slice(0, 300);
      text += torn;
      bytes += Buffer.byteLength(torn);
    }
    write();
  } finally {
    closeSync(file);
  }
  utimesSync(filePath, session.timeMs / 1000, session.timeMs / 1000);
  return { bytes, rows };
}

/** Cut in half, written twice without a newline between, or overwritten with NULs. */
function malform(line: string, chance: Chance): string {
  const forms = [line.slice(0, line.length >> 1), line + line, '\0'.repeat(200)] as const;
  return chance.pick(forms);
}
