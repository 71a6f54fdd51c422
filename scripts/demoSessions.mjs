// @ts-check
// A Claude Code config folder to look at and to try repairs on, put together from the fixtures: two projects with
// healthy sessions and with damaged ones, as if somebody had worked in them today.
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));
const MINUTE_MS = 60_000;
const TIMESTAMP = /"timestamp":"([^"]+)"/g;

/** `loads` and `of` are what the real client loaded of the damaged transcript (fixtures/corrupt/verdicts.json). */
const SESSIONS = [
  { project: 'weather-station', title: 'Add a rain sensor', from: 'corrupt/far/b2-user-orphan-mid', age: 12, loads: 9 },
  { project: 'weather-station', title: 'Plan the next release', from: recording('tools-parallel-print-mode'), age: 95 },
  { project: 'weather-station', title: 'Fix the wind chart axis', from: 'corrupt/far/g2-cycle', age: 190, loads: 9 },
  { project: 'weather-station', title: 'Explain the radio protocol', from: recording('plain-chat'), age: 1500 },
  {
    project: 'recipe-box',
    title: 'Import recipes from text files',
    from: 'corrupt/far/e3-nul-bytes',
    age: 300,
    loads: 8,
  },
  {
    project: 'recipe-box',
    title: 'Undo the search experiment',
    from: recording('tui-rewind-to-first-and-summarize-from-here'),
    age: 4400,
  },
];

/**
 * @typedef {object} DemoSession
 * @property {string} title
 * @property {string} sessionId
 * @property {string} filePath
 * @property {string} projectFolder  the working directory of its project; it exists
 * @property {{ loads: number, of: number } | null} damage  what Claude Code loads of it; null when it is healthy
 */

/**
 * @param {string} folder  an empty one; everything is made in it, as in a home folder
 * @returns {Promise<{ configDir: string, workspace: string, sessions: DemoSession[] }>}
 */
export async function createDemoSessions(folder) {
  const configDir = join(folder, '.claude');
  const sessions = await Promise.all(
    SESSIONS.map(async ({ project, title, from, age, loads }, index) => {
      const projectFolder = join(folder, project);
      await mkdir(projectFolder, { recursive: true });
      const sessionId = `${index + 1}e55104a-0000-4000-8000-000000000000`;
      const filePath = join(configDir, 'projects', projectFolder.replace(/[^a-zA-Z0-9]/g, '-'), `${sessionId}.jsonl`);
      await writeTranscript(filePath, { sessionId, title, projectFolder, from, lastMs: Date.now() - age * MINUTE_MS });
      const damage = loads === undefined ? null : { loads, of: 28 };
      return { title, sessionId, filePath, projectFolder, damage };
    }),
  );
  return { configDir, workspace: join(folder, 'weather-station'), sessions };
}

/**
 * @param {string} filePath
 * @param {{ sessionId: string, title: string, projectFolder: string, from: string, lastMs: number }} session
 */
async function writeTranscript(filePath, { sessionId, title, projectFolder, from, lastMs }) {
  const folder = join(FIXTURES, from);
  const source = (await readdir(folder)).find((name) => name.endsWith('.jsonl'));
  if (!source) throw new Error(`Failed to find a transcript in ${folder}`);
  // latin1 keeps every byte as it is, and NULs and broken UTF-8 are the point of some fixtures.
  const original = await readFile(join(folder, source), 'latin1');
  const times = Array.from(original.matchAll(TIMESTAMP), ([, time = '']) => Date.parse(time));
  const shiftMs = lastMs - Math.max(...times);
  const rows = original
    .replaceAll(source.replace('.jsonl', ''), sessionId)
    .replaceAll('"/home/user/project"', JSON.stringify(projectFolder))
    .replace(TIMESTAMP, (_, time) => `"timestamp":"${new Date(Date.parse(time) + shiftMs).toISOString()}"`);
  // What /rename in the client writes.
  const titleRow = JSON.stringify({ type: 'custom-title', customTitle: title, sessionId });
  await mkdir(dirname(filePath), { recursive: true });
  await writeFile(filePath, `${rows}${titleRow}\n`, { encoding: 'latin1', mode: 0o600 });
  await utimes(filePath, lastMs / 1000, lastMs / 1000);
}

/** @param {string} name */
function recording(name) {
  return `recordings/${name}/dot-claude/projects/-home-user-project`;
}
