// @ts-check
// A session with file history, and the files that it left: what there is to see where files are rewound.
import { createHash } from 'node:crypto';
import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { DEMO_CWD, DemoTranscript } from './demoTranscript.mjs';

const MINUTE_MS = 60_000;
const SESSION_ID = '0e55104a-0000-4000-8000-0000000000f1';
const HISTORY_TITLE = 'Draw the rain of a day';

/** The prompts, in their order. */
export const HISTORY_PROMPTS = /** @type {const} */ ([
  'Count the rain of each hour, from the tips of the bucket.',
  'Draw it as bars, and call the units by their names.',
  'Tell people about it in the notes.',
]);

const RAIN = `import type { Tip } from './readings';

const TIP_MM = 0.2;

export function rainOfDay(tips: readonly Tip[]): number {
  return tips.length * TIP_MM;
}
`;
const RAIN_HOURS = RAIN.replace(
  'export function rainOfDay(tips: readonly Tip[]): number {\n  return tips.length * TIP_MM;\n}\n',
  `/** Millimetres, by the hour of the day. */
export function rainByHour(tips: readonly Tip[]): readonly number[] {
  const hours = Array.from({ length: 24 }, () => 0);
  for (const { timeMs } of tips) hours[new Date(timeMs).getHours()] += TIP_MM;
  return hours;
}
`,
);
const RAIN_BARS = RAIN_HOURS.replace('const TIP_MM = 0.2;\n', 'export const TIP_MILLIMETRES = 0.2;\n')
  .replaceAll('TIP_MM;', 'TIP_MILLIMETRES;')
  .replace('by the hour of the day. */', 'by the hour of the day: what `rainChart.ts` draws. */');
const CHART = `import { rainByHour } from './rain';
import type { Tip } from './readings';

const BAR = '█';

/** One bar for each hour, a block for each millimetre. */
export function rainChart(tips: readonly Tip[]): string {
  return rainByHour(tips)
    .map((millimetres, hour) => \`\${String(hour).padStart(2)} \${BAR.repeat(Math.round(millimetres))}\`)
    .join('\\n');
}
`;
const FORMAT = `export const formatRain = (value: number): string => \`\${value.toFixed(1)} mm\`;
export const formatWind = (value: number): string => \`\${value.toFixed(0)} m/s\`;
`;
const FORMAT_NAMES = FORMAT.replace('} mm`', '} millimetres`').replace('} m/s`', '} metres a second`');
const FORMAT_BY_HAND = `${FORMAT_NAMES}export const formatSnow = (value: number): string => \`\${value.toFixed(0)} centimetres\`;\n`;
const GAUGE = `/** The gauge of 2019, which had no bucket. */
export const OLD_GAUGE = { funnelCm2: 200, isTipping: false };
`;
const GAUGE_NAMES = GAUGE.replace('funnelCm2: 200', 'funnelSquareCentimetres: 200');
const NOTES = '# Notes\n\n- The wind is drawn on a map.\n';
const NOTES_RAIN = `${NOTES}- The rain of a day is drawn, hour by hour.\n`;
const LATEST = 'Version 1.4 draws the wind.\n';
const STATION = 'name = roof\nunits = short\n';
const STATION_NAMES = STATION.replace('short', 'long');

/**
 * Adds the session to a config folder, and its files to the project.
 * @param {string} folder  as in `createDemoSessions`
 * @param {{ configDir: string, workspace: string }} demo
 */
export async function addDemoHistory(folder, { configDir, workspace }) {
  const outside = join(folder, 'station.conf');
  const told = new HistoryTranscript(workspace, Date.now() - 40 * MINUTE_MS);
  told.turn(HISTORY_PROMPTS[0], 'The hours are counted in `rainByHour`.', [['src/rain.ts', RAIN, RAIN_HOURS]]);
  const [, drawn] = HISTORY_PROMPTS;
  told.turn(drawn, 'A bar for each hour, and every unit has its name.', [
    ['src/rainChart.ts', null, CHART],
    ['src/rain.ts', RAIN_HOURS, RAIN_BARS],
    ['src/format.ts', FORMAT, FORMAT_NAMES],
    ['src/oldGauge.ts', GAUGE, GAUGE_NAMES],
    ['docs/latest.md', LATEST, 'Version 1.5 draws the rain.\n'],
    [outside, STATION, STATION_NAMES],
    'npm run build -- --all',
    'prettier --write src',
  ]);
  told.turn(HISTORY_PROMPTS[2], 'The notes say so.', [['docs/notes.md', NOTES, NOTES_RAIN], 'git add docs/notes.md']);

  const projectFolder = join(configDir, 'projects', workspace.replace(/[^a-zA-Z0-9]/g, '-'));
  const filePath = join(projectFolder, `${SESSION_ID}.jsonl`);
  await put(filePath, told.text(), 0o600);
  for (const [name, text, timeMs] of told.backups) {
    const path = join(configDir, 'file-history', SESSION_ID, name);
    await put(path, text, 0o644);
    await utimes(path, timeMs / 1000, timeMs / 1000);
  }
  for (const [path, text] of told.files) await put(join(workspace, path), text, 0o644);
  await put(outside, STATION_NAMES, 0o644);
  // What people did since.
  await put(join(workspace, 'src/format.ts'), FORMAT_BY_HAND, 0o644);
  await rm(join(workspace, 'src/oldGauge.ts'));
  await rm(join(workspace, 'docs/latest.md'));
  // Windows lets only few people make links.
  if (process.platform !== 'win32') await symlink('notes.md', join(workspace, 'docs/latest.md'));
  return { filePath, sessionId: SESSION_ID, title: HISTORY_TITLE, projectFolder: workspace, outside };
}

