// @ts-check
// A fork of a demo session, as /branch of the client writes one: copies of the rows, and what was said since.
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DemoTranscript } from './demoTranscript.mjs';

const MINUTE_MS = 60_000;
const AGE_MINUTES = 8;
const FORKED = 'Show the wind on a map';
const FORK_ID = 'f04ced00-0000-4000-8000-0000000000f2';
const FORK_TITLE = 'Draw wind barbs instead';

/**
 * Adds the fork to the demo.
 * @param {{ sessions: import('./demoSessions.mjs').DemoSession[] }} demo
 */
export async function addDemoFork({ sessions }) {
  const original = sessions.find(({ title }) => title === FORKED);
  if (original === undefined) throw new Error(`Failed to find the demo session “${FORKED}”`);
  const { sessionId, filePath, projectFolder } = original;
  const lines = (await readFile(filePath, 'utf8')).trimEnd().split('\n');
  const copies = lines.flatMap((line) => {
    const row = JSON.parse(line);
    const messageUuid = row.uuid;
    return typeof messageUuid === 'string'
      ? [{ ...row, sessionId: FORK_ID, forkedFrom: { sessionId, messageUuid } }]
      : [];
  });
  const talk = new DemoTranscript('fork');
  talk.goBackTo(copies.at(-1)?.uuid ?? null);
  talk.prompt('Sailors read wind barbs. Try those instead of the arrows, and let us compare.');
  talk.reply(
    'Each barb shows the speed in steps of 5 knots. They are in `src/windBarbs.ts`, so that both maps can be seen.',
  );
  const lastMs = Date.now() - AGE_MINUTES * MINUTE_MS;
  const timestamp = new Date(lastMs).toISOString();
  const own = talk.rows.map((row) => ({ ...row, sessionId: FORK_ID, cwd: projectFolder, timestamp }));
  const title = { type: 'custom-title', customTitle: FORK_TITLE, sessionId: FORK_ID };
  const path = join(dirname(filePath), `${FORK_ID}.jsonl`);
  await writeFile(path, [...copies, ...own, title].map((row) => `${JSON.stringify(row)}\n`).join(''), { mode: 0o600 });
  await utimes(path, lastMs / 1000, lastMs / 1000);
}
