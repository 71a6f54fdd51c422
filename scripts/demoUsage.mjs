// @ts-check
// A month of work with Claude Code that nobody did: what there is to see where tokens are counted.
import { createHash } from 'node:crypto';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const DAY_MS = 24 * 3600_000;
const MINUTE_MS = 60_000;

/** `model` names who answered, `weight` how much was done; `days` are days ago, one session each. */
const WORK = [
  { project: 'almanac', title: 'Draw the tide tables', model: 'claude-opus-5-5', weight: 1.6, days: [1, 2, 3, 6, 7] },
  {
    project: 'almanac',
    title: 'Translate the manual',
    model: 'claude-sonnet-5',
    weight: 2.2,
    days: [0, 1, 4, 8, 9, 10],
  },
  {
    project: 'recipe-box',
    title: 'Sort recipes by season',
    model: 'claude-opus-5-5',
    weight: 0.9,
    days: [8, 13, 14, 15],
  },
  {
    project: 'tide-clock',
    title: 'Set the clock by radio',
    model: 'claude-haiku-4-5-20251001',
    weight: 1.2,
    days: [0, 2, 3, 11],
  },
  {
    project: 'tide-clock',
    title: 'Make the hands quieter',
    model: 'claude-opus-5-5',
    weight: 2.5,
    days: [16, 17, 20, 21, 22],
  },
  {
    project: 'recipe-box',
    title: 'Scale recipes to guests',
    model: 'claude-sonnet-5',
    weight: 1.4,
    days: [23, 24, 27, 28, 40],
  },
  { project: 'tide-clock', title: 'Ask a model of our own', model: 'harbour-1-large', weight: 0.3, days: [3, 9] },
];

/**
 * Adds sessions to a config folder.
 * @param {string} folder  as in `createDemoSessions`
 * @param {{ configDir: string }} demo
 * @returns {Promise<{ filePath: string, title: string }[]>}
 */
export async function addDemoUsage(folder, { configDir }) {
  return Promise.all(
    WORK.map(async ({ project, title, model, weight, days }, index) => {
      const cwd = join(folder, project);
      const sessionId = `${index + 1}05a6e00-0000-4000-8000-000000000000`;
      const projectFolder = join(configDir, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
      const filePath = join(projectFolder, `${sessionId}.jsonl`);
      await mkdir(cwd, { recursive: true });
      await mkdir(projectFolder, { recursive: true });
      const rows = [...days]
        .sort((a, b) => b - a)
        .flatMap((daysAgo) => dayOfWork({ model, weight, daysAgo, name: title }));
      let parentUuid = null;
      for (const row of rows) {
        Object.assign(row, { parentUuid, sessionId, cwd });
        parentUuid = row['uuid'];
      }
      const lines = [...rows, { type: 'custom-title', customTitle: title, sessionId }];
      await writeFile(filePath, lines.map((row) => `${JSON.stringify(row)}\n`).join(''), { mode: 0o600 });
      const last = (Date.now() - Math.min(...days) * DAY_MS - 5 * MINUTE_MS) / 1000;
      await utimes(filePath, last, last);
      return { filePath, title };
    }),
  );
}

/**
 * @param {{ model: string, weight: number, daysAgo: number, name: string }} work
 * @returns {Record<string, unknown>[]} rows without what the session gives them
 */
function dayOfWork({ model, weight, daysAgo, name }) {
  const rows = [];
  const turns = 3 + ((daysAgo * 7) % 5);
  for (let turn = 0; turn < turns; turn++) {
    // Before now, and on that day wherever the reader is.
    const time = new Date(Date.now() - daysAgo * DAY_MS - (turns - turn) * MINUTE_MS).toISOString();
    const common = { isSidechain: false, timestamp: time, userType: 'external', version: '2.1.330', gitBranch: 'main' };
    const id = `${name} ${daysAgo} ${turn}`;
    rows.push({
      ...common,
      type: 'user',
      uuid: uuidOf(`prompt ${id}`),
      message: { role: 'user', content: turn === 0 ? `${name}: where were we?` : 'Go on.' },
    });
    rows.push({
      ...common,
      type: 'assistant',
      uuid: uuidOf(`reply ${id}`),
      message: {
        id: `msg_demo_${createHash('sha256').update(id).digest('hex').slice(0, 20)}`,
        type: 'message',
        role: 'assistant',
        model,
        content: [{ type: 'text', text: turn + 1 === turns ? 'That is done.' : 'One more step is done.' }],
        stop_reason: 'end_turn',
        usage: usageOf(weight, daysAgo, turn),
      },
    });
  }
  return rows;
}

/**
 * @param {number} weight
 * @param {number} daysAgo
 * @param {number} turn
 */
function usageOf(weight, daysAgo, turn) {
  const scale = weight * (1 + ((daysAgo * 13 + turn * 5) % 9) / 6);
  return {
    input_tokens: Math.round(40 * scale),
    cache_creation_input_tokens: Math.round(9000 * scale),
    cache_read_input_tokens: Math.round(210_000 * scale),
    output_tokens: Math.round(2600 * scale),
  };
}

/** @param {string} name */
function uuidOf(name) {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
