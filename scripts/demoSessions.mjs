// @ts-check
// A Claude Code config folder to look at and to try repairs on: two projects with healthy sessions and with damaged ones, as
// if somebody had worked in them today. Those that the real client was tried on come from the fixtures.
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEMO_FILES, demoConversations } from './demoConversations.mjs';
import { DEMO_CWD, DEMO_SESSION } from './demoTranscript.mjs';
import { withDemoWords } from './demoWords.mjs';

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

/** @typedef {{ agentId: string, rows: string, meta: object }} DemoSubagent */

/**
 * @param {string} folder  an empty one; everything is made in it, as in a home folder
 * @returns {Promise<{ configDir: string, workspace: string, sessions: DemoSession[] }>}
 */
export async function createDemoSessions(folder) {
  const configDir = join(folder, '.claude');
  const workspace = join(folder, 'weather-station');
  const recorded = SESSIONS.map(async ({ from, ...session }) => {
    const rows = withDemoWords(session.title, await readFixture(from));
    return { ...session, rows, subagents: [] };
  });
  const invented = demoConversations().map((each) => ({ ...each, project: 'weather-station', loads: undefined }));
  const sources = [...(await Promise.all(recorded)), ...invented];
  const sessions = await Promise.all(
    sources.map(async ({ project, title, age, loads, ...source }, index) => {
      const projectFolder = join(folder, project);
      await mkdir(projectFolder, { recursive: true });
      const sessionId = `${index + 1}e55104a-0000-4000-8000-000000000000`;
      const filePath = join(configDir, 'projects', projectFolder.replace(/[^a-zA-Z0-9]/g, '-'), `${sessionId}.jsonl`);
      await writeSession({
        ...source,
        sessionId,
        filePath,
        title,
        projectFolder,
        lastMs: Date.now() - age * MINUTE_MS,
      });
      const damage = loads === undefined ? null : { loads, of: 28 };
      return { title, sessionId, filePath, projectFolder, damage };
    }),
  );
  for (const [path, text] of Object.entries(DEMO_FILES)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
  return { configDir, workspace, sessions };
}

/**
 * @param {object} session
 * @param {string} session.rows
 * @param {DemoSubagent[]} session.subagents
 * @param {string} session.sessionId
 * @param {string} session.filePath
 * @param {string} session.title
 * @param {string} session.projectFolder
 * @param {number} session.lastMs
 */
async function writeSession({ rows, subagents, sessionId, filePath, title, projectFolder, lastMs }) {
  const times = Array.from(rows.matchAll(TIMESTAMP), ([, time = '']) => Date.parse(time));
  const shiftMs = lastMs - Math.max(...times);
  /** @param {string} text */
  const placed = (text) =>
    text
      .replaceAll(DEMO_SESSION, sessionId)
      .replaceAll(JSON.stringify(DEMO_CWD), JSON.stringify(projectFolder))
      .replaceAll(`${DEMO_CWD}/`, JSON.stringify(`${projectFolder}/`).slice(1, -1))
      .replace(TIMESTAMP, (_, time) => `"timestamp":"${new Date(Date.parse(time) + shiftMs).toISOString()}"`);
  // What /rename in the client writes.
  const titleRow = JSON.stringify({ type: 'custom-title', customTitle: title, sessionId });
  await writeTranscript(filePath, `${placed(rows)}${titleRow}\n`, lastMs);
  for (const { agentId, rows: its, meta } of subagents) {
    const path = join(filePath.replace(/\.jsonl$/, ''), 'subagents', `agent-${agentId}.jsonl`);
    await writeTranscript(path, placed(its), lastMs);
    await writeFile(path.replace(/\.jsonl$/, '.meta.json'), JSON.stringify(meta), { mode: 0o600 });
  }
}

/**
 * @param {string} filePath
 * @param {string} text
 * @param {number} lastMs
 */
async function writeTranscript(filePath, text, lastMs) {
  await mkdir(dirname(filePath), { recursive: true });
  await writeFile(filePath, text, { encoding: 'latin1', mode: 0o600 });
  await utimes(filePath, lastMs / 1000, lastMs / 1000);
}

/**
 * The rows of one transcript, each byte a character.
 * @param {string} from  the folder of the fixture
 */
async function readFixture(from) {
  const folder = join(FIXTURES, from);
  const source = (await readdir(folder)).find((name) => name.endsWith('.jsonl'));
  if (!source) throw new Error(`Failed to find a transcript in ${folder}`);
  // latin1 keeps every byte as it is, and NULs and broken UTF-8 are the point of some fixtures.
  return (await readFile(join(folder, source), 'latin1')).replaceAll(source.replace('.jsonl', ''), DEMO_SESSION);
}

/** @param {string} name */
function recording(name) {
  return `recordings/${name}/dot-claude/projects/-home-user-project`;
}