/** @typedef {readonly [path: string, before: string | null, after: string]} Edit  null: Claude made the file */

/** A transcript with the rows of file history that the client writes beside it. */
class HistoryTranscript {
  #transcript = new DemoTranscript('history');
  #workspace;
  #timeMs;
  /**
   * What is kept of each file that was edited so far.
   * @type {Map<string, { version: number, name: string | null, text: string | null, isStale: boolean }>}
   */
  #tracked = new Map();
  /** @type {Map<string, string>} as the session left them, by their paths in the project */
  files = new Map();
  /** @type {[name: string, text: string, timeMs: number][]} */
  backups = [];

  /**
   * @param {string} workspace
   * @param {number} startMs
   */
  constructor(workspace, startMs) {
    this.#workspace = workspace;
    this.#timeMs = startMs;
  }

  /**
   * @param {string} prompt
   * @param {string} reply
   * @param {readonly (Edit | string)[]} work  edits, and commands
   */
  turn(prompt, reply, work) {
    const promptId = this.#row(() => this.#transcript.prompt(prompt));
    this.#snapshot(promptId);
    for (const step of work) {
      if (typeof step === 'string') this.#command(step);
      else this.#edit(promptId, step);
    }
    this.#row(() => this.#transcript.reply(reply));
  }

  text() {
    const title = { type: 'custom-title', customTitle: HISTORY_TITLE, sessionId: SESSION_ID };
    const text = [...this.#transcript.rows, title].map((row) => `${JSON.stringify(row)}\n`).join('');
    return text.replaceAll(JSON.stringify(DEMO_CWD), JSON.stringify(this.#workspace));
  }

  /** @param {string} command */
  #command(command) {
    this.#row(() =>
      this.#transcript.call('Bash', { command, description: 'As the project does it' }, { content: 'Done.' }),
    );
  }

  /**
   * @param {string} promptId
   * @param {Edit} edit
   */
  #edit(promptId, [path, before, after]) {
    const isOutside = isAbsolute(path);
    const filePath = isOutside ? path : join(this.#workspace, path);
    const [name, input, details] =
      before === null
        ? ['Write', { file_path: filePath, content: after }, { type: 'create', filePath, content: after }]
        : [
            'Edit',
            { file_path: filePath, old_string: before, new_string: after },
            { filePath, oldString: before, newString: after, originalFile: before, replaceAll: false },
          ];
    this.#row(() => this.#transcript.call(name, input, { content: `The file ${filePath} has been updated.`, details }));
    const known = this.#tracked.get(path);
    if (known === undefined) {
      const backup = this.#keep(path, before, 1);
      const time = new Date(this.#timeMs).toISOString();
      this.#transcript.rows.push({
        type: 'file-history-delta',
        messageId: this.#transcript.rows.at(-2)?.['uuid'],
        snapshotMessageId: promptId,
        trackingPath: path,
        backup,
        timestamp: time,
      });
    }
    this.#tracked.set(path, { ...(known ?? { version: 1, name: null }), text: after, isStale: true, name: null });
    if (!isOutside) this.files.set(path, after);
  }

  /** @param {string} promptId */
  #snapshot(promptId) {
    /** @type {Record<string, unknown>} */
    const trackedFileBackups = {};
    for (const [path, file] of this.#tracked) {
      if (file.isStale) file.version++;
      trackedFileBackups[path] = this.#keep(path, file.text, file.version);
      file.isStale = false;
    }
    const timestamp = new Date(this.#timeMs).toISOString();
    const snapshot = { messageId: promptId, trackedFileBackups, timestamp };
    this.#transcript.rows.push({
      type: 'file-history-snapshot',
      messageId: promptId,
      snapshot,
      isSnapshotUpdate: false,
    });
  }

  /**
   * @param {string} path
   * @param {string | null} text
   * @param {number} version
   */
  #keep(path, text, version) {
    const absolute = isAbsolute(path) ? path : join(this.#workspace, path);
    const name =
      text === null ? null : `${createHash('sha256').update(absolute).digest('hex').slice(0, 16)}@v${version}`;
    if (name !== null && text !== null) this.backups.push([name, text, this.#timeMs - MINUTE_MS]);
    return {
      backupFileName: name,
      version,
      backupTime: new Date(this.#timeMs).toISOString(),
      realParentDir: dirname(absolute),
    };
  }

  /**
   * Gives the rows that were just told their place and time.
   * @template T
   * @param {() => T} tell
   * @returns {T}
   */
  #row(tell) {
    const { rows } = this.#transcript;
    const from = rows.length;
    const result = tell();
    for (const row of rows.slice(from)) {
      this.#timeMs += 20_000;
      Object.assign(row, {
        sessionId: SESSION_ID,
        cwd: this.#workspace,
        timestamp: new Date(this.#timeMs).toISOString(),
      });
    }
    return result;
  }
}

/**
 * @param {string} path
 * @param {string} text
 * @param {number} mode
 */
async function put(path, text, mode) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode });
}
